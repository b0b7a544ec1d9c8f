"""Receive: what the real Flux reports reaches Sluice and becomes a promotion, or, rightly, does not."""

from __future__ import annotations

import socket
import struct
from typing import Callable

from delivery import Delivery
from pipelines import pipeline_yaml
from process import free_ports, wait_until
from sluice import Sluice

KEY = "a-key-that-only-dev-and-sluice-know"
PATH = "/default/podinfo/dev"
FROM_DEV = {"cluster": "dev"}


def teach(sluice: Sluice, delivery: Delivery) -> None:
    """The pipeline dev -> staging -> prod and the key of those who speak for it."""
    environments = ("dev", "staging", "prod")
    sluice.write_pipeline(pipeline_yaml(environments=environments, target_namespace=delivery.namespace))
    sluice.write_secret("promotion-credentials", {"hmac-key": KEY})


def heard_of(sluice: Sluice, revision: str) -> None:
    """Sluice logs each event it takes with its revision; before that line, silence proves nothing."""
    wait_until(
        lambda: any(revision in str(line) for line in sluice.log()),
        f"Sluice to hear of {revision}",
        show=sluice.process.tail,
    )


def delivered(sluice: Sluice, delivery: Delivery) -> None:
    """Once both are down their requests have ended; up to 1.6 Flux logs each answer but 200, 201 and 202."""
    assert sluice.stop() == 0
    delivery.stop()
    assert delivery.controller.dispatch_failures() == []


def test_a_version_that_flux_proves_in_dev_moves_on_to_staging(
    make_sluice: Callable[..., Sluice], delivery: Delivery
) -> None:
    sluice = make_sluice()
    teach(sluice, delivery)
    sluice.start()
    delivery.connect(sluice.url + PATH, token=KEY, authority=sluice.certificate, metadata=FROM_DEV)

    delivery.emit("6.1.8", "UpgradeSucceeded")

    promotion = sluice.wait_for_promotion(revision="6.1.8")
    assert promotion["id"] == "default/podinfo/staging@6.1.8"
    assert (promotion["environment"], promotion["kind"]) == ("staging", "promotion")
    assert len(sluice.promotions()) == 1
    delivered(sluice, delivery)


def test_a_failed_upgrade_in_dev_never_reaches_staging(
    make_sluice: Callable[..., Sluice], delivery: Delivery
) -> None:
    sluice = make_sluice()
    teach(sluice, delivery)
    sluice.start()
    delivery.connect(sluice.url + PATH, token=KEY, authority=sluice.certificate, metadata=FROM_DEV)

    delivery.emit("6.1.9", "UpgradeFailed")

    heard_of(sluice, "6.1.9")
    assert sluice.promotions() == []
    delivered(sluice, delivery)


def test_a_sender_with_the_wrong_token_starts_nothing_and_its_owner_is_told(
    make_sluice: Callable[..., Sluice], delivery: Delivery
) -> None:
    sluice = make_sluice()
    teach(sluice, delivery)
    sluice.start()
    delivery.connect(sluice.url + PATH, token="not-the-key", authority=sluice.certificate, metadata=FROM_DEV)

    delivery.emit("6.1.8", "UpgradeSucceeded")

    refusals = wait_until(delivery.refusals, "Flux to tell that it was refused", show=delivery.controller.process.tail)
    assert "status code 401" in refusals[0]["message"]
    assert sluice.promotions() == []


def test_an_event_sent_while_sluice_restarts_is_not_lost(
    make_sluice: Callable[..., Sluice], delivery: Delivery
) -> None:
    (port,) = free_ports(1)
    sluice = make_sluice(listen=[f"https://127.0.0.1:{port}"])
    teach(sluice, delivery)
    sluice.start()
    delivery.connect(sluice.url + PATH, token=KEY, authority=sluice.certificate, metadata=FROM_DEV)
    sluice.stop()

    with socket.create_server(("127.0.0.1", port)) as listener:
        delivery.emit("6.1.8", "UpgradeSucceeded")
        reset_first_connection(listener)
    sluice.start()

    # Flux tries again 2 s, 6 s and 14 s after the first try, and then never.
    sluice.wait_for_promotion(revision="6.1.8", environment="staging", deadline=15)
    delivered(sluice, delivery)


def reset_first_connection(listener: socket.socket) -> None:
    """Flux's first try meets a process that dies; the reset leaves the port free at once."""
    listener.settimeout(10)
    first, _ = listener.accept()
    first.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    first.close()


def test_a_provider_made_for_weave_keeps_working_over_plain_http(
    make_sluice: Callable[..., Sluice], delivery: Delivery
) -> None:
    sluice = make_sluice(listen=["http://127.0.0.1:0"])
    teach(sluice, delivery)
    sluice.start()
    delivery.connect(f"{sluice.url}/promotion{PATH}", token=KEY)

    delivery.emit("6.1.8", "UpgradeSucceeded")

    sluice.wait_for_promotion(revision="6.1.8", environment="staging")
    delivered(sluice, delivery)
