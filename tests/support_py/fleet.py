"""The repository that promotions are written to: its manifests, and a bare git repository of them on this disk."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any, Iterable, Mapping

from pipelines import pipeline

# No configuration of whoever runs the tests, and never a question on the terminal.
GIT_ENVIRONMENT = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_AUTHOR_NAME": "Alice",
    "GIT_AUTHOR_EMAIL": "alice@example.test",
    "GIT_COMMITTER_NAME": "Alice",
    "GIT_COMMITTER_EMAIL": "alice@example.test",
}

SECRET = "promotion-credentials"


def helm_release(version: str, marker: str = "") -> str:
    """A HelmRelease whose chart version carries a marker, written `<namespace>:<pipeline>:<environment>`."""
    comment = f' # {{"$promotion": "{marker}"}}' if marker else ""
    return (
        "apiVersion: helm.toolkit.fluxcd.io/v2\n"
        "kind: HelmRelease\n"
        "metadata:\n  name: podinfo\n  namespace: podinfo\n"
        "spec:\n  interval: 5m\n  chart:\n    spec:\n      chart: podinfo\n"
        f"      version: {version}{comment}\n"
        "      sourceRef:\n        kind: HelmRepository\n        name: podinfo\n"
        "  values:\n    replicaCount: 2   # two spaces more than needed stay\n"
    )


def manifests(
    version: str = "6.1.7", environments: Iterable[str] = ("staging", "prod"), pipelines: Iterable[str] = ("podinfo",)
) -> dict[str, str]:
    """One file per pipeline and environment, `<environment>/<pipeline>.yaml`."""
    return {
        f"{where}/{name}.yaml": helm_release(version, f"default:{name}:{where}")
        for where in environments
        for name in pipelines
    }


def unmarked(count: int) -> dict[str, str]:
    """That many manifests which no promotion is about, a hundred in each folder."""
    return {f"apps/{number // 100}/{number}.yaml": helm_release(f"1.0.{number}") for number in range(count)}


def pull_request(url: str, forge: str = "git", *, secret: str | None = SECRET, **more: Any) -> dict[str, Any]:
    """The strategy's block; further arguments are its further fields."""
    told = {"type": forge, "url": url, "baseBranch": "main"} | more
    return {"pull-request": told | ({"secretRef": {"name": secret}} if secret else {})}


def push(url: str, *, secret: str | None = SECRET, **more: Any) -> dict[str, Any]:
    """The block of the strategy that commits to the branch itself."""
    told = {"url": url, "branch": "main"} | more
    return {"push": told | ({"secretRef": {"name": secret}} if secret else {})}


def promoting_pipeline(
    url: str,
    forge: str = "git",
    *,
    name: str = "podinfo",
    environments: Iterable[Any] = ("dev", "staging"),
    manual: bool = False,
    secret: str | None = SECRET,
    **more: Any,
) -> dict[str, Any]:
    """A Pipeline whose promotions become pull requests of that repository, or with the forge `push` commits of main."""
    strategy = push(url, secret=secret, **more) if forge == "push" else pull_request(url, forge, secret=secret, **more)
    return pipeline(name, environments=list(environments), strategy=strategy, manual=manual)


def git(*arguments: str | Path, folder: Path | None = None, given: bytes | None = None, timeout: float = 120) -> str:
    """What the git command line prints; a failure of it fails the test."""
    done = subprocess.run(
        ["git", *map(str, arguments)],
        cwd=folder,
        input=given,
        capture_output=True,
        env=os.environ | GIT_ENVIRONMENT,
        timeout=timeout,
        check=False,
    )
    assert done.returncode == 0, f"git {' '.join(map(str, arguments))}: {done.stderr.decode(errors='replace')}"
    return done.stdout.decode(errors="replace")


class BareRepository:
    """A bare repository with the branch main."""

    def __init__(self, path: Path, files: Mapping[str, str] | None = None):
        self.path = path
        git("init", "--quiet", "--bare", "--initial-branch=main", path)
        if files:
            self.commit(files)

    @property
    def url(self) -> str:
        return f"file://{self.path}"

    def commit(self, files: Mapping[str, str], branch: str = "main", *, start: str = "") -> str:
        """One commit of a person's on top of the branch, or of `start` where the branch is new; its id."""
        tip = self.branches().get(branch) or start
        stream = [f"commit refs/heads/{branch}\ncommitter Alice <alice@example.test> now\ndata 5\nwrite\n"]
        stream += [f"from {tip}\n"] if tip else []
        for path, text in files.items():
            stream.append(f"M 100644 inline {path}\ndata {len(text.encode())}\n{text}\n")
        git("fast-import", "--quiet", "--date-format=now", folder=self.path, given="".join(stream).encode())
        return self.branches()[branch]

    def branches(self) -> dict[str, str]:
        """The tip of each."""
        listed = git("for-each-ref", "--format=%(refname:lstrip=2) %(objectname)", "refs/heads", folder=self.path)
        return dict(line.split(" ") for line in listed.splitlines())

    def promoted(self) -> dict[str, str]:
        """The tips of the branches that promotions made."""
        return {name: tip for name, tip in self.branches().items() if name.startswith("promotion-")}

    def text(self, path: str, branch: str = "main") -> str:
        return git("show", f"{branch}:{path}", folder=self.path)

    def count(self, revisions: str) -> int:
        """How many commits, for instance of `main..promotion-default-podinfo-staging`."""
        return int(git("rev-list", "--count", revisions, folder=self.path))

    def changed_lines(self, before: str, after: str) -> list[str]:
        """The lines that differ, with their sign, without those of the diff's own."""
        lines = git("diff", "--unified=0", before, after, folder=self.path).splitlines()
        return [line for line in lines if line[:1] in "+-" and line[:3] not in ("+++", "---")]

    def delete(self, branch: str) -> None:
        git("update-ref", "-d", f"refs/heads/{branch}", folder=self.path)

    def fast_forward(self, branch: str, commit: str) -> None:
        git("update-ref", f"refs/heads/{branch}", commit, folder=self.path)
