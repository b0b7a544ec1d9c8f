"""What Sluice is measured against: the same change made with the git command line, by one shell script each."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

from fleet import GIT_ENVIRONMENT

STAGING = "staging/podinfo.yaml"

_FRESH = """
git clone --quiet --branch main "$URL" "$CLONE"
cd "$CLONE"
git checkout --quiet -b "$BRANCH"
sed -i "s|version: [^ ]* #|version: $VERSION #|" "$FILE"
git commit --quiet -am "Promote to $VERSION"
git push --quiet --force origin "$BRANCH"
"""

_KEPT = """
cd "$CLONE"
git fetch --quiet origin main
git checkout --quiet -B "$BRANCH" FETCH_HEAD
sed -i "s|version: [^ ]* #|version: $VERSION #|" "$FILE"
git commit --quiet -am "Promote to $VERSION"
git push --quiet --force origin "$BRANCH"
"""


class CommandLine:
    """One remote; the credentials, where it wants any, come from a file, as git's own `store` helper reads it."""

    def __init__(self, folder: Path, url: str, *, authority: Path | None = None, login: tuple[str, str] | None = None):
        folder.mkdir()
        self._folder, self._url = folder, url
        self._environment = os.environ | GIT_ENVIRONMENT
        if authority and login:
            store = folder / "credentials"
            host = url.split("/")[2]
            store.write_text(f"https://{login[0]}:{login[1]}@{host}\n")
            self._environment |= {
                "GIT_SSL_CAINFO": str(authority),
                "GIT_CONFIG_COUNT": "1",
                "GIT_CONFIG_KEY_0": "credential.helper",
                "GIT_CONFIG_VALUE_0": f"store --file={store}",
            }
        self._run(f'git clone --quiet "$URL" "{folder / "kept"}"', "", "")

    def fresh_clone(self, version: str) -> float:
        """Clone, edit, commit, push. The clone stays until the end: for minutes after a file is deleted, ext4 without a
        journal makes every new one beside it slower, for all that is measured after."""
        return self._run(_FRESH, "by-fresh-clone", version, self._folder / f"fresh-{version}")

    def kept_clone(self, version: str) -> float:
        """Fetch, edit, commit, push in a clone that stays."""
        return self._run(_KEPT, "by-kept-clone", version, self._folder / "kept")

    def _run(self, script: str, branch: str, version: str, clone: Path = Path(".")) -> float:
        given = {"URL": self._url, "CLONE": str(clone), "BRANCH": branch, "VERSION": version, "FILE": STAGING}
        begun = time.perf_counter()
        done = subprocess.run(
            ["/bin/sh", "-e", "-c", script],
            env=self._environment | given,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        took = time.perf_counter() - begun
        assert done.returncode == 0, done.stderr
        return took
