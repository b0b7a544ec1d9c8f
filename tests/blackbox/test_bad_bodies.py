"""Bodies that are signed by the right key and still say nothing we can use."""

from __future__ import annotations

import json
from typing import Any, Callable

import pytest
from flags import flags
from flux_events import encode, flux_event
from instance import Instance
from process import wait_until
from signing import trigger
from tls_client import Answer, Connection


def changed(path: str, value: Any) -> bytes:
    """A good event with one value replaced, for instance changed("metadata.revision", 5)."""
    event = flux_event("6.1.8")
    *way, last = path.split(".")
    place: Any = event
    for step in way:
        place = place[step]
    place[last] = value
    return encode(event)


def without(key: str) -> bytes:
    event = flux_event("6.1.8")
    del event[key]
    return encode(event)


GOOD = encode(flux_event("6.1.8"))

# what is wrong -> the body, and words the answer must name the place with
UNREADABLE: dict[str, tuple[bytes, tuple[str, ...]]] = {
    "truncated": (GOOD[:-20], ()),
    "truncated in a string": (GOOD[: GOOD.index(b"6.1.8") + 2], ()),
    "empty": (b"", ()),
    "white space": (b" \r\n\t", ()),
    "text after the end": (GOOD + b"{}", ()),
    "an array": (b"[" + GOOD + b"]", ()),
    "a string": (b'"6.1.8"', ()),
    "a number without end": (b"1" * 100_000, ()),
    "nested 100,000 deep": (b'{"metadata":' + b"[" * 100_000 + b"]" * 100_000 + b"}", ()),
    "nested 100,000 deep and not closed": (b'{"a":' * 100_000, ()),
    "not UTF-8": (GOOD.replace(b"6.1.8", b"6.1.\xff"), ()),
    "an overlong slash": (GOOD.replace(b"6.1.8", b"6.1.\xc0\xaf"), ()),
    "half a surrogate pair": (GOOD.replace(b"6.1.8", b"6.1.\\ud800"), ()),
    "a NUL byte between tokens": (GOOD.replace(b'"severity"', b'\0"severity"'), ()),
    "a byte order mark of UTF-16": (b"\xff\xfe" + GOOD.decode().encode("utf-16-le"), ()),
    "a key twice": (GOOD.replace(b'"severity":"info"', b'"severity":"info","severity":"error"'), ("severity",)),
    "a metadata key twice": (GOOD.replace(b'"metadata":{', b'"metadata":{"revision":"6.1.7",'), ("revision",)),
    "a number for the revision": (changed("metadata.revision", 6.1), ("metadata", "revision")),
    "a list for the metadata": (changed("metadata", ["revision"]), ("metadata",)),
    "a string for the object": (changed("involvedObject", "podinfo"), ("involvedObject",)),
    "a number for the object's kind": (changed("involvedObject.kind", 1), ("involvedObject", "kind")),
    "a list for the reason": (changed("reason", ["UpgradeSucceeded"]), ("reason",)),
    "a number for the time": (changed("timestamp", 1_700_000_000), ("timestamp",)),
    "a day for the time": (changed("timestamp", "2026-01-01"), ("timestamp",)),
    "a 13th month": (changed("timestamp", "2026-13-01T00:00:00Z"), ("timestamp",)),
    "no time": (without("timestamp"), ("timestamp",)),
    "no reason": (without("reason"), ("reason",)),
    "a trigger without a time": (json.dumps({"revision": "1.2.3"}).encode(), ("timestamp",)),
    "a trigger whose revision is a number": (trigger("1").replace(b'"1"', b"1"), ("revision",)),
    "a trigger with an unknown key": (trigger("1.2.3", revison="1.2.4"), ("revison",)),
    "a trigger whose `into` is a word": (trigger("1.2.3", into="yes"), ("into",)),
}


@pytest.fixture(name="server", scope="module")
def one_server_for_all(tmp_path_factory: pytest.TempPathFactory) -> Any:
    with Instance(tmp_path_factory.mktemp("bodies")) as server:
        yield server


@pytest.mark.parametrize("what", UNREADABLE)
def test_a_body_nobody_can_read_is_400_and_the_answer_names_the_place(what: str, server: Instance) -> None:
    body, place = UNREADABLE[what]
    answer = server.tell(body)
    assert answer.status == 400, answer
    told = json.dumps(answer.problem())
    assert all(word in told for word in place), told


def test_after_all_of_them_a_good_event_is_accepted_on_the_same_server(server: Instance) -> None:
    for body, _ in UNREADABLE.values():
        assert server.tell(body).status == 400
    assert server.event("6.1.9").json()["decision"] == "promote"
    assert server.identities() == {"default/podinfo/prod@6.1.9"}


def test_a_body_larger_than_the_limit_is_refused_before_it_is_read(make: Callable[..., Instance]) -> None:
    with make(arguments=flags(limit_body="10KiB")) as server:
        with server.connect() as connection:
            connection.send(b"POST /default/podinfo/dev HTTP/1.1\r\nHost: x\r\nContent-Length: 10241\r\n\r\n")
            assert connection.read_answer().problem()["status"] == 413
            assert connection.ended()
        padded = encode(flux_event("6.1.8", message="x" * 9_000))
        assert len(padded) < 10_240 and server.tell(padded).status == 202


def test_a_chunked_body_larger_than_the_limit_is_refused_while_it_is_read(make: Callable[..., Instance]) -> None:
    with make(arguments=flags(limit_body="10KiB")) as server, server.connect() as connection:
        connection.send(b"POST /default/podinfo/dev HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
        for _ in range(6):
            connection.send(b"800\r\n" + b"x" * 0x800 + b"\r\n")
        assert connection.read_answer().problem()["status"] == 413
        assert connection.ended()


def test_a_body_of_three_megabytes_is_read_and_verified(server: Instance) -> None:
    body = encode(flux_event("6.2.0", message="x" * (3 * 1024 * 1024 - 1_000)))
    assert server.tell(body).status == 202
    assert server.tell(body[:-1] + b" ").status == 400


def test_unverified_bodies_may_not_fill_the_memory(make: Callable[..., Instance]) -> None:
    size = 3 * 1024 * 512
    with make(arguments=flags(limit_unverified_bodies="4MiB")) as server:
        held = [server.connect(timeout=2) for _ in range(3)]
        for connection in held:
            try:
                connection.send(b"POST /default/podinfo/dev HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % size)
                connection.send(b"x" * (size - 1))
            except OSError:
                pass  # it need not read what it has refused
        refused = [answer for connection in held if (answer := answer_or_none(connection))]
        assert len(refused) == 1, "two fit, the third does not"
        assert refused[0].problem()["status"] == 503 and refused[0].retry_after() <= 2
        for connection in held:
            connection.close()
        wait_until(lambda: server.event("6.1.8").status == 202, "the memory to be given back")


def answer_or_none(connection: Connection) -> Answer | None:
    try:
        return connection.read_answer()
    except TimeoutError:
        return None  # it waits for the rest of the body
