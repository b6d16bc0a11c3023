"""What each feature of a list costs: functions that are called, CPU time and bytes, each feature by itself.

The clients list of energy, 20 rows, is declared with a feature and without it; the difference is what the feature
costs. A page is rendered anew where its data is not what was rendered before, here for another search each time, and
else it is kept. Each new: values that the process writes for the first time. The app is in one process with the
settings of production, and the backend is a stub.

    ./manage.py bench list_features [--rounds 200]
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Final

from benchmarks._measured import table, write
from benchmarks._options import options_of, parser_of
from benchmarks._servers import ROOT

HEADS: Final = ("feature", "function calls", "CPU, µs", "of the page", "kept: function calls", "HTML, bytes")
#: The last columns.
KEPT: Final = ("kept", "bytes")


def main() -> None:
    """Print the table."""
    parser = parser_of(__doc__, writes=True)
    parser.add_argument("--rounds", type=int, default=200, help="of four views of each page, for the CPU time: 200")
    options = options_of(parser, rounds=2)
    calls, cpu = side("calls"), side("cpu", str(options.rounds))
    page = next(iter(cpu.values()))
    rows = [
        (name, f"{of['anew']:,.0f}", *cpu_cells(cpu[name]["cpu_us"], **page), *(f"{of[each]:,.0f}" for each in KEPT))
        for name, of in calls.items()
    ]
    print(f"\n{table(HEADS, rows)}")
    if options.write:
        write("list_features", table(HEADS, rows))


def cpu_cells(us: float, *, cpu_us: float, noise_us: float) -> tuple[str, str]:
    """A feature's CPU time, and its share of the page's.

    :param cpu_us: of the page.
    :param noise_us: a feature that costs less can't be told from none.
    """
    less, shown_us = ("under ", noise_us) if us < noise_us else ("", us)
    return f"{less}{shown_us:,.0f}", f"{less}{shown_us / cpu_us:.1%}"


def side(*words: str) -> dict[str, dict[str, float]]:
    """What `_list_features_side` tells."""
    # Else a traceback takes more work where Python's cache was written without it.
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks._list_features_side", *words],
        cwd=ROOT,
        env={**os.environ, "PYTHONNODEBUGRANGES": "1"},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    told: dict[str, dict[str, float]] = json.loads(done.stdout)
    return told


if __name__ == "__main__":
    main()
