"""What a read through a hook costs while its response is cached and fresh: CPU time, µs, on the embedded store.

A list of 20 rows, one row, and the figures of an overview with 36 objects in them; each read is a request of its own.

    ./manage.py bench hot_reads
    ./manage.py bench hot_reads --beside ../other     the same reads of another checkout, in turn in the same run
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from statistics import median
from typing import Final

from benchmarks._measured import table, write
from benchmarks._options import options_of, parser_of

ROOT: Final = Path(__file__).resolve().parents[1]
#: One round measures so many reads of each side, the sides in turn.
READS: Final = 200


def main() -> None:
    """Print a table. Each side is a process with the code and the environment of its checkout."""
    parser = parser_of(__doc__, writes=True)
    parser.add_argument("--rounds", type=int, default=60, help="of each read: 60")
    parser.add_argument("--beside", type=Path, metavar="CHECKOUT", help="measure that checkout's reads too")
    options = options_of(parser, rounds=2)
    sides = [Side(ROOT)] + ([Side(options.beside.resolve())] if options.beside else [])
    rows = []
    print("\n## Hot reads, CPU time of the fastest round, and the median ratio of all rounds\n")
    print("| read | µs |" + " the other's µs | of the other |" if options.beside else "| read | µs |")
    print("|---|---|---|---|" if options.beside else "|---|---|")
    for name in ("list", "row", "figures"):
        rounds = [
            [side.measure(name) for side in (sides if number % 2 else sides[::-1])] for number in range(options.rounds)
        ]
        own, *other = zip(*(times if number % 2 else times[::-1] for number, times in enumerate(rounds)), strict=True)
        cells = [f"{min(own):.1f}"]
        if other:
            ratio = median(mine / its for mine, its in zip(own, other[0], strict=True))
            cells += [f"{min(other[0]):.1f}", f"{ratio:.3f}"]
        print(f"| {name} | {' | '.join(cells)} |")
        rows.append((name, cells[0]))
    if options.write:
        write("hot_reads", table(("read", "µs"), rows))
    for side in sides:
        side.end()


class Side:
    """The reads of one checkout, in a process of their own."""

    def __init__(self, checkout: Path) -> None:
        path = os.pathsep.join([str(checkout), str(checkout / "packages")])
        self._process = subprocess.Popen(
            [checkout / ".venv" / "bin" / "python", Path(__file__).with_name("_hot_reads_side.py"), str(READS)],
            cwd=checkout,
            env={**os.environ, "PYTHONPATH": path},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def measure(self, name: str) -> float:
        """CPU time of one such read, µs."""
        asked, told = self._process.stdin, self._process.stdout
        assert asked is not None
        assert told is not None
        print(name, file=asked, flush=True)
        return float(told.readline())

    def end(self) -> None:
        """End the process."""
        self._process.communicate()


if __name__ == "__main__":
    main()
