"""TLS by Mozilla's intermediate profile, and client certificates."""

from __future__ import annotations

import os
import shutil
import ssl
import subprocess
import urllib.parse
from pathlib import Path
from typing import Callable

import pytest
from certificates import Certificate, authority, client, self_signed
from flags import flags
from flux_events import encode, flux_event, signed_headers
from instance import KEY, PATH, Instance
from process import wait_until
from tls_client import ConnectionEnded


def s_client(server: Instance, *arguments: str) -> str:
    address = urllib.parse.urlsplit(server.url).netloc
    done = subprocess.run(
        ["openssl", "s_client", "-connect", address, "-CAfile", str(server.certificate), *arguments],
        input="",
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )
    return done.stdout + done.stderr


def context_with(server: Instance, version: ssl.TLSVersion) -> ssl.SSLContext:
    context = server.ssl_context()
    context.minimum_version = context.maximum_version = version
    return context


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_both_living_versions_of_tls_are_spoken(version: ssl.TLSVersion, server: Instance) -> None:
    body = encode(flux_event("6.1.8"))
    assert server.tell(body, context=context_with(server, version)).status == 202


@pytest.mark.parametrize("version", ["-tls1", "-tls1_1"])
def test_dead_versions_of_tls_are_refused(version: str, server: Instance) -> None:
    told = s_client(server, version, "-cipher", "ALL:@SECLEVEL=0")
    assert "Cipher is (NONE)" in told or "alert" in told, told


@pytest.mark.parametrize("cipher", ["AES256-SHA", "ECDHE-ECDSA-AES128-SHA", "NULL", "aNULL"])
def test_weak_ciphers_are_refused(cipher: str, server: Instance) -> None:
    told = s_client(server, "-tls1_2", "-cipher", f"{cipher}:@SECLEVEL=0")
    assert "Cipher is (NONE)" in told or "alert" in told or "no cipher match" in told, told


def test_expensive_groups_are_refused(server: Instance) -> None:
    groups = ("X25519", "P-256", "P-384", "P-521", "ffdhe2048")
    told = {group: s_client(server, "-tls1_3", "-groups", group) for group in groups}
    assert [group for group in told if "Cipher is TLS_" in told[group]] == ["X25519", "P-256", "P-384"]


def test_a_client_that_would_rather_speak_http_2_gets_http_1_1(server: Instance) -> None:
    context = server.ssl_context()
    context.set_alpn_protocols(["h2", "http/1.1"])
    with server.connect(context=context) as connection:
        assert isinstance(connection.socket, ssl.SSLSocket)
        assert connection.socket.selected_alpn_protocol() == "http/1.1"
        body = encode(flux_event("6.1.8"))
        assert connection.post(PATH, body, signed_headers(KEY, body)).status == 202


def test_a_client_may_not_ask_for_renegotiation(server: Instance) -> None:
    done = subprocess.run(
        ["openssl", "s_client", "-connect", urllib.parse.urlsplit(server.url).netloc, "-tls1_2"],
        input="R\n",
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )
    assert "no renegotiation" in done.stderr or done.returncode != 0, done.stderr


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_a_session_is_resumed(version: ssl.TLSVersion, server: Instance) -> None:
    context = context_with(server, version)
    with server.connect(context=context) as first:
        assert isinstance(first.socket, ssl.SSLSocket)
        assert first.request("GET", "/").status == 404  # a TLS 1.3 ticket comes after the handshake
        session = first.socket.session
    assert session is not None
    with server.connect(context=context, session=session) as second:
        assert isinstance(second.socket, ssl.SSLSocket) and second.socket.session_reused


def test_only_clients_with_a_certificate_of_the_authority_are_served(
    tmp_path: Path, make: Callable[..., Instance]
) -> None:
    ours, theirs = authority(tmp_path, "ours"), authority(tmp_path, "theirs")
    good, bad = client(tmp_path, "flux", ours), client(tmp_path, "stranger", theirs)
    with make(arguments=flags(tls_client_ca=ours.cert)) as server:
        body = encode(flux_event("6.1.8"))
        context = server.ssl_context()
        context.load_cert_chain(good.cert, good.key)
        assert server.tell(body, context=context).status == 202
        stranger = server.ssl_context()
        stranger.load_cert_chain(bad.cert, bad.key)
        for refused in (stranger, server.ssl_context()):
            with pytest.raises(OSError):
                server.tell(encode(flux_event("6.1.9")), context=refused)
        assert server.identities() == {"default/podinfo/prod@6.1.8"}
        assert server.admin("/healthz").status == 200


def test_an_authority_that_is_replaced_shuts_out_the_clients_of_the_old_one(
    tmp_path: Path, make: Callable[..., Instance]
) -> None:
    old, new = authority(tmp_path, "old"), authority(tmp_path, "new")
    trusted = tmp_path / "clients.crt"
    shutil.copy(old.cert, trusted)
    with make(arguments=flags(tls_client_ca=trusted)) as server:

        def served(by: Certificate) -> bool:
            context = server.ssl_context()
            context.load_cert_chain(by.cert, by.key)
            try:
                return server.tell(encode(flux_event("6.1.8")), context=context).status == 202
            except OSError:
                return False

        before, after = client(tmp_path, "before", old), client(tmp_path, "after", new)
        assert served(before) and not served(after)
        os.replace(shutil.copy(new.cert, tmp_path / "next.crt"), trusted)
        wait_until(lambda: served(after), "the new authority to be trusted")
        assert not served(before)


def test_plain_http_on_the_tls_port_ends_without_an_answer_in_the_clear(server: Instance) -> None:
    with server.connect(url=server.url.replace("https:", "http:")) as connection:
        connection.send(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        with pytest.raises((ConnectionEnded, ValueError)):
            connection.read_answer()


def test_a_certificate_of_its_own_is_made_once_and_kept(server: Instance) -> None:
    made = server.certificate.read_bytes()
    server.stop()
    server.start()
    assert server.certificate.read_bytes() == made


def test_a_given_certificate_is_the_one_that_is_shown(tmp_path: Path, make: Callable[..., Instance]) -> None:
    given = self_signed(tmp_path, "given")
    with make(certificate=given.cert, arguments=flags(tls_cert=given.cert, tls_key=given.key)) as server:
        assert server.event("6.1.8").status == 202
