"""`k8s/`: manifests that Kubernetes takes, and that fit the service."""

from pathlib import Path
from typing import Any, Final

import kubernetes_validate
import pytest
import yaml

from referee.http.routes.operations import is_live, is_ready
from referee.serving.server import DRAIN_S
from referee.settings import Settings
from tests.clients import SECRET

BASE: Final = Path(__file__).parents[1] / "k8s" / "base"
FILES: Final[list[str]] = yaml.safe_load((BASE / "kustomization.yaml").read_text())["resources"]
LABELS: Final = {"app.kubernetes.io/name": "referee"}


def manifest(file: str) -> Any:
    """What a file holds."""
    return yaml.safe_load((BASE / file).read_text())


@pytest.mark.parametrize("version", ["1.32", "1.33", "1.34"])
def test_kubernetes_takes_all_of_it(version: str) -> None:
    """Every file is one of those that are applied, and by the schema of its kind."""
    assert {*FILES, "kustomization.yaml"} == {file.name for file in BASE.iterdir()}
    for file in FILES:
        kubernetes_validate.validate(manifest(file), version, strict=True)


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
    assert settings.drain_s + DRAIN_S < pod["terminationGracePeriodSeconds"]
    for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
        assert container[probe]["httpGet"]["path"] in is_live.paths | is_ready.paths
