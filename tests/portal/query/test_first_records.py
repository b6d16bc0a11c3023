"""The first records are read by several threads at once, as in a worker that has just started."""

from __future__ import annotations

import sys

from tests.support.harness import run_program

#: Each reload makes new classes. In a process of its own: what is tried is that it does not crash.
PROGRAM = """
import importlib, sys, threading
from portal.query.cache import write_records

STORED = [3, "crm.update", [["merge", "c7", {"id": "c7"}]], [[None, True]], 1.0]

def first_records():
    def read():
        together.wait()
        right.append(write_records.parse_record(STORED).patches[0].row_id == "c7")

    right, together = [], threading.Barrier(8)
    threads = [threading.Thread(target=read) for _ in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert right == [True] * 8

sys.setswitchinterval(1e-6)
for _ in range(100):
    importlib.reload(write_records)
    first_records()
"""


def test_threads_that_read_the_first_records_get_them() -> None:
    assert run_program(sys.executable, "-c", PROGRAM).stderr == ""
