"""The repositories promotions are measured on, and the HTTPS server in front of them: nginx and `git http-backend`."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
from pathlib import Path

from certificates import Certificate
from fleet import BareRepository, git, helm_release, manifests, unmarked
from proc import descendants
from process import Process, free_ports

USERNAME, PASSWORD = "bench", "of-the-bench-alone"

_NGINX = """
daemon off;
user root;
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/nginx.log error;
events {{ worker_connections 512; }}
http {{
    access_log off;
    client_max_body_size 0;
    client_body_temp_path {folder}/body;
    fastcgi_temp_path {folder}/answers;
    server {{
        listen 127.0.0.1:{port} ssl;
        ssl_certificate {cert};
        ssl_certificate_key {key};
        ssl_protocols TLSv1.2 TLSv1.3;
        auth_basic git;
        auth_basic_user_file {folder}/users;
        location / {{
            fastcgi_pass unix:{folder}/cgi.sock;
            fastcgi_param SCRIPT_FILENAME {backend};
            fastcgi_param GIT_PROJECT_ROOT {root};
            fastcgi_param GIT_HTTP_EXPORT_ALL 1;
            fastcgi_param GIT_PROTOCOL $http_git_protocol;
            fastcgi_param HTTP_CONTENT_ENCODING $http_content_encoding;
            fastcgi_param PATH_INFO $uri;
            fastcgi_param QUERY_STRING $query_string;
            fastcgi_param REQUEST_METHOD $request_method;
            fastcgi_param CONTENT_TYPE $content_type;
            fastcgi_param CONTENT_LENGTH $content_length;
            fastcgi_param REMOTE_USER $remote_user;
        }}
    }}
}}
"""


def make_repository(path: Path, files: int, *, commits: int = 50, pipelines: list[str] | None = None) -> BareRepository:
    """That many manifests, those of the pipelines with markers among them, in one pack and so many commits."""
    marked = manifests(pipelines=pipelines or ["podinfo"], environments=["staging"])
    made = BareRepository(path, marked | unmarked(files - len(marked)))
    for number in range(commits - 1):
        made.commit({f"apps/{number % 10}/{number}.yaml": helm_release(f"2.0.{number}")})
    git("repack", "-a", "-d", "--quiet", folder=path)
    return made


class HttpsRemote:
    """Serves what is below `root` at `url`; the same for the git command line and for Sluice."""

    def __init__(self, folder: Path, root: Path, certificate: Certificate):
        (port,) = free_ports(1)
        folder.mkdir()
        self.url = f"https://127.0.0.1:{port}"
        self.certificate = certificate
        where = subprocess.run(["git", "--exec-path"], capture_output=True, text=True, timeout=30, check=True)
        (folder / "users").write_text(f"{USERNAME}:{{PLAIN}}{PASSWORD}\n")
        (folder / "nginx.conf").write_text(
            _NGINX.format(
                folder=folder,
                root=root,
                port=port,
                cert=certificate.cert,
                key=certificate.key,
                backend=f"{where.stdout.strip()}/git-http-backend",
            )
        )
        socket = folder / "cgi.sock"
        self._cgi = Process([_program("fcgiwrap"), "-c", "4", "-s", f"unix:{socket}"], folder / "cgi.log")
        self._cgi_ready = socket.exists
        nginx = [_program("nginx"), "-p", folder, "-c", folder / "nginx.conf"]
        self._nginx = Process(nginx, folder / "out.log")
        self._nginx_ready = (folder / "nginx.pid").exists

    def __enter__(self) -> HttpsRemote:
        self._cgi.start(self._cgi_ready)
        self._nginx.start(self._nginx_ready)
        return self

    def __exit__(self, *_: object) -> None:
        workers = descendants(self._cgi.pid)[1:]  # it leaves them behind when it ends
        self._nginx.stop()
        self._cgi.stop()
        for worker in workers:
            with contextlib.suppress(ProcessLookupError):
                os.kill(worker, signal.SIGKILL)


def _program(name: str) -> str:
    return shutil.which(name) or f"/usr/sbin/{name}"
