"""Nothing is lost, nothing is done twice: whatever was answered 202 is there afterwards, exactly once."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import sqlite3
import subprocess
import time
from pathlib import Path
from typing import Callable, Iterator, Mapping

import pytest
from flags import flags
from flux_events import encode, flux_event, signed_headers
from instance import KEY, Instance, write_crowd
from load import Load, Sent
from process import wait_until

CLIENTS = 64
CROWD = [f"app-{number}" for number in range(CLIENTS)]


def promotion_of(sent: Sent) -> str:
    """What a new event asks for: each client has its own pipeline and reports ever newer revisions."""
    name = sent.path.split("/")[2]
    revision = sent.body.split(b'"revision":"')[1].split(b'"')[0].decode()
    return f"default/{name}/prod@{revision}"


def post_until_killed(server: Instance, number: int, seconds: float) -> list[Sent]:
    def fresh(client: int, count: int) -> tuple[str, bytes, Mapping[str, str]]:
        body = encode(flux_event(f"{number}.{count}.0"))
        return f"/default/app-{client}/dev", body, signed_headers(KEY, body)

    load = Load(server.url, server.ssl_context(), CLIENTS, fresh).start()
    wait_until(lambda: load.count() > CLIENTS, "the load to run", 30)
    time.sleep(seconds)  # any moment will do: this is the dice, not a wait
    server.kill9()
    return load.stop()


def test_what_was_answered_before_kill_9_is_there_afterwards_exactly_once(make: Callable[..., Instance]) -> None:
    server = make(arguments=flags(auth_sender_rate=100_000, auth_sender_burst=100_000))
    write_crowd(server, CROWD)
    dice = random.Random()
    before: set[str] = set()
    for number in range(1, 5):
        server.start()
        sent = post_until_killed(server, number, dice.uniform(0.0, 0.8))
        answered = [one for one in sent if one.answer is not None]
        told = {(one.answer.status, one.answer.json()["decision"]) for one in answered if one.answer}
        assert told == {(202, "promote")}
        accepted = {promotion_of(one) for one in answered}
        in_flight = {promotion_of(one) for one in sent if one.answer is None}
        server.start()
        after = server.identities(CROWD)
        assert before | accepted <= after, f"lost: {sorted((before | accepted) - after)[:5]}"
        assert after <= before | accepted | in_flight, "the ledger holds what nobody asked for"
        for one in dice.sample(answered, 20):
            again = server.tell(one.body, path=one.path)
            assert one.answer and again.json()["promotion"] == one.answer.json()["promotion"]
        assert server.identities(CROWD) == after
        before = after
        server.stop()


@pytest.mark.parametrize("place", ["ledger.before_commit", "ledger.after_commit"])
def test_a_crash_around_the_commit_loses_nothing_that_was_answered(
    place: str, make: Callable[..., Instance], failpoints: None
) -> None:
    server = make(environment={"SLUICE_FAILPOINTS": f"{place}=kill"})
    server.start()
    with pytest.raises(Exception):
        server.event("6.1.8")
    server.process.environment.pop("SLUICE_FAILPOINTS")
    server.stop()
    server.start()
    assert server.identities() == ({"default/podinfo/prod@6.1.8"} if "after" in place else set())
    assert server.event("6.1.8").json()["promotion"] == "default/podinfo/prod@6.1.8"
    assert server.identities() == {"default/podinfo/prod@6.1.8"}


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 16 MiB for one instance's state folder."""
    folder = tmp_path / "small" / "state"
    folder.mkdir(parents=True)
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=16m,mode=0700", "tmpfs", str(folder)],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    if mounted.returncode != 0:
        pytest.skip(f"mount is refused: {mounted.stderr.strip()}")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True, timeout=30)


def fill(path: Path) -> None:
    with path.open("wb", buffering=0) as file:
        for size in (1 << 20, 4096, 1):
            try:
                while True:
                    file.write(b"\0" * size)
            except OSError:
                continue


def test_a_full_disk_is_503_and_heals_by_itself(small_disk: Path, make: Callable[..., Instance]) -> None:
    with make(folder=small_disk.parent, arguments=flags(ledger_wal_limit="1MiB", auth_sender_rate=10_000)) as server:
        accepted = {server.event("1.0.0").json()["promotion"]}
        fill(small_disk / "filler")
        refused = None
        for number in range(2000):  # what SQLite has set aside already may still be written
            answer = server.event(f"1.1.{number}")
            if answer.status != 202:
                refused = answer
                break
            accepted.add(answer.json()["promotion"])
        assert refused is not None, "a full disk was not noticed"
        assert refused.problem()["status"] == 503 and refused.retry_after() <= 2
        assert server.event("1.1.9999").status == 503
        assert server.admin("/readyz").status == 503
        assert server.process.running() and server.admin("/healthz").status == 200
        (small_disk / "filler").unlink()
        wait_until(lambda: server.admin("/readyz").status == 200, "/readyz to be green though nobody sends", 15)
        wait_until(lambda: server.event("1.2.0").status == 202, "events to be accepted again", 15)
        accepted.add("default/podinfo/prod@1.2.0")
        assert accepted <= server.identities()
        server.kill9()
        server.start()
        assert accepted <= server.identities()


@pytest.fixture(scope="session")
def failing_fsync(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A preloaded library: syncs fail with EIO as long as the file named by FAIL_FSYNC is there."""
    compiler = next((found for name in ("cc", "clang-19", "gcc") if (found := shutil.which(name))), None)
    assert compiler, "no C compiler"
    made = tmp_path_factory.mktemp("preload") / "fail_fsync.so"
    source = Path(__file__).with_name("fail_fsync.c")
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", made, source], check=True, timeout=60)
    return made


@pytest.mark.release_only
def test_after_a_failed_fsync_nothing_is_acknowledged_and_the_process_ends(
    failing_fsync: Path, tmp_path: Path, make: Callable[..., Instance]
) -> None:
    broken = tmp_path / "disk-is-broken"
    server = make(environment={"LD_PRELOAD": str(failing_fsync), "FAIL_FSYNC": str(broken)})
    server.start()
    assert server.event("1.0.0").status == 202
    broken.touch()
    try:
        assert server.event("1.1.0").status >= 500
    except OSError:
        pass  # it may be gone before it has answered
    wait_until(lambda: not server.process.running(), "the process to end")
    assert server.stop() not in (0, None), "it looks as if all was well"
    broken.unlink()
    server.start()
    assert "default/podinfo/prod@1.0.0" in server.identities()
    assert server.event("1.2.0").status == 202


def test_a_second_process_on_the_same_state_is_refused_and_told_who_holds_it(server: Instance) -> None:
    second = subprocess.run(server.process.command, capture_output=True, text=True, timeout=20, check=False)
    assert second.returncode == 1, second.stderr
    assert str(server.process.pid) in second.stderr and str(server.state) in second.stderr, second.stderr
    assert server.event("6.1.8").status == 202


def test_a_backup_taken_while_it_runs_can_take_its_place(make: Callable[..., Instance], tmp_path: Path) -> None:
    server = make()
    server.start()
    first = server.event("6.1.8").json()
    with contextlib.closing(sqlite3.connect(f"file:{server.state}/sluice.db?mode=ro", uri=True)) as ledger:
        with contextlib.closing(sqlite3.connect(tmp_path / "copy.db")) as copy:
            ledger.backup(copy)
    assert server.event("6.1.9").status == 202
    server.stop()
    shutil.rmtree(server.state)
    server.state.mkdir(mode=0o700)
    shutil.copy(tmp_path / "copy.db", server.state / "sluice.db")
    server.start()
    assert server.identities() == {first["promotion"]}
    assert server.event("6.1.9").status == 202
    server.stop()


def test_a_lock_left_behind_by_kill_9_is_no_obstacle(server: Instance) -> None:
    assert server.event("6.1.8").status == 202
    server.kill9()
    server.start(deadline=20)
    assert server.event("6.1.9").status == 202


@pytest.mark.parametrize("place", ["ledger.writer", "ledger.trim"])
def test_a_wedged_writer_turns_healthz_red_and_events_get_503(
    place: str, make: Callable[..., Instance], failpoints: None
) -> None:
    server = make(environment={"SLUICE_FAILPOINTS": f"{place}=block"})
    server.start()
    if place == "ledger.trim":  # the first time 100 ms after the start
        wait_until(lambda: server.event("6.1.7").status == 503, "the writer to trim")
    answer = server.event("6.1.8")
    assert answer.problem()["status"] == 503 and answer.retry_after() <= 2
    wait_until(lambda: server.admin("/healthz").status == 503, "/healthz to turn red", 30)
    assert server.event("6.1.9").status == 503
    server.kill9()


def test_a_state_folder_of_its_own_making_is_for_its_owner_alone(make: Callable[..., Instance]) -> None:
    server = make()
    server.state.rmdir()
    server.start()
    assert server.event("6.1.8").status == 202
    assert server.state.stat().st_mode & 0o777 == 0o700
    assert (server.state / "control.sock").stat().st_mode & 0o777 == 0o600
    for folder, _, files in os.walk(server.state):
        for name in files:
            path = Path(folder) / name
            assert path.stat().st_mode & 0o022 == 0, f"{path} may be written by others"
            if name.endswith(".key"):
                assert path.stat().st_mode & 0o077 == 0, f"{path} may be read by others"
