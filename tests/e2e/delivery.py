"""The way of an event from a cluster to Sluice: Secret, Provider, Alert and notification-controller."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Mapping

from cluster import Cluster
from flux import NotificationController, alert, namespace, provider, secret
from flux_events import flux_event
from peer import Peer


class Delivery:
    """One HelmRelease `podinfo` in one namespace, whose events go to one address."""

    def __init__(self, cluster: Cluster, controller: Peer, where: str, folder: Path):
        self.namespace = where
        self._cluster = cluster
        self.controller = NotificationController(controller, cluster, folder / "notification-controller.log")

    def connect(
        self,
        address: str,
        *,
        token: str,
        authority: Path | None = None,
        metadata: Mapping[str, str] | None = None,
    ) -> None:
        """What `sluice connect` has a user apply in the cluster; then Flux starts."""
        objects = [namespace(self.namespace), secret("token", self.namespace, {"token": token})]
        if authority:
            objects.append(secret("authority", self.namespace, {"ca.crt": authority.read_text()}))
        objects.append(provider(self.namespace, address, certificate=authority is not None))
        objects.append(alert(self.namespace, metadata))
        for one in objects:
            self._cluster.apply_object(one)
        self.controller.start()

    def emit(self, revision: str, reason: str) -> None:
        self.controller.emit(flux_event(revision, reason, namespace=self.namespace))

    def refusals(self) -> list[dict[str, Any]]:
        """The Kubernetes Events by which Flux tells that it could not deliver."""
        return self._cluster.events(self.namespace, "NotificationDispatchFailed")

    def stop(self) -> None:
        self.controller.stop()
