"""The two servers that are compared, each started, measured and stopped the same way."""

from __future__ import annotations

import contextlib
import shutil
import signal
import sqlite3
import ssl
import subprocess
from pathlib import Path

from certificates import Certificate
from exposition import Family, parse
from http_request import http_request
from proc import cpu_seconds, descendants, proportional_bytes
from process import Process, free_ports

_NGINX = """
daemon off;
user root;
worker_processes {workers};
pid {folder}/nginx.pid;
error_log {folder}/nginx.log error;
worker_rlimit_nofile 20000;
events {{ worker_connections 8192; }}
http {{
    access_log off;
    keepalive_timeout 600;
    keepalive_requests 1000000000;
    server {{
        listen 127.0.0.1:{port} ssl reuseport backlog=4096;
        ssl_certificate {cert};
        ssl_certificate_key {key};
        ssl_protocols TLSv1.2 TLSv1.3;
        ssl_ecdh_curve X25519:prime256v1:secp384r1;
        location / {{ return 202; }}
    }}
}}
"""


class Server:
    """One server on loopback; its processes are all descendants of the one that was started."""

    name = ""

    def __init__(self, command: list[str], log: Path, port: int, certificate: Certificate):
        self.process = Process(command, log)
        self.url = f"https://127.0.0.1:{port}"
        self.context = ssl.create_default_context(cafile=str(certificate.cert))

    def __enter__(self) -> Server:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        self.process.start(self.answers, 60)

    def stop(self) -> None:
        self.process.stop(deadline=30)

    def answers(self) -> bool:
        try:
            return http_request("POST", self.url + "/", b"", context=self.context, timeout=5).status in (202, 404)
        except OSError:
            return False

    def cpu_seconds(self) -> float:
        return sum(cpu_seconds(pid) for pid in descendants(self.process.pid))

    def memory(self) -> int:
        return sum(proportional_bytes(pid) for pid in descendants(self.process.pid))


class Nginx(Server):
    """`return 202`: TLS, HTTP and nothing else."""

    name = "nginx"

    def __init__(self, folder: Path, certificate: Certificate, workers: int):
        binary = shutil.which("nginx") or "/usr/sbin/nginx"
        (port,) = free_ports(1)
        folder.mkdir()
        values = {"folder": folder, "port": port, "workers": workers, "cert": certificate.cert, "key": certificate.key}
        (folder / "nginx.conf").write_text(_NGINX.format(**values))
        command = [binary, "-p", str(folder), "-c", str(folder / "nginx.conf")]
        super().__init__(command, folder / "out.log", port, certificate)


class Sluice(Server):
    """Verified, decided and durable before the 202."""

    name = "sluice"

    def __init__(self, binary: Path, folder: Path, certificate: Certificate, threads: int, *more: str):
        port, admin = free_ports(2)
        self.state = folder / "state"
        self.admin_url = f"http://127.0.0.1:{admin}"
        command = [str(binary), "serve", "--pipelines", f"{folder}/pipelines", "--secrets", f"{folder}/secrets"]
        command += ["--listen", f"https://127.0.0.1:{port}", "--admin", f"127.0.0.1:{admin}"]
        command += ["--state", str(self.state), f"--threads={threads}"]
        command += ["--tls-cert", str(certificate.cert), "--tls-key", str(certificate.key)]
        # The events to be repeated must still be remembered after all the new ones sent between them.
        command += ["--ledger-recall-limit=4000000"]
        command += ["--auth-sender-rate=1000000", "--auth-sender-burst=1000000", "--log-level=warn", *more]
        super().__init__(command, folder / "sluice.log", port, certificate)

    def kill9(self) -> None:
        self.process.stop(signal.SIGKILL)

    def metrics(self) -> dict[str, Family]:
        return parse(http_request("GET", self.admin_url + "/metrics").body.decode())

    def _ledger(self) -> sqlite3.Connection:
        """Read beside the running server."""
        (file,) = self.state.glob("*.db")
        return sqlite3.connect(f"file:{file}?mode=ro", uri=True, timeout=30)

    def rows(self) -> int:
        """Events in the ledger."""
        with contextlib.closing(self._ledger()) as ledger:
            return int(ledger.execute("SELECT count(*) FROM observations").fetchone()[0])

    def copy_ledger(self, folder: Path) -> None:
        """What the ledger holds now, as the state folder of another."""
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(mode=0o700)
        with contextlib.closing(self._ledger()) as ledger:
            with contextlib.closing(sqlite3.connect(folder / "sluice.db")) as copy:
                ledger.backup(copy)


def build_type(binary: Path) -> str:
    return subprocess.run([binary, "version"], capture_output=True, text=True, check=True, timeout=10).stdout.strip()
