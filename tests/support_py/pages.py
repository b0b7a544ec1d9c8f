"""The pages of docs/ as a reader uses them: to paste from."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from typing import Mapping

from sluice import ROOT, binary


def page_text(page: str) -> str:
    return (ROOT / "docs" / page).read_text(encoding="utf-8")


def blocks(page: str, opened: str) -> list[str]:
    """What stands between the fences of the page that are opened with this, for instance `sh` or `yaml before`."""
    return re.findall(rf"^```{re.escape(opened)}\n(.*?)^```$", page_text(page), re.S | re.M)


def block_with(page: str, words: str, opened: str = "sh") -> str:
    """The one block that has these words in it."""
    found = [block for block in blocks(page, opened) if words in block]
    assert len(found) == 1, f"docs/{page} has {len(found)} blocks with {words!r}"
    return found[0]


def paste(block: str, folder: Path, own: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """Runs it in this folder with `sluice` in the path; for the names in `own` the reader writes what is theirs."""
    for shown, mine in own.items():
        assert shown in block, f"{shown} is not in {block}"
        block = block.replace(shown, mine)
    tools = folder / "bin"
    tools.mkdir(parents=True, exist_ok=True)
    if not (tools / "sluice").exists():
        (tools / "sluice").symlink_to(binary())
    return subprocess.run(
        ["bash", "-euo", "pipefail", "-c", block],
        cwd=folder,
        env=os.environ | {"PATH": f"{tools}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
