"""What a read through a hook costs while its response is cached and fresh: CPU time, µs, on the embedded store.

A list of 20 rows, one row, and the figures of an overview with 36 objects in them; each read is a request of its own.

    ./manage.py bench hot_reads
    ./manage.py bench hot_reads --beside ../other     the same reads of another checkout, in turn in the same run
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

ROOT: Final = Path(__file__).resolve().parents[1]
#: One round measures so many reads of each side, the sides in turn.
READS: Final = 200
ROUNDS: Final = 60
WARM_READS: Final = 50


def main() -> None:
    """Print a table. Each side is a process with the code and the environment of its checkout."""
    parser = argparse.ArgumentParser(prog="./manage.py bench hot_reads", description=__doc__)
    parser.add_argument("--beside", type=Path, metavar="CHECKOUT", help="measure that checkout's reads too")
    options = parser.parse_args()
    sides = [Side(ROOT)] + ([Side(options.beside.resolve())] if options.beside else [])
    print("\n## Hot reads, CPU time of the fastest round, and the median ratio of all rounds\n")
    print("| read | µs |" + " the other's µs | of the other |" if options.beside else "| read | µs |")
    print("|---|---|---|---|" if options.beside else "|---|---|")
    for name in ("list", "row", "figures"):
        rounds = [[side.measure(name) for side in (sides if number % 2 else sides[::-1])] for number in range(ROUNDS)]
        own, *other = zip(*(times if number % 2 else times[::-1] for number, times in enumerate(rounds)), strict=True)
        cells = [f"{min(own):.1f}"]
        if other:
            ratio = median(mine / its for mine, its in zip(own, other[0], strict=True))
            cells += [f"{min(other[0]):.1f}", f"{ratio:.3f}"]
        print(f"| {name} | {' | '.join(cells)} |")
    for side in sides:
        side.end()


class Side:
    """The reads of one checkout, in a process of their own."""

    def __init__(self, checkout: Path) -> None:
        path = os.pathsep.join([str(checkout), str(checkout / "packages")])
        self._process = subprocess.Popen(
            [checkout / ".venv" / "bin" / "python", __file__],
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


def serve() -> None:
    """Read the names of reads from standard input, and write what each costs."""
    import django  # noqa: PLC0415  the checkout's own, in the process of a side
    from django.conf import settings  # noqa: PLC0415

    from benchmarks._stores import embedded  # noqa: PLC0415

    with tempfile.TemporaryDirectory() as folder:
        settings.configure(CACHES={"default": embedded(Path(folder))}, USE_TZ=True)
        django.setup()
        reads = hot_reads()
        for read in reads.values():
            for _ in range(WARM_READS):
                read()
        for line in sys.stdin:
            read = reads[line.strip()]
            began = time.process_time()
            for _ in range(READS):
                read()
            print((time.process_time() - began) / READS * 1e6, flush=True)


def hot_reads() -> Mapping[str, Callable[[], object]]:
    """The reads by name. Parameters are a mapping, as every version of a hook takes them."""
    from benchmarks.query import PAGE, Backend, Operations  # noqa: PLC0415  the checkout's own
    from portal.api import ApiResponse  # noqa: PLC0415
    from portal.services.energy.clients import ClientQueries  # noqa: PLC0415
    from portal.services.energy.summary import EnergySummaryQueries  # noqa: PLC0415
    from portal.store import SharedStore  # noqa: PLC0415

    class OneRowToo(Backend):
        def call(self, *, path: str, **rest: Any) -> ApiResponse:
            """One call; that of a row gives the sixth of the list."""
            if path == "/energy/summary":
                return ApiResponse(status=200, data=FIGURES, headers={})
            found = super().call(path=path, **rest)
            if not path.startswith("/energy/clients/"):
                return found
            return ApiResponse(status=200, data=found.data["items"][5], headers={})

    operations = Operations(SharedStore(alias="default"), PAGE)
    operations.backend = OneRowToo(PAGE, user="hot")
    return {
        "list": lambda: ClientQueries.use_get_clients_query(operations.request()).unwrap().items,
        "row": lambda: ClientQueries.use_get_client_query(operations.request(), {"id": "c5"}).unwrap(),
        "figures": lambda: EnergySummaryQueries.use_get_summary_query(operations.request()).unwrap(),
    }


FIGURES: Final[Mapping[str, Any]] = {
    "counts": {"clients": 5, "meters": 7},
    "chargersByStatus": {"available": 1, "faulted": 2},
    "energyByMonth": [{"month": f"2026-{month:02d}", "energyKwh": 12.5, "sessions": 3} for month in range(1, 13)],
    "sessionsByHour": [{"hour": hour, "sessions": 4} for hour in range(24)],
}


if __name__ == "__main__":
    serve()
