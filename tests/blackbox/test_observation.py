"""What operators see, and what nobody may see."""

from __future__ import annotations

import json
import os
import re
import subprocess
from typing import Callable

from flags import flags
from flux_events import encode, flux_event, signed_headers
from instance import KEY, PATH, Instance
from proc import command_line
from process import wait_until
from signing import hashed, seconds_from_now, standard_webhooks
from tls_client import request_bytes

FAMILIES = {
    "sluice_http_requests_total": "counter",
    "sluice_auth_failures_total": "counter",
    "sluice_event_decisions_total": "counter",
    "sluice_ledger_accept_seconds": "histogram",
    "sluice_ledger_batch_size": "histogram",
    "sluice_ledger_queue_depth": "gauge",
    "sluice_http_connections": "gauge",
    "sluice_tls_handshakes_total": "counter",
    "sluice_certificate_expiry_seconds": "gauge",
    "sluice_config_reloads_total": "counter",
}


def test_metrics_are_well_formed_and_every_promised_family_is_there_from_the_start(server: Instance) -> None:
    answer = server.admin("/metrics")
    assert (answer.header("Content-Type") or "").startswith("text/plain; version=0.0.4")
    families = server.metrics()
    assert {name: families[name].kind for name in FAMILIES if name in families} == FAMILIES


def test_metrics_count_what_happened(make: Callable[..., Instance]) -> None:
    with make(manual=True) as server:  # so that nobody but the senders writes
        server.event("6.1.8")
        server.event("6.1.8", reason="UpgradeFailed")
        server.ask("POST", PATH, b"{}", {"X-Signature": "sha256=00"})
        server.ask("GET", "/nowhere")
        now = server.metrics()
    assert now["sluice_event_decisions_total"].value(decision="await_approval") == 1
    assert now["sluice_event_decisions_total"].value() == 2
    assert now["sluice_auth_failures_total"].value() == 1
    assert now["sluice_http_requests_total"].value() >= 4
    assert now["sluice_ledger_accept_seconds"].value() >= 1
    assert now["sluice_ledger_batch_size"].sum() == 2
    assert now["sluice_tls_handshakes_total"].value() == 4


def test_paths_of_strangers_make_no_series(server: Instance) -> None:
    before = sum(len(family.samples) for family in server.metrics().values())
    for number in range(20):
        server.ask("POST", f"/ns-{number}/p-{number}/e-{number}", b"{}")
        server.ask("GET", f"/some/where/{number}/else")
    text = server.admin("/metrics").body.decode()
    assert "p-7" not in text and "else" not in text
    assert sum(len(family.samples) for family in server.metrics().values()) <= before + 8


def test_readyz_tells_each_part(server: Instance) -> None:
    answer = server.admin("/readyz")
    told = answer.body.decode()
    assert answer.status == 200 and all(part in told for part in ("pipelines", "secrets", "ledger"))


def test_a_network_thread_that_hangs_turns_healthz_red(make: Callable[..., Instance], failpoints: None) -> None:
    server = make(environment={"SLUICE_FAILPOINTS": "server.event=block"})
    server.start()
    body = encode(flux_event("6.1.8"))
    with server.connect() as hanging:
        hanging.send(request_bytes("POST", PATH, hanging.host, body, signed_headers(KEY, body)))
        assert server.admin("/healthz").status == 200
        wait_until(lambda: server.admin("/healthz").status == 503, "/healthz to turn red", 30)
        assert "a network thread hangs" in server.admin("/healthz").body.decode()
        server.kill9()


def test_every_line_of_the_log_is_json_and_tells_a_request_by_its_id_and_its_trace(
    make: Callable[..., Instance]
) -> None:
    trace = "0af7651916cd43dd8448eb211c80319c"
    body = encode(flux_event("6.1.8"))
    old = encode(flux_event("6.1.8", timestamp=seconds_from_now(-3600)))
    expected: dict[str | None, int] = {}
    with make(arguments=flags(log_level="debug")) as server:
        for sent, key, status in ((body, KEY, 202), (old, KEY, 422), (body, "another key", 401)):
            headers = signed_headers(key, sent) | {"traceparent": f"00-{trace}-b7ad6b7169203331-01"}
            answer = server.ask("POST", PATH + "?token=in-the-query", sent, headers)
            assert answer.status == status
            expected[answer.header("X-Request-Id")] = 2  # what came of it, and that it was answered
        server.stop()
        lines = [json.loads(line) for line in server.process.text().splitlines()]
        told = [line["request_id"] for line in lines if line.get("trace_id") == trace]
        assert {identity: told.count(identity) for identity in told} == expected
        assert "in-the-query" not in server.process.text()
        server.start()


def test_what_the_operator_allowed_against_advice_is_warned_about_at_start(make: Callable[..., Instance]) -> None:
    allowed = flags(allow_unsigned="default/open", allow_weave_approvals="default/weave")
    with make(listen=("https://127.0.0.1:0", "http://0.0.0.0:0"), arguments=allowed) as server:
        warned = [line["msg"] for line in server.log() if line["level"] == "warn"]
    for about in ("http://0.0.0.0:0 takes events over plain", "default/open takes unsigned", "default/weave takes"):
        assert sum(about in line for line in warned) == 1, warned


def test_a_loopback_listener_in_the_clear_is_not_warned_about(make: Callable[..., Instance]) -> None:
    with make(plain=True) as server:
        assert not [line for line in server.log() if "plain HTTP" in str(line)]


def test_the_text_log_is_one_line_per_message(make: Callable[..., Instance]) -> None:
    server = make(arguments=["--log-format=text"])
    given = server.process.command
    first = given.index("--log-format")
    del given[first : first + 2]
    with server:
        server.event("6.1.8", path="/default/podinfo/dev%0aforged: line")
        server.stop()
        assert not re.search(r"^forged", server.process.text(), re.MULTILINE)
        server.start()


def test_no_key_is_ever_seen(make: Callable[..., Instance]) -> None:
    seen: list[bytes] = []
    with make(arguments=flags(log_level="debug")) as server:
        body = encode(flux_event("6.1.8"))
        right = hashed(KEY, body)
        for headers in ({"X-Signature": right}, {"X-Signature": right + "0"}, {}, standard_webhooks(KEY, body),
                        {"X-Signature": hashed(KEY, body, "sha1")}):  # fmt: skip
            answer = server.ask("POST", PATH, body, headers)
            seen += [answer.body, repr(answer.headers).encode()]
        for path in ("/metrics", "/healthz", "/readyz"):
            seen.append(server.admin(path).body)
        folder = server.secrets / "default" / "promotion-credentials"
        (folder / "hmac-key-2").write_text(KEY)
        os.mkfifo(folder / "hmac-key-broken")
        wait_until(lambda: b"hmac-key-broken" in server.admin("/readyz").body, "the reader to complain")
        seen.append(server.admin("/readyz").body)
        server.event("6.1.9")
        for arguments in (("promotions", "list"), ("promotions", "list", "-o", "json"), ("status",)):
            done = server.run(*arguments)
            seen += [done.stdout.encode(), done.stderr.encode()]
        seen.append(command_line(server.process.pid))
        (folder / "hmac-key-broken").unlink()
        server.stop()
        seen.append(server.process.log.read_bytes())
        seen += [path.read_bytes() for path in server.state.rglob("*") if path.is_file()]
        command = [*server.process.command, "--print-config"]
        printed = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
        assert printed.returncode == 0 and str(server.secrets) in printed.stdout
        seen += [printed.stdout.encode(), printed.stderr.encode()]
        server.start()
    assert len(seen) > 15
    for text in seen:
        assert KEY.encode() not in text and right.split("=")[1].encode() not in text
