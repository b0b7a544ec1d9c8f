"""One HTTP request with the standard library, over TLS that is always verified."""

from __future__ import annotations

import http.client
import json
import ssl
import urllib.parse
from typing import Any, Mapping, NamedTuple


class Response(NamedTuple):
    """An answer with its whole body."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


def http_request(
    method: str,
    url: str,
    body: bytes | None = None,
    headers: Mapping[str, str] | None = None,
    *,
    context: ssl.SSLContext | None = None,
    timeout: float = 10.0,
) -> Response:
    """Sent on a connection of its own; https wants the context that says whom to trust."""
    parts = urllib.parse.urlsplit(url)
    if parts.scheme == "https":
        assert context is not None, "https without a context that says whom to trust"
        connection: http.client.HTTPConnection = http.client.HTTPSConnection(
            parts.hostname, parts.port, timeout=timeout, context=context
        )
    else:
        connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=timeout)
    target = parts.path + (f"?{parts.query}" if parts.query else "")
    try:
        connection.request(method, target, body, dict(headers or {}))
        answer = connection.getresponse()
        return Response(answer.status, answer.headers, answer.read())
    finally:
        connection.close()
