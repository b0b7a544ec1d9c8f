"""`sluice lint --repository` asks the served repository itself, with the login that promotions will use."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any, Callable, Iterator

import pytest
from certificates import Certificate
from fleet import SECRET, BareRepository, manifests
from git_server import GitServer
from pipelines import environment
from promoter import PASSWORD, USERNAME, Promoter
from sluice import binary

Make = Callable[..., Promoter]

WRONG = "canary-of-a-wrong-password-3c70-never-to-be-seen"


@pytest.fixture
def remote(tmp_path: Path, served: Certificate) -> Iterator[GitServer]:
    """The fleet, marked for staging and prod, for those who know the password; nobody has written to it afterwards."""
    fleet = BareRepository(tmp_path / "repositories" / "fleet.git", manifests())
    before = fleet.branches()
    login = {"username": USERNAME, "password": PASSWORD}
    with GitServer(fleet.path.parent, cert=served.cert, key=served.key, **login) as made:
        yield made
    assert fleet.branches() == before


def write(promoter: Promoter, url: str, keys: dict[str, str | bytes], last: str = "staging") -> None:
    """A Pipeline and Secrets that have no mistake but what the test puts into them."""
    named = [environment(name, f"podinfo-{name}", secretRef={"name": f"{name}-events"}) for name in ("dev", last)]
    promoter.teach(url, keys=keys, environments=named)
    for name in ("dev", last):
        promoter.server.write_secret(f"{name}-events", {"hmac-key": f"the key of {name}, long enough"})
    for file in promoter.server.secrets.rglob("*"):
        file.chmod(0o700 if file.is_dir() else 0o600)


def lint(promoter: Promoter, repository: str, *more: str) -> subprocess.CompletedProcess[str]:
    """What it says, which never has a password in it."""
    done = subprocess.run(
        [str(binary()), "lint", str(promoter.server.pipelines), "--repository", repository, *more],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    said = done.stdout + done.stderr
    assert PASSWORD not in said and WRONG not in said and "Sanitizer" not in said, said
    return done


def secrets_of(promoter: Promoter) -> tuple[str, str]:
    return "--secrets", str(promoter.server.secrets)


def only_finding(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    assert done.returncode == 1, done.stdout + done.stderr
    findings = json.loads(done.stdout)["findings"]
    assert len(findings) == 1 and findings[0]["severity"] == "error", findings
    return findings[0]


def test_a_repository_behind_a_login_and_a_private_authority_is_looked_into(
    remote: GitServer, served: Certificate, make_promoter: Make
) -> None:
    promoter, url = make_promoter(), f"{remote.url}/fleet.git"
    login = {"username": USERNAME, "password": PASSWORD, "ca.crt": served.cert.read_bytes()}
    write(promoter, url, login)
    done = lint(promoter, url, *secrets_of(promoter))
    assert (done.returncode, done.stdout) == (0, "No mistakes found.\n"), done.stdout + done.stderr
    assert {one["authorization"] for one in remote.requests() if one["status"] == 200} == {"Basic"}
    write(promoter, url, login, last="qa")
    told = only_finding(lint(promoter, url, *secrets_of(promoter), "-o", "json"))
    assert "qa" in told["message"] and url in told["message"]
    assert '# {"$promotion": "default:podinfo:qa"}' in told["remedy"]


def test_a_wrong_password_is_told_with_the_secret_to_mend_and_not_with_the_password(
    remote: GitServer, served: Certificate, make_promoter: Make
) -> None:
    promoter, url = make_promoter(), f"{remote.url}/fleet.git"
    write(promoter, url, {"username": USERNAME, "password": WRONG, "ca.crt": served.cert.read_bytes()})
    told = only_finding(lint(promoter, url, *secrets_of(promoter), "-o", "json"))
    assert all(words in told["message"] for words in ("401", "`password`", f"Secret {SECRET}")), told
    assert told["message"] in lint(promoter, url, *secrets_of(promoter)).stdout


def test_an_authority_that_nobody_named_is_told_with_the_key_to_add_and_is_shown_no_password(
    remote: GitServer, make_promoter: Make
) -> None:
    promoter, url = make_promoter(), f"{remote.url}/fleet.git"
    write(promoter, url, {"username": USERNAME, "password": PASSWORD})
    told = only_finding(lint(promoter, url, *secrets_of(promoter), "-o", "json"))
    assert "certificate" in told["message"] and "ca.crt in the Secret" in told["message"], told
    assert remote.requests() == [], "the password was shown to a stranger"


def test_a_login_in_the_url_is_not_repeated_to_whoever_reads_the_findings(
    remote: GitServer, make_promoter: Make
) -> None:
    promoter, url = make_promoter(), f"{remote.url}/fleet.git"
    write(promoter, url, {"username": USERNAME, "password": PASSWORD})
    with_login = url.replace("://", f"://{USERNAME}:{PASSWORD}@")
    assert only_finding(lint(promoter, with_login, *secrets_of(promoter), "-o", "json"))["file"] == url
    assert lint(promoter, with_login, *secrets_of(promoter)).stdout.startswith(url)


def test_a_secret_that_was_not_given_is_asked_for_by_name(
    remote: GitServer, served: Certificate, make_promoter: Make
) -> None:
    promoter, url = make_promoter(), f"{remote.url}/fleet.git"
    write(promoter, url, {"username": USERNAME, "password": PASSWORD, "ca.crt": served.cert.read_bytes()})
    done = lint(promoter, url)
    assert done.returncode == 1, done.stdout
    (told,) = [line for line in done.stdout.splitlines() if line.startswith(url)]
    assert f"cannot be read without Secret {SECRET}" in told and "--secrets DIR" in told, told
