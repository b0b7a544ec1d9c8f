"""docs/approvals.md: every command, pasted as it is written."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path
from typing import Callable, Iterator

import pytest
from control_socket import control_request
from fleet import BareRepository, manifests
from instance import KEY
from pages import block_with, blocks, paste
from promoter import Promoter, promoted_once
from signing import bound_approval, hashed

Make = Callable[..., Promoter]

PAGE = "approvals.md"
TRIED = ("sluice approve", "sluice reject", "sluice sign", "sluice serve")
STATE, SERVER = "/var/lib/sluice", "https://sluice.example.org"
APPROVES = "canary-of-approvals-77c1-never-to-be-seen"
ID, BRANCH = "default/podinfo/prod@6.1.8", "promotion-default-podinfo-prod"


@pytest.fixture
def fleet(tmp_path: Path) -> BareRepository:
    return BareRepository(tmp_path / "repositories" / "fleet.git", manifests(environments=["prod"]))


def taught(make_promoter: Make, fleet: BareRepository, *arguments: str) -> Promoter:
    """A server that is not started yet; promotions into prod wait."""
    promoter = make_promoter(*arguments, local=fleet.path.parent)
    promoter.teach(fleet.url, environments=("dev", "prod"), manual=True, keys={"approval-key": APPROVES})
    return promoter


@pytest.fixture
def waiting(fleet: BareRepository, make_promoter: Make) -> Iterator[Promoter]:
    """The promotion that the page speaks of."""
    promoter = taught(make_promoter, fleet)
    with promoter.server:
        promoter.prove("6.1.8")
        promoter.reaches("6.1.8", "AwaitingApproval")
        yield promoter
    assert APPROVES not in promoter.server.process.text(), "the log shows a key"


def test_no_command_of_the_page_goes_untried() -> None:
    assert sorted(blocks(PAGE, "sh")) == sorted(block_with(PAGE, words) for words in TRIED)


def test_a_person_finds_what_waits_and_lets_it_go(waiting: Promoter, fleet: BareRepository, tmp_path: Path) -> None:
    done = paste(block_with(PAGE, "sluice approve"), tmp_path, {STATE: str(waiting.server.state)})
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(rf"^{re.escape(ID)} +AwaitingApproval\b", done.stdout, re.M), done.stdout
    waiting.reaches("6.1.8", "PullRequestOpen")
    promoted_once(fleet, "6.1.8", branch=BRANCH)


def test_a_person_stops_what_waits_until_somebody_asks_for_another_try(
    waiting: Promoter, fleet: BareRepository, tmp_path: Path
) -> None:
    done = paste(block_with(PAGE, "sluice reject"), tmp_path, {STATE: str(waiting.server.state)})
    assert done.returncode == 0, done.stdout + done.stderr
    assert "not on Fridays" in waiting.server.run("promotions", "show", ID).stdout
    waiting.prove("6.1.8")
    assert [one["state"] for one in waiting.promotions()] == ["Rejected"]
    assert waiting.server.run("retry", ID).returncode == 0
    assert {one["id"]: one["state"] for one in waiting.promotions()} == {
        ID: "Rejected",
        f"{ID}#2": "AwaitingApproval",
    }
    assert fleet.promoted() == {}


def test_a_program_signs_and_sends_an_approval(waiting: Promoter, fleet: BareRepository, tmp_path: Path) -> None:
    shutil.copy(waiting.server.certificate, tmp_path / "tls.crt")
    (tmp_path / "approval-key").write_text(APPROVES)
    done = paste(block_with(PAGE, "sluice sign"), tmp_path, {SERVER: waiting.server.url})
    assert done.returncode == 0 and done.stdout.startswith("HTTP/1.1 202 "), done.stdout + done.stderr
    waiting.reaches("6.1.8", "PullRequestOpen")
    promoted_once(fleet, "6.1.8", branch=BRANCH)


def test_where_there_is_no_pull_request_the_answer_names_the_promotion_for_those_who_may_ask(waiting: Promoter) -> None:
    path = "/approval/default/podinfo/prod/6.1.8"
    answer = waiting.server.ask("POST", path, b"", bound_approval(APPROVES, path))
    place = answer.header("Location")
    assert answer.status == 202 and place and answer.json()["promotion"] == ID
    assert waiting.server.ask("GET", place).status == 404, "who may ask is not known here"
    assert control_request(waiting.server.state, "GET", place).json()["id"] == ID


def test_the_constant_of_weave_approves_where_the_operator_allows_it(
    fleet: BareRepository, make_promoter: Make
) -> None:
    command = re.fullmatch(r"sluice serve (.*) …\n", block_with(PAGE, "sluice serve"))
    assert command, "the rest of the command line is left to the reader"
    promoter = taught(make_promoter, fleet, *shlex.split(command[1]))
    with promoter.server as server:
        promoter.prove("6.1.8")
        promoter.reaches("6.1.8", "AwaitingApproval")
        path, constant = "/approval/default/podinfo/prod/6.1.8", {"X-Signature": hashed(KEY, b"")}
        assert server.ask("POST", path, b"", constant).status == 202
        promoter.reaches("6.1.8", "PullRequestOpen")
    promoted_once(fleet, "6.1.8", branch=BRANCH)
