"""The first rows of a class are decoded by several threads at once, as in a worker that has just started."""

import sys

from tests.support.harness import run_program

#: Each class is new, and large, so that threads meet while msgspec learns what its fields are. In a process of its own:
#: what is tried is that it does not crash.
PROGRAM = """
import sys, types
from portal.rows import rows_decoder_of
from tests.support.forks import at_once

FIELDS = "".join(f"    field_{number}: Decimal | None = None\\n" for number in range(40))
SOURCE = f'''
from decimal import Decimal
from portal.rows import Record, Row
class Part(Record):
{FIELDS}
class Whole(Row):
{FIELDS}    parts: tuple[Part, ...] = ()
'''
ROWS = [{"id": "1", "parts": [{"fieldNumber": "1"}]}] * 3
sys.setswitchinterval(1e-6)

for number in range(60):
    module = types.ModuleType(f"rows_{number}")
    sys.modules[module.__name__] = module
    exec(SOURCE, module.__dict__)
    assert at_once(8, lambda _: [row.id for row in rows_decoder_of(module.Whole)(ROWS)]) == [["1", "1", "1"]] * 8
"""


def test_threads_that_decode_the_first_rows_of_a_class_together_get_them_all() -> None:
    assert run_program(sys.executable, "-c", PROGRAM).stderr == ""
