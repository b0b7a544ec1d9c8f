"""The real `sluice serve` in the embedded home: its folders, its life, and requests to it."""

from __future__ import annotations

import json
import os
import signal
import ssl
import subprocess
from pathlib import Path
from typing import Any, Iterable, Mapping

from http_request import Response, http_request
from process import Process, wait_until

ROOT = Path(__file__).resolve().parent.parent.parent


def binary() -> Path:
    """SLUICE_BINARY, relative to where the caller is; else what `make` builds."""
    chosen = os.environ.get("SLUICE_BINARY")
    return Path(chosen).absolute() if chosen else ROOT / "build" / "sluice"


class Sluice:
    """One instance below one folder; `start` and `stop` may be repeated, the state stays."""

    def __init__(
        self,
        folder: Path,
        *,
        listen: Iterable[str] = ("https://127.0.0.1:0",),
        admin: str = "127.0.0.1:0",
        certificate: Path | None = None,
        arguments: Iterable[str] = (),
        environment: Mapping[str, str] | None = None,
    ):
        self.pipelines, self.secrets, self.state = (folder / name for name in ("pipelines", "secrets", "state"))
        for one in (self.pipelines, self.secrets, self.state):
            one.mkdir(parents=True, exist_ok=True)
        self.state.chmod(0o700)
        self.certificate = certificate or self.state / "tls" / "tls.crt"
        self.urls: list[str] = []
        folders = ["--pipelines", self.pipelines, "--secrets", self.secrets, "--state", self.state]
        addresses = [part for url in listen for part in ("--listen", url)] + ["--admin", admin]
        self.process = Process(
            [binary(), "serve", *folders, *addresses, "--log-format", "json", *arguments],
            folder / "sluice.log",
            environment,
        )

    def __enter__(self) -> Sluice:
        self.start()
        return self

    def __exit__(self, failure: object, *_: object) -> None:
        """A clean end is part of every test, unless the test killed it or has failed already."""
        status = self.stop()
        assert failure or status in (0, -signal.SIGKILL), f"ended with {status}\n{self.process.tail()}"

    def write_pipeline(self, text: str, name: str = "podinfo") -> Path:
        path = self.pipelines / f"{name}.yaml"
        path.write_text(text, encoding="utf-8")
        return path

    def write_secret(self, name: str, keys: Mapping[str, str | bytes], namespace: str = "default") -> Path:
        """One file per key, without a newline at the end, as Kubernetes mounts a Secret."""
        folder = self.secrets / namespace / name
        folder.mkdir(parents=True, exist_ok=True)
        for key, value in keys.items():
            (folder / key).write_bytes(value.encode() if isinstance(value, str) else value)
        return folder

    def start(self, deadline: float = 20.0) -> None:
        """Returns once it accepts connections and `urls` are known."""
        told = self.state / "listen"
        told.unlink(missing_ok=True)  # a killed run leaves its own behind
        self.process.start(told.exists, deadline)
        self.urls = told.read_text().split()

    def stop(self, sig: int = signal.SIGTERM, deadline: float = 30.0) -> int | None:
        return self.process.stop(sig, deadline)

    def kill9(self) -> None:
        self.process.stop(signal.SIGKILL)

    @property
    def url(self) -> str:
        return self.urls[0]

    @property
    def admin_url(self) -> str:
        return self.urls[-1]

    def run(self, *arguments: str, deadline: float = 30.0) -> subprocess.CompletedProcess[str]:
        """A subcommand against this instance's state folder, for instance `run("status", "-o", "json")`."""
        return subprocess.run(
            [str(binary()), *arguments, "--state", str(self.state)],
            capture_output=True,
            text=True,
            timeout=deadline,
            check=False,
        )

    def promotions(self) -> list[dict[str, Any]]:
        listed = self.run("promotions", "list", "-o", "json")
        assert listed.returncode == 0, f"promotions list: {listed.stdout}{listed.stderr}"
        return json.loads(listed.stdout)["items"]

    def wait_for_promotion(self, deadline: float = 10.0, **fields: Any) -> dict[str, Any]:
        """The promotion that has these fields, for instance `revision="6.1.8", environment="prod"`."""

        def find() -> dict[str, Any] | None:
            return next((one for one in self.promotions() if fields.items() <= one.items()), None)

        return wait_until(find, f"a promotion with {fields}", deadline, self.process.tail)

    def log(self) -> list[dict[str, Any]]:
        """The lines of its log that are JSON objects; a sanitizer's report, for one, is not."""
        return [json.loads(line) for line in self.process.text().splitlines() if line.startswith("{")]

    def ssl_context(self) -> ssl.SSLContext:
        """Trusts this instance's own certificate and nothing else."""
        return ssl.create_default_context(cafile=str(self.certificate))

    def request(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        *,
        url: str | None = None,
    ) -> Response:
        """One request on a connection of its own, to the first listener unless another URL is given."""
        base = url or self.url
        context = self.ssl_context() if base.startswith("https:") else None
        return http_request(method, base + path, body, headers, context=context)

    def post(self, path: str, body: bytes, headers: Mapping[str, str] | None = None, **options: Any) -> Response:
        return self.request("POST", path, body, headers, **options)

    def get(self, path: str, **options: Any) -> Response:
        return self.request("GET", path, **options)
