"""A type checker in its strictest mode accepts right uses of hooks and rejects wrong ones, line by line.

`tests.mistakes.test_mistakes` shows the same of mypy.
"""

import json
import sys
from pathlib import Path

from tests.support.harness import run_program

HERE = Path(__file__).parent
WRONG = HERE / "wrong_uses.py"
MARKED = {number for number, line in enumerate(WRONG.read_text().splitlines(), start=1) if "# wrong: " in line}


def test_right_uses_are_accepted_and_wrong_ones_rejected() -> None:
    options = ("--outputjson", "--pythonpath", sys.executable, "--project", HERE / "pyrightconfig.json")
    run = run_program(sys.executable, "-m", "basedpyright", *options, status=1)
    assert {
        (Path(found["file"]).name, found["range"]["start"]["line"] + 1)
        for found in json.loads(run.stdout)["generalDiagnostics"]
        if found["severity"] == "error"
    } == {(WRONG.name, line) for line in MARKED}
    assert len(MARKED) > 30
