"""A real Prometheus with the files of `deploy/`, for a test: the same rules, with every time divided by 60."""

from __future__ import annotations

import contextlib
import re
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import requests
import yaml

from tests.support.harness import ROOT, require_tool
from tests.support.ports import free_port
from tests.support.processes import PATIENCE_S, until

FOLDER = ROOT / "deploy" / "prometheus"
RULE_FILES = ("portal-rules.yml", "portal-alerts.yml")


@dataclass(frozen=True)
class Prometheus:
    url: str

    def ask(self, path: str, **query: str) -> Any:
        answer = requests.get(f"{self.url}/api/v1/{path}", params=query, timeout=PATIENCE_S).json()
        assert answer["status"] == "success", answer
        return answer["data"]

    def query(self, expression: str) -> list[dict[str, Any]]:
        result: list[dict[str, Any]] = self.ask("query", query=expression)["result"]
        return result

    def firing(self) -> set[str]:
        return {alert["labels"]["alertname"] for alert in self.ask("alerts")["alerts"] if alert["state"] == "firing"}

    def until(self, condition: Callable[[], object], *, what: str) -> None:
        until(condition, what=lambda: f"{what}; firing: {self.firing()}")

    def is_ready(self) -> bool:
        with contextlib.suppress(requests.ConnectionError):
            return requests.get(f"{self.url}/-/ready", timeout=PATIENCE_S).ok
        return False


def sixty_times_faster(rules: str) -> str:
    """Rules whose ranges and `for` have seconds in place of minutes, and a minute in place of an hour."""
    rules = re.sub(r"\[1h\]", "[60s]", rules)
    return re.sub(r"(?<=\[)(\d+)m(?=\])|(?<=for: )(\d+)m", lambda found: f"{found[1] or found[2]}s", rules)


@contextlib.contextmanager
def prometheus_server(folder: Path, *, targets: dict[str, list[str]], token: str) -> Iterator[Prometheus]:
    """Prometheus with the example configuration, which scrapes other targets, each second.

    :param targets: app to the addresses of its servers.
    """
    program, port = require_tool("prometheus"), free_port()
    config = yaml.safe_load((FOLDER / "prometheus.yml").read_text())
    config["global"] = {"scrape_interval": "1s", "evaluation_interval": "1s"}
    del config["alerting"]
    (scrape,) = config["scrape_configs"]
    scrape["scrape_timeout"] = "1s"
    scrape["authorization"]["credentials_file"] = str(folder / "token")
    scrape["static_configs"] = [{"targets": addresses, "labels": {"app": app}} for app, addresses in targets.items()]
    (folder / "token").write_text(token)
    (folder / "prometheus.yml").write_text(yaml.safe_dump(config))
    for name in RULE_FILES:
        (folder / name).write_text(sixty_times_faster((FOLDER / name).read_text()))
    command = [
        program,
        f"--config.file={folder / 'prometheus.yml'}",
        f"--storage.tsdb.path={folder / 'data'}",
        f"--web.listen-address=127.0.0.1:{port}",
        "--log.level=warn",
    ]
    with (folder / "prometheus.log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)
    running = Prometheus(f"http://127.0.0.1:{port}")
    try:
        until(lambda: process.poll() is not None or running.is_ready(), what=(folder / "prometheus.log").read_text)
        assert process.poll() is None, (folder / "prometheus.log").read_text()
        yield running
    finally:
        process.kill()
        process.wait()
