"""Many clients at once, each on its own kept connection, as a crowd of clusters would send."""

from __future__ import annotations

import contextlib
import ssl
import threading
from typing import Callable, Iterator, Mapping, NamedTuple

from tls_client import Answer, Connection


class Sent(NamedTuple):
    """One request of the load and what became of it; no answer means the connection broke before one came."""

    path: str
    body: bytes
    answer: Answer | None


# (number of the client, number of its request) -> path, body, headers
MakeRequest = Callable[[int, int], tuple[str, bytes, Mapping[str, str]]]


class Load:
    """Runs from `start` to `stop`; a client whose connection ends opens a new one, unless the server is gone."""

    def __init__(self, url: str, context: ssl.SSLContext, clients: int, make: MakeRequest):
        self.url, self.context, self.make = url, context, make
        self._sent: list[list[Sent]] = [[] for _ in range(clients)]
        self._failures: list[BaseException] = []
        self._stop = threading.Event()
        self._threads = [threading.Thread(target=self._client, args=(number,)) for number in range(clients)]

    def start(self) -> Load:
        for thread in self._threads:
            thread.start()
        return self

    def stop(self) -> list[Sent]:
        """Lets requests in hand finish; everything that was sent, by client and in order."""
        self._stop.set()
        for thread in self._threads:
            thread.join(60)
            assert not thread.is_alive(), "a client of the load hangs"
        if self._failures:
            raise self._failures[0]
        return self.sent()

    def count(self) -> int:
        return sum(len(client) for client in self._sent)

    @contextlib.contextmanager
    def running(self) -> Iterator[Load]:
        self.start()
        try:
            yield self
        finally:
            self.stop()

    def sent(self) -> list[Sent]:
        return [one for client in self._sent for one in client]

    def _client(self, number: int) -> None:
        try:
            while not self._stop.is_set():
                try:
                    connection = Connection(self.url, self.context)
                except OSError:
                    return  # the server is gone, and what was answered before is known
                with connection:
                    self._keep_sending(number, connection)
        except BaseException as failure:  # pylint: disable=broad-except
            self._failures.append(failure)

    def _keep_sending(self, number: int, connection: Connection) -> None:
        mine = self._sent[number]
        while not self._stop.is_set():
            path, body, headers = self.make(number, len(mine))
            try:
                answer = connection.post(path, body, headers)
            except OSError:
                mine.append(Sent(path, body, None))
                return
            mine.append(Sent(path, body, answer))
            if answer.header("Connection") == "close":
                return
