"""The peers the end-to-end tests run beside Sluice: which versions, and where their builds are kept."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

WRAPPERS = Path(__file__).parent / "peers"

# One set is what one run of the tests uses together; `make e2e` takes the first, `make e2e-all` each.
SETS = {
    "default": {
        "etcd": "v3.6.8",
        "kube-apiserver": "v1.34.4",
        "notification-controller": "v1.6.0",
        "gitea": "v1.25.5",
    },
    "other": {
        "etcd": "v3.6.8",
        "kube-apiserver": "v1.36.3",
        "notification-controller": "v1.5.0",
        "gitea": "v1.25.5",
    },
}


class Peer(NamedTuple):
    """One program at one version."""

    name: str
    version: str

    def __str__(self) -> str:
        return f"{self.name} {self.version}"

    @property
    def folder(self) -> Path:
        return cache() / f"{self.name}-{self.version}"

    @property
    def binary(self) -> Path:
        return self.folder / self.name

    @property
    def crds(self) -> Path:
        """The CRDs of a Flux controller, kept beside its binary."""
        return self.folder / "crds"

    @property
    def static(self) -> Path:
        """The templates and options that Gitea reads when it runs, kept beside its binary."""
        return self.folder / "static"

    @property
    def wrapper(self) -> Path:
        """Our go.mod and go.sum for this version, where the peer needs a main package of ours."""
        return WRAPPERS / self.name / self.version


def cache() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "sluice-peers"


def peer_set(name: str) -> dict[str, Peer]:
    return {peer: Peer(peer, version) for peer, version in SETS[name].items()}


def all_peers(sets: list[str]) -> list[Peer]:
    """Each peer of these sets once, in the order of the sets."""
    return list(dict.fromkeys(peer for name in sets for peer in peer_set(name).values()))
