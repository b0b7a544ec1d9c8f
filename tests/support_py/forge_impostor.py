"""A forge on loopback that can misbehave: git as in git_server.py, and as much of Gitea's API as promotions use.

It remembers pull requests as Gitea does: one open per head and base, and the head's commit read from the branch for as
long as there is one, also when the pull request is merged. What was merged only refs/pull/N/head tells.
"""

from __future__ import annotations

import json
import re
import threading
from pathlib import Path
from typing import Any, Callable
from urllib.parse import parse_qs, urlsplit

from fleet import BareRepository
from git_backend import Handler
from git_server import GitServer

OWNER, NAME = "bot", "fleet"
API = f"/api/v1/repos/{OWNER}/{NAME}"

Answer = tuple[int, Any]


class ForgeImpostor(GitServer):
    """One repository, `<url>/bot/fleet.git`. Faults apply to the API too: `after:500:1 POST /api` for instance."""

    def __init__(self, folder: Path, files: dict[str, str], *, token: str, **options: Any):
        self.repository = BareRepository(folder / OWNER / f"{NAME}.git", files)
        self.pulls: list[dict[str, Any]] = []
        self.comments: list[tuple[int, str]] = []
        self._refs: dict[int, str] = {}
        self._token, self._pulls_lock = token, threading.RLock()
        super().__init__(folder, username=OWNER, password=token, **options)

    @property
    def repository_url(self) -> str:
        return f"{self.url}/{OWNER}/{NAME}.git"

    def merge(self, number: int) -> None:
        """A person's button; the branch stays."""
        with self._pulls_lock:
            status, answer = self._merge(str(number), {})
        assert status == 200, answer

    def answer_instead(self, handled: Handler, body: bytes) -> tuple[int, bytes] | None:
        target = urlsplit(handled.path)
        if not target.path.startswith("/api/"):
            return None
        if handled.headers.get("Authorization") not in (f"token {self._token}", f"Bearer {self._token}"):
            return 401, b'{"message":"invalid username, password or token"}'
        asked = json.loads(body) if body else {}
        query = {name: values[0] for name, values in parse_qs(target.query).items()}
        with self._pulls_lock:
            status, answer = self._route(handled.command, target.path, query, asked)
        return status, b"" if answer is None else json.dumps(answer).encode()

    def _route(self, method: str, path: str, query: dict[str, str], asked: dict[str, Any]) -> Answer:
        routes: list[tuple[str, str, Callable[..., Answer]]] = [
            ("GET", "/pulls", lambda: self._list(query)),
            ("POST", "/pulls", lambda: self._create(asked)),
            ("GET", r"/pulls/(\d+)", self._get),
            ("PATCH", r"/pulls/(\d+)", lambda number: self._update(number, asked)),
            ("POST", r"/pulls/(\d+)/merge", lambda number: self._merge(number, asked)),
            ("DELETE", r"/pulls/(\d+)/merge", lambda number: (404, {"message": "nothing is scheduled"})),
            ("GET", r"/git/refs/pull/(\d+)/head", self._get_ref),
            ("POST", r"/issues/(\d+)/comments", lambda number: self._comment(number, asked)),
            ("GET", "/labels", lambda: (200, [])),
            ("GET", "", lambda: (200, {"archived": False, "default_branch": "main"})),
        ]
        for known, pattern, handle in routes:
            found = re.fullmatch(re.escape(API) + pattern, path)
            if known == method and found:
                return handle(*found.groups())
        return 404, {"message": f"the impostor knows no {method} {path}"}

    def _seen(self, pull: dict[str, Any]) -> dict[str, Any]:
        number = pull["number"]
        tip = self.repository.branches().get(pull["head"]["ref"])
        if tip and pull["state"] == "open":
            self._refs[number] = tip
        pull["head"]["sha"] = tip or self._refs[number]
        return pull

    def _get_ref(self, number: str) -> Answer:
        status, found = self._get(number)
        if status != 200:
            return status, found
        ref = {"type": "commit", "sha": self._refs[int(number)]}
        return 200, {"ref": f"refs/pull/{number}/head", "object": ref}

    def _list(self, query: dict[str, str]) -> Answer:
        wanted = query.get("state", "open")
        found = [self._seen(one) for one in self.pulls if wanted in ("all", one["state"])]
        page, limit = int(query.get("page", 1)), int(query.get("limit", 50))
        return 200, found[(page - 1) * limit : page * limit]

    def _create(self, asked: dict[str, Any]) -> Answer:
        head, base = asked["head"], asked["base"]
        for one in self.pulls:
            if one["state"] == "open" and (one["head"]["ref"], one["base"]["ref"]) == (head, base):
                message = f"pull request already exists for these targets [id: {one['id']}]"
                return 409, {"message": message}
        tip = self.repository.branches().get(head)
        if tip is None:
            return 404, {"message": "the head branch does not exist"}
        number = len(self.pulls) + 1
        made = {
            "id": 100 + number,
            "number": number,
            "state": "open",
            "merged": False,
            "merge_commit_sha": None,
            "html_url": f"{self.url}/{OWNER}/{NAME}/pulls/{number}",
            "title": asked["title"],
            "body": asked.get("body", ""),
            "mergeable": True,
            "draft": False,
            "labels": [],
            "head": {"ref": head, "sha": tip},
            "base": {"ref": base, "sha": self.repository.branches()[base]},
        }
        self.pulls.append(made)
        return 201, self._seen(made)

    def _get(self, number: str) -> Answer:
        found = [one for one in self.pulls if one["number"] == int(number)]
        return (200, self._seen(found[0])) if found else (404, {"message": "no such pull request"})

    def _update(self, number: str, asked: dict[str, Any]) -> Answer:
        status, found = self._get(number)
        if status == 200:
            found |= {name: value for name, value in asked.items() if name in ("title", "body", "state")}
        return (201, found) if status == 200 else (status, found)

    def _merge(self, number: str, asked: dict[str, Any]) -> Answer:
        status, found = self._get(number)
        if status != 200:
            return status, found
        if asked.get("head_commit_id") not in (None, "", found["head"]["sha"]):
            return 409, {"message": "the head of the pull request has moved"}
        self.repository.fast_forward(found["base"]["ref"], found["head"]["sha"])
        found |= {"state": "closed", "merged": True, "merge_commit_sha": found["head"]["sha"]}
        return 200, None

    def _comment(self, number: str, asked: dict[str, Any]) -> Answer:
        self.comments.append((int(number), asked["body"]))
        return 201, {"id": len(self.comments), "body": asked["body"]}
