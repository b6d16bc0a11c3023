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
RIGHT, WRONG = sorted(HERE.glob("right_*.py")), sorted(HERE.glob("wrong_*.py"))
MARKED = {
    path.name: {number for number, line in enumerate(path.read_text().splitlines(), start=1) if "# wrong: " in line}
    for path in WRONG
}


def mypy_errors() -> dict[str, set[int]]:
    """File name to the lines on which mypy reports an error."""
    run = subprocess.run(
        [sys.executable, "-m", "mypy", "--no-error-summary", "--no-pretty", *map(str, [*RIGHT, *WRONG])],
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
    assert {name: lines for name, lines in found.items() if name.startswith("right_")} == {}
    assert found == MARKED


def test_there_are_enough_wrong_uses_for_that_to_mean_something() -> None:
    assert all(len(lines) >= 12 for lines in MARKED.values())
