"""Files for Prometheus and Grafana: each rule and each query is valid, names metrics that exist, and alerts as it should."""

import json
import re
from pathlib import Path

import pytest
import yaml

from portal.telemetry.metrics import Timings
from portal_dev.reference.metrics import declared
from tests.support.block_readers import read_promql
from tests.support.harness import ROOT, require_tool, run_program

FOLDER = ROOT / "deploy" / "prometheus"
RULE_FILES = ("portal-rules.yml", "portal-alerts.yml")
UNIT_TESTS = ROOT / "tests" / "deploy" / "prometheus" / "alerts_test.yml"
RULES = [
    rule
    for name in RULE_FILES
    for group in yaml.safe_load((FOLDER / name).read_text())["groups"]
    for rule in group["rules"]
]
ALERTS = [rule for rule in RULES if "alert" in rule]
PANELS = json.loads((ROOT / "deploy" / "grafana" / "portal.json").read_text())["panels"]


@pytest.mark.parametrize(
    "words",
    [
        ("check", "rules", *RULE_FILES),
        ("check", "config", "--syntax-only", "prometheus.yml"),
        # Each alert fires when it should, and not when it should not.
        ("test", "rules", str(UNIT_TESTS)),
    ],
    ids=" ".join,
)
def test_promtool_finds_nothing(words: tuple[str, ...]) -> None:
    run_program(require_tool("promtool"), *words, cwd=FOLDER)


def test_each_alert_has_a_unit_test_and_says_what_to_do() -> None:
    tested = set(re.findall(r'alertname="(\w+)"', UNIT_TESTS.read_text()))
    assert tested == {alert["alert"] for alert in ALERTS}
    monitor = (ROOT / "docs" / "how-to" / "monitor.md").read_text()
    for alert in ALERTS:
        name, annotations = alert["alert"], alert["annotations"]
        assert alert["labels"]["severity"] in {"warning", "critical"}
        assert set(annotations) == {"summary", "description", "runbook_url"}
        section = re.search(rf"^### {name}\n(.*?)(?=^### |\Z)", monitor, flags=re.MULTILINE | re.DOTALL)[1]
        runbook = re.search(r"Runbook: \[[^\]]+\]\(\.\./(runbooks/[\w-]+\.md)\)", section)
        link = runbook[1] if runbook else f"how-to/monitor.md#{name.lower()}"
        assert annotations["runbook_url"] == f"docs/{link}"


def test_queries_are_valid_and_name_known_metrics(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    queries = [target["expr"] for panel in PANELS for target in panel.get("targets", ())]
    assert len(queries) > 20
    for variable, value in {"$__rate_interval": "5m", "$app": "energy", "$instance": ".*"}.items():
        queries = [query.replace(variable, value) for query in queries]
    read_promql("\n".join(" ".join(query.split()) for query in queries), tmp_path, monkeypatch)
    known = {rule["record"] for rule in RULES if "record" in rule}
    for family in declared():
        endings = ("_bucket", "_count", "_sum") if isinstance(family, Timings) else ("",)
        known |= {f"{family.name}{ending}" for ending in endings}
    for query in (*queries, *(rule["expr"] for rule in RULES)):
        named = set(re.findall(r"\b(?:portal_\w+|process_\w+|app(?:_\w+)?:\w+:\w+)", re.sub(r'"[^"]*"', "", query)))
        assert {name for name in named if not name.startswith("process_")} <= known, query
        assert named or "up{" in query, query
