"""What the pages show works as it is written."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
BINARY = os.environ.get("SLUICE_BINARY", "build/sluice")


def marked_blocks(page: str) -> list[str]:
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    return re.findall(r"<!-- linted by tests/blackbox/test_documentation.py -->\n```yaml\n(.*?)```", text, re.S)


@pytest.mark.release_only
@pytest.mark.parametrize("page", ["forges.md"])
def test_a_pipeline_copied_from_a_page_passes_lint(page: str, tmp_path: Path) -> None:
    blocks = marked_blocks(page)
    assert blocks, f"docs/{page} has lost the block that this test lints"
    for number, block in enumerate(blocks):
        (tmp_path / f"{number}.yaml").write_text(block, encoding="utf-8")
    run = subprocess.run([BINARY, "lint", str(tmp_path)], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert (run.returncode, run.stdout) == (0, "No mistakes found.\n"), run.stdout + run.stderr


@pytest.mark.release_only
def test_every_metric_a_page_names_is_one_the_program_has() -> None:
    sources = "".join(path.read_text(encoding="utf-8") for room in ("promotion", "net", "server", "embedded", "intake", "observe", "cli")
                      for path in (ROOT / room).rglob("*.?pp"))
    named = {name for page in (ROOT / "docs").glob("*.md") for name in re.findall(r"\bsluice_[a-z_]+", page.read_text("utf-8"))}
    assert not {name for name in named if name not in sources}
