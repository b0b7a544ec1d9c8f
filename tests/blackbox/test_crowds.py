"""Slow, idle and too many clients: they cost what the limits say, and the good ones do not notice."""

from __future__ import annotations

import concurrent.futures
import contextlib
import time
from typing import Callable, Iterator

import pytest
from flags import flags
from flux_events import encode, flux_event, signed_headers
from instance import KEY, PATH, Instance, write_crowd
from proc import resident_bytes
from process import wait_until
from tls_client import Connection

FLUX_PATIENCE = 5.0  # seconds; it gives up after 15, and may need a second try
BODY_LIMIT = 3 << 20
HALF = b"POST /default/podinfo/dev HTTP/1.1\r\nHost: sluice\r\nX-Slow: "


@contextlib.contextmanager
def crowd(server: Instance, count: int, addresses: int = 8) -> Iterator[list[Connection]]:
    """That many TLS connections from that many addresses, opened by a few threads."""
    context = server.ssl_context()

    def one(number: int) -> Connection:
        return server.connect(context=context, source=f"127.0.0.{2 + number % addresses}", timeout=60)

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        connections = list(pool.map(one, range(count)))
    try:
        yield connections
    finally:
        for connection in connections:
            connection.close()


def serve_good_ones(server: Instance, count: int) -> float:
    """New events on new connections, as Flux sends them; the longest any of them took."""
    slowest = 0.0
    for number in range(count):
        begun = time.monotonic()
        assert server.event(f"1.{time.monotonic_ns()}.{number}").json()["decision"] == "promote"
        slowest = max(slowest, time.monotonic() - begun)
    return slowest


def drip(connection: Connection, data: bytes) -> float:
    """One byte per second until the server has had enough; how long that took."""
    begun = time.monotonic()
    connection.socket.settimeout(1)
    for byte in data:
        try:
            connection.send(bytes([byte]))
            connection.socket.recv(1)
            break  # an answer, or the end
        except TimeoutError:
            continue
        except OSError:
            break
    return time.monotonic() - begun


def test_a_head_of_one_byte_per_second_ends_at_its_deadline(make: Callable[..., Instance]) -> None:
    with make(arguments=flags(limit_header_read="2s")) as server, server.connect() as connection:
        assert 1.5 < drip(connection, HALF) < 5


def test_a_body_of_one_byte_per_second_ends_at_its_deadline(make: Callable[..., Instance]) -> None:
    with make(arguments=flags(limit_body_read="2s")) as server, server.connect() as connection:
        connection.send(b"POST /default/podinfo/dev HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n")
        assert 1.5 < drip(connection, b"x" * 60) < 5


@pytest.mark.parametrize("setting, sent", [
    ("limit_header_read", HALF),
    ("limit_body_read", b"POST /default/podinfo/dev HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nhalf"),
])  # fmt: skip
def test_who_stops_in_the_middle_of_a_request_is_told_408(
    setting: str, sent: bytes, make: Callable[..., Instance]
) -> None:
    with make(arguments=flags(**{setting: "1s"})) as server, server.connect() as connection:
        connection.send(sent)
        assert connection.read_answer().problem()["status"] == 408
        assert connection.ended()


def test_a_client_that_never_finishes_its_handshake_is_let_go(make: Callable[..., Instance]) -> None:
    with make(arguments=flags(limit_tls_handshake="1s")) as server:
        with server.connect(url=server.url.replace("https:", "http:"), timeout=10) as connection:
            connection.send(b"\x16\x03\x01")
            assert connection.ended()


def test_an_idle_connection_is_closed_after_its_time(make: Callable[..., Instance]) -> None:
    with make(arguments=flags(limit_idle="1s")) as server, server.connect() as connection:
        body = encode(flux_event("6.1.8"))
        assert connection.post(PATH, body, signed_headers(KEY, body)).status == 202
        begun = time.monotonic()
        assert connection.ended()
        assert 0.5 < time.monotonic() - begun < 4


def test_five_thousand_idle_connections_leave_the_good_ones_served(make: Callable[..., Instance]) -> None:
    room = flags(limit_connections=6000, limit_connections_per_address=6000, limit_idle="10m")
    with make(arguments=room + flags(auth_sender_rate=1000)) as server, crowd(server, 5000, addresses=1) as idle:
        assert serve_good_ones(server, 100) < FLUX_PATIENCE
        assert server.metrics()["sluice_http_connections"].value() >= 5000
        body = encode(flux_event("2.0.0"))
        for connection in idle[::100]:  # and none of them was dropped
            assert connection.post(PATH, body, signed_headers(KEY, body)).status == 202


def test_a_thousand_slow_clients_leave_the_good_ones_served(make: Callable[..., Instance]) -> None:
    room = flags(limit_connections=6000, limit_header_read="30s")
    with make(arguments=room + flags(auth_sender_rate=1000)) as server, crowd(server, 1000) as slow:
        for position in range(4):
            for connection in slow:
                connection.send(HALF[position : position + 1])
            assert serve_good_ones(server, 25) < FLUX_PATIENCE


def test_a_hundred_who_announce_large_bodies_and_send_none_leave_the_good_ones_served(
    make: Callable[..., Instance]
) -> None:
    length = 2 << 20  # a whole number of them is all that unverified bodies may take
    announced = f"POST {PATH} HTTP/1.1\r\nHost: x\r\nContent-Length: {length}\r\n\r\n".encode()
    with make() as server, crowd(server, 100) as silent:
        for connection in silent:
            connection.send(announced)
        assert serve_good_ones(server, 10) < FLUX_PATIENCE
        assert server.metrics()["sluice_http_connections"].value() >= 100


@pytest.mark.release_only
def test_bodies_that_were_refused_are_forgotten_before_their_senders_go(make: Callable[..., Instance]) -> None:
    head = f"POST {PATH} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
    too_much = f"{head}{BODY_LIMIT:x}\r\n".encode() + b"x" * BODY_LIMIT + b"\r\n1\r\nx"
    with make(arguments=flags(limit_linger="60s")) as server, crowd(server, 60) as refused:
        before = resident_bytes(server.process.pid)
        for connection in refused:
            connection.send(too_much)
            assert connection.read_answer().problem()["status"] == 413
        assert server.metrics()["sluice_http_connections"].value() >= 60, "they are gone, and their memory with them"
        assert resident_bytes(server.process.pid) - before < 50 << 20


def test_an_address_with_too_many_connections_is_503_and_others_are_served(make: Callable[..., Instance]) -> None:
    with make(arguments=flags(limit_connections_per_address=20)) as server:
        mine = [server.connect() for _ in range(20)]
        refused = server.ask("POST", PATH, b"{}")
        assert refused.problem()["status"] == 503 and refused.retry_after() <= 2
        body = encode(flux_event("6.1.8"))
        with server.connect(source="127.0.0.9") as other:
            assert other.post(PATH, body, signed_headers(KEY, body)).status == 202
        mine.pop().close()
        wait_until(lambda: server.tell(body).status == 202, "the place to be free again")
        for connection in mine:
            connection.close()


def test_connections_beyond_the_limit_in_all_are_503_until_one_ends(make: Callable[..., Instance]) -> None:
    with make(arguments=flags(limit_connections=20)) as server:
        held = [server.connect(source=f"127.0.0.{2 + number}") for number in range(20)]
        refused = server.ask("POST", PATH, b"{}")
        assert refused.problem()["status"] == 503 and refused.retry_after() <= 2
        assert server.admin("/healthz").status == 200, "the platform cannot ask any more"
        held.pop().close()
        wait_until(lambda: server.event("6.1.8").status == 202, "the place to be free again")
        for connection in held:
            connection.close()


def test_a_pipeline_that_floods_takes_nothing_from_another(make: Callable[..., Instance]) -> None:
    server = make(arguments=flags(auth_sender_rate=1, auth_sender_burst=5))
    write_crowd(server, ["loud", "quiet"])
    with server:
        told = [server.event(f"1.0.{number}", path="/default/loud/dev") for number in range(20)]
        assert [answer.status for answer in told[:5]] == [202] * 5
        refused = [answer for answer in told if answer.status != 202]
        assert refused and all(answer.problem()["status"] == 429 and answer.retry_after() == 1 for answer in refused)
        assert server.event("1.0.0", path="/default/quiet/dev").status == 202
        wait_until(lambda: server.event("2.0.0", path="/default/loud/dev").status == 202, "a token to be there again")
