"""Start and end: nothing in hand is dropped, and who waits too long is not waited for."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import time
from typing import Callable, Iterator

import pytest
from control_socket import control_request
from flags import flags
from flux_events import encode, flux_event, signed_headers
from instance import KEY, PATH, Instance
from process import wait_until
from sluice import binary
from tls_client import Connection, request_bytes


def half_a_request(server: Instance, revision: str) -> tuple[Connection, bytes]:
    """A connection that has sent all but the last ten bytes of an event, and those bytes."""
    body = encode(flux_event(revision))
    connection = server.connect()
    whole = request_bytes("POST", PATH, connection.host, body, signed_headers(KEY, body))
    connection.send(whole[:-10])
    return connection, whole[-10:]


def refuses_connections(server: Instance) -> bool:
    try:
        server.connect().close()
        return False
    except OSError:
        return True


def signal_now(server: Instance, sig: int = signal.SIGTERM) -> None:
    subprocess.run(["kill", f"-{sig}", str(server.process.pid)], check=True)


def exit_status(server: Instance) -> int | None:
    """Of a server that has been told to end; it is not told again."""
    wait_until(lambda: not server.process.running(), "the server to end", 15, server.process.tail)
    return server.stop()


def test_sigterm_finishes_what_is_in_hand_and_exits_0(make: Callable[..., Instance]) -> None:
    server = make()
    server.start()
    in_hand = [half_a_request(server, f"6.1.{number}") for number in range(8)]
    idle = server.connect()
    assert idle.request("GET", "/").status == 404
    signal_now(server)
    wait_until(lambda: refuses_connections(server), "new connections to be refused")
    assert server.admin("/readyz").status == 503 and server.admin("/healthz").status == 200
    assert idle.ended(), "an idle connection holds up the end"
    for connection, rest in in_hand:
        assert server.process.running()
        connection.send(rest)
        answer = connection.read_answer()
        assert answer.status == 202 and answer.header("Connection") == "close"
        connection.close()
    assert exit_status(server) == 0
    server.start()
    assert len(server.identities()) == 8
    assert server.stop() == 0


def test_readyz_is_red_while_the_load_balancer_looks_away(make: Callable[..., Instance]) -> None:
    with make(arguments=flags(drain_delay="3s")) as server:
        assert server.admin("/readyz").status == 200
        signal_now(server)
        wait_until(lambda: server.admin("/readyz").status == 503, "/readyz to turn red", 3)
        assert server.event("6.1.8").status == 202, "it stopped before anybody could look away"
        assert exit_status(server) == 0


def test_a_second_signal_ends_it_at_once(make: Callable[..., Instance]) -> None:
    server = make(environment={"TSAN_OPTIONS": "report_thread_leaks=0"})  # at once means that no thread is waited for
    server.start()
    connection, _ = half_a_request(server, "6.1.8")
    signal_now(server)
    wait_until(lambda: refuses_connections(server), "new connections to be refused")
    assert server.process.running(), "it did not wait for the request in hand"
    begun = time.monotonic()
    server.stop(deadline=5)
    assert time.monotonic() - begun < 2
    connection.close()


def test_a_client_that_never_finishes_cannot_hold_up_the_end(make: Callable[..., Instance]) -> None:
    server = make(arguments=flags(drain_grace="1s"))
    server.start()
    connection, _ = half_a_request(server, "6.1.8")
    begun = time.monotonic()
    assert server.stop(deadline=10) == 0
    assert time.monotonic() - begun < 5
    connection.close()


@pytest.mark.parametrize("sig", [signal.SIGINT, signal.SIGTERM])
def test_either_signal_ends_it_cleanly(sig: int, make: Callable[..., Instance]) -> None:
    server = make()
    server.start()
    assert server.event("6.1.8").status == 202
    assert server.stop(sig) == 0


def test_clients_that_vanish_do_not_take_the_server_with_them(server: Instance) -> None:
    for number in range(50):
        connection, rest = half_a_request(server, f"6.1.{number}")
        connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        if number % 2:
            connection.send(rest)
        connection.close()  # with a reset
    assert server.event("7.0.0").status == 202


def test_a_port_that_is_taken_is_told_plainly(server: Instance, make: Callable[..., Instance]) -> None:
    second = make(listen=(server.url,))
    taken = subprocess.run(second.process.command, capture_output=True, text=True, timeout=20, check=False)
    assert taken.returncode == 1
    assert server.url.rsplit(":", 1)[1] in taken.stderr, taken.stderr


def test_the_listen_file_tells_where_it_is(make: Callable[..., Instance]) -> None:
    with make(listen=("https://127.0.0.1:0", "http://127.0.0.1:0", "https://[::1]:0")) as server:
        assert len(server.urls) == 4 and not any(url.endswith("/") for url in server.urls)
        body = encode(flux_event("6.1.8"))
        for url in server.urls[:3]:
            context = server.ssl_context()
            context.check_hostname = False
            with server.connect(url=url, context=context) as connection:
                assert connection.post(PATH, body, signed_headers(KEY, body)).status == 202
        assert server.admin("/healthz").status == 200


def test_the_admin_listener_takes_no_events_and_the_public_one_shows_no_metrics(server: Instance) -> None:
    body = encode(flux_event("6.1.8"))
    with server.connect(url=server.admin_url) as connection:
        assert connection.post(PATH, body, signed_headers(KEY, body)).status == 404
    for path in ("/metrics", "/healthz", "/readyz", "/api/v1/promotions"):
        assert server.ask("GET", path).status in (401, 404), path


@pytest.fixture
def waiting(make: Callable[..., Instance]) -> Iterator[Instance]:
    """Its promotions stand still: they wait for an approval."""
    with make(manual=True) as server:
        yield server


def test_the_control_socket_lists_promotions(waiting: Instance) -> None:
    waiting.event("6.1.8")
    (only,) = control_request(waiting.state, "GET", "/api/v1/promotions").json()["items"]
    assert only == waiting.promotions()[0]
    assert {"id", "namespace", "pipeline", "environment", "revision", "kind", "attempt", "state", "reason", "message",
            "createdAt", "updatedAt"} <= set(only)  # fmt: skip
    assert (only["id"], only["state"]) == ("default/podinfo/prod@6.1.8", "AwaitingApproval")


def test_promotions_are_listed_while_the_server_runs_and_after_it_ended(waiting: Instance) -> None:
    waiting.event("6.1.8")
    running = waiting.promotions()
    waiting.stop()
    assert waiting.promotions() == running
    shown = waiting.run("promotions", "show", "default/podinfo/prod@6.1.8", "-o", "json")
    assert shown.returncode == 0 and json.loads(shown.stdout)["id"] == "default/podinfo/prod@6.1.8"
    assert waiting.run("promotions", "show", "default/podinfo/prod@0.0.0").returncode == 1
    waiting.start()


def test_a_flag_that_is_not_known_is_wrong_usage() -> None:
    command = [str(binary()), "serve", "--limit-bodi=1KiB"]
    wrong = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
    assert wrong.returncode == 2 and "--limit-bod" in wrong.stderr
