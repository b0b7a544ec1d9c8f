"""A server whose pipeline promotes into a git repository, and the words the tests use for it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Callable, Iterator, Mapping, Sequence

import pytest
from certificates import Certificate, self_signed
from control_socket import control_request
from fleet import SECRET, BareRepository, manifests, promoting_pipeline
from flags import flags
from forge_impostor import ForgeImpostor
from instance import KEY, Instance
from pipelines import to_yaml
from process import wait_until

BRANCH = "promotion-default-podinfo-staging"
STAGING = "staging/podinfo.yaml"
USERNAME, PASSWORD = "bot", "canary-of-git-9a41-never-to-be-seen"

# Nobody waits half a minute for a second try here.
EAGER = flags(promotion_first_retry="20ms", promotion_longest_retry="200ms", promotion_poll="1s")
EAGER += flags(promotion_look_at_failed="1s", auth_sender_rate=10_000, auth_sender_burst=10_000)


class Promoter:
    """dev, then staging; the repository is told with the pipeline."""

    def __init__(self, server: Instance):
        self.server = server

    def set(self, **settings: object) -> None:
        """Other values than the eager ones, before the start."""
        for one in flags(**settings):
            name = one.partition("=")[0] + "="
            command = self.server.process.command
            command[:] = [part for part in command if not part.startswith(name)] + [one]

    def teach(
        self,
        url: str,
        forge: str = "git",
        *,
        keys: Mapping[str, str | bytes] | None = None,
        pipelines: Sequence[str] = ("podinfo",),
        **more: Any,
    ) -> None:
        """A pipeline of each name, in one file, and the Secret with these keys in it."""
        made = [promoting_pipeline(url, forge, name=name, **more) for name in pipelines]
        self.server.write_pipeline("---\n".join(to_yaml(one) for one in made), pipelines[0])
        self.server.write_secret(SECRET, {"hmac-key": KEY} | dict(keys or {}))

    def prove(self, revision: str, pipeline: str = "podinfo") -> None:
        answer = self.server.event(revision, path=f"/default/{pipeline}/dev", cluster="dev")
        assert answer.status == 202, answer

    def promotions(self) -> list[dict[str, Any]]:
        answer = control_request(self.server.state, "GET", "/api/v1/promotions?limit=500")
        assert answer.status == 200, answer
        return answer.json()["items"]

    def find(self, revision: str, pipeline: str = "podinfo") -> dict[str, Any] | None:
        wanted = {"revision": revision, "pipeline": pipeline}
        return next((one for one in self.promotions() if wanted.items() <= one.items()), None)

    def reaches(self, revision: str, state: str, deadline: float = 20.0, pipeline: str = "podinfo") -> dict[str, Any]:
        """The promotion once it is in this state."""

        def there() -> dict[str, Any] | None:
            found = self.find(revision, pipeline)
            return found if found and found["state"] == state else None

        return wait_until(there, f"{revision} to be {state}", deadline, self.show)

    def complains(self, revision: str, deadline: float = 20.0) -> dict[str, Any]:
        """The promotion once something went wrong that may go right later."""

        def there() -> dict[str, Any] | None:
            found = self.find(revision)
            return found if found and found["retryAt"] else None

        return wait_until(there, f"{revision} to be tried again later", deadline, self.show)

    def promotes(self, revision: str, deadline: float = 20.0) -> dict[str, Any]:
        self.prove(revision)
        return self.reaches(revision, "PullRequestOpen", deadline)

    def show(self) -> str:
        try:
            told = [(one["id"], one["state"], one["reason"], one["message"]) for one in self.promotions()[:5]]
        except OSError as gone:
            told = [gone]
        return f"{told}\n{self.server.process.tail()}"


def promoted_once(repository: BareRepository, version: str, *, before: str = "6.1.7", branch: str = BRANCH) -> None:
    """One branch, one commit on top of main, one line: whatever happened on the way."""
    assert list(repository.promoted()) == [branch], repository.branches()
    assert repository.count(f"main..{branch}") == 1
    removed, added = repository.changed_lines("main", branch)
    assert removed.startswith("-") and added == "+" + removed[1:].replace(before, version), (removed, added)
    assert f"version: {version} #" in added, added


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    """Of the git servers and forges: nobody trusts it unless told to."""
    return self_signed(tmp_path_factory.mktemp("tls"), "git")


@pytest.fixture
def forge(tmp_path: Path, served: Certificate) -> Iterator[ForgeImpostor]:
    with ForgeImpostor(tmp_path / "forge", manifests(), token=PASSWORD, cert=served.cert, key=served.key) as made:
        yield made


@pytest.fixture
def make_promoter(make: Callable[..., Instance]) -> Iterator[Callable[..., Promoter]]:
    """Makes an instance that is not started yet; afterwards its log is searched for the password of git."""
    made: list[Promoter] = []

    def create(*arguments: str, local: Path | None = None, **options: Any) -> Promoter:
        given = [*(flags(local_repositories=local) if local else []), *arguments]
        named = {one.partition("=")[0] for one in given}
        usual = [one for one in EAGER if one.partition("=")[0] not in named]
        made.append(Promoter(make(arguments=[*usual, *given], **options)))
        return made[-1]

    yield create
    for one in made:
        one.server.stop()
        assert PASSWORD not in one.server.process.text(), "the log shows a password"
