"""What kubectl makes of `k8s/`: overlays as they are applied."""

from __future__ import annotations

import subprocess
from functools import cache
from pathlib import Path
from typing import Any, Final

import yaml

ROOT: Final = Path(__file__).parents[2]
K8S: Final = ROOT / "k8s"
OVERLAYS: Final = ("base", "overlays/dev", "overlays/production")


@cache
def text_of(overlay: str) -> str:
    """All that is applied, as YAML."""
    command = ["kubectl", "kustomize", str(K8S / overlay)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def documents(overlay: str) -> list[Any]:
    """The same, one by one."""
    return list(yaml.safe_load_all(text_of(overlay)))


def the(overlay: str, kind: str, name: str = "referee") -> Any:
    """The one of a kind that has this name."""
    (found,) = (
        each
        for each in documents(overlay)
        if (each["kind"], each["metadata"]["name"].partition("-h")[0]) == (kind, name)
    )
    return found


def pod_of(document: Any) -> Any:
    """The spec of the pods that a Deployment, StatefulSet or CronJob makes."""
    spec = document["spec"]
    spec = spec["jobTemplate"]["spec"] if document["kind"] == "CronJob" else spec
    return spec["template"]["spec"]


def pods(overlay: str) -> list[Any]:
    """Those of all that make some."""
    makers = ("Deployment", "StatefulSet", "CronJob")
    return [pod_of(each) for each in documents(overlay) if each["kind"] in makers]
