"""What each feature of a list costs: functions that are called, CPU time and bytes, each feature by itself.

The clients list of energy, 20 rows, is declared with a feature and without it; the difference is what the feature
costs. A page is rendered anew where its data is not what was rendered before, here for another search each time, and
else it is kept. The app is in one process with the settings of production, and the backend is a stub.

    ./manage.py bench list_features [--rounds 300]
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

HEADS: Final = ("feature", "calls of functions", "CPU, µs", "of the page's", "kept: calls", "HTML, bytes")


def main() -> None:
    """Print the table, and how far the same page differs from itself."""
    parser = parser_of(__doc__, writes=True)
    parser.add_argument("--rounds", type=int, default=300, help="of CPU time, each of four views of each page: 300")
    options = options_of(parser, rounds=2)
    calls, cpu = side("calls"), side("cpu", str(options.rounds))
    page_us, noise_us = cpu["page"]["cpu_us"], abs(cpu.pop("again")["cpu_us"])
    rows = [
        (
            "the whole page" if name == "page" else name,
            f"{calls[name]['anew']:,.0f}",
            f"{of['cpu_us']:,.0f}",
            f"{of['cpu_us'] / page_us:.1%}",
            f"{calls[name]['kept']:,.0f}",
            f"{calls[name]['bytes']:,.0f}",
        )
        for name, of in cpu.items()
    ]
    noise = f"The same page, measured twice, differs by {noise_us:.0f} µs and {calls['again']['anew']:.0f} calls."
    print(f"\n{table(HEADS, rows)}\n\n{noise}")
    if options.write:
        write("list_features", table(HEADS, rows), f"{noise}\n")


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
