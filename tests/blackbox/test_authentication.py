"""Nobody gets in: who is not believed learns nothing, and who holds one key speaks for what it is for and no more."""

from __future__ import annotations

import time
from typing import Any, Callable

import pytest
from flags import flags
from flux_events import encode, flux_event, signed_headers
from instance import KEY, PATH, Instance
from pipelines import environment, pipeline_yaml
from signing import hashed, seconds_from_now, standard_webhooks, trigger
from tls_client import Answer, request_bytes

BODY = encode(flux_event("6.1.8"))  # for what is refused whatever it says
VOLATILE = {"date", "x-request-id"}


def fresh() -> bytes:
    return encode(flux_event("6.1.8"))


def stripped(answer: Answer) -> tuple[int, tuple[tuple[str, str], ...], bytes]:
    """Everything a caller can compare; its request id may stand in the body as well."""
    body = answer.body.replace((answer.header("X-Request-Id") or "-").encode(), b"<id>")
    return answer.status, tuple(pair for pair in answer.headers if pair[0].lower() not in VOLATILE), body


WRONG: dict[str, dict[str, str]] = {
    "no header": {},
    "an empty header": {"X-Signature": ""},
    "for another body": {"X-Signature": hashed(KEY, BODY + b" ")},
    "by another key": {"X-Signature": hashed("another key", BODY)},
    "by an empty key": {"X-Signature": hashed("", BODY)},
    "under another hash's name": {"X-Signature": hashed(KEY, BODY, "sha512").replace("sha512", "sha256")},
    "by a hash that is too weak": {"X-Signature": hashed(KEY, BODY, "md5")},
    "without a hash's name": {"X-Signature": hashed(KEY, BODY).removeprefix("sha256=")},
    "cut short": {"X-Signature": hashed(KEY, BODY)[:-2]},
    "continued": {"X-Signature": hashed(KEY, BODY) + "00"},
    "not in hex": {"X-Signature": "sha256=" + "zz" * 32},
    "right, beside a wrong one of another scheme": {
        "X-Signature": hashed(KEY, BODY),
        "X-Hub-Signature-256": hashed("another key", BODY),
    },
    "of another Standard Webhooks time": standard_webhooks(KEY, BODY) | {"webhook-timestamp": "1700000000"},
    "of another Standard Webhooks id": standard_webhooks(KEY, BODY) | {"webhook-id": "msg_2"},
}


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_signature_is_401_and_leaves_no_trace_in_the_ledger(what: str, server: Instance) -> None:
    answer = server.ask("POST", PATH, BODY, WRONG[what])
    assert answer.problem()["status"] == 401
    assert server.promotions() == []


SCHEMES: dict[str, Callable[[bytes], dict[str, str]]] = {
    "sha224": lambda body: {"X-Signature": hashed(KEY, body, "sha224")},
    "sha256": lambda body: {"X-Signature": hashed(KEY, body, "sha256")},
    "sha384": lambda body: {"X-Signature": hashed(KEY, body, "sha384")},
    "sha512": lambda body: {"X-Signature": hashed(KEY, body, "sha512")},
    "GitHub": lambda body: {"X-Hub-Signature-256": hashed(KEY, body)},
    "Standard Webhooks": lambda body: standard_webhooks(KEY, body),
    "all at once": lambda body: standard_webhooks(KEY, body)
    | {"X-Signature": hashed(KEY, body), "X-Hub-Signature-256": hashed(KEY, body)},
}


@pytest.mark.parametrize("scheme", SCHEMES)
def test_every_scheme_is_believed(scheme: str, server: Instance) -> None:
    body = fresh()
    assert server.ask("POST", PATH, body, SCHEMES[scheme](body)).status == 202


def test_a_standard_webhook_carries_its_own_time(server: Instance) -> None:
    body = b'{"revision":"1.2.3"}'
    assert server.ask("POST", PATH, body, standard_webhooks(KEY, body)).json()["decision"] == "promote"


def test_every_reason_for_401_looks_the_same(make: Callable[..., Instance]) -> None:
    server = make(arguments=flags(auth_failures_per_minute=1000))
    server.write_pipeline(pipeline_yaml("lost", secret="not-there"), "lost")
    server.write_pipeline(pipeline_yaml("keyless", secret="keyless"), "keyless")
    server.write_pipeline(pipeline_yaml("unsigned", secret=None), "unsigned")
    server.write_secret("keyless", {"token": KEY})
    with server:
        reference = stripped(server.ask("POST", PATH, BODY, {"X-Signature": hashed("another key", BODY)}))
        assert reference[0] == 401
        right = {"X-Signature": hashed(KEY, BODY)}
        for place in ("default/unknown", "nobody/podinfo", "default/lost", "default/keyless", "default/unsigned"):
            assert stripped(server.ask("POST", f"/{place}/dev", BODY, right)) == reference, place
        assert stripped(server.ask("POST", "/default/podinfo/nowhere", BODY)) == reference
        for what, headers in WRONG.items():
            assert stripped(server.ask("POST", PATH, BODY, headers)) == reference, what
        for body in (b"", b"incompatible", b"{}"):
            assert stripped(server.ask("POST", PATH, body, right)) == reference, body


def test_a_401_leaves_at_its_fixed_delay(server: Instance) -> None:
    for path in (PATH, "/default/unknown/dev"):
        begun = time.monotonic()
        assert server.ask("POST", path, BODY).status == 401
        assert 0.25 <= time.monotonic() - begun < 1.5


def test_an_unsigned_pipeline_is_served_only_where_the_operator_names_it(make: Callable[..., Instance]) -> None:
    server = make(arguments=flags(allow_unsigned="default/open"))
    server.write_pipeline(pipeline_yaml("open", secret=None), "open")
    server.write_pipeline(pipeline_yaml("closed", secret=None), "closed")
    with server:
        assert server.ask("POST", "/default/open/dev", fresh()).status == 202
        assert server.ask("POST", "/default/closed/dev", BODY).status == 401
        assert server.ask("POST", PATH, BODY).status == 401


def test_the_same_bytes_at_another_environment_are_refused(make: Callable[..., Instance]) -> None:
    server = make()
    server.write_pipeline(pipeline_yaml(environments=["dev", "staging", "prod"]))
    with server:
        body = fresh()
        assert server.tell(body).json()["decision"] == "promote"
        assert server.tell(body, path="/default/podinfo/staging").status == 401
        assert server.tell(body, path="/promotion/default/podinfo/dev").status == 202
        server.stop()
        server.start()
        assert server.tell(body, path="/default/podinfo/staging").status == 401, "a restart forgot whose they were"


def test_bytes_signed_twice_over_are_refused_elsewhere_when_one_signature_is_left_out(
    make: Callable[..., Instance]
) -> None:
    server = make()
    server.write_pipeline(pipeline_yaml(environments=["dev", "staging", "prod"]))
    with server:
        body = fresh()
        standard = standard_webhooks(KEY, body)
        assert server.ask("POST", PATH, body, standard | {"X-Signature": hashed(KEY, body)}).status == 202
        assert server.ask("POST", "/default/podinfo/staging", body, standard).status == 401


def test_the_key_of_one_environment_speaks_for_no_other(make: Callable[..., Instance]) -> None:
    server = make()
    own = environment("staging", "podinfo", secretRef={"name": "staging-events"})
    server.write_pipeline(pipeline_yaml(environments=["dev", own, "prod"]))
    server.write_secret("staging-events", {"hmac-key": "the key of staging"})
    with server:
        assert server.event("1.0.0", path="/default/podinfo/staging").status == 401
        assert server.event("1.0.0", path="/default/podinfo/dev", key="the key of staging").status == 401
        assert server.event("1.0.0", path="/default/podinfo/staging", key="the key of staging").status == 202


@pytest.mark.parametrize("seconds", [-700, 700])
def test_a_verified_event_of_another_hour_is_422(seconds: int, server: Instance) -> None:
    answer = server.event("6.1.8", timestamp=seconds_from_now(seconds))
    assert answer.status == 422 and answer.problem()["type"] == "urn:sluice:problem:stale"
    assert server.tell(trigger("1.2.3", timestamp=seconds_from_now(seconds))).status == 422
    assert server.promotions() == []


@pytest.mark.parametrize("seconds", [-700, 700])
def test_a_standard_webhook_of_another_hour_is_422(seconds: int, server: Instance) -> None:
    for body in (fresh(), b'{"revision":"1.2.3"}'):
        answer = server.ask("POST", PATH, body, standard_webhooks(KEY, body, at=time.time() + seconds))
        assert answer.status == 422 and answer.problem()["type"] == "urn:sluice:problem:stale"
        forged = standard_webhooks("another key", body, at=time.time() + seconds)
        assert server.ask("POST", PATH, body, forged).status == 401, "who has no key learns nothing of our clock"
    assert server.promotions() == []


def test_the_freshness_window_is_the_operators_choice(make: Callable[..., Instance]) -> None:
    with make(arguments=flags(auth_freshness="30s")) as server:
        assert server.event("6.1.8", timestamp=seconds_from_now(-45)).status == 422
        assert server.event("6.1.8", timestamp=seconds_from_now(-15)).status == 202
        body = b'{"revision":"1.2.3"}'
        assert server.ask("POST", PATH, body, standard_webhooks(KEY, body, at=time.time() - 45)).status == 422
        assert server.ask("POST", PATH, body, standard_webhooks(KEY, body, at=time.time() - 15)).status == 202


def test_identical_bytes_get_the_same_answer(server: Instance) -> None:
    body = fresh()
    first = server.tell(body)
    assert first.json()["decision"] == "promote"
    for again in (server.tell(body) for _ in range(5)):
        assert again.status == 202 and again.json()["promotion"] == first.json()["promotion"]
    repeated = server.tell(body)
    server.stop()
    server.start()
    assert server.tell(body).body == repeated.body, "a restart changed the answer"
    assert server.identities() == {"default/podinfo/prod@6.1.8"}


def at_once(server: Instance, body: bytes, paths: list[str]) -> list[Answer]:
    """The same signed bytes on many connections that are all open before the first byte is sent."""
    connections = [server.connect() for _ in paths]
    for connection, path in zip(connections, paths):
        connection.send(request_bytes("POST", path, connection.host, body, signed_headers(KEY, body)))
    answers = [connection.read_answer() for connection in connections]
    for connection in connections:
        connection.close()
    return answers


def test_identical_bytes_sent_at_once_are_decided_once(server: Instance) -> None:
    answers = at_once(server, fresh(), [PATH] * 40)
    assert {answer.status for answer in answers} == {202}
    assert {answer.json()["promotion"] for answer in answers} == {"default/podinfo/prod@6.1.8"}
    assert server.identities() == {"default/podinfo/prod@6.1.8"}


def test_identical_bytes_sent_to_two_environments_at_once_are_believed_in_one(make: Callable[..., Instance]) -> None:
    server = make(arguments=flags(auth_failures_per_minute=1000))
    server.write_pipeline(pipeline_yaml(environments=["dev", "staging", "prod"]))
    with server:
        for number in range(10):
            body = encode(flux_event(f"1.{number}.0"))
            answers = at_once(server, body, [PATH, "/default/podinfo/staging"])
            assert sorted(answer.status for answer in answers) == [202, 401], number


def test_after_thirty_failures_an_address_gets_429_and_a_valid_signature_still_passes(server: Instance) -> None:
    with server.connect(source="127.0.0.7") as connection:
        told = [connection.post(PATH, BODY, {"X-Signature": "sha256=00"}) for _ in range(33)]
        assert [answer.status for answer in told] == [401] * 30 + [429] * 3
        assert all(answer.retry_after() >= 1 for answer in told[30:])
        body = fresh()
        assert connection.post(PATH, body, signed_headers(KEY, body)).status == 202
    with server.connect(source="127.0.0.8") as other:
        assert other.post(PATH, BODY, {"X-Signature": "sha256=00"}).status == 401


def fail_from(server: Instance, forwarded: str, source: str) -> int:
    with server.connect(source=source) as connection:
        return connection.post(PATH, BODY, {"X-Signature": "sha256=00", "X-Forwarded-For": forwarded}).status


def test_x_forwarded_for_is_believed_from_configured_proxies_only(make: Callable[..., Instance]) -> None:
    with make(arguments=flags(auth_failures_per_minute=2, trusted_proxies="127.0.0.5/32")) as server:
        told = [fail_from(server, f"203.0.113.{number}", "127.0.0.6") for number in range(4)]
        assert told == [401, 401, 429, 429], "a stranger chose its own address"
        told = [fail_from(server, f"203.0.113.{number}", "127.0.0.5") for number in range(4)]
        assert told == [401] * 4, "all who come through the proxy count as one"
        told = [fail_from(server, f"198.51.100.{number}, 203.0.113.50", "127.0.0.5") for number in range(4)]
        assert told == [401, 401, 429, 429], "what the client itself wrote before the proxy was believed"
        told = [fail_from(server, f"2001:db8:1:2::{number}", "127.0.0.5") for number in range(4)]
        assert told == [401, 401, 429, 429], "IPv6 addresses of one /64 are one client"


def test_a_claim_is_refused_where_the_environment_wants_none(make: Callable[..., Instance]) -> None:
    server = make()
    dev: dict[str, Any] = environment("dev", "podinfo", triggers=False)
    server.write_pipeline(pipeline_yaml(environments=[dev, "prod"]))
    with server:
        assert server.tell(trigger("1.2.3")).status == 422
        assert server.event("1.2.3").status == 202
