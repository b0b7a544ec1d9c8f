"""A client that holds its connection and its bytes in hand: half requests, slow requests, wrong requests."""

from __future__ import annotations

import json
import socket
import ssl
import urllib.parse
from typing import Any, Iterable, Mapping, NamedTuple


class Answer(NamedTuple):
    """One answer as it came over the wire; header names keep their order and spelling."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes

    def header(self, name: str) -> str | None:
        return next((value for key, value in self.headers if key.lower() == name.lower()), None)

    def json(self) -> Any:
        return json.loads(self.body)

    def problem(self) -> dict[str, Any]:
        """The body of an error, which is always an RFC 9457 document that repeats its status."""
        assert self.header("Content-Type") == "application/problem+json", self
        document = self.json()
        assert document["status"] == self.status and document["type"] and document["title"], document
        return document

    def retry_after(self) -> int:
        told = self.header("Retry-After")
        assert told is not None, f"{self.status} without Retry-After"
        return int(told)


class ConnectionEnded(ConnectionError):
    """The server closed the connection where an answer was expected."""


class Connection:
    """One connection to the server at `url`; `source` is the loopback address it comes from."""

    def __init__(
        self,
        url: str,
        context: ssl.SSLContext | None = None,
        *,
        source: str = "",
        timeout: float = 20.0,
        session: ssl.SSLSession | None = None,
    ):
        parts = urllib.parse.urlsplit(url)
        assert parts.hostname and parts.port
        self.host = parts.netloc
        came_from = (source, 0) if source else None
        raw = socket.create_connection((parts.hostname, parts.port), timeout, came_from)
        try:
            raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if parts.scheme == "https":
                assert context is not None, "https without a context that says whom to trust"
                self.socket: socket.socket = context.wrap_socket(raw, server_hostname=parts.hostname, session=session)
            else:
                self.socket = raw
        except BaseException:
            raw.close()
            raise
        self._received = b""

    def __enter__(self) -> Connection:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self.socket.close()

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def request(
        self, method: str, path: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> Answer:
        self.send(request_bytes(method, path, self.host, body, headers))
        return self.read_answer()

    def post(self, path: str, body: bytes, headers: Mapping[str, str] | None = None) -> Answer:
        return self.request("POST", path, body, headers)

    def read_answer(self) -> Answer:
        """The next final answer; the bodies of ours always have a Content-Length."""
        while True:
            head = self._read_until(b"\r\n\r\n").decode("latin-1")
            lines = head.split("\r\n")
            version, status, _reason = lines[0].split(" ", 2)
            assert version == "HTTP/1.1", lines[0]
            headers = tuple(tuple(line.split(": ", 1)) for line in lines[1:] if line)
            answer = Answer(int(status), headers, b"")  # type: ignore[arg-type]
            if answer.status >= 200:
                return answer._replace(body=self._read_exactly(int(answer.header("Content-Length") or 0)))

    def ended(self) -> bool:
        """Whether the server closes the connection without a further byte, within the connection's timeout."""
        try:
            return not self._received and self.socket.recv(1) == b""
        except (ConnectionResetError, ssl.SSLEOFError, ssl.SSLZeroReturnError, BrokenPipeError):
            return True
        except TimeoutError:
            return False

    def _read_until(self, mark: bytes) -> bytes:
        while mark not in self._received:
            self._receive()
        head, _, self._received = self._received.partition(mark)
        return head

    def _read_exactly(self, count: int) -> bytes:
        while len(self._received) < count:
            self._receive()
        body, self._received = self._received[:count], self._received[count:]
        return body

    def _receive(self) -> None:
        try:
            more = self.socket.recv(65536)
        except (ConnectionResetError, ssl.SSLEOFError, BrokenPipeError) as error:
            raise ConnectionEnded(str(error)) from error
        if not more:
            raise ConnectionEnded(f"after {self._received!r}")
        self._received += more


def request_bytes(
    method: str,
    path: str,
    host: str,
    body: bytes | None = None,
    headers: Mapping[str, str] | Iterable[tuple[str, str]] | None = None,
) -> bytes:
    pairs = list(headers.items() if isinstance(headers, Mapping) else headers or ())
    if body is not None:
        pairs.append(("Content-Length", str(len(body))))
    head = f"{method} {path} HTTP/1.1\r\nHost: {host}\r\n" + "".join(f"{name}: {value}\r\n" for name, value in pairs)
    return head.encode("latin-1") + b"\r\n" + (body or b"")
