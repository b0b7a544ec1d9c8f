"""Pipeline manifests as users write them, in block-style YAML."""

from __future__ import annotations

import json
from typing import Any, Sequence


def to_yaml(value: Any, indent: int = 0) -> str:
    """Block style; strings are written in double quotes, so that no reader takes one for a number."""
    pad = "  " * indent
    if isinstance(value, dict) and value:
        return "".join(f"{pad}{key}:{_below(inner, indent)}" for key, inner in value.items())
    if isinstance(value, list) and value:
        return "".join(f"{pad}-{_below(inner, indent)}" for inner in value)
    return f"{pad}{json.dumps(value)}\n"


def _below(value: Any, indent: int) -> str:
    if isinstance(value, (dict, list)) and value:
        return "\n" + to_yaml(value, indent + 1)
    return f" {json.dumps(value)}\n"


def environment(name: str, namespace: str, *, cluster: bool = True, **more: Any) -> dict[str, Any]:
    """One environment with one target, on the cluster of the environment's name unless `cluster` is false."""
    target: dict[str, Any] = {"namespace": namespace}
    if cluster:
        target["clusterRef"] = {"kind": "GitopsCluster", "name": name, "namespace": "flux-system"}
    return {"name": name, "targets": [target]} | more


def pipeline(
    name: str = "podinfo",
    namespace: str = "default",
    *,
    environments: Sequence[str | dict[str, Any]] = ("dev", "prod"),
    target_namespace: str = "podinfo",
    secret: str | None = "promotion-credentials",
    strategy: dict[str, Any] | None = None,
    **promotion: Any,
) -> dict[str, Any]:
    """A Pipeline for the HelmRelease podinfo; further arguments go into `spec.promotion`."""
    chosen = dict(strategy or {"notification": {}})
    if secret is not None:
        chosen["secretRef"] = {"name": secret}
    return {
        "apiVersion": "pipelines.weave.works/v1alpha1",
        "kind": "Pipeline",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {
            "appRef": {"apiVersion": "helm.toolkit.fluxcd.io/v2", "kind": "HelmRelease", "name": "podinfo"},
            "environments": [
                environment(one, target_namespace) if isinstance(one, str) else one for one in environments
            ],
            "promotion": promotion | {"strategy": chosen},
        },
    }


def pipeline_yaml(*arguments: Any, **options: Any) -> str:
    return to_yaml(pipeline(*arguments, **options))
