"""Flux events as notification-controller forwards them, and their signature."""

from __future__ import annotations

import datetime
import hashlib
import hmac
import json
from typing import Any, Mapping

SUCCESS_MESSAGE = "Helm upgrade succeeded for release podinfo/podinfo.v2 with chart podinfo@{revision}"
FAILURE_MESSAGE = "Helm upgrade failed for release podinfo/podinfo with chart podinfo@{revision}: timed out"


def now() -> str:
    """Flux writes UTC in whole seconds."""
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def flux_event(
    revision: str | None = "6.1.8",
    reason: str = "UpgradeSucceeded",
    *,
    kind: str = "HelmRelease",
    api_version: str = "helm.toolkit.fluxcd.io/v2",
    name: str = "podinfo",
    namespace: str = "podinfo",
    cluster: str | None = None,
    severity: str | None = None,
    timestamp: str | None = None,
    message: str | None = None,
    metadata: Mapping[str, str] | None = None,
    controller: str = "helm-controller",
) -> dict[str, Any]:
    """The event's JSON in Flux's field order; severity and message follow the reason unless given."""
    failed = reason.endswith("Failed")
    text = message or (FAILURE_MESSAGE if failed else SUCCESS_MESSAGE).format(revision=revision)
    told = {"revision": revision, "cluster": cluster}
    return {
        "involvedObject": {
            "kind": kind,
            "namespace": namespace,
            "name": name,
            "uid": "7d0cdc51-ddcf-4743-b223-83ca5c699632",
            "apiVersion": api_version,
            "resourceVersion": "4711",
        },
        "severity": severity or ("error" if failed else "info"),
        "timestamp": timestamp or now(),
        "message": text,
        "reason": reason,
        "metadata": {key: value for key, value in told.items() if value is not None} | dict(metadata or {}),
        "reportingController": controller,
        "reportingInstance": f"{controller}-7d8b4c6f9-x2x7k",
    }


def encode(event: Mapping[str, Any]) -> bytes:
    return json.dumps(event, separators=(",", ":")).encode()


def signature(key: str | bytes, body: bytes) -> str:
    secret = key.encode() if isinstance(key, str) else key
    return "sha256=" + hmac.new(secret, body, hashlib.sha256).hexdigest()


def signed_headers(key: str | bytes, body: bytes) -> dict[str, str]:
    """The headers of a generic-hmac Provider's request for this body."""
    return {
        "Content-Type": "application/json",
        "Gotk-Component": "helm-controller",
        "X-Signature": signature(key, body),
    }
