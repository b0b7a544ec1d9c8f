"""A promotion waits for the one who may let it go, and for nobody else."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path
from typing import Callable, Iterator

import pytest
from fleet import BareRepository, manifests
from forge_impostor import API, ForgeImpostor
from http_request import http_request
from process import wait_until
from promoter import Promoter, promoted_once
from signing import bound_approval, hashed
from tls_client import Answer

Make = Callable[..., Promoter]
APPROVES = "canary-of-approvals-77c1-never-to-be-seen"
TOKEN = "canary-of-the-forge-1b2c-never-to-be-seen"
LOGIN = {"approval-key": APPROVES, "token": TOKEN, "username": "bot", "password": TOKEN}


def path_of(revision: str) -> str:
    return f"/approval/default/podinfo/staging/{revision}"


def approve(promoter: Promoter, revision: str, key: str = APPROVES) -> Answer:
    path = path_of(revision)
    return promoter.server.ask("POST", path, b"", bound_approval(key, path))


def offer(promoter: Promoter, revision: str) -> None:
    promoter.prove(revision)
    promoter.reaches(revision, "AwaitingApproval")


@pytest.fixture
def gate(tmp_path: Path, make_promoter: Make) -> Iterator[tuple[Promoter, ForgeImpostor]]:
    """A server whose promotions into staging wait, and a forge that takes their pull requests."""
    promoter = make_promoter()
    with contextlib.ExitStack() as stack:
        forge = stack.enter_context(ForgeImpostor(tmp_path / "forge", manifests(), token=TOKEN))
        promoter.teach(forge.repository_url, "gitea", keys=LOGIN, manual=True)
        stack.enter_context(promoter.server)
        yield promoter, forge
    assert APPROVES not in promoter.server.process.text() and TOKEN not in promoter.server.process.text()


def test_an_approval_is_answered_with_the_pull_request(gate: tuple[Promoter, ForgeImpostor]) -> None:
    promoter, forge = gate
    offer(promoter, "6.1.8")
    assert forge.pulls == []
    answer = approve(promoter, "6.1.8")
    assert (answer.status, answer.body) == (201, b"")
    assert answer.header("Location") == forge.pulls[0]["html_url"]
    again = approve(promoter, "6.1.8")
    assert again.status == 201 and again.header("Location") == answer.header("Location")
    assert len(forge.pulls) == 1
    listed = promoter.server.run("promotions", "list")
    assert forge.pulls[0]["html_url"] in listed.stdout, listed.stdout


def test_an_approval_without_a_forge_is_answered_with_the_promotion(tmp_path: Path, make_promoter: Make) -> None:
    fleet = BareRepository(tmp_path / "repositories" / "fleet.git", manifests())
    promoter = make_promoter(local=fleet.path.parent)
    promoter.teach(fleet.url, keys=LOGIN, manual=True)
    with promoter.server:
        offer(promoter, "6.1.8")
        answer = approve(promoter, "6.1.8")
        assert answer.status == 202 and answer.json()["promotion"] == "default/podinfo/staging@6.1.8"
        assert answer.header("Location") == "/api/v1/promotions/default%2Fpodinfo%2Fstaging%406.1.8"
        promoter.reaches("6.1.8", "PullRequestOpen")
    promoted_once(fleet, "6.1.8")


def test_an_approval_that_was_answered_too_early_for_its_pull_request_is_answered_with_it_when_repeated(
    gate: tuple[Promoter, ForgeImpostor],
) -> None:
    promoter, forge = gate
    offer(promoter, "6.1.8")
    forge.faults.set("status:500 POST /api")
    early = approve(promoter, "6.1.8")
    assert early.status == 202 and early.json()["state"] == "Running", early
    forge.faults.set("")
    promoter.reaches("6.1.8", "PullRequestOpen")
    again = approve(promoter, "6.1.8")
    assert (again.status, again.header("Location")) == (201, forge.pulls[0]["html_url"])
    assert len(forge.pulls) == 1


def test_a_newer_revision_takes_the_place_of_the_one_that_waits(gate: tuple[Promoter, ForgeImpostor]) -> None:
    promoter, forge = gate
    offer(promoter, "6.1.8")
    offer(promoter, "6.1.9")
    refused = approve(promoter, "6.1.8")
    assert refused.status == 409 and "6.1.9" in refused.problem()["detail"]
    assert approve(promoter, "6.1.7").status == 422
    assert approve(promoter, "6.1.9").status == 201
    assert [one["title"] for one in forge.pulls if "6.1.9" in one["title"]] and len(forge.pulls) == 1


def test_nobody_else_approves(gate: tuple[Promoter, ForgeImpostor]) -> None:
    promoter, forge = gate
    offer(promoter, "6.1.8")
    path = path_of("6.1.8")
    tries = {
        "no signature": {},
        "another key": bound_approval("guess", path),
        "another path": bound_approval(APPROVES, path_of("6.1.9")),
        "too long ago": bound_approval(APPROVES, path, at=time.time() - 400),
        "Weave's constant": {"X-Signature": hashed(APPROVES, b"")},
    }
    for what, headers in tries.items():
        assert promoter.server.ask("POST", path, b"", headers).status == 401, what
    assert promoter.reaches("6.1.8", "AwaitingApproval") and forge.pulls == []


def test_an_approval_survives_a_killed_server(gate: tuple[Promoter, ForgeImpostor]) -> None:
    promoter, forge = gate
    offer(promoter, "6.1.8")
    promoter.server.kill9()
    promoter.server.start()
    assert approve(promoter, "6.1.8").status == 201
    promoter.server.kill9()
    promoter.server.start()
    assert promoter.reaches("6.1.8", "PullRequestOpen")["pullRequest"]["url"] == forge.pulls[0]["html_url"]
    assert len(forge.pulls) == 1


def test_a_webhook_of_the_forge_tells_of_the_merge_at_once(tmp_path: Path, make_promoter: Make) -> None:
    promoter = make_promoter()
    promoter.set(promotion_poll="10m")
    with ForgeImpostor(tmp_path / "forge", manifests(), token=TOKEN) as forge:
        promoter.teach(forge.repository_url, "gitea", keys=LOGIN | {"forge-webhook-key": "the forge's own"})
        with promoter.server as server:
            promoter.promotes("6.1.8")
            login = {"Authorization": f"token {TOKEN}"}
            assert http_request("POST", f"{forge.url}{API}/pulls/1/merge", b"{}", login).status == 200
            body = b'{"action":"closed"}'
            signature = hashed("the forge's own", body).removeprefix("sha256=")
            answer = server.ask("POST", "/forge/default/podinfo", body, {"X-Gitea-Signature": signature})
            assert answer.status == 202
            promoter.reaches("6.1.8", "Merged")
            assert server.ask("POST", "/forge/default/podinfo", body, {"X-Gitea-Signature": "00"}).status == 401


def test_weaves_way_is_warned_about_at_the_start(make_promoter: Make) -> None:
    promoter = make_promoter("--allow-weave-approvals=default/podinfo")
    promoter.teach("https://git.invalid/fleet", "gitea", keys=LOGIN, manual=True)
    with promoter.server as server:
        wait_until(lambda: "constant approval signature" in server.process.text(), "the warning")
