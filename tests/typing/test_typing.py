"""Two type checkers, in their strictest modes, accept right uses of hooks and reject wrong ones, line by line."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from tests.support.harness import run_program

HERE = Path(__file__).parent
RIGHT, WRONG = HERE / "right_uses.py", HERE / "wrong_uses.py"
MARKED = {number for number, line in enumerate(WRONG.read_text().splitlines(), start=1) if "# wrong: " in line}


def mypy_errors() -> dict[str, set[int]]:
    """File name to the lines on which mypy reports an error."""
    options = ("--no-error-summary", "--no-pretty", RIGHT, WRONG)
    run = run_program(sys.executable, "-m", "mypy", *options, status=1)
    found = re.findall(r"^tests/typing/(\w+\.py):(\d+): error:", run.stdout, flags=re.MULTILINE)
    return _by_file((name, int(line)) for name, line in found)


def basedpyright_errors() -> dict[str, set[int]]:
    """File name to the lines on which basedpyright reports an error."""
    options = ("--outputjson", "--pythonpath", sys.executable, "--project", HERE / "pyrightconfig.json")
    run = run_program(sys.executable, "-m", "basedpyright", *options, status=1)
    return _by_file(
        (Path(found["file"]).name, found["range"]["start"]["line"] + 1)
        for found in json.loads(run.stdout)["generalDiagnostics"]
        if found["severity"] == "error"
    )


def _by_file(places) -> dict[str, set[int]]:
    lines: dict[str, set[int]] = {}
    for name, line in places:
        lines.setdefault(name, set()).add(line)
    return lines


@pytest.mark.parametrize("errors", [mypy_errors, basedpyright_errors])
def test_right_uses_are_accepted_and_each_wrong_one_is_rejected(errors) -> None:
    found = errors()
    assert found == {WRONG.name: MARKED}
    assert len(MARKED) > 30
