"""docs/markers.md: every example, promoted by the real program through a real repository."""

from __future__ import annotations

import json
import re
import textwrap
from pathlib import Path
from typing import Callable

import pytest
from certificates import self_signed
from fleet import BareRepository, helm_release, manifests, promoting_pipeline
from git_server import GitServer
from pages import block_with, blocks, page_text, paste
from pipelines import to_yaml
from promoter import PASSWORD, USERNAME, Promoter
from signing import trigger

Make = Callable[..., Promoter]

PAGE = "markers.md"
EXAMPLES = list(zip(blocks(PAGE, "yaml before"), blocks(PAGE, "yaml after"), strict=True))
FILE, BRANCH = "prod/podinfo.yaml", "promotion-default-podinfo-prod"
STATE, REPOSITORY = "/var/lib/sluice", "https://git.example.org/platform/fleet.git"


def holding(tmp_path: Path, files: dict[str, str]) -> BareRepository:
    return BareRepository(tmp_path / "repositories" / "fleet.git", files)


def promoting_into_prod(make_promoter: Make, fleet: BareRepository) -> Promoter:
    promoter = make_promoter(local=fleet.path.parent)
    promoter.teach(fleet.url, environments=("dev", "prod"))
    return promoter


@pytest.mark.parametrize(("before", "after"), EXAMPLES, ids=range(1, len(EXAMPLES) + 1))
def test_a_manifest_copied_from_the_page_is_changed_as_the_page_shows(
    before: str, after: str, tmp_path: Path, make_promoter: Make
) -> None:
    fleet = holding(tmp_path, {FILE: before})
    promoter = promoting_into_prod(make_promoter, fleet)
    with promoter.server as server:
        if ":image" in before:
            told = re.search(r'`(\{"revision": .*?\})`', page_text(PAGE))
            assert told, "the page has lost its trigger"
            assert server.tell(trigger(**json.loads(told[1]))).status == 202
            promoter.reaches("build-7", "PullRequestOpen")
        else:
            promoter.promotes("6.1.8")
    assert fleet.text(FILE, BRANCH) == after


def test_what_marks_nothing_is_named_line_by_line(tmp_path: Path, make_promoter: Make) -> None:
    (text,) = blocks(PAGE, "yaml unchanged")
    fleet = holding(tmp_path, {FILE: text})
    promoter = promoting_into_prod(make_promoter, fleet)
    with promoter.server:
        promoter.prove("6.1.8")
        message = promoter.reaches("6.1.8", "Failed")["message"]
    lines = [number for number, line in enumerate(text.splitlines(), 1) if "$promotion" in line]
    assert [int(number) for number in re.findall(rf"{re.escape(FILE)}:(\d+): ", message)] == lines, message
    assert fleet.promoted() == {}


def test_fields_named_as_the_page_names_them_need_no_comment(tmp_path: Path, make_promoter: Make) -> None:
    (fields,) = blocks(PAGE, "yaml")
    images = "kind: Kustomization\nimages:\n- name: other\n  newTag: 1.0.0\n- name: podinfo\n  newTag: 6.1.7\n"
    fleet = holding(tmp_path, {FILE: helm_release("6.1.7"), "prod/kustomization.yaml": images})
    promoter = promoting_into_prod(make_promoter, fleet)
    pipeline = to_yaml(promoting_pipeline(fleet.url, environments=("dev", "prod")))
    beside = re.search(r'^( +)baseBranch: "main"\n', pipeline, re.M)
    assert beside
    promoter.server.write_pipeline(pipeline.replace(beside[0], beside[0] + textwrap.indent(fields, beside[1])))
    with promoter.server:
        promoter.promotes("6.1.8")
    assert fleet.text(FILE, BRANCH) == helm_release("6.1.8")
    assert fleet.text("prod/kustomization.yaml", BRANCH) == images.replace("6.1.7", "6.1.8")


def test_what_a_promotion_would_write_is_shown_before_the_first_one(tmp_path: Path, make_promoter: Make) -> None:
    fleet = holding(tmp_path, manifests(environments=["prod"]))
    served = self_signed(tmp_path / "tls", "git")
    login = {"username": USERNAME, "password": PASSWORD}
    with GitServer(fleet.path.parent, cert=served.cert, key=served.key, **login) as remote:
        promoter, url = make_promoter(), f"{remote.url}/fleet.git"
        promoter.teach(url, environments=("dev", "prod"), keys=login | {"ca.crt": served.cert.read_bytes()})
        with promoter.server as server:
            own = {REPOSITORY: url, STATE: str(server.state)}
            own |= {"pipelines/": str(server.pipelines), "secrets/": str(server.secrets)}
            done = paste(block_with(PAGE, "sluice lint"), tmp_path, own)
            assert done.returncode == 0 and PASSWORD not in done.stdout + done.stderr, done.stdout + done.stderr
            assert "+      version: 6.1.8 # " in done.stdout and ": error: " not in done.stdout, done.stdout
            assert promoter.promotions() == []
    assert fleet.promoted() == {}
