"""APP_AUDIT_LOG: a place that can't take the log stops the start."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from portal.config.environment.single_variables import check_audit_log
from portal.errors import ConfigurationError
from tests.functional.test_serve import environment
from tests.support.harness import ROOT


@pytest.mark.parametrize("value", ["stderr", "off", " stderr "])
def test_the_words(value: str) -> None:
    assert check_audit_log(value) == value.strip()


def test_a_file_may_be_there_or_not_and_is_not_made(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    assert check_audit_log(str(path)) == str(path)
    assert not path.exists()
    path.write_text("")
    assert check_audit_log(str(path)) == str(path)


@pytest.mark.parametrize(
    "value", ["stdout", "audit.jsonl", "/dev/null", "/nowhere/audit.jsonl", "{folder}", "/tmp/a\nb"]
)
def test_anything_else_is_refused(tmp_path: Path, value: str) -> None:
    with pytest.raises(ConfigurationError, match="APP_AUDIT_LOG should be stderr, off, or the absolute path of a file"):
        check_audit_log(value.format(folder=tmp_path))


def test_a_wrong_place_stops_the_start_with_one_line(tmp_path: Path) -> None:
    command = [sys.executable, "manage.py", "--app", "energy", "serve"]
    settings = environment(tmp_path, APP_AUDIT_LOG="/nowhere/audit.jsonl")
    result = subprocess.run(command, cwd=ROOT, env=settings, capture_output=True, text=True, check=False)
    assert result.returncode != 0
    assert result.stderr == (
        "energy: APP_AUDIT_LOG should be stderr, off, or the absolute path of a file that this process can write: "
        "/nowhere does not let it\n"
    )
