"""`k8s/base`: pods that fit the service."""

from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from referee.http.routes.operations import is_live, is_ready
from referee.serving.server import DRAIN_S
from referee.settings import Settings
from tests.clients import SECRET
from tests.k8s.manifests import K8S

pytestmark = pytest.mark.k8s

LABELS: Final = {"app.kubernetes.io/name": "referee"}


def manifest(file: str) -> Any:
    """The last document that a file of the base holds."""
    return list(yaml.safe_load_all((K8S / "base" / file).read_text()))[-1]


def test_everything_is_about_the_same_pods() -> None:
    """What selects them selects the label that they have."""
    spec = manifest("deployment.yaml")["spec"]
    assert spec["template"]["metadata"]["labels"] == spec["selector"]["matchLabels"] == LABELS
    assert manifest("service.yaml")["spec"]["selector"] == LABELS
    assert manifest("poddisruptionbudget.yaml")["spec"]["selector"]["matchLabels"] == LABELS
    assert manifest("networkpolicy.yaml")["spec"]["podSelector"]["matchLabels"] == LABELS


def test_the_settings_of_a_pod_start_the_service(tmp_path: Path) -> None:
    """With its secrets where the pod has them, and its metrics where the pod says; it is given
    time to leave.
    """  # noqa: D205 - one claim
    pod = manifest("deployment.yaml")["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    (tmp_path / "tokens").write_text(SECRET)
    (tmp_path / "redis-url").write_text("rediss://referee:word@store:6379")
    told = {each["name"]: each["value"] for each in container["env"]}
    mounts = {mount["name"]: mount["mountPath"] for mount in container["volumeMounts"]}
    told = {name: text.replace(mounts["secrets"], str(tmp_path)) for name, text in told.items()}
    settings = Settings.from_environment(told)
    settings.check_serve()
    ports = {port["name"]: port["containerPort"] for port in container["ports"]}
    assert ports == {"http": settings.port, "metrics": settings.metrics_port}
    slept = container["lifecycle"]["preStop"]["sleep"]["seconds"]
    assert slept + settings.drain_s + DRAIN_S + 5 < pod["terminationGracePeriodSeconds"]
    for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
        assert container[probe]["httpGet"]["path"] in is_live.paths | is_ready.paths


def test_nothing_goes_in_or_out_that_no_policy_names() -> None:
    """Of any pod of the namespace."""
    deny = next(yaml.safe_load_all((K8S / "base" / "networkpolicy.yaml").read_text()))["spec"]
    assert deny == {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}


def test_a_restart_takes_no_pod_before_another_is_there() -> None:
    """One process a pod, spread over zones; readiness is lost after half a minute of failing."""
    spec = manifest("deployment.yaml")["spec"]
    assert spec["strategy"]["rollingUpdate"]["maxUnavailable"] == 0
    (spread,) = spec["template"]["spec"]["topologySpreadConstraints"]
    assert spread["topologyKey"] == "topology.kubernetes.io/zone"
    (container,) = spec["template"]["spec"]["containers"]
    assert "REFEREE_WORKERS" not in {each["name"] for each in container["env"]}
    probe = container["readinessProbe"]
    assert (probe["failureThreshold"], probe["periodSeconds"]) == (6, 5)
