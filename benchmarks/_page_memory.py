"""What the energy app with one worker takes of memory, after load and over 50,000 requests."""

from __future__ import annotations

import contextlib
import itertools
from typing import TYPE_CHECKING, Final

from benchmarks._page_rows import PAGES, Visitor
from benchmarks._rates import answer_to, drive

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from benchmarks._page_cases import Side
    from benchmarks._servers import Memory, Server
    from benchmarks._targets import Targets

#: Of all its processes: the worker, and the parent that watches it.
MOST_PSS_MIB: Final = 80
#: How often the memory is read in the long run.
STEPS: Final = 10
#: The share by which memory may grow after the first step, when all that a process keeps has been made.
MOST_GROWTH: Final = 1.03
SECONDS_EACH: Final = 0.4


@contextlib.contextmanager
def _loaded(side: Side, *, threads: int, folder: Path) -> Iterator[_Load]:
    place = folder / f"memory {side.name} {threads}"
    place.mkdir()
    with side.start("energy", threads=threads, folder=place) as server:
        yield _Load(server, side)


class _Load:
    """All pages of the energy app in turn."""

    def __init__(self, server: Server, side: Side) -> None:
        self.server = server
        rows = [row for row in PAGES.values() if row.app == "energy" and (side.rows is None or row in side.rows)]
        self._visitors = [Visitor(row, lambda request: answer_to(server.port, request)) for row in rows]
        for visitor in self._visitors:
            visitor.visit()

    def run_all(self, *, seconds: float) -> int:
        """Each page for so long; gives the number of requests."""
        return sum(
            drive(
                self.server.port,
                visitor.requests(),
                seconds=seconds,
                status=str(visitor.row.status).encode(),
            ).number
            for visitor in self._visitors
        )


def measure_memory(
    sides: Sequence[Side], *, threads: Sequence[int], folder: Path, seconds: float
) -> dict[tuple[Side, int], Memory]:
    """By side and number of threads. Only one server runs at a time: pages that two map would count half.

    :param seconds: of load on each page.
    """
    found = {}
    for side, number in itertools.product(sides, threads):
        if side.threads in {None, number}:
            with _loaded(side, threads=number, folder=folder) as load:
                load.run_all(seconds=seconds)
                found[side, number] = load.server.memory()
    return found


def hold_memory(memory: Mapping[int, Memory], targets: Targets) -> None:
    """By number of threads."""
    for threads, taken in memory.items():
        met = taken.pss <= MOST_PSS_MIB
        targets.hold(f"{threads} threads: PSS {taken.pss:.0f} MiB", f"at most {MOST_PSS_MIB}", met=met)


def measure_growth(side: Side, targets: Targets, *, requests: int, folder: Path) -> None:
    """Print the memory over many requests, 8 threads."""
    print(f"\n## Pages: memory of the energy app over {requests:,} requests, 8 threads, MiB\n")
    print("| requests | RSS | PSS | of that, the worker |\n|---|---|---|---|")
    found: list[float] = []
    with _loaded(side, threads=8, folder=folder) as load:
        answered = 0
        for goal in range(requests // STEPS, requests + 1, requests // STEPS):
            while answered < goal:
                answered += load.run_all(seconds=SECONDS_EACH)
            memory = load.server.memory()
            worker = load.server.workers_memory().pss
            print(f"| {answered:,} | {memory.rss:.1f} | {memory.pss:.1f} | {worker:.1f} |", flush=True)
            found.append(memory.pss)
    print()
    growth = found[-1] / found[0]
    what = f"PSS after {requests:,} requests, of that after {requests // STEPS:,}: {growth:.3f}"
    targets.hold(what, f"at most {MOST_GROWTH}", met=growth <= MOST_GROWTH)
    targets.hold(f"highest PSS {max(found):.0f} MiB", f"at most {MOST_PSS_MIB}", met=max(found) <= MOST_PSS_MIB)
