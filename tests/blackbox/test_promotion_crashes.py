"""kill -9 wherever the test build can stop: what was begun goes on after the start, and nothing is done twice."""

from __future__ import annotations

import contextlib
import http.client
import re
from typing import Any, Callable, Iterator

import pytest
from certificates import Certificate
from event_receiver import EventReceiver
from forge_impostor import ForgeImpostor
from process import wait_until
from promoter import PASSWORD, USERNAME, Promoter, promoted_once
from sluice import ROOT
from tls_client import ConnectionEnded

pytestmark = pytest.mark.crash

Make = Callable[..., Promoter]


def places_in(*patterns: str) -> list[str]:
    """The failpoints in these files of promotion/."""
    files = [file for pattern in patterns for file in (ROOT / "promotion").glob(pattern)]
    return sorted({place for file in files for place in re.findall(r'failpoint\("([a-z_.]+)"\)', file.read_text())})


PLACES = places_in("**/*.cpp")


def places_without(*steps: str) -> list[str]:
    """The notification strategy passes none of these, and a promotion only those of the steps it takes."""
    return [place for place in PLACES if place.split("_")[-1] not in ("notify", *steps)]


PROMOTION = places_without("update", "close", "merge", "disarm")
# A promotion is recorded three times: begun, noted, and what came of it.
RECORDS = [f"executor.{when}_record=kill:{nth}" for when in ("before", "after") for nth in (1, 2, 3)]
PROMOTION_KILLS = [f"{place}=kill" for place in PROMOTION if not place.endswith("_record")] + RECORDS
TAKEOVER = [("update", place) for place in places_without("create", "close", "merge")]
TAKEOVER += [("replace", place) for place in places_without("update", "merge", "disarm")]

NOTIFICATION = places_in("strategies/notification.cpp", "notify/*.cpp", "recorder.cpp")


def promoting(
    make_promoter: Make, forge: ForgeImpostor, served: Certificate, failpoints: str, **more: object
) -> Promoter:
    promoter = make_promoter(environment={"SLUICE_FAILPOINTS": failpoints})
    keys = {"username": USERNAME, "password": PASSWORD, "token": PASSWORD, "caFile": served.cert.read_bytes()}
    promoter.teach(forge.repository_url, "gitea", keys=keys, labels=["promotion"], **more)
    return promoter


def prove_to_die(promoter: Promoter) -> None:
    """What is durable may kill it before the answer leaves."""
    with contextlib.suppress(ConnectionEnded):
        promoter.prove("6.1.8")


def dies(promoter: Promoter) -> None:
    wait_until(lambda: not promoter.server.process.running(), "the process to be killed", show=promoter.show)
    promoter.server.stop()


def revive(promoter: Promoter, failpoints: str = "") -> None:
    promoter.server.process.environment["SLUICE_FAILPOINTS"] = failpoints
    promoter.server.start()


def revive_to_die(promoter: Promoter, place: str) -> None:
    """What it finds at its start may kill it before it is ready."""
    with contextlib.suppress(AssertionError):
        revive(promoter, f"{place}=kill")


def dead_or_open(promoter: Promoter) -> bool:
    try:
        found = promoter.find("6.1.8")
    except (OSError, http.client.HTTPException):
        return not promoter.server.process.running()
    return found is not None and found["state"] == "PullRequestOpen"


@pytest.mark.parametrize("kill", PROMOTION_KILLS)
def test_a_promotion_killed_at_any_place_arrives_once(
    kill: str, forge: ForgeImpostor, served: Certificate, make_promoter: Make, failpoints: None
) -> None:
    promoter = promoting(make_promoter, forge, served, kill)
    promoter.server.start()
    prove_to_die(promoter)
    dies(promoter)
    revive(promoter)
    promoter.reaches("6.1.8", "PullRequestOpen")
    assert len(forge.pulls) == 1
    promoted_once(forge.repository, "6.1.8")


@pytest.mark.parametrize(("on_newer", "place"), TAKEOVER)
def test_a_takeover_killed_at_any_place_leaves_one_pull_request(
    on_newer: str, place: str, forge: ForgeImpostor, served: Certificate, make_promoter: Make, failpoints: None
) -> None:
    promoter = promoting(make_promoter, forge, served, "", onNewer=on_newer)
    promoter.server.start()
    promoter.promotes("6.1.8")
    promoter.server.stop()
    revive_to_die(promoter, place)
    with contextlib.suppress(OSError):  # a look at the open one may kill it before it hears of the newer
        promoter.prove("6.1.9")
    dies(promoter)
    revive(promoter)
    promoter.prove("6.1.9")
    promoter.reaches("6.1.9", "PullRequestOpen")
    promoter.reaches("6.1.8", "Superseded")
    assert [one["state"] for one in forge.pulls] == (["open"] if on_newer == "update" else ["closed", "open"])
    assert forge.pulls[-1]["title"].endswith("6.1.9")
    promoted_once(forge.repository, "6.1.9")


@pytest.mark.parametrize("place", [place for place in PLACES if place.endswith("_merge")])
def test_a_merge_that_was_asked_for_when_the_process_died_is_known_afterwards(
    place: str, forge: ForgeImpostor, served: Certificate, make_promoter: Make, failpoints: None
) -> None:
    promoter = promoting(make_promoter, forge, served, f"{place}=kill", autoMerge={"method": "merge"})
    promoter.server.start()
    prove_to_die(promoter)
    dies(promoter)
    revive(promoter)
    promoter.reaches("6.1.8", "Merged")
    assert [one["merged"] for one in forge.pulls] == [True]
    assert "version: 6.1.8 #" in forge.repository.text("staging/podinfo.yaml")


def test_a_process_killed_again_and_again_at_every_place_in_turn_still_arrives_once(
    forge: ForgeImpostor, served: Certificate, make_promoter: Make, failpoints: None
) -> None:
    promoter = promoting(make_promoter, forge, served, f"{PROMOTION[0]}=kill")
    promoter.server.start()
    prove_to_die(promoter)
    dies(promoter)
    for place in PROMOTION[1:]:
        revive_to_die(promoter, place)
        wait_until(lambda: dead_or_open(promoter), f"the end of the run with {place}", 20, promoter.show)
        promoter.server.kill9()
    revive(promoter)
    promoter.reaches("6.1.8", "PullRequestOpen")
    assert len(forge.pulls) == 1
    promoted_once(forge.repository, "6.1.8")


@pytest.fixture
def receiver() -> Iterator[EventReceiver]:
    with EventReceiver() as made:
        yield made


def versions(receiver: EventReceiver) -> list[str]:
    return [event["metadata"]["version"] for event in receiver.events()]


def one_message(events: list[dict[str, Any]]) -> dict[str, Any]:
    """What every delivery says; only the time of sending may differ."""
    said = [{name: value for name, value in event.items() if name != "timestamp"} for event in events]
    assert said == said[:1] * len(said)
    return said[0]


def told_no_more(promoter: Promoter, receiver: EventReceiver, deliveries: int) -> None:
    """Neither another start nor another report of it sends it again: the next to be sent is the next revision."""
    promoter.server.stop()
    promoter.server.start()
    promoter.prove("6.1.8")
    promoter.prove("6.1.9")
    promoter.reaches("6.1.9", "Notified")
    assert versions(receiver) == ["6.1.8"] * deliveries + ["6.1.9"]


@pytest.mark.parametrize("place", NOTIFICATION)
def test_a_notification_killed_at_any_place_is_told_and_twice_only_when_it_had_arrived_unrecorded(
    place: str, receiver: EventReceiver, make_promoter: Make, failpoints: None
) -> None:
    promoter = make_promoter(f"--events-address={receiver.url}", environment={"SLUICE_FAILPOINTS": f"{place}=kill"})
    promoter.server.start()
    prove_to_die(promoter)
    dies(promoter)
    delivered = 1 if place == "executor.after_notify" else 0
    assert len(receiver.events()) == delivered
    revive(promoter)
    promoter.reaches("6.1.8", "Notified")
    said = one_message(receiver.events())
    assert (said["reason"], said["metadata"]["id"]) == ("Promote", "default/podinfo/prod@6.1.8")
    told_no_more(promoter, receiver, delivered + 1)


def test_a_notification_killed_before_its_answer_came_is_told_again_under_the_same_id(
    receiver: EventReceiver, make_promoter: Make
) -> None:
    promoter = make_promoter(f"--events-address={receiver.url}")
    receiver.hold_answers()
    promoter.server.start()
    promoter.prove("6.1.8")
    wait_until(receiver.events, "the event to arrive", show=promoter.show)
    promoter.server.kill9()
    receiver.answer()
    promoter.server.start()
    promoter.reaches("6.1.8", "Notified")
    assert one_message(receiver.events())["metadata"]["id"] == "default/podinfo/prod@6.1.8"
    told_no_more(promoter, receiver, 2)
