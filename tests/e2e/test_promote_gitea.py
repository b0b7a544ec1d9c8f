"""Promote: what dev proves becomes a pull request on a real Gitea, and what people do to it there is noticed."""

from __future__ import annotations

from typing import Callable

import pytest
from flags import flags
from fleet import SECRET
from flux_events import signature
from gitea import BOT, PERSON
from http_request import http_request
from process import wait_until
from promoting import BRANCH, STAGING, WEBHOOK_KEY, Promoting

# Pull requests are looked at so often that no test waits for it, or so seldom that none is helped by it.
ATTENTIVE = flags(promotion_poll="1s", promotion_first_retry="100ms", promotion_look_at_failed="1s")
BLIND = flags(promotion_poll="10m", promotion_first_retry="100ms", promotion_look_at_failed="10m")

Make = Callable[..., Promoting]


def test_what_dev_proves_is_a_pull_request_that_changes_one_line(make_promoting: Make) -> None:
    promoting = make_promoting()
    before = promoting.repository.text(STAGING)
    promoting.start()

    opened = promoting.opens("6.1.8")

    assert (opened["head"]["ref"], opened["base"]["ref"]) == (BRANCH, "main")
    assert opened["title"] == "Promote default/podinfo in staging to 6.1.8"
    assert "default/podinfo/staging" in opened["body"] and "6.1.7" in opened["body"], opened["body"]
    assert opened["user"]["login"] == BOT
    assert promoting.repository.text(STAGING, BRANCH) == before.replace("6.1.7", "6.1.8")
    assert opened["changed_files"] == 1 and (opened["additions"], opened["deletions"]) == (1, 1)
    assert promoting.prove("6.1.8").json()["decision"] == "duplicate"
    promoting.repository.only_pull_request()


def test_a_merge_is_noticed_and_the_branch_removed(make_promoting: Make) -> None:
    promoting = make_promoting(arguments=ATTENTIVE)
    promoting.start()
    opened = promoting.opens("6.1.8")

    promoting.repository.merge(opened["number"])

    merged = promoting.reaches("6.1.8", "Merged")
    assert merged["pullRequest"]["state"] == "merged"
    wait_until(lambda: BRANCH not in promoting.repository.branches(), "the branch to be removed")
    assert promoting.version("main") == "6.1.8"


def test_a_closed_pull_request_stays_closed_until_a_person_retries(make_promoting: Make) -> None:
    promoting = make_promoting(arguments=ATTENTIVE)
    promoting.start()
    opened = promoting.opens("6.1.8")

    promoting.repository.close(opened["number"])

    promoting.reaches("6.1.8", "Closed")
    assert promoting.prove("6.1.8").json()["decision"] == "duplicate"
    assert promoting.repository.pull_requests("open") == []
    retried = promoting.sluice.run("retry", "default/podinfo/staging@6.1.8")
    assert retried.returncode == 0, retried.stderr
    promoting.sluice.wait_for_promotion(id="default/podinfo/staging@6.1.8#2", state="PullRequestOpen")
    assert len(promoting.repository.pull_requests("open")) == 1


def test_a_closed_pull_request_that_is_reopened_and_merged_counts_as_merged(make_promoting: Make) -> None:
    promoting = make_promoting(arguments=ATTENTIVE)
    promoting.start()
    opened = promoting.opens("6.1.8")
    promoting.repository.close(opened["number"])
    promoting.reaches("6.1.8", "Closed")
    assert BRANCH in promoting.repository.branches(), "without its branch nobody can reopen it"

    promoting.repository.reopen(opened["number"])
    promoting.repository.merge(opened["number"])

    promoting.reaches("6.1.8", "Merged")


def test_a_newer_revision_takes_the_open_pull_request_over(make_promoting: Make) -> None:
    promoting = make_promoting(arguments=ATTENTIVE)
    promoting.start(onNewer="update")
    first = promoting.opens("6.1.8")

    second = promoting.opens("6.1.9")

    assert second["number"] == first["number"]
    assert second["title"] == "Promote default/podinfo in staging to 6.1.9" and "6.1.9" in second["body"]
    assert promoting.version() == "6.1.9"
    assert (second["additions"], second["deletions"]) == (1, 1)
    assert promoting.repository.commits(BRANCH)[1]["sha"] == promoting.repository.branches()["main"]
    promoting.reaches("6.1.8", "Superseded")


def test_a_newer_revision_replaces_the_pull_request_where_no_review_may_carry_over(make_promoting: Make) -> None:
    promoting = make_promoting(arguments=ATTENTIVE)
    promoting.start(onNewer="replace")
    first = promoting.opens("6.1.8")

    second = promoting.opens("6.1.9")

    old, new = promoting.repository.pull_requests()
    assert (old["number"], old["state"], old["merged"]) == (first["number"], "closed", False)
    assert new["number"] == second["number"] and promoting.version() == "6.1.9"
    comments = promoting.repository.ask("GET", f"/issues/{first['number']}/comments")
    assert any("6.1.9" in one["body"] for one in comments), comments
    promoting.reaches("6.1.8", "Superseded")


def test_a_newer_revision_supersedes_one_that_still_waits_for_approval(make_promoting: Make) -> None:
    promoting = make_promoting()
    promoting.start(manual=True)
    promoting.prove("6.1.8")
    promoting.reaches("6.1.8", "AwaitingApproval")
    promoting.prove("6.1.9")
    promoting.reaches("6.1.9", "AwaitingApproval")
    promoting.reaches("6.1.8", "Superseded")

    refused = promoting.approve("6.1.8")

    assert refused.status == 409 and "6.1.9" in refused.json()["detail"], refused
    assert promoting.repository.pull_requests() == []


def test_an_approval_by_program_is_answered_with_the_place_of_the_pull_request(make_promoting: Make) -> None:
    promoting = make_promoting()
    promoting.start(manual=True)
    promoting.prove("6.1.8")
    promoting.reaches("6.1.8", "AwaitingApproval")
    assert promoting.repository.pull_requests() == []

    answer = promoting.approve("6.1.8")

    opened = promoting.repository.only_pull_request("open")
    assert answer.status == 201 and answer.headers["Location"] == opened["html_url"], answer


def test_a_person_approves_and_rejects_by_command(make_promoting: Make) -> None:
    promoting = make_promoting()
    promoting.start(manual=True)
    promoting.prove("6.1.8")
    promoting.reaches("6.1.8", "AwaitingApproval")
    rejected = promoting.sluice.run("reject", "default/podinfo/staging@6.1.8", "--reason", "not on a Friday")
    assert rejected.returncode == 0, rejected.stderr
    assert "not on a Friday" in promoting.reaches("6.1.8", "Rejected")["message"]
    promoting.prove("6.1.9")
    promoting.reaches("6.1.9", "AwaitingApproval")

    approved = promoting.sluice.run("approve", "default/podinfo/staging@6.1.9")

    assert approved.returncode == 0, approved.stderr
    promoting.reaches("6.1.9", "PullRequestOpen")
    assert promoting.repository.only_pull_request()["title"].endswith("6.1.9")


def test_auto_merge_merges_at_once_where_nothing_stands_in_the_way(make_promoting: Make) -> None:
    promoting = make_promoting(arguments=ATTENTIVE)
    promoting.start(autoMerge={"method": "squash"})

    promoting.prove("6.1.8")

    promoting.reaches("6.1.8", "Merged")
    assert promoting.repository.only_pull_request()["merged"] and promoting.version("main") == "6.1.8"
    wait_until(lambda: BRANCH not in promoting.repository.branches(), "the branch to be removed")


def test_auto_merge_waits_for_the_checks_that_the_branch_demands(make_promoting: Make) -> None:
    promoting = make_promoting(arguments=ATTENTIVE)
    promoting.repository.protect(enable_status_check=True, status_check_contexts=["ci"])
    promoting.start(autoMerge={"method": "merge"})
    opened = promoting.opens("6.1.8")
    assert not promoting.repository.only_pull_request()["merged"]

    promoting.repository.report_status(opened["head"]["sha"], "ci")

    promoting.reaches("6.1.8", "Merged", deadline=20)
    assert promoting.version("main") == "6.1.8"


def test_a_takeover_is_not_merged_by_what_was_armed_for_the_older_one(make_promoting: Make) -> None:
    promoting = make_promoting(arguments=ATTENTIVE)
    promoting.repository.protect(enable_status_check=True, status_check_contexts=["ci"])
    promoting.start(autoMerge={"method": "merge"})
    first = promoting.opens("6.1.8")
    wait_until(lambda: promoting.repository.is_armed(first["number"]), "the merge to be scheduled")
    promoting.sluice.stop()
    promoting.start()  # from here on people merge
    second = promoting.opens("6.1.9")
    assert second["number"] == first["number"] and second["head"]["sha"] != first["head"]["sha"]

    assert not promoting.repository.is_armed(second["number"])
    promoting.repository.report_status(second["head"]["sha"], "ci")
    promoting.repository.merge(second["number"])
    promoting.reaches("6.1.9", "Merged")
    promoting.reaches("6.1.8", "Superseded")


def test_a_commit_pushed_after_the_merge_is_not_deleted_with_the_branch(make_promoting: Make) -> None:
    promoting = make_promoting(arguments=BLIND)
    promoting.start()
    opened = promoting.opens("6.1.8")
    promoting.repository.merge(opened["number"])
    promoting.repository.commit({"staging/by-hand.yaml": "kept: true\n"}, branch=BRANCH)
    tip = promoting.repository.branches()[BRANCH]
    promoting.sluice.stop()

    promoting.sluice.start()

    promoting.reaches("6.1.8", "Merged")
    promoting.sluice.stop()
    assert promoting.repository.branches()[BRANCH] == tip


def test_a_wrong_token_fails_with_a_remedy_and_the_right_one_opens_it_again(make_promoting: Make) -> None:
    promoting = make_promoting(arguments=ATTENTIVE)
    promoting.start(token="0" * 40)
    promoting.prove("6.1.8")

    failed = promoting.reaches("6.1.8", "Failed")

    assert "`password`" in failed["message"] and SECRET in failed["message"], failed
    assert "0" * 40 not in promoting.sluice.process.text() + failed["message"]
    promoting.write_token(promoting.gitea.tokens[BOT])
    promoting.reaches("6.1.8", "PullRequestOpen")
    promoting.repository.only_pull_request()


def test_an_archived_repository_fails_with_that_reason_and_a_retry_goes_on(make_promoting: Make) -> None:
    promoting = make_promoting(arguments=BLIND)
    promoting.repository.archive()
    promoting.start()
    promoting.prove("6.1.8")

    failed = promoting.reaches("6.1.8", "Failed")

    assert "archived" in failed["message"].lower(), failed
    promoting.repository.archive(False)
    retried = promoting.sluice.run("retry", "default/podinfo/staging@6.1.8")
    assert retried.returncode == 0, retried.stderr
    promoting.reaches("6.1.8", "PullRequestOpen")


def test_a_branch_that_may_not_be_pushed_fails_with_what_the_server_said(make_promoting: Make) -> None:
    promoting = make_promoting()
    promoting.repository.protect("promotion-*")
    promoting.start()
    promoting.prove("6.1.8")

    failed = promoting.reaches("6.1.8", "Failed")

    assert BRANCH in failed["message"], failed
    assert BRANCH not in promoting.repository.branches()


def test_a_persons_commit_on_our_branch_is_never_overwritten(make_promoting: Make) -> None:
    promoting = make_promoting(arguments=ATTENTIVE)
    promoting.start()
    promoting.opens("6.1.8")
    promoting.repository.commit({"staging/by-hand.yaml": "kept: true\n"}, branch=BRANCH)
    tip = promoting.repository.branches()[BRANCH]

    promoting.prove("6.1.9")

    held = promoting.reaches("6.1.9", "Held")
    assert held["reason"] == "branch" and BRANCH in held["message"], held
    assert promoting.repository.branches()[BRANCH] == tip
    promoting.repository.ask("DELETE", f"/branches/{BRANCH}")
    promoting.reaches("6.1.9", "PullRequestOpen")
    assert promoting.version() == "6.1.9"


def test_a_merge_with_a_persons_commit_on_top_still_counts_for_the_promotion(make_promoting: Make) -> None:
    promoting = make_promoting(arguments=ATTENTIVE)
    promoting.start()
    opened = promoting.opens("6.1.8")
    promoting.repository.commit({"staging/by-hand.yaml": "kept: true\n"}, branch=BRANCH)

    promoting.repository.merge(opened["number"])

    promoting.reaches("6.1.8", "Merged")
    assert promoting.version("main") == "6.1.8"


def test_an_older_one_merged_just_before_the_newer_takes_over_is_merged_and_the_newer_opens_its_own(
    make_promoting: Make,
) -> None:
    promoting = make_promoting(arguments=BLIND)
    promoting.start(onNewer="update")
    first = promoting.opens("6.1.8")
    promoting.repository.merge(first["number"])

    second = promoting.opens("6.1.9")

    assert second["number"] != first["number"]
    assert promoting.reaches("6.1.8", "Merged")["pullRequest"]["number"] == first["number"]
    assert (promoting.version("main"), promoting.version()) == ("6.1.8", "6.1.9")
    assert "6.1.8" in second["body"], "it goes from what was merged just now"


def test_a_merge_while_sluice_is_down_is_found_when_it_is_back(make_promoting: Make) -> None:
    promoting = make_promoting(arguments=ATTENTIVE)
    promoting.start()
    opened = promoting.opens("6.1.8")
    promoting.sluice.kill9()
    promoting.repository.merge(opened["number"])

    promoting.sluice.start()

    promoting.reaches("6.1.8", "Merged")


def test_a_sluice_that_lost_its_state_finds_the_pull_request_that_is_open(make_promoting: Make) -> None:
    promoting, forgetful = make_promoting(), make_promoting()
    promoting.start()
    opened = promoting.opens("6.1.8")
    promoting.sluice.stop()
    forgetful.repository = promoting.repository

    forgetful.start()

    assert forgetful.opens("6.1.8")["number"] == opened["number"]
    promoting.repository.only_pull_request()


def test_a_webhook_tells_of_a_merge_at_once(make_promoting: Make) -> None:
    promoting = make_promoting(arguments=BLIND)
    promoting.start()
    opened = promoting.opens("6.1.8")
    promoting.repository.add_webhook(f"{promoting.sluice.url}/forge/default/podinfo", WEBHOOK_KEY)

    promoting.repository.merge(opened["number"])

    promoting.reaches("6.1.8", "Merged", deadline=10)


def test_a_webhook_that_gitea_did_not_sign_is_refused(make_promoting: Make) -> None:
    promoting = make_promoting(arguments=BLIND)
    promoting.start()
    body = b'{"action":"closed"}'
    forged = {"X-Gitea-Event": "pull_request", "X-Gitea-Signature": signature("another-key", body)[len("sha256=") :]}

    answer = http_request(
        "POST",
        f"{promoting.sluice.url}/forge/default/podinfo",
        body,
        forged | {"Content-Type": "application/json"},
        context=promoting.sluice.ssl_context(),
    )

    assert answer.status == 401


def test_labels_and_reviewers_are_set_and_unknown_ones_hold_nothing_up(make_promoting: Make) -> None:
    promoting = make_promoting()
    promoting.repository.add_label("promotion")
    promoting.repository.add_reviewer(PERSON)
    promoting.start(labels=["promotion", "no-such-label"], reviewers=[PERSON, "no-such-person"])

    promoting.opens("6.1.8")

    opened = wait_until(
        lambda: next((one for one in promoting.repository.pull_requests() if one["requested_reviewers"]), None),
        "the reviewer to be asked",
    )
    assert [one["login"] for one in opened["requested_reviewers"]] == [PERSON]
    assert "promotion" in [one["name"] for one in opened["labels"]]


@pytest.mark.parametrize("draft", [True, False])
def test_a_title_of_ones_own_and_a_draft(make_promoting: Make, draft: bool) -> None:
    promoting = make_promoting()
    promoting.start(title="{pipeline} {previous} -> {revision} for {environment}", draft=draft)

    opened = promoting.opens("6.1.8")

    assert opened["title"].endswith("podinfo 6.1.7 -> 6.1.8 for staging")
    assert opened["draft"] is draft


def test_cancelling_closes_the_pull_request(make_promoting: Make) -> None:
    promoting = make_promoting(arguments=ATTENTIVE)
    promoting.start()
    opened = promoting.opens("6.1.8")

    cancelled = promoting.sluice.run("cancel", "default/podinfo/staging@6.1.8")

    assert cancelled.returncode == 0, cancelled.stderr
    promoting.reaches("6.1.8", "Cancelled")
    wait_until(lambda: promoting.repository.pull_requests("open") == [], "the pull request to be closed")
    assert not promoting.repository.only_pull_request()["merged"], opened["number"]
