"""HTTP/1.1 in its strict form: whatever two readers could read differently is refused, and the connection ends."""

from __future__ import annotations

from typing import Any

import pytest
from flux_events import encode, flux_event, signature
from instance import KEY, PATH, Instance
from proc import resident_bytes
from tls_client import ConnectionEnded

BODY = encode(flux_event("6.1.8"))
LENGTH = f"Content-Length: {len(BODY)}"  # the same for every event of that revision


def chunked(body: bytes) -> bytes:
    return b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)


CHUNKED = chunked(BODY)


def head(
    *lines: str, first: str = f"POST {PATH} HTTP/1.1", host: str | None = "Host: sluice", body: bytes = BODY
) -> bytes:
    """A request's head with the right signature; lines may carry any byte as latin-1."""
    given = [first, *([host] if host else []), f"X-Signature: {signature(KEY, body)}", *lines]
    return "".join(f"{line}\r\n" for line in given).encode("latin-1") + b"\r\n"


REFUSED: dict[str, bytes] = {
    "no Host": head(LENGTH, host=None) + BODY,
    "two Hosts": head(LENGTH, "Host: other") + BODY,
    "both length and chunked": head(LENGTH, "Transfer-Encoding: chunked") + CHUNKED,
    "two equal lengths": head(LENGTH, LENGTH) + BODY,
    "two different lengths": head(LENGTH, "Content-Length: 1") + BODY,
    "a list of lengths": head(f"{LENGTH}, {len(BODY)}") + BODY,
    "a length with a sign": head(f"Content-Length: +{len(BODY)}") + BODY,
    "a length in hex": head(f"Content-Length: 0x{len(BODY):x}") + BODY,
    "a length beyond 64 bits": head("Content-Length: 99999999999999999999") + BODY,
    "xchunked": head("Transfer-Encoding: xchunked") + CHUNKED,
    "chunked then gzip": head("Transfer-Encoding: chunked, gzip") + CHUNKED,
    "gzip then chunked": head("Transfer-Encoding: gzip, chunked") + CHUNKED,
    "chunked twice": head("Transfer-Encoding: chunked, chunked") + CHUNKED,
    "two chunked headers": head("Transfer-Encoding: chunked", "Transfer-Encoding: chunked") + CHUNKED,
    "chunked in quotes": head('Transfer-Encoding: "chunked"') + CHUNKED,
    "chunked with a parameter": head("Transfer-Encoding: chunked;q=1") + CHUNKED,
    "identity": head("Transfer-Encoding: identity", LENGTH) + BODY,
    "an empty transfer encoding": head("Transfer-Encoding: ", LENGTH) + BODY,
    "a folded header": head("X-Note: one\r\n two", LENGTH) + BODY,
    "a folded length": head(f"Content-Length:\r\n {len(BODY)}") + BODY,
    "a space before the colon": head(f"Content-Length : {len(BODY)}") + BODY,
    "a line feed alone": head(LENGTH).replace(b"\r\n", b"\n") + BODY,
    "a NUL in a header": head("X-Note: a\0b", LENGTH) + BODY,
    "a target above 0x7f": head(LENGTH, first=f"POST {PATH}\xe4 HTTP/1.1") + BODY,
    "a chunk size that is none": head("Transfer-Encoding: chunked") + b"xyz\r\n",
    "a negative chunk size": head("Transfer-Encoding: chunked") + b"-1\r\n",
    "a chunk longer than it says": head("Transfer-Encoding: chunked") + b"1\r\nabc\r\n0\r\n\r\n",
    "a chunk size beyond 64 bits": head("Transfer-Encoding: chunked") + b"fffffffffffffffff\r\n",
    "a chunk extension of 20 kB": head("Transfer-Encoding: chunked") + b"1;" + b"x" * 20_000 + b"\r\na\r\n0\r\n\r\n",
    "chunked in HTTP/1.0": head("Transfer-Encoding: chunked", first=f"POST {PATH} HTTP/1.0") + CHUNKED,
    "a version of its own": head(LENGTH, first=f"POST {PATH} HTTP/1.2") + BODY,
    "no version": head(LENGTH, first=f"POST {PATH}") + BODY,
    "a method with a space": head(LENGTH, first=f"PO ST {PATH} HTTP/1.1") + BODY,
    "HTTP/2 without asking": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "no HTTP at all": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" * 20,
}


@pytest.fixture(name="server", scope="module")
def one_server_for_all(tmp_path_factory: pytest.TempPathFactory) -> Any:
    with Instance(tmp_path_factory.mktemp("framing")) as server:
        yield server


@pytest.mark.parametrize("what", REFUSED)
def test_a_request_that_can_be_read_in_two_ways_is_refused_and_the_connection_ends(what: str, server: Instance) -> None:
    with server.connect(timeout=5) as connection:
        connection.send(REFUSED[what] + head(LENGTH) + BODY)  # what a smuggler would put behind it
        try:
            answer = connection.read_answer()
        except ConnectionEnded:
            return
        assert 400 <= answer.status < 600 and answer.status != 401, answer
        assert connection.ended()
    assert server.promotions() == []


def test_a_chunked_event_is_read_like_any_other(make: Any) -> None:
    with make() as server, server.connect() as connection:
        body = encode(flux_event("6.1.8"))
        connection.send(head("Transfer-Encoding: chunked", body=body) + chunked(body))
        assert connection.read_answer().status == 202


def test_requests_in_a_pipeline_are_answered_in_order(make: Any) -> None:
    with make() as server, server.connect() as connection:
        body = encode(flux_event("6.1.8"))
        connection.send((head(LENGTH, body=body) + body) * 3 + head(LENGTH, first="POST / HTTP/1.1") + body)
        assert [connection.read_answer().status for _ in range(4)] == [202, 202, 202, 404]


def test_a_client_that_asks_first_is_told_to_go_on(make: Any) -> None:
    with make() as server, server.connect() as connection:
        body = encode(flux_event("6.1.8"))
        connection.send(head(LENGTH, "Expect: 100-continue", body=body))
        assert connection.socket.recv(4096).startswith(b"HTTP/1.1 100 ")
        connection.send(body)
        assert connection.read_answer().status == 202


@pytest.mark.parametrize("lines", [["X-Long: " + "x" * 70_000], [f"X-{number}: {'y' * 90}" for number in range(700)]])
def test_more_header_bytes_than_the_limit_are_431(lines: list[str], make: Any) -> None:
    with make() as server, server.connect() as connection:
        connection.send(head(LENGTH, *lines))
        assert connection.read_answer().problem()["status"] == 431
        assert connection.ended()


@pytest.mark.release_only  # sanitizers keep memory of their own
def test_a_million_header_bytes_are_not_read_to_their_end(make: Any) -> None:
    with make() as server:
        before = resident_bytes(server.process.pid)
        with server.connect() as connection:
            try:
                connection.send(head(LENGTH, *[f"X-{number}: {'y' * 90}" for number in range(10_000)]) + BODY)
                assert connection.read_answer().status == 431
            except (ConnectionEnded, OSError):
                pass  # the answer may be lost when the server closes before it has read everything
            assert connection.ended()
        assert resident_bytes(server.process.pid) - before < 8_000_000
        assert server.event("6.1.8").status == 202


def test_a_target_of_a_hundred_thousand_bytes_is_refused(make: Any) -> None:
    with make() as server, server.connect() as connection:
        connection.send(head(LENGTH, first=f"POST /{'x' * 100_000} HTTP/1.1"))
        assert connection.read_answer().status in (414, 431)
        assert connection.ended()


@pytest.mark.parametrize(
    "path, status",
    [
        ("/default/podinfo/dev?dry=run", 202),
        ("/%64efault/podinfo/dev", 202),
        ("/default%2Fpodinfo/dev/x", 401),
        ("/default/podinfo/dev/", 404),
        ("//default/podinfo/dev", 404),
        ("/default/../podinfo/dev", 404),
        ("/default/podinfo/%zz", 400),
        ("/default/podinfo/%00", 400),
        ("http://elsewhere/default/podinfo/dev", 202),
        ("*", 404),
    ],
)
def test_a_path_means_one_thing(path: str, status: int, make: Any) -> None:
    with make() as server, server.connect() as connection:
        body = encode(flux_event("6.1.8"))
        connection.send(head(LENGTH, first=f"POST {path} HTTP/1.1", body=body) + body)
        assert connection.read_answer().status == status
