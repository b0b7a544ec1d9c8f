"""kill -9 after the pull request is open: merges, cancellations, translated reports and second tries survive it, once."""

from __future__ import annotations

import contextlib
from typing import Callable

import pytest
from certificates import Certificate
from fleet import helm_release, manifests
from forge_impostor import ForgeImpostor
from process import wait_until
from promoter import STAGING, Promoter, promoted_once
from test_promotion_crashes import dies, promoting, revive, revive_to_die

pytestmark = pytest.mark.crash

Make = Callable[..., Promoter]
RECORD = ["executor.before_record", "executor.after_record"]
REMOVAL = ["git.before_push", "git.after_push"]
ID = "default/podinfo/staging@6.1.8"


@pytest.fixture
def opened(forge: ForgeImpostor, served: Certificate, make_promoter: Make, failpoints: None) -> Promoter:
    """6.1.8 has its pull request into staging; the process is stopped."""
    promoter = promoting(make_promoter, forge, served, "", environments=("dev", "staging", "prod"))
    promoter.server.start()
    promoter.promotes("6.1.8")
    promoter.server.stop()
    return promoter


def state_of(promoter: Promoter, wanted: str) -> str:
    return next((one["state"] for one in promoter.promotions() if one["id"] == wanted), "")


@pytest.mark.parametrize("place", RECORD + REMOVAL)
def test_a_merge_that_was_seen_when_the_process_died_is_known_afterwards(
    place: str, forge: ForgeImpostor, opened: Promoter
) -> None:
    forge.merge(1)
    revive_to_die(opened, place)
    dies(opened)
    revive(opened)
    opened.reaches("6.1.8", "Merged")
    assert [one["state"] for one in forge.pulls] == ["closed"]
    assert "version: 6.1.8 #" in forge.repository.text(STAGING)


@pytest.mark.parametrize("place", ["forge.before_close", "forge.after_close", *RECORD, *REMOVAL])
def test_a_cancelled_promotion_takes_its_pull_request_and_branch_with_it_whenever_the_process_dies(
    place: str, forge: ForgeImpostor, opened: Promoter
) -> None:
    revive(opened, f"{place}=kill")
    opened.server.run("cancel", ID)
    dies(opened)
    revive(opened)
    wait_until(lambda: forge.pulls[0]["state"] == "closed", "the pull request to be closed", show=opened.show)
    wait_until(lambda: not forge.repository.promoted(), "the branch to be removed", show=opened.show)
    assert len(forge.pulls) == 1


@pytest.mark.parametrize("kill", ["kill:1", "kill:2"])
@pytest.mark.parametrize("place", RECORD)
def test_a_report_of_a_commit_that_was_being_translated_is_translated_once(
    place: str, kill: str, forge: ForgeImpostor, opened: Promoter
) -> None:
    forge.merge(1)
    revive(opened)
    opened.reaches("6.1.8", "Merged")
    opened.server.stop()
    revive(opened, f"{place}={kill}")
    tip = forge.repository.branches()["main"]
    with contextlib.suppress(OSError):
        opened.server.event(f"main@sha1:{tip}", path="/default/podinfo/staging", cluster="staging")
    dies(opened)
    revive(opened)
    onward = "default/podinfo/prod@6.1.8"
    wait_until(lambda: state_of(opened, onward) == "PullRequestOpen", "its promotion into prod", show=opened.show)
    assert len(forge.pulls) == 2
    assert state_of(opened, ID) == "Deployed"
    assert state_of(opened, f"default/podinfo/prod@{tip}") == "Superseded"


@pytest.mark.parametrize("place", RECORD)
def test_a_failed_promotion_that_was_being_opened_again_goes_on(
    place: str, forge: ForgeImpostor, served: Certificate, make_promoter: Make, failpoints: None
) -> None:
    forge.repository.commit({STAGING: helm_release("6.1.7")})
    promoter = promoting(make_promoter, forge, served, "")
    promoter.server.start()
    promoter.prove("6.1.8")
    promoter.reaches("6.1.8", "Failed")
    promoter.server.stop()
    forge.repository.commit(manifests())
    revive_to_die(promoter, place)
    dies(promoter)
    revive(promoter)
    promoter.reaches("6.1.8", "PullRequestOpen")
    assert len(forge.pulls) == 1
    promoted_once(forge.repository, "6.1.8")
