"""The unit of systemd: it is one, it shuts the server in, and it agrees with the server that it starts."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from portal.management.commands.serve import Command
from portal.server.workers import WORKER_STOP_TIMEOUT_S
from tests.deploy.files import UNIT, start_command, unit_settings, unit_variables
from tests.support.harness import ROOT, require_tool

#: Of 100, as `systemd-analyze security` counts: below 20 it says "OK" with a smile.
EXPOSURE = 20


@pytest.fixture
def unit(tmp_path: Path) -> Path:
    """The unit as it would be on this machine: with a Python that is there."""
    written = UNIT.read_text()
    here = written.replace("/opt/portal/.venv/bin/python", str(ROOT / ".venv" / "bin" / "python"))
    assert here != written
    (tmp_path / UNIT.name).write_text(here)
    return tmp_path / UNIT.name


def analyze(*words: str | Path) -> subprocess.CompletedProcess[str]:
    tool = require_tool("systemd-analyze")
    return subprocess.run([tool, *words], capture_output=True, text=True, check=False, timeout=30)


def test_systemd_takes_every_line_of_it(unit: Path) -> None:
    result = analyze("verify", unit)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


def test_a_server_that_is_taken_over_reaches_little(unit: Path) -> None:
    result = analyze("security", "--offline=true", f"--threshold={EXPOSURE}", unit)
    assert result.returncode == 0, result.stdout


def test_each_line_is_a_setting_in_a_section() -> None:
    lines = [line for line in UNIT.read_text().splitlines() if line and not line.startswith("#")]
    sections = [line for line in lines if line.startswith("[")]
    assert sections == ["[Unit]", "[Service]", "[Install]"]
    assert all("=" in line for line in lines if line not in sections)


def test_it_starts_that_project_with_options_that_the_server_has() -> None:
    python, program, *words = start_command("energy", variables=unit_variables())
    assert (python, program) == ("/opt/portal/.venv/bin/python", "manage.py")
    assert words[:3] == ["--app", "energy", "serve"]
    parsed = Command().create_parser("manage.py", "serve").parse_args(words[3:])
    assert (parsed.host, parsed.port) == ("127.0.0.1", None), "nginx alone reaches it, on the project's own port"
    assert (parsed.workers, parsed.threads) == (4, 8)


def test_it_waits_longer_for_the_end_than_the_server_takes() -> None:
    settings = unit_settings()
    assert int(settings["TimeoutStopSec"][0]) >= 2 * WORKER_STOP_TIMEOUT_S
    assert settings["KillMode"] == ["mixed"], "the server ends its workers itself"


def test_what_projects_share_lies_where_alone_they_may_write() -> None:
    settings = unit_settings()
    assert unit_variables()["APP_STATE_DIR"] == f"%S/{settings['StateDirectory'][0]}"
    assert settings["StateDirectoryMode"] == ["0700"]
    assert settings["ProtectSystem"] == ["strict"]
    assert settings["PrivateTmp"] == ["yes"], "the static files are collected into it"


def test_no_env_file_in_the_checkout_can_switch_debug_on() -> None:
    assert unit_variables()["DEBUG"] == "off"


def test_a_projects_own_variables_come_last() -> None:
    assert unit_settings()["EnvironmentFile"] == ["/etc/portal/portal.env", "/etc/portal/%i.env"]
