"""The first records are read by several threads at once, as in a worker that has just started."""

import sys

from tests.support.harness import run_program

#: Each reload makes new classes. In a process of its own: what is tried is that it does not crash.
PROGRAM = """
import importlib, sys
from portal.query.cache import write_records
from tests.support.forks import at_once

STORED = [3, "crm.update", [["merge", "c7", {"id": "c7"}]], [[None, True]], 1.0]
sys.setswitchinterval(1e-6)

for _ in range(100):
    importlib.reload(write_records)
    assert at_once(8, lambda _: write_records.parse_record(STORED).patches[0].row_id) == ["c7"] * 8
"""


def test_threads_that_read_the_first_records_get_them() -> None:
    assert run_program(sys.executable, "-c", PROGRAM).stderr == ""
