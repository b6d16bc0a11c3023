"""The files for Prometheus and Grafana: right by themselves, and with a real Prometheus that watches a real server."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import re
import signal
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
import requests
import yaml

from portal.config.cookies import VAR_ACCESS_TOKEN, VAR_REFRESH_TOKEN
from portal.config.projects import PROJECTS
from portal_dev.reference.metrics import metric_names
from tests.deploy.prometheus_server import FOLDER, PATIENCE_S, RULE_FILES, Prometheus, prometheus_server
from tests.functional.test_serve import serving
from tests.support.harness import ROOT, RunningStack, require_tool, running_stack

TOKEN = "of-the-metrics-and-of-this-test"
UNIT_TESTS = ROOT / "tests" / "deploy" / "prometheus" / "alerts_test.yml"
ALERTS = [
    rule for group in yaml.safe_load((FOLDER / "portal-alerts.yml").read_text())["groups"] for rule in group["rules"]
]
DASHBOARD = json.loads((ROOT / "deploy" / "grafana" / "portal.json").read_text())
PANELS = [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]


def promtool(*arguments: object) -> None:
    done = subprocess.run(
        [require_tool("promtool"), *map(str, arguments)], cwd=FOLDER, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_rules_are_valid() -> None:
    promtool("check", "rules", *RULE_FILES)
    promtool("check", "config", "--syntax-only", "prometheus.yml")


def test_each_alert_fires_when_it_should_and_not_when_it_should_not() -> None:
    promtool("test", "rules", UNIT_TESTS)


def test_each_alert_has_a_unit_test_and_says_what_to_do() -> None:
    tested = set(re.findall(r'alertname="(\w+)"', UNIT_TESTS.read_text()))
    assert tested == {alert["alert"] for alert in ALERTS}
    for alert in ALERTS:
        assert alert["labels"]["severity"] in {"warning", "critical"}
        assert set(alert["annotations"]) == {"summary", "description", "runbook_url"}


def runbook_of_the_section(alert: str) -> str | None:
    """The runbook that the alert's section of `monitor.md` names as the one to go on with."""
    page = (ROOT / "docs" / "how-to" / "monitor.md").read_text()
    section = re.search(rf"^### {alert}\n(.*?)(?=^### |\Z)", page, flags=re.MULTILINE | re.DOTALL)
    assert section is not None, f"monitor.md has no section {alert}"
    link = re.search(r"Runbook: \[[^\]]+\]\(\.\./(runbooks/[\w-]+\.md)\)", section[1])
    return None if link is None else f"docs/{link[1]}"


def test_an_alert_leads_to_its_runbook_or_else_to_its_section() -> None:
    for alert in ALERTS:
        link = alert["annotations"]["runbook_url"]
        assert link == (runbook_of_the_section(alert["alert"]) or f"docs/how-to/monitor.md#{alert['alert'].lower()}")
        assert (ROOT / link.partition("#")[0]).is_file()


# --- a real Prometheus ---


@dataclass(frozen=True)
class Watched:
    """A server of the energy app with two workers, its backend, users at work, and a Prometheus that watches."""

    backend: RunningStack
    port: int
    prometheus: Prometheus

    def total(self, expression: str) -> float:
        return sum(float(each["value"][1]) for each in self.prometheus.query(expression))


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    require_tool("prometheus")
    folder = tmp_path_factory.mktemp("watched")
    apps = tuple(project.app for project in PROJECTS)
    with running_stack(folder, without=apps) as stack:
        options: dict[str, str | None] = {
            "APP_PUBLIC_API_BASE_URL": stack.backend,
            "APP_METRICS_TOKEN": TOKEN,
            # The token alone opens /metrics then, also on this machine.
            "APP_BEHIND_PROXY": "on",
            "APP_API_READ_TIMEOUT_S": "1",
        }
        with (
            serving(tmp_path_factory.mktemp("state"), "--workers", "2", **options) as (_, port),
            users_at_work(stack, port),
            prometheus_server(folder, targets={"energy": [f"127.0.0.1:{port}"]}, token=TOKEN) as prometheus,
        ):
            yield Watched(stack, port, prometheus)


@contextlib.contextmanager
def users_at_work(stack: RunningStack, port: int) -> Iterator[None]:
    """One user opens a page a few times a second, each with another search: no answer is cached."""
    credentials = {"email": "energy@example.com", "password": "demo"}
    pair = requests.post(f"{stack.backend}/auth/login", json=credentials, timeout=PATIENCE_S).json()
    cookie = f"{VAR_ACCESS_TOKEN}={pair['accessToken']}; {VAR_REFRESH_TOKEN}={pair['refreshToken']}"
    over = threading.Event()

    def work() -> None:
        for number in itertools.count():
            address = f"http://127.0.0.1:{port}/en/energy/clients?q=word{number}"
            with contextlib.suppress(requests.RequestException):
                requests.get(address, headers={"Cookie": cookie}, timeout=PATIENCE_S)
            if over.wait(0.15):
                return

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def test_the_token_alone_opens_the_metrics_which_have_the_apps_name(watched: Watched) -> None:
    address = f"http://127.0.0.1:{watched.port}/metrics"
    for headers in ({}, {"Authorization": "Bearer other"}):
        assert requests.get(address, headers=headers, timeout=PATIENCE_S).status_code == 403
    watched.prometheus.until(
        lambda: watched.total('portal_http_requests_total{app="energy",route="clients",status="200"}') > 3,
        what="the pages are counted",
    )
    assert watched.prometheus.query('{exported_app!=""}') == []
    assert len(watched.prometheus.query('process_resident_memory_bytes{job="portal"}')) == 2


def expressions() -> dict[str, str]:
    """Of the dashboard, with its variables filled in, and of the rules."""
    found = {f"{panel['title']}, {target['refId']}": target["expr"] for panel in PANELS for target in panel["targets"]}
    for name in RULE_FILES:
        for group in yaml.safe_load((FOLDER / name).read_text())["groups"]:
            found |= {rule.get("alert") or rule["record"]: rule["expr"] for rule in group["rules"]}
    variables = {"$__rate_interval": "5s", "$app": "energy", "$instance": ".*"}
    for variable, value in variables.items():
        found = {name: expression.replace(variable, value) for name, expression in found.items()}
    return found


def test_each_expression_is_one_and_names_metrics_that_exist(watched: Watched) -> None:
    rates = "app:portal_page_duration_seconds:p95_5m"
    watched.prometheus.until(lambda: watched.prometheus.query(rates), what="the rules are evaluated")
    known = set(watched.prometheus.ask("label/__name__/values"))
    # What has not happened in this run, such as a refresh that failed, is declared all the same.
    known |= metric_names() | expressions().keys()
    for name, expression in expressions().items():
        watched.prometheus.query(expression)
        without_strings = re.sub(r'"[^"]*"', "", expression)
        named = set(re.findall(r"\b(?:portal_\w+|process_\w+|app(?:_\w+)?:\w+:\w+)", without_strings))
        assert named <= known, name
        assert named or "up{" in expression, name


def test_the_alert_of_a_backend_that_hangs_fires_and_is_over_when_it_is_back(watched: Watched) -> None:
    expected = {"PortalBackendCircuitOpen", "PortalBackendCallsFail", "PortalPagesFail"}
    watched.prometheus.until(
        lambda: watched.total("app:portal_pages:rate5m") > 0.1 and not watched.prometheus.firing() & expected,
        what="all is well",
    )
    backend = watched.backend.group.pid("sandbox_api")
    os.killpg(backend, signal.SIGSTOP)
    try:
        watched.prometheus.until(lambda: expected <= watched.prometheus.firing(), what="the alerts fire")
        assert "PortalInstanceDown" not in watched.prometheus.firing()
        assert watched.total("app:portal_pages_5xx:ratio5m") > 0.05
    finally:
        os.killpg(backend, signal.SIGCONT)
    watched.prometheus.until(lambda: not watched.prometheus.firing() & expected, what="the alerts are over")
