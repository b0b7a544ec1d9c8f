"""A real Gitea on loopback, over TLS with a private authority, and what people do to its repositories."""

from __future__ import annotations

import base64
import getpass
import json
import ssl
import subprocess
from pathlib import Path
from typing import Any, Mapping

from certificates import self_signed
from http_request import Response, http_request
from peer import Peer
from process import Process, free_ports, wait_until

PASSWORD = "of-users-whose-whole-world-is-one-test-run"
BOT, PERSON = "bot", "alice"

# Nothing that calls home, no cron, no search index; webhooks may reach loopback, whose certificates nobody signed.
_APP_INI = """
APP_NAME = Sluice's tests
RUN_USER = {user}
I_AM_BEING_UNSAFE_RUNNING_AS_ROOT = true

[server]
PROTOCOL = https
CERT_FILE = {certificate.cert}
KEY_FILE = {certificate.key}
HTTP_ADDR = 127.0.0.1
HTTP_PORT = {port}
ROOT_URL = {url}/
STATIC_ROOT_PATH = {static}
OFFLINE_MODE = true
DISABLE_SSH = true
LFS_START_SERVER = false

[database]
DB_TYPE = sqlite3
SQLITE_JOURNAL_MODE = WAL

[security]
INSTALL_LOCK = true
SECRET_KEY = only-for-this-run
PASSWORD_HASH_ALGO = pbkdf2$1000$50

[repository]
DEFAULT_BRANCH = main

[webhook]
ALLOWED_HOST_LIST = loopback
SKIP_TLS_VERIFY = true

[indexer]
ISSUE_INDEXER_TYPE = db

[log]
LEVEL = Warn
MODE = console

[cron]
ENABLED = false

[actions]
ENABLED = false
"""


class Gitea:
    """One server for the run, with the user `bot` whom Sluice acts as and the user `alice` who is a person."""

    def __init__(self, peer: Peer, folder: Path):
        self.peer, self.folder = peer, folder
        (port,) = free_ports(1)
        self.url = f"https://127.0.0.1:{port}"
        self.certificate = self_signed(folder, "gitea")
        self._context = ssl.create_default_context(cafile=str(self.certificate.cert))
        self.tokens: dict[str, str] = {}
        settings = folder / "custom" / "conf" / "app.ini"
        settings.parent.mkdir(parents=True)
        settings.write_text(
            _APP_INI.format(
                user=getpass.getuser(), certificate=self.certificate, port=port, url=self.url, static=peer.static
            )
        )
        self._environment = {"GITEA_WORK_DIR": str(folder), "GITEA_CUSTOM": str(folder / "custom")}
        self.process = Process([peer.binary, "web"], folder / "gitea.log", self._environment)

    def start(self) -> None:
        self.process.start(self._healthy, deadline=60)
        for user in (BOT, PERSON):
            self._command(
                "admin", "user", "create", "--admin", "--username", user, "--password", PASSWORD,
                "--email", f"{user}@example.test", "--must-change-password=false",
            )  # fmt: skip
            self.tokens[user] = self.new_token(user)

    def stop(self) -> None:
        self.process.stop(deadline=30)

    def new_token(self, user: str, name: str = "tests") -> str:
        basic = base64.b64encode(f"{user}:{PASSWORD}".encode()).decode()
        body = {"name": name, "scopes": ["all"]}
        answer = self._send("POST", f"/users/{user}/tokens", f"Basic {basic}", body)
        assert answer.status == 201, answer
        return answer.json()["sha1"]

    def ask(self, method: str, path: str, body: Any = None, *, user: str = PERSON) -> Response:
        """The API, as a person unless told otherwise."""
        return self._send(method, path, f"token {self.tokens[user]}", body)

    def repository(self, name: str, files: Mapping[str, str]) -> Repository:
        """A private repository of the bot's with these files in one commit."""
        answer = self.ask("POST", "/user/repos", {"name": name, "private": True, "auto_init": True}, user=BOT)
        assert answer.status == 201, answer
        made = Repository(self, name)
        made.commit(dict(files), user=BOT)
        return made

    def _send(self, method: str, path: str, authorization: str, body: Any) -> Response:
        headers = {"Authorization": authorization, "Content-Type": "application/json"}
        content = None if body is None else json.dumps(body).encode()
        return http_request(
            method, f"{self.url}/api/v1{path}", content, headers, context=self._context, timeout=30
        )

    def _healthy(self) -> bool:
        try:
            return http_request("GET", f"{self.url}/api/healthz", context=self._context).status == 200
        except OSError:
            return False

    def _command(self, *arguments: str) -> None:
        command = [str(self.peer.binary), *arguments]
        environment = self.process.environment | self._environment
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=environment, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


class Repository:
    """One repository, as the people who work with it see it."""

    def __init__(self, gitea: Gitea, name: str):
        self.gitea, self.name = gitea, name
        self.url = f"{gitea.url}/{BOT}/{name}.git"

    def ask(self, method: str, path: str, body: Any = None, *, user: str = PERSON) -> Any:
        """Something below /repos/bot/<name>; the answer's JSON, or None where there is none. Refusals fail the test."""
        answer = self.gitea.ask(method, f"/repos/{BOT}/{self.name}{path}", body, user=user)
        assert answer.status < 300, f"{method} {path}: {answer.status} {answer.body.decode(errors='replace')}"
        return answer.json() if answer.body else None

    def commit(self, files: Mapping[str, str], *, branch: str = "main", user: str = PERSON, new: bool = True) -> None:
        """One commit with these files; `new` ones, or with `new=False` in the place of what is there."""
        changes = [self._change(path, text, branch, new) for path, text in files.items()]
        self.ask("POST", "/contents", {"branch": branch, "message": f"{user} writes", "files": changes}, user=user)

    def _change(self, path: str, text: str, branch: str, new: bool) -> dict[str, str]:
        change = {"operation": "create", "path": path, "content": base64.b64encode(text.encode()).decode()}
        if not new:
            change |= {"operation": "update", "sha": self.ask("GET", f"/contents/{path}?ref={branch}")["sha"]}
        return change

    def text(self, path: str, branch: str = "main") -> str:
        answer = self.gitea.ask("GET", f"/repos/{BOT}/{self.name}/raw/{path}?ref={branch}")
        assert answer.status == 200, answer
        return answer.body.decode()

    def branches(self) -> dict[str, str]:
        """The tip of each."""
        return {one["name"]: one["commit"]["id"] for one in self.ask("GET", "/branches?limit=50")}

    def commits(self, branch: str) -> list[dict[str, Any]]:
        """Newest first."""
        return self.ask("GET", f"/commits?sha={branch}&limit=50&stat=false")

    def pull_requests(self, state: str = "all") -> list[dict[str, Any]]:
        """Oldest first."""
        found = self.ask("GET", f"/pulls?state={state}&limit=50")
        return sorted(found, key=lambda one: one["number"])

    def only_pull_request(self, state: str = "all") -> dict[str, Any]:
        found = self.pull_requests(state)
        assert len(found) == 1, [(one["number"], one["state"], one["title"]) for one in found]
        return found[0]

    def merge(self, number: int, **more: Any) -> None:
        """By a person. Gitea looks whether it can be merged in the background and says 405 until it knows."""

        def merged() -> bool:
            path = f"/repos/{BOT}/{self.name}/pulls/{number}/merge"
            answer = self.gitea.ask("POST", path, {"Do": "merge"} | more)
            assert answer.status in (200, 405), answer
            return answer.status == 200

        wait_until(merged, f"pull request {number} to be mergeable", show=self.gitea.process.tail)

    def is_armed(self, number: int) -> bool:
        """Whether Gitea is to merge it by itself: only the timeline tells."""
        told = [one["type"] for one in self.ask("GET", f"/issues/{number}/timeline")]
        scheduled = [one for one in told if one in ("pull_scheduled_merge", "pull_cancel_scheduled_merge")]
        return scheduled[-1:] == ["pull_scheduled_merge"]

    def close(self, number: int) -> None:
        self.ask("PATCH", f"/pulls/{number}", {"state": "closed"})

    def reopen(self, number: int) -> None:
        self.ask("PATCH", f"/pulls/{number}", {"state": "open"})

    def archive(self, archived: bool = True) -> None:
        self.ask("PATCH", "", {"archived": archived})

    def protect(self, branch: str = "main", **rules: Any) -> None:
        """For instance `required_approvals=1`, or `enable_status_check=True, status_check_contexts=["ci"]`."""
        self.ask("POST", "/branch_protections", {"rule_name": branch, "enable_push": False} | rules)

    def report_status(self, commit: str, context: str, state: str = "success") -> None:
        self.ask("POST", f"/statuses/{commit}", {"context": context, "state": state})

    def add_webhook(self, url: str, secret: str) -> None:
        config = {"url": url, "content_type": "json", "secret": secret}
        self.ask("POST", "/hooks", {"type": "gitea", "config": config, "events": ["pull_request"], "active": True})

    def add_label(self, name: str) -> None:
        self.ask("POST", "/labels", {"name": name, "color": "#00aabb"})

    def add_reviewer(self, user: str = PERSON) -> None:
        self.ask("PUT", f"/collaborators/{user}", {"permission": "write"}, user=BOT)
