"""A server with one pipeline that is ready to be told something, and the words the tests use to tell it."""

from __future__ import annotations

import ssl
from pathlib import Path
from typing import Any, Iterable, Mapping

from control_socket import control_request
from exposition import Family, parse
from flux_events import encode, flux_event, signed_headers
from pipelines import pipeline_yaml
from sluice import Sluice
from tls_client import Answer, Connection

# No byte of it may ever be seen outside the secrets folder; conftest.py searches every log for it.
KEY = "canary-5f1d2e77-never-to-be-seen"
PATH = "/default/podinfo/dev"
PAGE = 5000


class Instance(Sluice):
    """Starts with the pipeline default/podinfo (dev, then prod, on any cluster) whose key is KEY."""

    def __init__(self, folder: Path, *, plain: bool = False, manual: bool = False, **options: Any):
        listen = ("https://127.0.0.1:0", "http://127.0.0.1:0") if plain else ("https://127.0.0.1:0",)
        super().__init__(folder, listen=options.pop("listen", listen), **options)
        self.write_pipeline(pipeline_yaml(manual=manual))
        self.write_secret("promotion-credentials", {"hmac-key": KEY})

    def connect(self, **options: Any) -> Connection:
        context: ssl.SSLContext | None = options.pop("context", None)
        url = options.pop("url", self.url)
        return Connection(url, context or (self.ssl_context() if url.startswith("https:") else None), **options)

    def tell(self, body: bytes, *, path: str = PATH, key: str = KEY, **options: Any) -> Answer:
        """A signed event on a new connection, as Flux sends it."""
        with self.connect(**options) as connection:
            return connection.post(path, body, signed_headers(key, body))

    def event(self, revision: str, *, path: str = PATH, key: str = KEY, **fields: Any) -> Answer:
        return self.tell(encode(flux_event(revision, **fields)), path=path, key=key)

    def ask(
        self, method: str, path: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> Answer:
        with self.connect() as connection:
            return connection.request(method, path, body, headers)

    def admin(self, path: str) -> Answer:
        with self.connect(url=self.admin_url) as connection:
            return connection.request("GET", path)

    def metrics(self) -> dict[str, Family]:
        answer = self.admin("/metrics")
        assert answer.status == 200
        return parse(answer.body.decode())

    def identities(self, pipelines: Iterable[str] = ("podinfo",)) -> set[str]:
        """Every promotion of these pipelines in the ledger; fails when one is there twice."""
        listed: list[str] = []
        for name in pipelines:
            query = f"pipeline={name}&limit={PAGE}"
            page = control_request(self.state, "GET", f"/api/v1/promotions?{query}").json()["items"]
            assert len(page) < PAGE, "there may be more than are listed"
            listed += [one["id"] for one in page]
        assert len(listed) == len(set(listed)), "a promotion is listed twice"
        return set(listed)


def write_crowd(server: Instance, names: Iterable[str], **options: Any) -> None:
    """One file with a pipeline for each name, all with the same key."""
    server.write_pipeline("---\n".join(pipeline_yaml(name, **options) for name in names), "crowd")
