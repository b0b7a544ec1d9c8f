"""The signature schemes beside Flux's own, and CI triggers."""

from __future__ import annotations

import base64
import datetime
import hashlib
import hmac
import json
import time
from typing import Any


def hashed(key: str, body: bytes, algorithm: str = "sha256") -> str:
    """`<algorithm>=<hex>`, as X-Signature and X-Hub-Signature-256 want it."""
    return f"{algorithm}={hmac.new(key.encode(), body, getattr(hashlib, algorithm)).hexdigest()}"


def standard_webhooks(key: str, body: bytes, *, identity: str = "msg_1", at: float | None = None) -> dict[str, str]:
    """The three headers of the Standard Webhooks scheme; the key is used as it is written."""
    stamp = str(int(time.time() if at is None else at))
    mac = hmac.new(key.encode(), f"{identity}.{stamp}.".encode() + body, hashlib.sha256).digest()
    signature = "v1," + base64.b64encode(mac).decode()
    return {"webhook-id": identity, "webhook-timestamp": stamp, "webhook-signature": signature}


def bound_approval(key: str, path: str, body: bytes = b"", *, at: float | None = None) -> dict[str, str]:
    """The headers of an approval by program: bound to method, path, time and body."""
    stamp = str(int(time.time() if at is None else at))
    mac = hmac.new(key.encode(), f"POST\n{path}\n{stamp}\n".encode() + body, hashlib.sha256).hexdigest()
    return {"X-Sluice-Timestamp": stamp, "X-Signature": f"v1={mac}"}


def seconds_from_now(seconds: float) -> str:
    """A time as Flux writes it."""
    moment = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=seconds)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def trigger(revision: str, **more: Any) -> bytes:
    """The body of a CI trigger, timed now unless told otherwise."""
    return json.dumps({"revision": revision, "timestamp": seconds_from_now(0)} | more).encode()
