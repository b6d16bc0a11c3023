"""Two type checkers, in their strictest modes, accept right uses of hooks and reject wrong ones, line by line."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
REPOSITORY = HERE.parents[1]
RIGHT, WRONG = HERE / "right_uses.py", HERE / "wrong_uses.py"
MARKED = {number for number, line in enumerate(WRONG.read_text().splitlines(), start=1) if "# wrong: " in line}


def mypy_errors() -> dict[str, set[int]]:
    """File name to the lines on which mypy reports an error."""
    run = subprocess.run(
        [sys.executable, "-m", "mypy", "--no-error-summary", "--no-pretty", str(RIGHT), str(WRONG)],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )
    found = re.findall(r"^tests/typing/(\w+\.py):(\d+): error:", run.stdout, flags=re.MULTILINE)
    assert run.returncode == 1, run.stdout + run.stderr
    return _by_file((name, int(line)) for name, line in found)


def basedpyright_errors() -> dict[str, set[int]]:
    """File name to the lines on which basedpyright reports an error."""
    run = subprocess.run(
        [
            *(sys.executable, "-m", "basedpyright", "--outputjson", "--pythonpath", sys.executable),
            *("--project", str(HERE / "pyrightconfig.json")),
        ],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 1, run.stdout + run.stderr
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
