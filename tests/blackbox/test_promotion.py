"""A signed event becomes a branch with one changed line, in repositories of every address and login."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Callable

import pytest
from certificates import self_signed
from fleet import BareRepository, git, helm_release, manifests, unmarked
from git_server import GitServer
from process import wait_until
from promoter import BRANCH, PASSWORD, STAGING, USERNAME, Promoter, promoted_once

Make = Callable[..., Promoter]
MARKER = '# {"$promotion": "default:podinfo:staging"}'


@pytest.fixture
def fleet(tmp_path: Path) -> BareRepository:
    return BareRepository(tmp_path / "repositories" / "fleet.git", manifests() | unmarked(20))


def test_a_signed_event_becomes_a_branch_with_one_changed_line(fleet: BareRepository, make_promoter: Make) -> None:
    promoter = make_promoter(local=fleet.path.parent)
    promoter.teach(fleet.url)
    with promoter.server:
        promoter.promotes("6.1.8")
    promoted_once(fleet, "6.1.8")
    author, subject, body = git("log", "-1", "--format=%an%x00%s%x00%b", BRANCH, folder=fleet.path).split("\0")
    assert author == "Sluice" and "6.1.8" in subject and "staging" in subject
    assert "Sluice-Promotion: default/podinfo/staging@6.1.8" in body


def test_what_happened_can_be_read_step_by_step(fleet: BareRepository, make_promoter: Make) -> None:
    promoter = make_promoter(local=fleet.path.parent)
    promoter.teach(fleet.url)
    with promoter.server as server:
        promoter.promotes("6.1.8")
        shown = server.run("promotions", "show", "default/podinfo/staging@6.1.8", "-o", "json")
    assert shown.returncode == 0, shown.stderr
    history = [one["state"] for one in json.loads(shown.stdout)["history"]]
    assert history[0] == "Pending" and history[-1] == "PullRequestOpen" and "Running" in history, history


def test_the_marker_of_the_next_environment_is_left_alone(fleet: BareRepository, make_promoter: Make) -> None:
    promoter = make_promoter(local=fleet.path.parent)
    promoter.teach(fleet.url, environments=("dev", "staging", "prod"))
    with promoter.server:
        promoter.promotes("6.1.8")
    assert fleet.text("prod/podinfo.yaml", BRANCH) == fleet.text("prod/podinfo.yaml")


def test_a_newer_revision_rewrites_the_branch_from_the_base_of_now(fleet: BareRepository, make_promoter: Make) -> None:
    promoter = make_promoter(local=fleet.path.parent)
    promoter.teach(fleet.url)
    with promoter.server:
        promoter.promotes("6.1.8")
        fleet.commit({"README.md": "moved on\n"})
        promoter.promotes("6.1.9")
        promoter.reaches("6.1.8", "Superseded")
    promoted_once(fleet, "6.1.9")
    assert fleet.text("README.md", BRANCH) == "moved on\n"


def test_a_merged_branch_is_noticed_by_git_alone(fleet: BareRepository, make_promoter: Make) -> None:
    promoter = make_promoter(local=fleet.path.parent)
    promoter.teach(fleet.url)
    with promoter.server:
        promoter.promotes("6.1.8")
        fleet.fast_forward("main", fleet.branches()[BRANCH])
        promoter.reaches("6.1.8", "Merged")
        wait_until(lambda: not fleet.promoted(), "the branch to be removed", show=promoter.show)


def test_what_is_there_already_changes_nothing(fleet: BareRepository, make_promoter: Make) -> None:
    promoter = make_promoter(local=fleet.path.parent)
    promoter.teach(fleet.url)
    with promoter.server:
        promoter.prove("6.1.7")
        promoter.reaches("6.1.7", "NoChange")
    assert fleet.promoted() == {}


def test_an_older_revision_than_the_manifest_says_is_no_change(fleet: BareRepository, make_promoter: Make) -> None:
    promoter = make_promoter(local=fleet.path.parent)
    promoter.teach(fleet.url)
    with promoter.server:
        promoter.prove("6.1.6")
        assert promoter.reaches("6.1.6", "NoChange")["reason"] == "newer"
    assert fleet.promoted() == {}


def test_a_repository_without_the_marker_fails_with_the_line_to_add_and_goes_on_once_it_is_there(
    tmp_path: Path, make_promoter: Make
) -> None:
    fleet = BareRepository(tmp_path / "repositories" / "fleet.git", {STAGING: helm_release("6.1.7")})
    promoter = make_promoter(local=fleet.path.parent)
    promoter.teach(fleet.url)
    with promoter.server:
        promoter.prove("6.1.8")
        failed = promoter.reaches("6.1.8", "Failed")
        assert all(word in failed["message"] for word in (MARKER, "main", "fleet.git")), failed
        fleet.commit(manifests())
        promoter.reaches("6.1.8", "PullRequestOpen")
    promoted_once(fleet, "6.1.8")


def test_a_field_named_in_the_pipeline_needs_no_marker(tmp_path: Path, make_promoter: Make) -> None:
    fleet = BareRepository(tmp_path / "repositories" / "fleet.git", {STAGING: helm_release("6.1.7")})
    promoter = make_promoter(local=fleet.path.parent)
    promoter.teach(fleet.url, manifests=[{"path": STAGING, "field": "spec.chart.spec.version"}])
    with promoter.server:
        promoter.promotes("6.1.8")
    assert fleet.changed_lines("main", BRANCH) == ["-      version: 6.1.7", "+      version: 6.1.8"]


@pytest.mark.parametrize(("forge", "state"), [("git", "PullRequestOpen"), ("push", "Merged")])
def test_a_file_that_is_no_yaml_is_told_and_stops_nothing(
    forge: str, state: str, fleet: BareRepository, make_promoter: Make
) -> None:
    fleet.commit({"staging/broken.yaml": f"a: [1 {MARKER}\n"})
    promoter = make_promoter(local=fleet.path.parent)
    promoter.teach(fleet.url, forge)
    with promoter.server:
        promoter.prove("6.1.8")
        assert "staging/broken.yaml:" in promoter.reaches("6.1.8", state)["message"]
    assert "version: 6.1.8 #" in fleet.text(STAGING, BRANCH if forge == "git" else "main")


def test_the_strategy_push_commits_to_the_branch_itself(fleet: BareRepository, make_promoter: Make) -> None:
    promoter = make_promoter(local=fleet.path.parent)
    promoter.teach(fleet.url, "push", secret=None)
    before = fleet.branches()["main"]
    with promoter.server:
        promoter.prove("6.1.8")
        promoter.reaches("6.1.8", "Merged")
    assert fleet.promoted() == {} and fleet.count(f"{before}..main") == 1
    assert [line[:1] for line in fleet.changed_lines(before, "main")] == ["-", "+"]


def test_a_local_repository_outside_the_allowed_folder_is_refused(fleet: BareRepository, make_promoter: Make) -> None:
    promoter = make_promoter(local=fleet.path.parent / "elsewhere")
    (fleet.path.parent / "elsewhere").mkdir()
    promoter.teach(fleet.url)
    with promoter.server:
        promoter.prove("6.1.8")
        assert "local-repositories" in promoter.reaches("6.1.8", "Failed")["message"]


def test_a_dry_run_prints_the_diff_and_does_nothing(fleet: BareRepository, make_promoter: Make) -> None:
    promoter = make_promoter(local=fleet.path.parent)
    promoter.teach(fleet.url)
    with promoter.server as server:
        shown = server.run("promote", "--dry-run", "default/podinfo", "staging", "6.1.8")
        assert shown.returncode == 0, shown.stderr
        assert promoter.promotions() == []
    assert "-      version: 6.1.7" in shown.stdout and "+      version: 6.1.8" in shown.stdout, shown.stdout
    assert fleet.promoted() == {}


def test_a_person_promotes_by_command(fleet: BareRepository, make_promoter: Make) -> None:
    promoter = make_promoter(local=fleet.path.parent)
    promoter.teach(fleet.url)
    with promoter.server as server:
        done = server.run("promote", "default/podinfo", "staging", "6.1.8")
        assert done.returncode == 0, done.stderr
        promoter.reaches("6.1.8", "PullRequestOpen")
    promoted_once(fleet, "6.1.8")


@pytest.mark.parametrize("login", ["basic", "bearer"])
def test_https_with_a_private_authority(
    login: str, fleet: BareRepository, tmp_path: Path, make_promoter: Make
) -> None:
    served = self_signed(tmp_path / "tls", "git")
    known = {"username": USERNAME, "password": PASSWORD} if login == "basic" else {"bearerToken": PASSWORD}
    asked = {"username": USERNAME, "password": PASSWORD} if login == "basic" else {"token": PASSWORD}
    with GitServer(fleet.path.parent, cert=served.cert, key=served.key, **asked) as remote:
        promoter = make_promoter()
        promoter.teach(f"{remote.url}/fleet.git", keys={"caFile": served.cert.read_bytes()} | known)
        with promoter.server:
            promoter.promotes("6.1.8")
            fleet.commit({"README.md": "moved on\n"})
            promoter.promotes("6.1.9")
        assert remote.requests("/git-receive-pack"), remote.requests()
        assert {one["authorization"].lower() for one in remote.requests() if one["status"] == 200} == {login}
    promoted_once(fleet, "6.1.9")


def test_a_certificate_that_nobody_vouches_for_is_refused_with_the_key_to_add(
    fleet: BareRepository, tmp_path: Path, make_promoter: Make
) -> None:
    served = self_signed(tmp_path / "tls", "git")
    with GitServer(fleet.path.parent, cert=served.cert, key=served.key) as remote:
        promoter = make_promoter()
        promoter.teach(f"{remote.url}/fleet.git", keys={"username": USERNAME, "password": PASSWORD})
        with promoter.server as server:
            promoter.prove("6.1.8")
            assert "ca.crt" in promoter.reaches("6.1.8", "Failed")["message"]
            assert remote.requests() == [], "the password was shown to a stranger"
            server.write_secret("promotion-credentials", {"caFile": served.cert.read_bytes()})
            promoter.reaches("6.1.8", "PullRequestOpen")


def test_plain_http_works_with_a_warning(fleet: BareRepository, make_promoter: Make) -> None:
    with GitServer(fleet.path.parent, username=USERNAME, password=PASSWORD) as remote:
        promoter = make_promoter()
        promoter.teach(f"{remote.url}/fleet.git", keys={"username": USERNAME, "password": PASSWORD})
        with promoter.server as server:
            promoter.promotes("6.1.8")
            assert any(line["level"] == "warn" and "http://" in str(line) for line in server.log())
    promoted_once(fleet, "6.1.8")
