"""The fixtures: one API server and one Gitea for the run, for each test its own Sluice, namespace, repository."""

from __future__ import annotations

import itertools
import os
import signal
import sys
from pathlib import Path
from typing import Callable, Iterator

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support_py"))

from cluster import Cluster  # noqa: E402
from delivery import Delivery  # noqa: E402
from gitea import BOT, Gitea  # noqa: E402
from peer import SETS, Peer, peer_set  # noqa: E402
from promoting import Promoting  # noqa: E402
from sluice import Sluice, binary  # noqa: E402

# pytest stops what the fixtures started on an interrupt only, so a TERM becomes one.
signal.signal(signal.SIGTERM, signal.default_int_handler)

_numbers = itertools.count(1)


@pytest.fixture(scope="session", params=list(SETS) if os.environ.get("SLUICE_E2E_ALL") else ["default"])
def peers(request: pytest.FixtureRequest) -> dict[str, Peer]:
    found = peer_set(request.param)
    for peer in found.values():
        assert peer.binary.exists(), f"{peer} is not built; run scripts/peers"
    return found


@pytest.fixture(scope="session")
def cluster(peers: dict[str, Peer], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    made = Cluster(peers, tmp_path_factory.mktemp("cluster"))
    try:
        made.start()
        made.apply_crds(peers["notification-controller"].crds)
        yield made
    finally:
        made.stop()


@pytest.fixture
def make_sluice(tmp_path: Path) -> Iterator[Callable[..., Sluice]]:
    assert binary().exists(), f"{binary()} is not built; run make"
    made: list[Sluice] = []

    def make(**options: object) -> Sluice:
        made.append(Sluice(tmp_path / f"sluice-{len(made)}", **options))
        return made[-1]

    yield make
    for one in made:
        one.stop()


@pytest.fixture
def delivery(cluster: Cluster, peers: dict[str, Peer], tmp_path: Path) -> Iterator[Delivery]:
    # A namespace per test: an Alert left by another test then matches no event of this one.
    made = Delivery(cluster, peers["notification-controller"], f"podinfo-{next(_numbers)}", tmp_path)
    yield made
    made.stop()


@pytest.fixture(scope="session")
def gitea(peers: dict[str, Peer], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gitea]:
    made = Gitea(peers["gitea"], tmp_path_factory.mktemp("gitea"))
    try:
        made.start()
        yield made
    finally:
        made.stop()


@pytest.fixture
def make_promoting(make_sluice: Callable[..., Sluice], gitea: Gitea) -> Iterator[Callable[..., Promoting]]:
    made: list[Promoting] = []

    def make(**options: object) -> Promoting:
        made.append(Promoting(make_sluice(**options), gitea, f"fleet-{next(_numbers)}"))
        return made[-1]

    yield make
    for one in made:
        one.sluice.stop()
        assert gitea.tokens[BOT] not in one.sluice.process.text(), "the log shows a token"
