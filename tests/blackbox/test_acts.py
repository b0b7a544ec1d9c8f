"""What the operator does with promotions on the command line, and what each command says."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Callable

import pytest
from fleet import BareRepository, manifests
from process import wait_until
from promoter import BRANCH, Promoter, promoted_once
from sluice import binary

Make = Callable[..., Promoter]
ID = "default/podinfo/staging@6.1.8"


@pytest.fixture
def fleet(tmp_path: Path) -> BareRepository:
    return BareRepository(tmp_path / "repositories" / "fleet.git", manifests())


@pytest.fixture
def promoter(fleet: BareRepository, make_promoter: Make) -> Promoter:
    made = make_promoter(local=fleet.path.parent)
    made.teach(fleet.url, manual=True)
    return made


def act(promoter: Promoter, *arguments: str) -> subprocess.CompletedProcess[str]:
    done = promoter.server.run(*arguments)
    assert done.stdout.count("\n") + done.stderr.count("\n") == 1, "the outcome is one line"
    return done


def offer(promoter: Promoter, revision: str = "6.1.8") -> None:
    promoter.prove(revision)
    promoter.reaches(revision, "AwaitingApproval")


def test_approve_lets_it_go_and_can_be_repeated(promoter: Promoter, fleet: BareRepository) -> None:
    with promoter.server:
        offer(promoter)
        done = act(promoter, "approve", ID, "--reason", "release day")
        assert done.returncode == 0 and done.stdout.startswith(ID), done
        promoter.reaches("6.1.8", "PullRequestOpen")
        assert act(promoter, "approve", ID).returncode == 0
        shown = promoter.server.run("promotions", "show", ID)
        assert "release day" in shown.stdout and BRANCH in shown.stdout
    promoted_once(fleet, "6.1.8")


def test_reject_wants_a_reason_and_retry_opens_a_new_attempt(promoter: Promoter) -> None:
    with promoter.server:
        offer(promoter)
        assert promoter.server.run("reject", ID).returncode == 2
        assert act(promoter, "reject", ID, "--reason", "not on Fridays").returncode == 0
        refused = act(promoter, "approve", ID)
        assert refused.returncode == 1 and "Rejected" in refused.stderr
        again = promoter.server.run("retry", ID, "-o", "json")
        assert again.returncode == 0 and json.loads(again.stdout)["promotion"] == f"{ID}#2"


def test_cancel_removes_the_branch_it_pushed(promoter: Promoter, fleet: BareRepository) -> None:
    with promoter.server:
        offer(promoter)
        act(promoter, "approve", ID)
        promoter.reaches("6.1.8", "PullRequestOpen")
        assert act(promoter, "cancel", ID).returncode == 0
        promoter.reaches("6.1.8", "Cancelled")
        wait_until(lambda: not fleet.promoted(), "the branch to be gone")
        refused = act(promoter, "cancel", "default/podinfo/staging@1.0.0")
        assert refused.returncode == 1 and "1.0.0" in refused.stderr


def test_promote_shows_what_it_would_do_and_then_does_it(promoter: Promoter, fleet: BareRepository) -> None:
    with promoter.server:
        before = fleet.branches()
        dry = promoter.server.run("promote", "--dry-run", "default/podinfo", "staging", "6.1.8")
        assert dry.returncode == 0, dry.stderr
        assert "+      version: 6.1.8 # " in dry.stdout and "-      version: 6.1.7 # " in dry.stdout
        assert "Promote default/podinfo in staging to 6.1.8" in dry.stdout
        assert fleet.branches() == before and promoter.promotions() == []
        told = promoter.server.run("promote", "default/podinfo", "staging", "6.1.8", "-o", "json")
        assert json.loads(told.stdout)["decision"] == "await_approval"
        act(promoter, "approve", ID)
        promoter.reaches("6.1.8", "PullRequestOpen")
    promoted_once(fleet, "6.1.8")


def test_promote_says_what_cannot_be(promoter: Promoter) -> None:
    with promoter.server:
        for arguments in (["default/nothing", "staging", "1"], ["default/podinfo", "qa", "1"]):
            refused = act(promoter, "promote", *arguments)
            assert refused.returncode == 1 and arguments[0] in refused.stderr, refused
        assert promoter.server.run("promote", "podinfo", "staging", "1").returncode == 2


def test_a_failed_promotion_is_tried_again_when_asked(tmp_path: Path, make_promoter: Make) -> None:
    empty = BareRepository(tmp_path / "repositories" / "fleet.git", {"README.md": "nothing is marked"})
    promoter = make_promoter(local=empty.path.parent)
    promoter.set(promotion_look_at_failed="10m")
    promoter.teach(empty.url)
    with promoter.server:
        promoter.prove("6.1.8")
        failed = promoter.reaches("6.1.8", "Failed")
        assert '# {"$promotion": "default:podinfo:staging"}' in failed["message"]
        empty.commit(manifests())
        assert act(promoter, "retry", ID).returncode == 0
        promoter.reaches("6.1.8", "PullRequestOpen")


def test_lint_finds_the_marker_that_is_missing(promoter: Promoter, fleet: BareRepository) -> None:
    linted = subprocess.run(
        [str(binary()), "lint", str(promoter.server.pipelines), "--repository", str(fleet.path)],
        capture_output=True, text=True, timeout=60, check=False,
    )
    assert linted.returncode == 0, linted.stdout
    promoter.teach(fleet.url, environments=("dev", "qa"))
    linted = subprocess.run(
        [str(binary()), "lint", str(promoter.server.pipelines), "--repository", str(fleet.path)],
        capture_output=True, text=True, timeout=60, check=False,
    )
    assert linted.returncode == 1 and '# {"$promotion": "default:podinfo:qa"}' in linted.stdout


def test_without_a_server_an_act_says_how_to_start_one(promoter: Promoter) -> None:
    refused = act(promoter, "approve", ID)
    assert refused.returncode == 1 and "sluice serve --state" in refused.stderr
