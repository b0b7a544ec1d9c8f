"""HTTP to a server's control socket, for which whoever may open the state folder needs no token."""

from __future__ import annotations

import http.client
import socket
from pathlib import Path

from http_request import Response


class _UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: Path):
        super().__init__("localhost", timeout=30)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(str(self._path))


def control_request(state: Path, method: str, target: str) -> Response:
    connection = _UnixConnection(state / "control.sock")
    try:
        connection.request(method, target)
        answer = connection.getresponse()
        return Response(answer.status, answer.headers, answer.read())
    finally:
        connection.close()
