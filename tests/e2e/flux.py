"""The real notification-controller, and the objects that make it deliver to Sluice."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any, Mapping

from cluster import Cluster
from flux_events import encode
from http_request import Response, http_request
from peer import Peer
from process import Process, free_ports

API_VERSION = "notification.toolkit.fluxcd.io/v1beta3"


def namespace(name: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}


def secret(name: str, where: str, keys: Mapping[str, str]) -> dict[str, Any]:
    data = {key: base64.b64encode(value.encode()).decode() for key, value in keys.items()}
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name, "namespace": where}, "data": data}


def provider(where: str, address: str, *, certificate: bool) -> dict[str, Any]:
    """Type generic-hmac; its token is in the Secret `token`, and whom it trusts in `authority`."""
    spec: dict[str, Any] = {"type": "generic-hmac", "address": address, "secretRef": {"name": "token"}}
    if certificate:
        spec["certSecretRef"] = {"name": "authority"}
    metadata = {"name": "sluice", "namespace": where}
    return {"apiVersion": API_VERSION, "kind": "Provider", "metadata": metadata, "spec": spec}


def alert(where: str, metadata: Mapping[str, str] | None) -> dict[str, Any]:
    """Every event of the HelmRelease podinfo, which need not exist: only matchLabels would look it up."""
    spec: dict[str, Any] = {
        "providerRef": {"name": "sluice"},
        "eventSeverity": "info",
        "eventSources": [{"kind": "HelmRelease", "name": "podinfo", "namespace": where}],
    }
    if metadata:
        spec["eventMetadata"] = dict(metadata)
    return {
        "apiVersion": API_VERSION,
        "kind": "Alert",
        "metadata": {"name": "sluice", "namespace": where},
        "spec": spec,
    }


def as_emitted(event: Mapping[str, Any]) -> dict[str, Any]:
    """The event as a Flux controller hands it to notification-controller: keys carry the object's group."""
    group = event["involvedObject"]["apiVersion"].split("/")[0]
    return dict(event) | {"metadata": {f"{group}/{key}": value for key, value in event["metadata"].items()}}


class NotificationController:
    """Start it after the objects it shall know: it reads them from a cache filled before it gets ready."""

    def __init__(self, peer: Peer, cluster: Cluster, log: Path):
        (port,) = free_ports(1)
        self._events = f"http://127.0.0.1:{port}/"
        self.process = Process(
            [
                peer.binary,
                f"--events-addr=127.0.0.1:{port}",
                "--health-addr=127.0.0.1:0",
                "--metrics-addr=127.0.0.1:0",
                "--receiverAddr=127.0.0.1:0",
            ],
            log,
            {"KUBECONFIG": str(cluster.kubeconfig), "RUNTIME_NAMESPACE": "flux-system"},
        )

    def start(self) -> None:
        self.process.start(self._caches_filled, deadline=30)

    def stop(self) -> None:
        self.process.stop(deadline=30)

    def emit(self, event: Mapping[str, Any]) -> None:
        """Plays helm-controller: hands over one event, which is dispatched at once."""
        answer: Response = http_request(
            "POST", self._events, encode(as_emitted(event)), {"Content-Type": "application/json"}
        )
        assert answer.status == 202, f"notification-controller answered {answer.status} {answer.body.decode()}"

    def dispatch_failures(self) -> list[str]:
        return [line for line in self.process.text().splitlines() if "failed to send notification" in line]

    def _caches_filled(self) -> bool:
        started = [line for line in self.process.text().splitlines() if '"Starting workers"' in line]
        return all(any(f'"controller":"{kind}"' in line for line in started) for kind in ("alert", "provider"))
