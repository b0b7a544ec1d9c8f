"""A Kubernetes API on loopback: etcd and kube-apiserver, nothing else; no kubelet, no root."""

from __future__ import annotations

import json
import ssl
import subprocess
from pathlib import Path
from typing import Any

from http_request import Response, http_request
from peer import Peer
from process import Process, free_ports, wait_until

TOKEN = "admintoken"  # of a user whose whole world is one test run

PATHS = {
    "Namespace": "/api/v1/namespaces",
    "Secret": "/api/v1/namespaces/{namespace}/secrets",
    "Provider": "/apis/notification.toolkit.fluxcd.io/v1beta3/namespaces/{namespace}/providers",
    "Alert": "/apis/notification.toolkit.fluxcd.io/v1beta3/namespaces/{namespace}/alerts",
}


class Cluster:
    """Objects are written by server-side apply, as kubectl and Flux do."""

    def __init__(self, peers: dict[str, Peer], folder: Path):
        self.folder = folder
        client, internal, secure = free_ports(3)
        self.url = f"https://127.0.0.1:{secure}"
        self.kubeconfig = folder / "kubeconfig"
        self._certificate = folder / "certificates" / "apiserver.crt"
        self._etcd_url = f"http://127.0.0.1:{client}"
        peer_url = f"http://127.0.0.1:{internal}"
        self.etcd = Process(
            [
                peers["etcd"].binary,
                f"--data-dir={folder / 'etcd'}",
                f"--listen-client-urls={self._etcd_url}",
                f"--advertise-client-urls={self._etcd_url}",
                f"--listen-peer-urls={peer_url}",
                f"--initial-advertise-peer-urls={peer_url}",
                f"--initial-cluster=default={peer_url}",
                "--unsafe-no-fsync",  # nothing here must survive a crash
            ],
            folder / "etcd.log",
        )
        self.apiserver = Process(
            [
                peers["kube-apiserver"].binary,
                f"--etcd-servers={self._etcd_url}",
                f"--secure-port={secure}",
                "--bind-address=127.0.0.1",
                "--advertise-address=127.0.0.1",  # else it looks for a default route, which a sandbox may lack
                f"--cert-dir={self._certificate.parent}",
                "--service-cluster-ip-range=10.0.0.0/24",
                f"--service-account-key-file={folder / 'sa.key'}",
                f"--service-account-signing-key-file={folder / 'sa.key'}",
                "--service-account-issuer=https://kubernetes.default.svc",
                f"--token-auth-file={folder / 'tokens.csv'}",
                "--authorization-mode=RBAC",
                "--disable-admission-plugins=ServiceAccount",  # no controller makes the accounts
                "--endpoint-reconciler-type=none",
            ],
            folder / "kube-apiserver.log",
        )

    def start(self) -> None:
        subprocess.run(
            ["openssl", "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", str(self.folder / "sa.key")],
            check=True,
            timeout=30,
        )
        (self.folder / "tokens.csv").write_text(f"{TOKEN},admin,1,system:masters\n")
        self.etcd.start(lambda: _answers(f"{self._etcd_url}/readyz"), deadline=30)
        self.apiserver.start(lambda: self._certificate.exists() and self._ready(), deadline=120)
        self.kubeconfig.write_text(self._kubeconfig())

    def stop(self) -> None:
        try:
            self.apiserver.stop(deadline=30)
        finally:
            self.etcd.stop(deadline=30)

    def request(self, method: str, path: str, body: bytes | None = None, content_type: str = "") -> Response:
        headers = {"Authorization": f"Bearer {TOKEN}"} | ({"Content-Type": content_type} if content_type else {})
        context = ssl.create_default_context(cafile=str(self._certificate))
        return http_request(method, self.url + path, body, headers, context=context)

    def apply(self, path: str, manifest: bytes) -> None:
        target = f"{path}?fieldManager=e2e&force=true"
        answer = self.request("PATCH", target, manifest, "application/apply-patch+yaml")
        assert answer.status in (200, 201), f"apply {path}: {answer.status} {answer.body.decode()}"

    def apply_object(self, manifest: dict[str, Any]) -> None:
        metadata = manifest["metadata"]
        path = PATHS[manifest["kind"]].format(namespace=metadata.get("namespace"))
        self.apply(f"{path}/{metadata['name']}", json.dumps(manifest).encode())

    def apply_crds(self, folder: Path) -> None:
        """Each file is named <group>_<plural>.yaml; returns when the API server serves all of them."""
        for file in sorted(folder.glob("*.yaml")):
            group, plural = file.stem.split("_", 1)
            path = f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{plural}.{group}"
            self.apply(path, file.read_bytes())
            wait_until(lambda path=path: self._established(path), f"the CRD {plural} to be served", 30)

    def events(self, namespace: str, reason: str) -> list[dict[str, Any]]:
        """What a person sees with `kubectl get events`."""
        answer = self.request("GET", f"/api/v1/namespaces/{namespace}/events")
        return [event for event in answer.json()["items"] if event["reason"] == reason]

    def _ready(self) -> bool:
        try:
            return self.request("GET", "/readyz").status == 200
        except OSError:
            return False

    def _established(self, path: str) -> bool:
        conditions = self.request("GET", path).json().get("status", {}).get("conditions") or []
        return any(one["type"] == "Established" and one["status"] == "True" for one in conditions)

    def _kubeconfig(self) -> str:
        cluster = {"server": self.url, "certificate-authority": str(self._certificate)}
        content = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "e2e", "cluster": cluster}],
            "users": [{"name": "admin", "user": {"token": TOKEN}}],
            "contexts": [{"name": "e2e", "context": {"cluster": "e2e", "user": "admin"}}],
            "current-context": "e2e",
        }
        return json.dumps(content, indent=2)


def _answers(url: str) -> bool:
    try:
        return http_request("GET", url).status == 200
    except OSError:
        return False
