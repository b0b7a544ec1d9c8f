"""Servers that lie, stall and break, disks that fill: a promotion arrives once, late if it must, and hurts no other."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Callable, Iterator

import pytest
from certificates import Certificate
from fleet import BareRepository, git, manifests, unmarked
from forge_impostor import ForgeImpostor
from git_server import GitServer
from process import wait_until
from promoter import BRANCH, PASSWORD, STAGING, USERNAME, Promoter, promoted_once

Make = Callable[..., Promoter]


@pytest.fixture
def remote(tmp_path: Path, served: Certificate) -> Iterator[GitServer]:
    folder = tmp_path / "repositories"
    BareRepository(folder / "fleet.git", manifests() | unmarked(300))
    with GitServer(folder, cert=served.cert, key=served.key, username=USERNAME, password=PASSWORD) as server:
        yield server


@pytest.fixture
def fleet(remote: GitServer) -> BareRepository:
    return BareRepository(remote.root / "fleet.git")


@pytest.fixture
def promoter(remote: GitServer, served: Certificate, make_promoter: Make) -> Iterator[Promoter]:
    made = make_promoter()
    made.teach(f"{remote.url}/fleet.git", keys=login(served))
    with made.server:
        yield made


def login(served: Certificate) -> dict[str, str | bytes]:
    return {"username": USERNAME, "password": PASSWORD, "caFile": served.cert.read_bytes()}


@pytest.mark.parametrize(
    "fault",
    [
        "status:500 info/refs",
        "status:503 /git-upload-pack",
        "cut-pack:2000 /git-upload-pack",
        "cut-pack:10 info/refs",
        "status:500 /git-receive-pack",
        "cut-push:100 /git-receive-pack",
    ],
)
def test_a_fault_on_the_way_is_tried_again_until_it_is_over(
    fault: str, remote: GitServer, fleet: BareRepository, promoter: Promoter
) -> None:
    remote.faults.set(fault)
    promoter.prove("6.1.8")
    told = promoter.complains("6.1.8")
    assert told["state"] == "Running" and told["message"], told
    remote.faults.set("")
    promoter.reaches("6.1.8", "PullRequestOpen")
    promoted_once(fleet, "6.1.8")


def test_a_push_whose_answer_is_lost_is_found_done(
    remote: GitServer, fleet: BareRepository, promoter: Promoter
) -> None:
    remote.faults.set("lose-answer /git-receive-pack")
    promoter.promotes("6.1.8")
    assert len(remote.requests("/git-receive-pack")) == 1
    promoted_once(fleet, "6.1.8")


@pytest.mark.release_only  # most of its time is waiting
def test_a_silent_server_is_given_up_on_and_holds_up_nobody_else(
    remote: GitServer, fleet: BareRepository, served: Certificate, make_promoter: Make, tmp_path: Path
) -> None:
    local = BareRepository(tmp_path / "local" / "other.git", manifests(pipelines=["other"]))
    promoter = make_promoter(local=local.path.parent)
    promoter.teach(f"{remote.url}/fleet.git", keys=login(served))
    promoter.teach(local.url, pipelines=["other"], keys=login(served))
    remote.faults.set("silent")
    with promoter.server as server:
        promoter.prove("6.1.8")
        promoter.prove("6.1.8", "other")
        promoter.reaches("6.1.8", "PullRequestOpen", pipeline="other")
        assert server.admin("/healthz").status == 200
        promoter.complains("6.1.8", deadline=100)  # two tries, each silent for 30 s
        remote.faults.set("")
        promoter.reaches("6.1.8", "PullRequestOpen")
    promoted_once(fleet, "6.1.8")


@pytest.mark.release_only  # most of its time is waiting
def test_a_stop_does_not_wait_for_a_silent_server(remote: GitServer, promoter: Promoter) -> None:
    remote.faults.set("silent")
    promoter.prove("6.1.8")
    promoter.reaches("6.1.8", "Running")
    assert promoter.server.stop(deadline=30) == 0
    remote.faults.set("")
    promoter.server.start()
    promoter.reaches("6.1.8", "PullRequestOpen")


def test_a_sign_in_page_is_named_as_such(remote: GitServer, promoter: Promoter) -> None:
    remote.faults.set("html-sign-in")
    promoter.prove("6.1.8")
    assert "web page" in promoter.reaches("6.1.8", "Failed")["message"]
    remote.faults.set("")
    promoter.server.run("retry", "default/podinfo/staging@6.1.8")
    promoter.reaches("6.1.8", "PullRequestOpen")


def test_a_redirect_to_another_host_is_not_followed(remote: GitServer, promoter: Promoter, served: Certificate) -> None:
    with GitServer(remote.root, cert=served.cert, key=served.key) as stranger:
        remote.faults.set(f"redirect:{stranger.url.replace('127.0.0.1', 'localhost')} info/refs")
        promoter.prove("6.1.8")
        failed = promoter.reaches("6.1.8", "Failed")
        assert "redirect" in failed["message"].lower() or "localhost" in failed["message"], failed
        assert stranger.requests() == []


def test_a_wrong_password_fails_at_once_and_the_right_one_opens_it_again(
    remote: GitServer, fleet: BareRepository, served: Certificate, make_promoter: Make
) -> None:
    promoter = make_promoter()
    promoter.teach(f"{remote.url}/fleet.git", keys=login(served) | {"password": "not-it"})
    with promoter.server:
        promoter.prove("6.1.8")
        failed = promoter.reaches("6.1.8", "Failed")
        assert "`password`" in failed["message"] and "not-it" not in failed["message"], failed
        assert len(remote.requests()) < 10, "it keeps knocking"
        promoter.server.write_secret("promotion-credentials", login(served))
        promoter.reaches("6.1.8", "PullRequestOpen")
    promoted_once(fleet, "6.1.8")


def hook(fleet: BareRepository, name: str, script: str) -> None:
    path = fleet.path / "hooks" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def test_the_base_moves_between_fetch_and_push_and_the_commit_is_made_again_on_top(
    remote: GitServer, fleet: BareRepository, served: Certificate, make_promoter: Make
) -> None:
    """While the server looks at the first push to main, a person's commit gets there first."""
    other = fleet.commit({"README.md": "a person was here\n"}, "waiting", start=fleet.branches()["main"])
    fleet.delete("waiting")
    hook(fleet, "pre-receive", f"[ -e moved ] || {{ touch moved; echo {other} >refs/heads/main; }}")
    promoter = make_promoter()
    promoter.teach(f"{remote.url}/fleet.git", "push", keys=login(served))
    with promoter.server:
        promoter.prove("6.1.8")
        promoter.reaches("6.1.8", "Merged")
    assert (fleet.path / "moved").exists()
    assert fleet.count(f"{other}..main") == 1 and fleet.text("README.md") == "a person was here\n"
    assert "version: 6.1.8 #" in fleet.text(STAGING)


def test_a_person_who_takes_our_branch_first_is_not_overwritten(
    fleet: BareRepository, promoter: Promoter
) -> None:
    tip = fleet.commit({"README.md": "mine\n"}, BRANCH, start=fleet.branches()["main"])
    promoter.prove("6.1.8")
    held = promoter.reaches("6.1.8", "Held")
    assert held["reason"] == "branch" and fleet.branches()[BRANCH] == tip, held
    fleet.delete(BRANCH)
    promoter.reaches("6.1.8", "PullRequestOpen")
    promoted_once(fleet, "6.1.8")


@pytest.mark.parametrize("kind", ["update", "pre-receive"])
def test_one_that_the_server_refuses_fails_alone(
    kind: str, remote: GitServer, fleet: BareRepository, served: Certificate, make_promoter: Make
) -> None:
    """`update` refuses one branch of a push; `pre-receive` the whole push because of it."""
    names = [f"app{number}" for number in range(4)]
    fleet.commit(manifests(pipelines=names))
    script = 'case "$1" in *app2*) echo no such luck >&2; exit 1;; esac' if kind == "update" else "! grep -q app2"
    hook(fleet, kind, script)
    promoter = make_promoter()
    promoter.teach(f"{remote.url}/fleet.git", keys=login(served), pipelines=names)
    with promoter.server:
        for name in names:
            promoter.prove("6.1.8", name)
        for name in names:
            state = "Failed" if name == "app2" else "PullRequestOpen"
            promoter.reaches("6.1.8", state, pipeline=name)
    assert set(fleet.promoted()) == {f"promotion-default-{name}-staging" for name in names if name != "app2"}


def test_a_server_whose_disk_is_full_is_asked_again_until_it_has_room(
    fleet: BareRepository, promoter: Promoter
) -> None:
    git("config", "receive.maxInputSize", "10", folder=fleet.path)  # its unpacker gives up, as on a full disk
    promoter.prove("6.1.8")
    told = promoter.complains("6.1.8")
    assert told["state"] == "Running" and "unpack" in told["message"], told
    git("config", "--unset", "receive.maxInputSize", folder=fleet.path)
    promoter.reaches("6.1.8", "PullRequestOpen")
    promoted_once(fleet, "6.1.8")


def test_of_commits_that_stand_on_each_other_only_the_refused_one_fails(
    remote: GitServer, fleet: BareRepository, served: Certificate, make_promoter: Make
) -> None:
    names = [f"app{number}" for number in range(4)]
    fleet.commit(manifests(pipelines=names))
    before = fleet.count("main")
    hook(fleet, "update", '! git diff --name-only "$2" "$3" | grep -q app2')
    promoter = make_promoter()
    promoter.teach(f"{remote.url}/fleet.git", "push", keys=login(served), pipelines=names)
    remote.faults.set("status:503 info/refs")
    promoter.server.start()
    for name in names:
        promoter.prove("6.1.8", name)
    for name in names:
        promoter.reaches("6.1.8", "Running", pipeline=name)
    promoter.server.stop()
    remote.faults.set("")
    promoter.server.start()  # all of them are due
    for name in names:
        promoter.reaches("6.1.8", "Failed" if name == "app2" else "Merged", pipeline=name)
    assert fleet.count("main") == before + 3
    assert "version: 6.1.7 #" in fleet.text("staging/app2.yaml")


@pytest.fixture
def small_cache(tmp_path: Path) -> Iterator[Path]:
    """A file system of 4 MiB for the git caches of one instance; the ledger has room elsewhere."""
    folder = tmp_path / "sluice-0" / "state" / "git"
    folder.mkdir(parents=True)
    (folder.parent).chmod(0o700)
    command = ["mount", "-t", "tmpfs", "-o", "size=4m,mode=0700", "tmpfs", str(folder)]
    mounted = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    if mounted.returncode != 0:
        pytest.skip(f"mount is refused: {mounted.stderr.strip()}")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True, timeout=30)


def test_a_full_disk_for_the_caches_is_told_and_heals_by_itself(
    small_cache: Path, fleet: BareRepository, promoter: Promoter
) -> None:
    promoter.promotes("6.1.8")
    filler = small_cache / "filler"
    fill(filler)
    fleet.commit(unmarked(400))
    promoter.prove("6.1.9")
    told = promoter.complains("6.1.9")
    assert "space" in told["message"].lower() or "disk" in told["message"].lower(), told
    assert promoter.server.admin("/healthz").status == 200
    filler.unlink()
    promoter.reaches("6.1.9", "PullRequestOpen")
    promoted_once(fleet, "6.1.9")


def test_a_full_disk_when_the_push_has_gone_out_costs_nothing_but_a_fetch(
    small_cache: Path, fleet: BareRepository, promoter: Promoter
) -> None:
    """What was pushed cannot be kept in the cache."""
    promoter.promotes("6.1.8")
    filler = small_cache / "filler"
    fill(filler)
    promoter.promotes("6.1.9")
    promoted_once(fleet, "6.1.9")
    filler.unlink()
    promoter.promotes("6.1.10")
    promoted_once(fleet, "6.1.10")


def fill(path: Path) -> None:
    with path.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(b"\0" * 65536)
        except OSError:
            return


@pytest.mark.parametrize("harm", ["pack", "head", "gone"])
def test_a_cache_that_was_damaged_is_made_again(harm: str, fleet: BareRepository, promoter: Promoter) -> None:
    promoter.promotes("6.1.8")
    promoter.server.stop()
    caches = promoter.server.state / "git"
    victims = [one for one in caches.rglob("*") if one.is_file()]
    if harm == "pack":
        victims = [one for one in victims if one.suffix in (".pack", ".idx")]
    elif harm == "head":
        victims = [one for one in victims if one.name == "HEAD"]
    assert victims, sorted(str(one) for one in caches.rglob("*"))
    for one in victims:
        one.chmod(0o600)
        if harm == "gone":
            one.unlink()
        else:
            one.write_bytes(b"not what it was")
    promoter.server.start()
    promoter.promotes("6.1.9")
    promoted_once(fleet, "6.1.9")


def test_a_bad_sector_deep_in_the_cache_does_not_stop_the_repository_for_ever(
    remote: GitServer, fleet: BareRepository, served: Certificate, make_promoter: Make
) -> None:
    promoter = make_promoter()
    promoter.teach(f"{remote.url}/fleet.git", "push", keys=login(served))
    promoter.server.start()
    promoter.prove("6.1.8")
    promoter.reaches("6.1.8", "Merged")
    promoter.server.stop()
    folder = git("rev-parse", "main:staging", folder=fleet.path).strip()
    [victim] = (promoter.server.state / "git").rglob(f"{folder[:2]}/{folder[2:]}")
    victim.unlink()
    promoter.server.start()
    promoter.prove("6.1.9")
    promoter.reaches("6.1.9", "Merged")
    assert "version: 6.1.9 #" in fleet.text(STAGING)


@pytest.fixture
def at_forge(forge: ForgeImpostor, served: Certificate, make_promoter: Make) -> Iterator[Promoter]:
    made = make_promoter()
    made.teach(forge.repository_url, "gitea", keys=login(served) | {"token": PASSWORD})
    with made.server:
        yield made


@pytest.mark.parametrize(
    "fault",
    [
        "after:500:1 POST /api",
        "lose-answer POST /api",
        "status:502:2 POST /api",
        "status:429:1 GET /api",
        "html-sign-in POST /api",
        "lose-answer GET /api",
    ],
)
def test_whatever_the_forge_answers_there_is_one_pull_request(
    fault: str, forge: ForgeImpostor, at_forge: Promoter
) -> None:
    """Among them: 500 after the pull request was created, which is found instead of created again."""
    forge.faults.set(fault)
    at_forge.prove("6.1.8")
    wait_until(lambda: (one := at_forge.find("6.1.8")) and one["message"] and one["state"] != "Pending", "a word of it")
    wait_until(lambda: forge.requests("/api"), "the forge to be asked", show=at_forge.show)
    forge.faults.set("")
    at_forge.server.run("retry", "default/podinfo/staging@6.1.8")
    opened = at_forge.reaches("6.1.8", "PullRequestOpen", deadline=30)["pullRequest"]
    assert [one["number"] for one in forge.pulls] == [opened["number"]]
    promoted_once(forge.repository, "6.1.8")




def test_a_wedged_worker_turns_healthz_red_while_events_are_still_accepted(
    remote: GitServer, served: Certificate, make_promoter: Make, failpoints: None
) -> None:
    promoter = make_promoter(environment={"SLUICE_FAILPOINTS": "git.before_fetch=block"})
    promoter.set(promotion_wedged_after="10s")
    promoter.teach(f"{remote.url}/fleet.git", keys=login(served))
    promoter.server.start()
    assert promoter.server.admin("/healthz").status == 200
    promoter.prove("6.1.8")
    red = wait_until(
        lambda: answer if (answer := promoter.server.admin("/healthz")).status == 503 else None,
        "/healthz to turn red",
        30,
        promoter.show,
    )
    assert b"executor" in red.body
    promoter.prove("6.1.9")
    promoter.server.kill9()
