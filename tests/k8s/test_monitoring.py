"""Alerts and dashboard: expressions of Prometheus's grammar, about metrics that there are."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final

import promql_parser
import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.clients import ask
from tests.k8s.manifests import ROOT, the
from tests.live.servers import Server

pytestmark = pytest.mark.k8s

PAGE: Final = (ROOT / "docs" / "operations.md").read_text()
RULES: Final[list[dict[str, Any]]] = [
    rule
    for group in the("overlays/production", "PrometheusRule")["spec"]["groups"]
    for rule in group["rules"]
]
DASHBOARD: Final = json.loads(
    the("overlays/production", "ConfigMap", "referee-dashboard")["data"]["dashboard.json"]
)
EXPRESSIONS: Final = [rule["expr"] for rule in RULES] + [
    target["expr"] for panel in DASHBOARD["panels"] for target in panel["targets"]
]
ENDS: Final = {"counter": ("_total",), "gauge": ("",), "histogram": ("_bucket", "_sum", "_count")}


def selectors(expression: str) -> Iterator[Any]:
    """What an expression selects."""
    found: list[Any] = []
    promql_parser.walk(promql_parser.parse(expression), found.append)
    for node in found:
        if isinstance(node, promql_parser.VectorSelector):
            yield node
        if isinstance(node, promql_parser.MatrixSelector):
            yield node.vector_selector


def test_every_metric_that_is_named_is_served(servers: list[Server]) -> None:
    """As a process shows them that serves, with the labels that are selected."""
    text = ask(f"{servers[0].url}/metrics").text
    served = {
        family.name + end
        for family in text_string_to_metric_families(text)
        for end in ENDS.get(family.type, ("",))
    }
    named = {node.name for expression in EXPRESSIONS for node in selectors(expression)}
    assert named <= served
    assert len(named) > 15


def test_every_alert_has_its_section_on_the_page() -> None:
    """And no other alert has one; the alert leads there."""
    written = PAGE.split("\n## Alerts\n")[1].split("\n## ")[0]
    sections = re.findall(r"^### (\w+)$", written, re.MULTILINE)
    assert sections == [rule["alert"] for rule in RULES]
    for rule in RULES:
        assert rule["annotations"]["runbook"] == f"docs/operations.md#{rule['alert'].lower()}"
        assert rule["labels"]["severity"] in {"critical", "warning"}


def test_no_two_panels_lie_over_each_other() -> None:
    """Each in a place of its own, with something to show."""
    places = [(panel["gridPos"]["x"], panel["gridPos"]["y"]) for panel in DASHBOARD["panels"]]
    assert len(set(places)) == len(places)
    assert all(panel["targets"] for panel in DASHBOARD["panels"])
