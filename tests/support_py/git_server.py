"""Git over HTTP(S) on loopback: the real `git http-backend` behind a small server that can also misbehave.

As a program it prints its URL on one line and ends when its standard input does, or by SIGTERM:

    git_server.py --root DIR [--cert F --key F [--client-ca F] [--old-tls]] [--username U --password-file F]
                  [--token-file F] [--fault FAULT] [--control F] [--log F]

With --client-ca every client must show a certificate of that CA; with --old-tls nothing newer than TLS 1.2 is spoken.

The password may come from the environment instead (GIT_SERVER_PASSWORD). Faults are those of git_faults.py; whatever is
written to the control file takes the place of the fault at the next request. The log has one JSON object per request.
"""

from __future__ import annotations

import argparse
import base64
import contextlib
import hmac
import json
import os
import signal
import ssl
import subprocess
import threading
from pathlib import Path
from typing import Any

from git_backend import Handler, Server
from git_faults import Fault, FaultSwitch


class GitServer:
    """Serves the bare repositories below `root` as `<url>/<name>`; without a password or token to anyone."""

    def __init__(
        self,
        root: Path,
        *,
        cert: Path | None = None,
        key: Path | None = None,
        client_ca: Path | None = None,
        old_tls: bool = False,
        username: str = "",
        password: str = "",
        token: str = "",
        fault: str = "",
        control: Path | None = None,
        log: Path | None = None,
    ):
        self.root, self.username = root, username
        self.faults = FaultSwitch(fault, control)
        self.context: ssl.SSLContext | None = None
        if cert:
            self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.context.load_cert_chain(cert, key)
            if client_ca:
                self.context.verify_mode = ssl.CERT_REQUIRED
                self.context.load_verify_locations(client_ca)
            if old_tls:
                self.context.maximum_version = ssl.TLSVersion.TLSv1_2
        folder = subprocess.run(["git", "--exec-path"], capture_output=True, text=True, timeout=30, check=True)
        self.backend = folder.stdout.strip() + "/git-http-backend"
        basic = base64.b64encode(f"{username}:{password}".encode()).decode()
        self._believed = ([f"Basic {basic}"] if password else []) + ([f"Bearer {token}"] if token else [])
        self._requests: list[dict[str, Any]] = []
        self._log, self._lock, self._ended = log, threading.Lock(), threading.Event()
        self._server = Server(self)
        self.url = f"{'https' if cert else 'http'}://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    def __enter__(self) -> GitServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._server.shutdown()
        self._server.server_close()

    def believes(self, authorization: str) -> bool:
        return not self._believed or any(hmac.compare_digest(authorization, one) for one in self._believed)

    def answer_instead(self, handled: Handler, body: bytes) -> tuple[int, bytes] | None:
        """Status and JSON for what is not git's; here nothing is."""

    def while_silent(self, fault: Fault) -> None:
        """Returns when the fault is over or the server ends."""
        while self.faults.now() is fault and not self._ended.wait(0.02):
            pass

    def requests(self, part: str = "") -> list[dict[str, Any]]:
        """Those that have ended and whose target has this in it."""
        with self._lock:
            return [one for one in self._requests if part in one["path"]]

    def record(self, handled: Handler) -> None:
        length = handled.headers.get("Content-Length")
        entry = {
            "method": handled.command,
            "path": handled.path,
            "contentLength": int(length) if length else None,
            "authorization": handled.headers.get("Authorization", "").partition(" ")[0],  # never more of it
            "status": handled.status,
            "bytesIn": handled.bytes_in,
            "bytesOut": handled.bytes_out,
        }
        with self._lock:
            self._requests.append(entry)
            if self._log:
                with self._log.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(entry) + "\n")


def _secret(path: Path | None, variable: str = "") -> str:
    return path.read_text().rstrip("\n") if path else os.environ.get(variable, "")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("--root", "--cert", "--key", "--client-ca", "--password-file", "--token-file", "--control", "--log"):
        arguments.add_argument(name, type=Path, required=name == "--root")
    arguments.add_argument("--old-tls", action="store_true")
    arguments.add_argument("--username", default="")
    arguments.add_argument("--fault", default="")
    given = arguments.parse_args()
    server = GitServer(
        given.root,
        cert=given.cert,
        key=given.key,
        client_ca=given.client_ca,
        old_tls=given.old_tls,
        username=given.username,
        password=_secret(given.password_file, "GIT_SERVER_PASSWORD"),
        token=_secret(given.token_file),
        fault=given.fault,
        control=given.control,
        log=given.log,
    )
    ended = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: ended.set())

    def until_input_ends() -> None:
        while os.read(0, 4096):  # a buffered read would hold a lock that the end of the program needs
            pass
        ended.set()

    threading.Thread(target=until_input_ends, daemon=True).start()
    with server, contextlib.suppress(KeyboardInterrupt):
        print(server.url, flush=True)
        ended.wait()


if __name__ == "__main__":
    main()
