"""Events signed before the clock runs: fresh, distinct, about 760 bytes, over a thousand pipelines."""

from __future__ import annotations

import hmac
import itertools
from pathlib import Path

from flux_events import encode, flux_event, now

KEY = b"bench-key-0123456789abcdef0123456789"
PIPELINES = 1000
THREADS = 2

_MESSAGE = (
    "Helm upgrade succeeded for release podinfo/podinfo.v2 with chart podinfo@%(revision)s, all resources are current "
    "and ready: Deployment/podinfo/podinfo, Service/podinfo/podinfo, ConfigMap/podinfo/podinfo-redis, "
    "Ingress/podinfo/podinfo"
)
_DIGEST = "sha256:2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae"
_BODY = encode(
    flux_event(
        "%(revision)s",
        timestamp="%(now)s",
        message=_MESSAGE,
        cluster="dev",
        metadata={"app-version": "6.1.8", "oci-digest": _DIGEST},
    )
).decode()
_HEAD = (
    "POST /bench/app-%d/dev HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: Go-http-client/1.1\r\nContent-Length: %d\r\n"
    "Content-Type: application/json\r\nGotk-Component: helm-controller\r\nX-Signature: sha256=%s\r\n"
    "Accept-Encoding: gzip\r\n%s\r\n"
)


class Events:
    """Hands out each event once: every pipeline's revision grows with each of its events."""

    def __init__(self) -> None:
        self._numbers = itertools.count()

    def prepare(self, name: Path, count: int, *, close: bool = False) -> Path:
        """Writes that many requests, one file per thread of wrk; a pipeline's events stay with one thread, in order."""
        connection = "Connection: close\r\n" if close else ""
        stamp = now()
        files = [Path(f"{name}.{thread}").open("wb", buffering=1 << 20) for thread in range(THREADS)]
        for number in itertools.islice(self._numbers, count):
            pipeline, revision = number % PIPELINES, number // PIPELINES
            body = (_BODY % {"revision": f"1.{revision}.0", "now": stamp}).encode()
            mac = hmac.digest(KEY, body, "sha256").hex()
            request = (_HEAD % (pipeline, len(body), mac, connection)).encode() + body
            files[pipeline % THREADS].write(b"%08d" % len(request) + request)
        for file in files:
            file.close()
        return name


def first_of(name: Path) -> bytes:
    """One prepared request."""
    with Path(f"{name}.0").open("rb") as file:
        return file.read(int(file.read(8)))


def write_home(folder: Path, pipelines: int = PIPELINES) -> None:
    """The pipelines and their secret, as `sluice serve` wants them."""
    secret = folder / "secrets" / "bench" / "events"
    secret.mkdir(parents=True)
    (secret / "hmac-key").write_bytes(KEY)
    (folder / "pipelines").mkdir()
    (folder / "pipelines" / "bench.yaml").write_text("---\n".join(_manifest(number) for number in range(pipelines)))


def _manifest(number: int) -> str:
    target = "targets: [{namespace: podinfo}]"
    return f"""apiVersion: pipelines.weave.works/v1alpha1
kind: Pipeline
metadata: {{name: app-{number}, namespace: bench}}
spec:
  appRef: {{apiVersion: helm.toolkit.fluxcd.io/v2, kind: HelmRelease, name: podinfo}}
  environments:
  - {{name: dev, {target}}}
  - {{name: prod, {target}}}
  promotion: {{manual: true, strategy: {{secretRef: {{name: events}}, notification: {{}}}}}}
"""
