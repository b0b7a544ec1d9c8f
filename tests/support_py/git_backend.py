"""One HTTP request handed to the real `git http-backend`, with the faults it may meet on the way."""

from __future__ import annotations

import http.server
import os
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import IO, Any, Iterator, Protocol

from git_faults import Fault, FaultSwitch

CHUNK = 64 * 1024
SIGN_IN = b"<!DOCTYPE html>\n<html>\n<title>Sign in</title>\n<form>Who is there?</form>\n</html>\n"


class Owner(Protocol):
    """What the handler of a request asks of the server it belongs to."""

    root: Path
    username: str
    backend: str
    context: ssl.SSLContext | None
    faults: FaultSwitch

    def believes(self, authorization: str) -> bool: ...

    def answer_instead(self, handled: Handler, body: bytes) -> tuple[int, bytes] | None: ...

    def while_silent(self, fault: Fault) -> None: ...

    def record(self, handled: Handler) -> None: ...


class Cut(Exception):
    """The connection is to be reset now."""


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, owner: Owner):
        self.owner = owner
        super().__init__(("127.0.0.1", 0), Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away is no news; everything else is a bug of this server and is told."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def setup(self) -> None:
        context = self.server.owner.context
        self.request.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if context:  # here and not at accept, so that a slow handshake holds nobody else up
            self.request.settimeout(60)
            self.request = context.wrap_socket(self.request, server_side=True)
            self.request.settimeout(None)
        super().setup()

    def do_GET(self) -> None:  # pylint: disable=invalid-name
        self._answer()

    do_POST = do_HEAD = do_PATCH = do_DELETE = do_GET

    def _answer(self) -> None:
        owner = self.server.owner
        fault = owner.faults.for_request(f"{self.command} {self.path}")
        self.status, self.bytes_in, self.bytes_out = 0, 0, 0
        try:
            if fault.kind == "silent":
                owner.while_silent(fault)
                raise Cut
            with tempfile.TemporaryFile() as body:
                self._read_body(body, fault)
                self._respond(body, fault)
        except Cut:
            self._reset()
        finally:
            owner.record(self)

    def _read_body(self, into: IO[bytes], fault: Fault) -> None:
        for piece in self._pieces():
            into.write(piece)
            self.bytes_in += len(piece)
            if fault.kind == "cut-push" and self.bytes_in >= fault.bytes:
                raise Cut
        into.seek(0)

    def _pieces(self) -> Iterator[bytes]:
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            while size := int(self.rfile.readline().split(b";")[0], 16):
                yield self._exactly(size)
                self.rfile.readline()
            while self.rfile.readline().strip():
                pass
            return
        left = int(self.headers.get("Content-Length") or 0)
        while left:
            piece = self._exactly(min(left, CHUNK))
            left -= len(piece)
            yield piece

    def _exactly(self, size: int) -> bytes:
        piece = self.rfile.read(size)
        if len(piece) < size:
            raise ConnectionError("the request ends in its middle")
        return piece

    def _respond(self, body: IO[bytes], fault: Fault) -> None:
        if fault.kind == "status":
            self._plain(fault.code, b"it is broken\n", {"Retry-After": "1"} if fault.code in (429, 503) else {})
        elif fault.kind == "redirect":
            self._plain(302, b"", {"Location": fault.argument.rstrip("/") + self.path})
        elif fault.kind == "html-sign-in":
            self._plain(200, SIGN_IN, {"Content-Type": "text/html; charset=utf-8"})
        elif answer := self.server.owner.answer_instead(self, body.read()):
            if fault.kind == "lose-answer":
                raise Cut
            status, content = answer
            self._plain(fault.code if fault.kind == "after" else status, content, {"Content-Type": "application/json"})
        elif not self.server.owner.believes(self.headers.get("Authorization", "")):
            self._plain(401, b"who are you?\n", {"WWW-Authenticate": 'Basic realm="git"'})
        else:
            body.seek(0)
            time.sleep(fault.delay)
            self._run_git(body, fault)

    def _plain(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
        self._begin(status, {"Content-Type": "text/plain"} | (headers or {}) | {"Content-Length": str(len(body))})
        self.wfile.write(body)
        self.bytes_out = len(body)

    def _run_git(self, body: IO[bytes], fault: Fault) -> None:
        with subprocess.Popen(
            [self.server.owner.backend], stdin=body, stdout=subprocess.PIPE, env=self._environment()
        ) as backend:
            assert backend.stdout is not None
            headers = _cgi_headers(backend.stdout)
            if fault.kind == "lose-answer":
                backend.stdout.read()
                backend.wait()
                raise Cut
            self._begin(int(headers.pop("Status", "200").split()[0]), headers | {"Transfer-Encoding": "chunked"})
            try:
                self._send_body(backend.stdout, fault)
            except (Cut, OSError):
                backend.kill()
                raise

    def _send_body(self, source: IO[bytes], fault: Fault) -> None:
        size = 4096 if fault.delay else CHUNK
        while piece := source.read1(size):  # type: ignore[attr-defined]
            if fault.kind == "cut-pack":
                piece = piece[: fault.bytes - self.bytes_out]
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            self.bytes_out += len(piece)
            if fault.kind == "cut-pack" and self.bytes_out >= fault.bytes:
                self.wfile.flush()
                raise Cut
            time.sleep(fault.delay)
        self.wfile.write(b"0\r\n\r\n")

    def _begin(self, status: int, headers: dict[str, str]) -> None:
        self.status = status
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def _environment(self) -> dict[str, str]:
        path, _, query = self.path.partition("?")
        told = {
            "GIT_PROJECT_ROOT": str(self.server.owner.root),
            "GIT_HTTP_EXPORT_ALL": "1",
            "GIT_CONFIG_NOSYSTEM": "1",
            "REQUEST_METHOD": self.command,
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
            "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
            "REMOTE_USER": self.server.owner.username or "anyone",  # without one, pushes are refused
            "REMOTE_ADDR": "127.0.0.1",
            "PATH": os.environ["PATH"],
            "HOME": str(self.server.owner.root),
        }
        if self.bytes_in:
            told["CONTENT_LENGTH"] = str(self.bytes_in)
        return told

    def _reset(self) -> None:
        """What the client gets is a reset, not a tidy end."""
        self.close_connection = True
        self.request.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.wfile = tempfile.TemporaryFile()  # type: ignore[assignment]  # the end of the handler flushes it
        os.close(self.request.detach())

    def log_message(self, format: str, *args: Any) -> None:  # pylint: disable=redefined-builtin
        """The record of requests says it better."""


def _cgi_headers(source: IO[bytes]) -> dict[str, str]:
    headers = {}
    while line := source.readline().strip():
        name, _, value = line.decode().partition(":")
        headers[name] = value.strip()
    return headers
