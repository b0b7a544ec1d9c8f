"""Pipelines, secrets and certificates change under a running server, and no connection notices."""

from __future__ import annotations

import os
import shutil
import ssl
from pathlib import Path
from typing import Callable, Mapping

from certificates import self_signed
from flags import flags
from flux_events import encode, flux_event, signed_headers
from instance import KEY, PATH, Instance
from load import Load
from pipelines import pipeline_yaml
from process import wait_until


def accepted(server: Instance, path: str, key: str = KEY) -> bool:
    return server.event("1.0.0", path=path, key=key).status == 202


def test_a_new_pipeline_is_served_on_a_connection_opened_before(make: Callable[..., Instance]) -> None:
    with make(arguments=flags(auth_failures_per_minute=1000)) as server, server.connect() as connection:
        body = encode(flux_event("6.1.8"))
        assert connection.post("/default/second/dev", body, signed_headers(KEY, body)).status == 401
        server.write_pipeline(pipeline_yaml("second"), "second")
        wait_until(lambda: accepted(server, "/default/second/dev"), "the new pipeline to be served")
        assert connection.post("/default/second/dev", body, signed_headers(KEY, body)).status == 202


def test_a_pipeline_that_is_deleted_is_unknown_and_its_promotions_stay(make: Callable[..., Instance]) -> None:
    with make(arguments=flags(auth_failures_per_minute=1000)) as server:
        assert server.event("6.1.8").status == 202
        (server.pipelines / "podinfo.yaml").unlink()
        wait_until(lambda: not accepted(server, PATH), "the pipeline to be gone")
        assert "default/podinfo/prod@6.1.8" in server.identities()


def test_a_broken_edit_keeps_the_last_good_pipeline_and_says_so(make: Callable[..., Instance]) -> None:
    with make() as server:
        failed_before = failed_reloads(server)
        server.write_pipeline("apiVersion: pipelines.weave.works/v1alpha1\nkind: Pipeline\nspec: [\n")
        wait_until(lambda: failed_reloads(server) > failed_before, "the reload to be counted")
        ready = server.admin("/readyz")
        assert "podinfo.yaml" in ready.body.decode(), ready
        assert ready.status == 200 and '"degraded"' in ready.body.decode(), "what still serves stays in service"
        assert any("podinfo.yaml" in str(line) and line["level"] in ("warn", "error") for line in server.log())
        assert server.event("6.1.8").status == 202
        server.write_pipeline(pipeline_yaml())
        wait_until(lambda: "podinfo.yaml" not in server.admin("/readyz").body.decode(), "/readyz to be well again")
        assert server.event("6.1.9").status == 202


def failed_reloads(server: Instance, **labels: str) -> float:
    return server.metrics()["sluice_config_reloads_total"].value(outcome="failed", **labels)


def test_a_key_emptied_by_a_tool_that_failed_keeps_its_senders_believed_and_says_so(make: Callable[..., Instance]) -> None:
    with make() as server:
        key = server.secrets / "default" / "promotion-credentials" / "hmac-key"
        key.write_text("")
        wait_until(lambda: failed_reloads(server, source="secrets") == 1, "the reload to be counted")
        assert server.event("6.1.8").status == 202
        assert server.event("6.1.8", key="wrong").status == 401  # which has the Secret read at once
        assert server.event("6.1.9").status == 202
        ready = server.admin("/readyz")
        assert ready.status == 200 and "hmac-key: the file is empty" in ready.body.decode(), ready
        assert any("hmac-key" in str(line) and line["level"] == "error" for line in server.log())
        key.write_text(KEY)
        wait_until(lambda: "hmac-key" not in server.admin("/readyz").body.decode(), "/readyz to be well again")


def test_while_a_source_is_gone_known_and_unknown_pipelines_alike_are_told_to_come_back(
    make: Callable[..., Instance],
) -> None:
    with make() as server:
        for source in (server.secrets, server.pipelines):
            aside = source.with_name("aside")
            source.rename(aside)
            wait_until(lambda: server.event("6.1.8").status == 503, f"{source.name} to be missed")
            assert server.event("6.1.8", path="/default/unknown/dev").status == 503
            ready = server.admin("/readyz")
            assert ready.status == 503 and source.name in ready.body.decode(), ready
            aside.rename(source)
            wait_until(lambda: server.event("6.1.8").status == 202, f"{source.name} to be found again")


def test_one_broken_file_does_not_hold_back_another(make: Callable[..., Instance]) -> None:
    with make(arguments=flags(auth_failures_per_minute=1000)) as server:
        server.write_pipeline("kind: [", "broken")
        server.write_pipeline(pipeline_yaml("second"), "second")
        wait_until(lambda: accepted(server, "/default/second/dev"), "the good file to be read")
        assert accepted(server, PATH)


def test_secrets_are_rotated_under_load_and_no_valid_request_is_refused(make: Callable[..., Instance]) -> None:
    new_key = KEY + "-new"
    keys = [KEY]
    limits = flags(auth_sender_rate=100_000, auth_sender_burst=100_000, auth_failures_per_minute=100_000)
    with make(arguments=limits) as server:

        def fresh(client: int, count: int) -> tuple[str, bytes, Mapping[str, str]]:
            body = encode(flux_event(f"1.{client}.{count}"))
            return PATH, body, signed_headers(keys[count % len(keys)], body)

        folder = server.secrets / "default" / "promotion-credentials"
        load = Load(server.url, server.ssl_context(), 8, fresh)
        with load.running():
            served(load, 50)
            replace(folder / "hmac-key-next", new_key)
            wait_until(lambda: accepted(server, PATH, new_key), "the new key to be known")
            keys.append(new_key)  # both are there: both are believed
            served(load, 100)
            keys[:] = [new_key]
            served(load, 50)  # whoever still signed with the old key has its answer now
            (folder / "hmac-key").unlink()
            wait_until(lambda: not accepted(server, PATH, KEY), "the old key to be refused")
            served(load, 100)
        refused = [one.answer for one in load.sent() if one.answer is None or one.answer.status != 202]
        assert not refused, refused[:3]
        assert not accepted(server, PATH, KEY)


def served(load: Load, more: int) -> None:
    """Waits until every client has got on with it."""
    wanted = load.count() + more + 16
    wait_until(lambda: load.count() > wanted, "the load to go on", 30)


def replace(path: Path, text: str) -> None:
    """As careful people write: the file is whole from the first moment it has its name."""
    beside = path.with_name(f".{path.name}.tmp")
    beside.write_text(text)
    beside.rename(path)


def test_a_secret_mounted_by_kubernetes_is_followed_when_its_link_is_swapped(make: Callable[..., Instance]) -> None:
    server = make(arguments=flags(auth_failures_per_minute=1000))
    folder = server.secrets / "default" / "promotion-credentials"
    shutil.rmtree(folder)
    folder.mkdir()

    def publish(version: str, key: str) -> None:
        (folder / version).mkdir()
        (folder / version / "hmac-key").write_text(key)
        (folder / "..data_tmp").symlink_to(version)
        os.replace(folder / "..data_tmp", folder / "..data")

    publish("..2026_01", KEY)
    (folder / "hmac-key").symlink_to("..data/hmac-key")
    with server:
        assert accepted(server, PATH, KEY)
        publish("..2026_02", KEY + "-2")
        wait_until(lambda: accepted(server, PATH, KEY + "-2"), "the new key to be read")
        assert not accepted(server, PATH, KEY)


def test_a_key_is_found_at_once_when_its_secret_came_after_the_start(make: Callable[..., Instance]) -> None:
    server = make()
    server.write_pipeline(pipeline_yaml("late", secret="late"), "late")
    with server, server.connect() as connection:
        body = encode(flux_event("1.0.0"))
        server.write_secret("late", {"hmac-key": KEY})
        # Sooner than the watch, which lets changes settle: the refused signature makes the Secret be read.
        assert connection.post("/default/late/dev", body, signed_headers(KEY, body)).status == 202


def presented(server: Instance) -> str:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with server.connect(context=context) as connection:
        assert isinstance(connection.socket, ssl.SSLSocket)
        return ssl.DER_cert_to_PEM_cert(connection.socket.getpeercert(binary_form=True) or b"").strip()


def test_a_new_certificate_is_shown_to_new_connections_and_old_ones_stay(
    tmp_path: Path, make: Callable[..., Instance]
) -> None:
    first, second = (self_signed(tmp_path / "tls", name) for name in ("first", "second"))
    cert, key = tmp_path / "server.crt", tmp_path / "server.key"
    shutil.copy(first.cert, cert), shutil.copy(first.key, key)
    with make(certificate=cert, arguments=flags(tls_cert=cert, tls_key=key)) as server:
        assert presented(server) == first.cert.read_text().strip()
        with server.connect() as old:
            replace(key, second.key.read_text())
            replace(cert, second.cert.read_text())
            wait_until(lambda: presented(server) == second.cert.read_text().strip(), "the new certificate")
            body = encode(flux_event("6.1.8"))
            assert old.post(PATH, body, signed_headers(KEY, body)).status == 202
        assert server.event("6.1.9").status == 202  # verified against the new file


def test_a_certificate_that_does_not_fit_its_key_is_not_taken(tmp_path: Path, make: Callable[..., Instance]) -> None:
    first, second = (self_signed(tmp_path / "tls", name) for name in ("first", "second"))
    cert, key = tmp_path / "server.crt", tmp_path / "server.key"
    shutil.copy(first.cert, cert), shutil.copy(first.key, key)
    with make(certificate=first.cert, arguments=flags(tls_cert=cert, tls_key=key)) as server:
        failed_before = failed_reloads(server)
        replace(cert, second.cert.read_text())  # and the key stays
        wait_until(lambda: failed_reloads(server) > failed_before, "the reload to be counted")
        assert "server.crt" in server.admin("/readyz").body.decode()
        assert presented(server) == first.cert.read_text().strip()
        assert server.event("6.1.8").status == 202
        replace(key, second.key.read_text())
        wait_until(lambda: presented(server) == second.cert.read_text().strip(), "the pair to be taken when it fits")
