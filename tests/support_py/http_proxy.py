"""An HTTP proxy on loopback: a tunnel for CONNECT, a request of its own for http://. Every host is this machine.

As a program it prints its URL on one line and ends when its standard input does:

    http_proxy.py --log F [--login-file F] [--answer STATUS]

With a login (USER:PASSWORD) others are answered 407; with a status everybody is answered that. The log has one line per
request: its method and target.
"""

from __future__ import annotations

import argparse
import base64
import http.client
import http.server
import os
import selectors
import socket
import threading
import urllib.parse
from pathlib import Path
from typing import Any

NOT_PASSED_ON = {"proxy-authorization", "connection", "transfer-encoding", "content-length"}


class Proxy(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, log: Path, login: str, answer: int):
        self.log, self.answer, self._lock = log, answer, threading.Lock()
        self.wanted = "Basic " + base64.b64encode(login.encode()).decode() if login else ""
        super().__init__(("127.0.0.1", 0), Handler)

    def note(self, line: str) -> None:
        with self._lock, self.log.open("a", encoding="utf-8") as file:
            file.write(line + "\n")

    def handle_error(self, request: Any, client_address: Any) -> None:
        """One of the two went away: the other one sees it."""


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Proxy

    def do_CONNECT(self) -> None:  # pylint: disable=invalid-name
        self.close_connection = True
        if self._refuses():
            return
        with socket.create_connection(("127.0.0.1", int(self.path.rpartition(":")[2])), 20) as peer:
            self.send_response_only(200, "Connection established")
            self.end_headers()
            self._relay(peer)

    def do_GET(self) -> None:  # pylint: disable=invalid-name
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self._refuses():
            return
        url = urllib.parse.urlsplit(self.path)
        passed_on = {name: value for name, value in self.headers.items() if name.lower() not in NOT_PASSED_ON}
        peer = http.client.HTTPConnection("127.0.0.1", url.port or 80, timeout=20)
        peer.request(self.command, f"{url.path}?{url.query}" if url.query else url.path, body or None, passed_on)
        answer = peer.getresponse()
        content = answer.read()
        peer.close()
        self.send_response_only(answer.status, answer.reason)
        for name, value in answer.getheaders():
            if name.lower() not in NOT_PASSED_ON:
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_POST = do_GET

    def _refuses(self) -> bool:
        self.server.note(f"{self.command} {self.path}")
        stranger = self.headers.get("Proxy-Authorization", "") != self.server.wanted
        status = self.server.answer or (407 if stranger else 0)
        if status:
            self.send_response_only(status)
            if status == 407:
                self.send_header("Proxy-Authenticate", 'Basic realm="proxy"')
            self.send_header("Content-Length", "0")
            self.end_headers()
        return bool(status)

    def _relay(self, peer: socket.socket) -> None:
        """Until one of the two ends it."""
        other = {self.connection: peer, peer: self.connection}
        with selectors.DefaultSelector() as both:
            for end in other:
                both.register(end, selectors.EVENT_READ)
            while True:
                for key, _ in both.select():
                    source = key.fileobj
                    assert isinstance(source, socket.socket)
                    if not (piece := source.recv(64 * 1024)):
                        return
                    other[source].sendall(piece)

    def log_message(self, format: str, *args: Any) -> None:  # pylint: disable=redefined-builtin
        """The log of requests says it better."""


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--log", type=Path, required=True)
    arguments.add_argument("--login-file", type=Path)
    arguments.add_argument("--answer", type=int, default=0)
    given = arguments.parse_args()
    proxy = Proxy(given.log, given.login_file.read_text().strip() if given.login_file else "", given.answer)
    threading.Thread(target=proxy.serve_forever, args=(0.05,), daemon=True).start()
    print(f"http://127.0.0.1:{proxy.server_address[1]}", flush=True)
    while os.read(0, 4096):
        pass


if __name__ == "__main__":
    main()
