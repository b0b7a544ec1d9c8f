"""notification-controller as the strategy `notification` meets it: it takes events by POST and remembers each."""

from __future__ import annotations

import http.server
import json
import sys
import threading
from typing import Any


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, owner: EventReceiver):
        self.owner = owner
        super().__init__(("127.0.0.1", 0), _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that was killed is no news; everything else is a bug of this server and is told."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_POST(self) -> None:  # pylint: disable=invalid-name
        self.server.owner.take(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(202)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:  # pylint: disable=redefined-builtin
        """What it took says it better."""


class EventReceiver:
    """Listens on loopback while it is entered."""

    def __init__(self) -> None:
        self._events: list[dict[str, Any]] = []
        self._lock, self._answering = threading.Lock(), threading.Event()
        self._answering.set()
        self._server = _Server(self)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    def __enter__(self) -> EventReceiver:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.answer()
        self._server.shutdown()
        self._server.server_close()

    def hold_answers(self) -> None:
        """Events are taken, and their senders wait until `answer`."""
        self._answering.clear()

    def answer(self) -> None:
        self._answering.set()

    def events(self) -> list[dict[str, Any]]:
        """In the order they came; an event is here before its sender has an answer."""
        with self._lock:
            return list(self._events)

    def take(self, body: bytes) -> None:
        with self._lock:
            self._events.append(json.loads(body))
        self._answering.wait(60)
