"""Many promotions of one repository at once, and a repository of many files."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Callable

import pytest
from certificates import self_signed
from fleet import BareRepository, manifests, unmarked
from git_server import GitServer
from process import wait_until
from promoter import BRANCH, PASSWORD, USERNAME, Promoter, promoted_once

Make = Callable[..., Promoter]
APPS = [f"app{number}" for number in range(50)]


def test_fifty_promotions_at_once_share_their_pushes_and_each_changes_its_own_line(
    tmp_path: Path, make_promoter: Make
) -> None:
    served = self_signed(tmp_path / "tls", "git")
    fleet = BareRepository(tmp_path / "repositories" / "fleet.git", manifests(pipelines=APPS) | unmarked(200))
    keys = {"username": USERNAME, "password": PASSWORD, "caFile": served.cert.read_bytes()}
    login = {"username": USERNAME, "password": PASSWORD}
    with GitServer(fleet.path.parent, cert=served.cert, key=served.key, **login) as remote:
        promoter = make_promoter()
        promoter.teach(f"{remote.url}/fleet.git", keys=keys, pipelines=APPS)
        with promoter.server, ThreadPoolExecutor(10) as crowd:
            list(crowd.map(lambda name: promoter.prove("6.1.8", name), APPS))
            wait_until(
                lambda: [one["state"] for one in promoter.promotions()] == ["PullRequestOpen"] * len(APPS),
                "all of them to be open",
                30,
                promoter.show,
            )
        pushes = [one for one in remote.requests("/git-receive-pack") if one["bytesIn"] > 4]
    assert len(pushes) <= len(APPS) // 2, f"{len(pushes)} pushes"
    assert len(fleet.promoted()) == len(APPS)
    for name in APPS:
        branch = f"promotion-default-{name}-staging"
        removed, added = fleet.changed_lines("main", branch)
        assert f"default:{name}:staging" in added and added == "+" + removed[1:].replace("6.1.7", "6.1.8")


def manifests_read(promoter: Promoter) -> int:
    lines = promoter.server.admin("/metrics").body.decode().splitlines()
    return next(int(float(line.split()[-1])) for line in lines if line.startswith("sluice_git_manifests_read_total"))


@pytest.mark.release_only
def test_a_warm_promotion_in_a_repository_of_20000_files_reads_none_of_them(
    tmp_path: Path, make_promoter: Make
) -> None:
    fleet = BareRepository(tmp_path / "repositories" / "fleet.git", manifests() | unmarked(20_000))
    promoter = make_promoter(local=fleet.path.parent)
    promoter.teach(fleet.url)
    with promoter.server:
        promoter.promotes("6.1.8", deadline=60)
        before = manifests_read(promoter)
        fleet.commit({"apps/0/0.yaml": "changed: true\n"})
        begun = time.monotonic()
        promoter.promotes("6.1.9")
        assert time.monotonic() - begun < 2
        assert manifests_read(promoter) == before + 1, "more than the one that changed"
    promoted_once(fleet, "6.1.9", branch=BRANCH)
