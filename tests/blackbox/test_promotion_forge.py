"""What people do on a forge that tells a merged pull request's head as Gitea does: the tip of its branch, whoever moved it."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from typing import Callable

import pytest
from certificates import Certificate
from forge_impostor import ForgeImpostor
from process import wait_until
from promoter import BRANCH, PASSWORD, USERNAME, Promoter

Make = Callable[..., Promoter]


@pytest.fixture
def promoter(forge: ForgeImpostor, served: Certificate, make_promoter: Make) -> Promoter:
    keys = {"username": USERNAME, "password": PASSWORD, "token": PASSWORD, "caFile": served.cert.read_bytes()}
    made = make_promoter()
    made.teach(forge.repository_url, "gitea", keys=keys)
    return made


def retry_is_due(promoter: Promoter, revision: str) -> bool:
    listed = promoter.server.run("promotions", "list", "-o", "json")
    (found,) = [one for one in json.loads(listed.stdout)["items"] if one["revision"] == revision]
    return datetime.fromisoformat(found["retryAt"].replace("Z", "+00:00")) < datetime.now(timezone.utc)


def test_a_commit_pushed_after_the_merge_stays_and_the_merge_counts(forge: ForgeImpostor, promoter: Promoter) -> None:
    promoter.server.start()
    promoter.promotes("6.1.8")
    promoter.server.stop()
    forge.merge(1)
    theirs = forge.repository.commit({"README.md": "not merged yet\n"}, BRANCH)
    promoter.server.start()
    merged = promoter.reaches("6.1.8", "Merged")
    assert merged["pullRequest"]["state"] == "merged"
    promoter.server.stop()
    assert forge.repository.branches()[BRANCH] == theirs


def test_a_merge_found_together_with_the_next_version_is_the_older_ones(
    forge: ForgeImpostor, promoter: Promoter
) -> None:
    promoter.server.start()
    promoter.promotes("6.1.8")
    forge.faults.set("status:503")  # nobody sees the merge, and the next version waits
    promoter.prove("6.1.9")
    promoter.complains("6.1.9")
    promoter.server.stop()
    forge.merge(1)
    forge.faults.set("")
    wait_until(lambda: retry_is_due(promoter, "6.1.9"), "its next try to be due")
    promoter.server.start()  # both are due
    promoter.reaches("6.1.8", "Merged")
    promoter.reaches("6.1.9", "PullRequestOpen")
    looks = len(forge.requests("/pulls/2"))
    wait_until(lambda: len(forge.requests("/pulls/2")) > looks + 1, "it to be looked at", show=promoter.show)
    assert [(one["revision"], one["state"]) for one in promoter.promotions()] == [
        ("6.1.9", "PullRequestOpen"),
        ("6.1.8", "Merged"),
    ]
    assert [one["state"] for one in forge.pulls] == ["closed", "open"]


def test_a_merge_that_is_recorded_leaves_no_branch(forge: ForgeImpostor, promoter: Promoter) -> None:
    promoter.server.start()
    promoter.promotes("6.1.8")
    forge.merge(1)
    promoter.reaches("6.1.8", "Merged")
    assert BRANCH not in forge.repository.branches()
