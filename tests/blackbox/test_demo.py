"""`sluice demo` tells the story by itself, and the commands it prints work as they are pasted."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
from pathlib import Path
from typing import Iterator

import pytest
from process import wait_until
from sluice import ROOT, binary

BRANCH = "promotion-default-podinfo-staging"


def test_the_story_ends_by_itself_without_a_terminal(tmp_path: Path) -> None:
    run = subprocess.run(
        [str(binary()), "demo"],
        capture_output=True, text=True, timeout=90, check=False, env=os.environ | {"TMPDIR": str(tmp_path)},
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert "202 promote" in run.stdout and f"branch {BRANCH} is pushed" in run.stdout
    assert re.search(r"^ +-      version: 6\.1\.7 # ", run.stdout, re.M)
    assert re.search(r"^ +\+      version: 6\.1\.8 # ", run.stdout, re.M)
    assert list(tmp_path.iterdir()) == [], "the demo leaves something behind"


class Shown:
    """A demo in a terminal: it goes on until it is interrupted."""

    def __init__(self, folder: Path):
        self.ours, theirs = pty.openpty()
        self.child = subprocess.Popen(
            [str(binary()), "demo"], stdout=theirs, stderr=theirs, cwd=ROOT, env=os.environ | {"TMPDIR": str(folder)}
        )
        os.close(theirs)
        os.set_blocking(self.ours, False)
        self.text = ""

    def read(self) -> str:
        try:
            while more := os.read(self.ours, 65536):
                self.text += more.decode().replace("\r\n", "\n")
        except (BlockingIOError, OSError):
            pass
        return self.text

    def commands(self) -> list[str]:
        """Those below the invitation to go on, in order."""
        told = self.text[self.text.index("What to do next:") :].splitlines()[1:]
        return [line.strip() for line in told if line.strip() and not line.strip().startswith("#")]


@pytest.fixture
def shown(tmp_path: Path) -> Iterator[Shown]:
    demo = Shown(tmp_path)
    try:
        yield demo
    finally:
        if demo.child.poll() is None:
            demo.child.send_signal(signal.SIGINT)
            demo.child.wait(30)
        os.close(demo.ours)
    assert demo.child.returncode == 0 and list(tmp_path.iterdir()) == []


def paste(command: str) -> str:
    run = subprocess.run(
        ["bash", "-eo", "pipefail", "-c", command], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )
    assert run.returncode == 0, f"{command}\n{run.stdout}{run.stderr}"
    return run.stdout


def test_the_commands_it_prints_carry_a_version_to_prod_and_the_next_to_staging(shown: Shown) -> None:
    last = "/default/podinfo/dev\n"
    wait_until(lambda: shown.read().endswith(last) and "What to do next:" in shown.text, "the story", 90, lambda: shown.text)
    merge, *rest = shown.commands()
    state = re.search(r"promotions list --state (\S+)", shown.text).group(1)  # type: ignore[union-attr]
    listing = f"{binary()} promotions list --state {state}"

    def stands(promotion: str, at: str) -> None:
        wait_until(lambda: re.search(rf"{promotion} +{at}", paste(listing)), f"{promotion} to be {at}", 30)

    paste(merge)
    stands("default/podinfo/staging@6.1.8", "Merged")
    assert '"decision":"await_approval"' in paste("\n".join(rest[:3]))
    paste(rest[3])
    stands("default/podinfo/prod@6.1.8", "PullRequestOpen")
    assert '"decision":"promote"' in paste("\n".join(rest[4:]))
    stands("default/podinfo/staging@6.1.9", "PullRequestOpen")


def test_it_ends_with_its_terminal_and_leaves_nothing_behind(shown: Shown) -> None:
    wait_until(lambda: "What to do next:" in shown.read(), "the story", 90, lambda: shown.text)
    shown.child.send_signal(signal.SIGHUP)
    shown.child.wait(30)
