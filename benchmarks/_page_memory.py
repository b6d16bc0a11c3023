"""What the energy app with one worker takes of memory, after load and over 50,000 requests."""

from __future__ import annotations

import contextlib
import itertools
from typing import TYPE_CHECKING, Final

from benchmarks._page_rows import KEY, PAGES, Visitor
from benchmarks._rates import answer_to, drive
from benchmarks._servers import ROOT, project_server

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from benchmarks._servers import Memory, Server
    from benchmarks._stub_backend import Stub
    from benchmarks._targets import Targets

MOST_PSS_MIB: Final = 90
#: Requests in the long run, and after how many of them the memory is read.
REQUESTS, STEP = 50_000, 5_000
#: The share by which memory may grow after the first step, when all that a process keeps has been made.
MOST_GROWTH: Final = 1.03
SECONDS_EACH: Final = 0.4


@contextlib.contextmanager
def _loaded(*, threads: int, folder: Path, stub: Stub, core: int | None, checkout: Path = ROOT) -> Iterator[_Load]:
    folder.mkdir()
    with project_server(
        "energy", core=core, threads=threads, folder=folder, backend=stub.url, key=KEY, checkout=checkout
    ) as server:
        yield _Load(server)


class _Load:
    """All pages of the energy app in turn."""

    def __init__(self, server: Server) -> None:
        self.server = server
        rows = [row for row in PAGES.values() if row.app == "energy"]
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
    checkouts: Mapping[str, Path], *, threads: Sequence[int], folder: Path, stub: Stub, core: int | None
) -> dict[tuple[str, int], Memory]:
    """By side and number of threads. Only one server runs at a time: pages that two map would count half."""
    found = {}
    for side, checkout in checkouts.items():
        for number in threads:
            own = folder / f"memory {side} {number}"
            with _loaded(threads=number, folder=own, stub=stub, core=core, checkout=checkout) as load:
                load.run_all(seconds=SECONDS_EACH)
                found[side, number] = load.server.memory()
    return found


def measure_growth(*, folder: Path, stub: Stub, core: int | None, targets: Targets) -> None:
    """Memory over many requests, 8 threads."""
    print(f"\n## Pages: memory of the energy app over {REQUESTS:,} requests, 8 threads, MiB\n")
    print("| requests | RSS | PSS |\n|---|---|---|")
    found: list[float] = []
    with _loaded(threads=8, folder=folder / "growth", stub=stub, core=core) as load:
        answered = 0
        for step in itertools.count(1):
            while answered < step * STEP:
                answered += load.run_all(seconds=SECONDS_EACH)
            memory = load.server.memory()
            print(f"| {answered:,} | {memory.rss:.1f} | {memory.pss:.1f} |", flush=True)
            found.append(memory.pss)
            if answered >= REQUESTS:
                break
    print()
    growth = found[-1] / found[0]
    what = f"PSS after {REQUESTS:,} requests, of that after {STEP:,}: {growth:.3f}"
    targets.hold(what, f"at most {MOST_GROWTH}", met=growth <= MOST_GROWTH)
    targets.hold(f"highest PSS {max(found):.0f} MiB", f"at most {MOST_PSS_MIB}", met=max(found) <= MOST_PSS_MIB)
