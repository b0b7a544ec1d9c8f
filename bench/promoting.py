"""One Sluice that promotes, and how long it takes from the signed POST until the ledger says PullRequestOpen."""

from __future__ import annotations

import http.client
import itertools
import json
import socket
import time
from pathlib import Path
from typing import Any, Iterable, Mapping

from certificates import Certificate
from fleet import SECRET, promoting_pipeline
from flux_events import encode, flux_event, signed_headers
from pipelines import to_yaml
from servers import Sluice
from tls_client import Connection, request_bytes

KEY = "of-the-bench-alone"
EAGER = ("--promotion-poll=1h",)  # nothing merges here


class _Control(http.client.HTTPConnection):
    """A kept connection to the control socket: asking costs the server as little as can be."""

    def __init__(self, path: Path):
        super().__init__("localhost", timeout=60)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(str(self._path))

    def ask(self, target: str) -> Any:
        self.request("GET", target)
        return json.loads(self.getresponse().read())


class Promoting(Sluice):
    """Pipelines by name, each with the address of its repository; every promotion has a newer revision."""

    def __init__(
        self,
        binary: Path,
        folder: Path,
        certificate: Certificate,
        repositories: Mapping[str, str],
        *more: str,
        keys: Mapping[str, str | bytes] | None = None,
    ):
        for name, url in repositories.items():
            path = folder / "pipelines" / f"{name}.yaml"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(to_yaml(promoting_pipeline(url, name=name)))
        secret = folder / "secrets" / "default" / SECRET
        secret.mkdir(parents=True)
        for key, value in ({"hmac-key": KEY} | dict(keys or {})).items():
            (secret / key).write_bytes(value.encode() if isinstance(value, str) else value)
        self._revisions = (f"7.0.{number}" for number in itertools.count())
        super().__init__(binary, folder, certificate, 2, *EAGER, *more)

    def promote(self, pipeline: str = "podinfo") -> float:
        return self.promote_all([pipeline])

    def promote_all(self, pipelines: Iterable[str]) -> float:
        """All at once; seconds from the first POST until the last is open. What the client can do before, it does before."""
        revision, names = next(self._revisions), list(pipelines)
        body = encode(flux_event(revision, cluster="dev"))
        headers = signed_headers(KEY, body)
        senders = [Connection(self.url, self.context) for _ in names]
        requests = [
            request_bytes("POST", f"/default/{name}/dev", sender.host, body, headers)
            for name, sender in zip(names, senders)
        ]
        control = _Control(self.state / "control.sock")
        control.ask("/api/v1/promotions?limit=1")

        begun = time.perf_counter()
        for sender, request in zip(senders, requests):
            sender.send(request)
        for sender in senders:
            assert sender.read_answer().status == 202
        self._wait(control, revision, names, begun)
        took = time.perf_counter() - begun
        for sender in senders:
            sender.close()
        control.close()
        return took

    def _wait(self, control: _Control, revision: str, names: list[str], begun: float) -> None:
        """One is asked for until it is open, which costs the server little; then all, which are the newest."""
        last = f"/api/v1/promotions/default%2F{names[-1]}%2Fstaging%40{revision}"
        everyone = f"/api/v1/promotions?limit={len(names)}"
        while not (self._is_open(control.ask(last), revision) and self._are_open(control.ask(everyone), revision)):
            assert time.perf_counter() - begun < 120, control.ask(everyone)
            time.sleep(0.001)

    @staticmethod
    def _is_open(seen: Any, revision: str) -> bool:
        assert seen["revision"] == revision and seen["state"] in ("Pending", "Running", "PullRequestOpen"), seen
        return seen["state"] == "PullRequestOpen"

    @classmethod
    def _are_open(cls, seen: Any, revision: str) -> bool:
        return all([cls._is_open(one, revision) for one in seen["items"]])

    def patching(self) -> tuple[float, float]:
        """Seconds spent on finding and writing markers, and how often."""
        family = self.metrics()["sluice_git_operation_seconds"]
        return family.sum(operation="patch"), family.value(operation="patch")

    def peak_memory(self) -> int:
        """The most that was ever resident, in bytes."""
        lines = Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:"))
