"""The overlays and components: what Kubernetes would be given, and what checkov thinks of it."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any, Final

import jsonschema
import kubernetes_validate
import pytest
import redis
import yaml
from redis.backoff import ConstantBackoff
from redis.retry import Retry

from referee.settings import Settings, SettingsError
from referee.store import examined
from referee.store.embedded.server import find_server
from tests.clients import SECRET
from tests.k8s.manifests import K8S, OVERLAYS, ROOT, documents, pod_of, pods, text_of, the
from tests.store.machines import free_port

pytestmark = pytest.mark.k8s

HERE: Final = Path(__file__).parent
CUSTOM: Final = {"ServiceMonitor", "PrometheusRule"}
PAGE: Final = (ROOT / "docs" / "operations.md").read_text()


@pytest.mark.parametrize("overlay", OVERLAYS)
@pytest.mark.parametrize("version", ["1.32", "1.33", "1.34"])
def test_kubernetes_takes_all_of_it(overlay: str, version: str) -> None:
    """By the schema of each kind; of those that are not Kubernetes's own see below."""
    for document in documents(overlay):
        if document["kind"] not in CUSTOM | {"HTTPRoute"}:
            kubernetes_validate.validate(document, version, strict=True)


def test_the_operator_of_prometheus_takes_what_is_for_it() -> None:
    """By the schemas of its custom resources."""
    found = [each for each in documents("overlays/production") if each["kind"] in CUSTOM]
    assert {each["kind"] for each in found} == CUSTOM
    for document in found:
        schema = json.loads((HERE / "crds" / f"{document['kind']}.json").read_text())
        jsonschema.validate(document, schema, cls=jsonschema.Draft202012Validator)


def test_every_component_is_in_an_overlay_and_every_file_in_its_folder() -> None:
    """So that all of it is looked at here."""
    for folder in {file.parent for file in K8S.rglob("*.yaml")}:
        told = (folder / "kustomization.yaml").read_text()
        for file in folder.iterdir():
            assert file.name == "kustomization.yaml" or file.name in told, file
    used = "".join((K8S / each / "kustomization.yaml").read_text() for each in OVERLAYS)
    assert all(f"components/{each.name}\n" in used for each in (K8S / "components").iterdir())


def test_checkov_finds_nothing(tmp_path: Path) -> None:
    """But for what is skipped, with the reason beside it."""
    for overlay in OVERLAYS[1:]:
        (tmp_path / f"{Path(overlay).name}.yaml").write_text(text_of(overlay))
    checkov = ROOT / os.environ.get("CHECKOV", ".venv/checkov/bin/checkov")
    line = [checkov, "-d", tmp_path, "--config-file", HERE / "checkov.yaml", "-o", "json"]
    done = subprocess.run([*map(str, line)], check=False, capture_output=True, text=True)
    found = json.loads(done.stdout)
    assert [each["check_id"] for each in found["results"]["failed_checks"]] == []
    assert found["summary"]["passed"] > 400
    assert done.returncode == 0


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_every_pod_has_next_to_no_rights(overlay: str) -> None:
    """The profile "restricted", a root that is read-only, and nothing of Kubernetes."""
    for pod in pods(overlay):
        assert pod["securityContext"]["runAsNonRoot"]
        assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        assert not pod["automountServiceAccountToken"]
        assert not pod["enableServiceLinks"]
        (container,) = pod["containers"]
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
            "readOnlyRootFilesystem": True,
        }


def test_production_names_images_by_digest() -> None:
    """All of them: what runs is what was tried."""
    images = [
        container["image"] for pod in pods("overlays/production") for container in pod["containers"]
    ]
    assert set(images) == {"registry.example/referee@sha256:IMAGE_DIGEST"}


def test_what_is_to_be_filled_in_is_told_and_nothing_runs_before() -> None:
    """No node takes such a digest, and no process such a bucket; the page says what goes there."""
    told = "".join(file.read_text() for file in K8S.rglob("*.yaml"))
    marks = set(re.findall(r"\b[A-Z]+_(?:DIGEST|BUCKET)\b", told))
    assert marks == {"IMAGE_DIGEST", "VALKEY_DIGEST", "ARCHIVE_BUCKET"}
    assert all(f"`{mark}`" in PAGE for mark in marks | {"DIGEST", "referee.example"})
    digests = set(re.findall(r"(?:@|digest: )sha256:(\S+)", told))
    assert digests == {mark for mark in marks if "DIGEST" in mark}
    assert not any(re.fullmatch("[0-9a-f]{64}", digest) for digest in digests)
    with pytest.raises(SettingsError, match="REFEREE_ARCHIVE: must be a folder, or s3://BUCKET"):
        Settings.from_environment(
            the("overlays/production", "ConfigMap", "referee-archive")["data"]
        )


def test_an_autoscaler_counts_the_pods_of_production() -> None:
    """By streams and processor, and nobody else says how many there are."""
    scaler = the("overlays/production", "HorizontalPodAutoscaler")["spec"]
    metrics = [next(iter(each[each["type"].lower()].values())) for each in scaler["metrics"]]
    assert metrics == [{"name": "referee_live_streams"}, "cpu"]
    assert "replicas" not in the("overlays/production", "Deployment")["spec"]


def test_both_streams_have_no_time_out_in_the_gateway() -> None:
    """Everything else has one."""
    streams, rest = the("overlays/production", "HTTPRoute")["spec"]["rules"]
    assert (streams["timeouts"], rest["timeouts"]) == ({"request": "0s"}, {"request": "30s"})
    pattern = streams["matches"][0]["path"]["value"]
    for path, is_stream in {
        "/v1/matches/abc-1/events": True,
        "/v1/matches/abc-1/live": True,
        "/v1/matches/abc-1/commands": False,
        "/v1/matches": False,
    }.items():
        assert bool(re.fullmatch(pattern, path)) == is_stream


def filled_in(told: dict[str, str]) -> dict[str, str]:
    """What a ConfigMap tells, with a bucket of somebody's."""
    return {name: text.replace("ARCHIVE_BUCKET", "bucket") for name, text in told.items()}


def settings_of(pod: Any, folder: Path) -> Settings:
    """The settings that a pod of production starts with, its secrets in the folder."""
    (container,) = pod["containers"]
    told = {each["name"]: each["value"] for each in container["env"] if "REFEREE" in each["name"]}
    told |= filled_in(the("overlays/production", "ConfigMap", "referee-archive")["data"])
    (folder / "tokens").write_text(SECRET)
    (folder / "redis-url").write_text("rediss://referee:word@store:6379")
    return Settings.from_environment(
        {name: text.replace("/secrets", str(folder)) for name, text in told.items()}
    )


def test_the_settings_of_production_go_together(tmp_path: Path) -> None:
    """Of the service, and of what archives: it has another user of the store."""
    deployment = pod_of(the("overlays/production", "Deployment"))
    served = settings_of(deployment, tmp_path)
    served.check_serve()
    archiver = pod_of(the("overlays/production", "CronJob", "referee-archive"))
    assert settings_of(archiver, tmp_path).archive == served.archive == "s3://bucket"
    secrets = [
        {each["name"]: each["secret"]["secretName"] for each in pod["volumes"] if "secret" in each}
        for pod in (deployment, archiver)
    ]
    assert secrets == [
        {"secrets": "referee", "tls": "referee-tls"},
        {"secrets": "referee-archiver", "tls": "referee-tls"},
    ]


def test_the_archive_is_judged_in_as_many_shares_as_there_are_pods() -> None:
    """From the first to the last."""
    cron = the("overlays/production", "CronJob", "referee-verify")["spec"]["jobTemplate"]["spec"]
    (container,) = cron["template"]["spec"]["containers"]
    shares = {each["name"]: each["value"] for each in container["env"]}["SHARES"]
    assert cron["completionMode"] == "Indexed"
    assert shares == str(cron["completions"])
    script = container["command"][2].replace("exec replay", "echo")
    told = []
    for index in range(cron["completions"]):
        env = {"JOB_COMPLETION_INDEX": str(index), "SHARES": shares, "REFEREE_ARCHIVE": "a"}
        done = subprocess.run(["sh", "-c", script], env=env, check=True, capture_output=True)
        told.append(done.stdout.decode().strip())
    assert told == [f"verify a --shard {share}/4 --jobs 1" for share in range(1, 5)]


def test_on_the_valkey_of_dev_nothing_is_wrong(tmp_path: Path) -> None:
    """With its file, its users and the secrets of dev it is all that the doctor asks for."""
    literals = yaml.safe_load((K8S / "overlays" / "dev" / "kustomization.yaml").read_text())
    told = dict(each.split("=", 1) for each in literals["secretGenerator"][0]["literals"])
    named = {"REFEREE_SECRET": told["tokens"], "REFEREE_REDIS_URL": told["redis-url"]}
    Settings.from_environment(named).check_serve()
    port = free_port()
    kept = (K8S / "components" / "valkey" / "valkey.conf").read_text() + f"port {port}\n"
    kept = kept.replace("/acl", str(K8S / "overlays" / "dev")).replace(
        "dir /data", f"dir {tmp_path}"
    )
    config = tmp_path / "valkey.conf"
    config.write_text(kept)
    server = subprocess.Popen([find_server(), config], stdout=subprocess.DEVNULL)
    try:
        url = told["redis-url"].replace("valkey:6379", f"127.0.0.1:{port}")
        with redis.Redis.from_url(url, retry=Retry(ConstantBackoff(0.1), 300)) as client:
            client.ping()
        (found,) = asyncio.run(examined(url, 0, rights=True))
    finally:
        server.kill()
        server.wait()
    assert found.findings == ()


def test_the_valkey_of_dev_is_as_the_page_says() -> None:
    """Its file keeps what was acknowledged; its user has the least rights, the doctor's too."""
    kept = (K8S / "components" / "valkey" / "valkey.conf").read_text()
    for line in ("appendonly yes", "appendfsync always", "maxmemory-policy noeviction"):
        assert line in kept
        assert line in PAGE
    off, user = (K8S / "overlays" / "dev" / "users.acl").read_text().splitlines()
    assert off == "user default off"
    grants = re.findall(r"^ACL SETUSER (.*)$", PAGE, re.MULTILINE)
    first, second = grants[0].replace(">PASSWORD", ">development"), grants[1]
    assert user == f"user {first} {second.removeprefix('referee ')}"
