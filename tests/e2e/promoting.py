"""A Sluice that promotes into a repository of the real Gitea, and the words the tests use for it."""

from __future__ import annotations

from typing import Any

from fleet import SECRET, manifests, promoting_pipeline
from flux_events import encode, flux_event, signed_headers
from gitea import BOT, Gitea, Repository
from http_request import Response
from pipelines import to_yaml
from process import wait_until
from signing import bound_approval
from sluice import Sluice

KEY = "a-key-that-only-dev-and-sluice-know"
APPROVAL_KEY = "a-key-that-only-the-approving-program-knows"
WEBHOOK_KEY = "a-key-that-only-gitea-and-sluice-know"
BRANCH = "promotion-default-podinfo-staging"
STAGING = "staging/podinfo.yaml"


class Promoting:
    """dev, then staging, whose manifests are in a repository of its own."""

    def __init__(self, sluice: Sluice, gitea: Gitea, name: str):
        self.sluice = sluice
        self.gitea = gitea
        self.repository: Repository = gitea.repository(name, manifests())
        self.proofs = 0

    def start(self, *, token: str | None = None, manual: bool = False, **strategy: Any) -> None:
        self.write_token(token or self.gitea.tokens[BOT])
        made = promoting_pipeline(self.repository.url, "gitea", manual=manual, **strategy)
        self.sluice.write_pipeline(to_yaml(made))
        self.sluice.start()

    def write_token(self, token: str) -> None:
        self.sluice.write_secret(
            SECRET,
            {
                "hmac-key": KEY,
                "approval-key": APPROVAL_KEY,
                "forge-webhook-key": WEBHOOK_KEY,
                "username": BOT,
                "password": token,
                "token": token,
                "caFile": self.gitea.certificate.cert.read_bytes(),
            },
        )

    def prove(self, revision: str, environment: str = "dev") -> Response:
        """The signed event by which Flux tells that the revision is healthy there; the same bytes never come twice."""
        self.proofs += 1
        event = flux_event(revision, cluster=environment)
        event["involvedObject"]["resourceVersion"] = str(4711 + self.proofs)
        body = encode(event)
        answer = self.sluice.post(f"/default/podinfo/{environment}", body, signed_headers(KEY, body))
        assert answer.status == 202, answer
        return answer

    def approve(self, revision: str, environment: str = "staging") -> Response:
        """The signed request of a program, which is bound to its method, path and time."""
        path = f"/approval/default/podinfo/{environment}/{revision}"
        return self.sluice.post(path, b"", bound_approval(APPROVAL_KEY, path))

    def reaches(self, revision: str, state: str, deadline: float = 15.0) -> dict[str, Any]:
        """The promotion once it is in this state."""

        def there() -> dict[str, Any] | None:
            found = [one for one in self.sluice.promotions() if one["revision"] == revision]
            return found[0] if found and found[0]["state"] == state else None

        def show() -> str:
            told = [(one["id"], one["state"], one["reason"], one["message"]) for one in self.sluice.promotions()]
            return f"{told}\n{self.sluice.process.tail()}"

        return wait_until(there, f"{revision} to be {state}", deadline, show)

    def opens(self, revision: str) -> dict[str, Any]:
        """Proves it in dev; the pull request of the bot's that follows."""
        self.prove(revision)
        told = self.reaches(revision, "PullRequestOpen")["pullRequest"]
        found = self.repository.ask("GET", f"/pulls/{told['number']}")
        assert (told["url"], told["state"]) == (found["html_url"], "open") and found["state"] == "open"
        return found

    def version(self, branch: str = BRANCH) -> str:
        """What the manifest of staging says there."""
        (line,) = [one for one in self.repository.text(STAGING, branch).splitlines() if "version:" in one]
        return line.split()[1]
