"""The commands of the README, run as they are written."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.mark.release_only
def test_a_new_user_who_pastes_the_readme_sees_a_promotion() -> None:
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    block = re.search(r"<!-- run by tests/blackbox/test_readme.py -->\n```sh\n(.*?)```", page, re.S)
    assert block, "README.md has lost the block that this test runs"
    run = subprocess.run(
        ["bash", "-eo", "pipefail", "-c", block.group(1)], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert '"decision":"await_approval"' in run.stdout
    assert re.search(r"default/podinfo/prod@6\.1\.8 +AwaitingApproval", run.stdout)


@pytest.mark.release_only
def test_make_run_tells_the_story_and_ends_without_a_terminal() -> None:
    run = subprocess.run(["scripts/try"], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    assert "default/podinfo/staging@6.1.8" in run.stdout
    assert re.search(r"^ +\+ +version: 6\.1\.8 # ", run.stdout, re.M), "the story shows the changed line"
