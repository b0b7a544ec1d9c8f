"""What the pages show works as it is written."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
from instance import Instance

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


def metrics_of_the_program() -> set[str]:
    rooms = ("promotion", "net", "server", "embedded", "intake", "observe", "cli")
    sources = "".join(path.read_text("utf-8") for room in rooms for path in (ROOT / room).rglob("*.?pp"))
    return set(re.findall(r'"(sluice_[a-z_]+)"', sources))


@pytest.mark.release_only
def test_every_metric_a_page_names_is_one_the_program_has() -> None:
    named = {name for page in (ROOT / "docs").glob("*.md") for name in re.findall(r"\bsluice_[a-z_]+", page.read_text("utf-8"))}
    assert named <= metrics_of_the_program()


@pytest.mark.release_only
def test_an_operator_finds_every_metric_on_the_page_with_its_kind(server: Instance) -> None:
    page = (ROOT / "docs" / "operating.md").read_text("utf-8")
    told = dict(re.findall(r"^\| `(sluice_[a-z_]+)` \| (counter|gauge|histogram) \|", page, re.M))
    assert set(told) == metrics_of_the_program()
    now = {name: family.kind for name, family in server.metrics().items()}
    assert {name: told[name] for name in now} == now
