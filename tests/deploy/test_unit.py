"""The unit of systemd: it is one, it shuts the server in, and it agrees with the server that it starts."""

import re
import subprocess
from pathlib import Path

import pytest

from portal_operate.management.commands.serve import Command
from portal_server.workers import WORKER_STOP_TIMEOUT_S
from tests.deploy.files import CURRENT, UNIT, start_command, unit_settings, unit_variables
from tests.support.harness import ROOT, require_tool, run_program

#: Of 100, as `systemd-analyze security` counts: below 20 it says "OK" with a smile.
EXPOSURE = 20


@pytest.fixture
def unit(tmp_path: Path) -> Path:
    """The unit as it would be on this machine: with a release that is there."""
    written = UNIT.read_text()
    here = written.replace(CURRENT, str(ROOT))
    assert here != written
    (tmp_path / UNIT.name).write_text(here)
    return tmp_path / UNIT.name


def analyze(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return run_program(require_tool("systemd-analyze"), *words, timeout=30)


def test_systemd_takes_every_line_of_it(unit: Path) -> None:
    result = analyze("verify", unit)
    assert (result.stdout, result.stderr) == ("", "")


def test_a_server_that_is_taken_over_reaches_little(unit: Path) -> None:
    analyze("security", "--offline=true", f"--threshold={EXPOSURE}", unit)


def test_it_starts_that_project_with_options_that_the_server_has() -> None:
    program, name, *words = start_command("energy-2", variables=unit_variables())
    assert (program, name) == (str(ROOT / "deploy" / "start-server"), "energy-2")
    parsed = Command().create_parser("manage.py", "serve").parse_args(words)
    assert (parsed.workers, parsed.threads) == (2, 8)


def test_the_times_that_the_how_to_gives_are_those_of_the_code() -> None:
    page = (ROOT / "docs" / "how-to" / "deploy.md").read_text()
    (unit_stop_s,) = unit_settings()["TimeoutStopSec"]
    assert f"`--stop-timeout` is {WORKER_STOP_TIMEOUT_S} s, `TimeoutStopSec` {unit_stop_s} s" in page
    (pre_stop_s, grace_s) = re.search(r"`preStop` of (\d+) s of sleep, .*Seconds: (\d+)`", page).groups()
    assert int(grace_s) == int(pre_stop_s) + int(unit_stop_s)
