"""What pages cost: CPU time, requests a second and latencies on one core of the production server, all in one run.

Each page runs beside an empty view behind Django's default middlewares on the same server, stretch by stretch in turn,
since what else the machine does then falls on both alike. The figures are medians of the stretches, latencies those of
all requests; CPU time is that of all processes of a server. The backend is a stub on the other core, with the load
generator: it answers at once, or after 20 ms. Requests come on 16 connections (32 before the slow backend), and ask for
no compression.

    ./manage.py bench pages [--rows clients,search] [--threads 1,8,16] [--seconds 0.25] [--rounds 5]
    ./manage.py bench pages --beside ../other     the pages of another checkout too, in turn in the same run
    ./manage.py bench pages --next                the same pages on Next.js too (benchmarks/next)
    ./manage.py bench pages --memory              memory over 50,000 requests, in place of the tables
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from benchmarks._measured import write
from benchmarks._next import NEXT, NoNextError, build, on_next
from benchmarks._options import options_of, parser_of, skip
from benchmarks._page_cases import DELAY_MS, Case, Side, measure, of_checkout, started
from benchmarks._page_memory import SECONDS_EACH, hold_memory, measure_growth, measure_memory
from benchmarks._page_rows import PAGES
from benchmarks._page_tables import (
    documented,
    documented_comparison,
    pairs_of,
    print_comparison,
    print_memory,
    print_pages,
    rate_of,
)
from benchmarks._servers import ROOT, cores_for_server_and_load
from benchmarks._stub_backend import Stub, stub_backend
from benchmarks._targets import Targets

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_OF_EMPTY: Final = 6
MOST_OF_ONE_THREAD: Final = 1.1
LEAST_DELAYED_RATE: Final = 250
#: By page, the least rate of that of Next.js.
LEAST_OF_NEXT: Final = {"clients": 5, "clients-token": 5, "sign-in": 3.5, "search": 2, "redirect": 4}


def _options() -> argparse.Namespace:
    parser = parser_of(__doc__, writes=True)
    parser.add_argument("--rows", type=_rows, default=list(PAGES), metavar="A,B", help=f"of {', '.join(PAGES)}")
    parser.add_argument("--threads", type=_numbers, default=[1, 8, 16], metavar="N,M", help="of the worker: 1,8,16")
    parser.add_argument("--seconds", type=float, default=0.25, help="of each stretch of load: 0.25")
    parser.add_argument("--rounds", type=int, default=5, help="stretches of each page: 5")
    parser.add_argument("--beside", type=Path, metavar="CHECKOUT", help="measure that checkout's pages too")
    parser.add_argument("--next", action="store_true", help="measure the pages of benchmarks/next too")
    parser.add_argument("--requests", type=int, default=50_000, help="for the memory over many: 50000")
    parser.add_argument("--memory", action="store_true", help="measure memory over 50,000 requests, and nothing else")
    return options_of(parser, threads=[8], seconds=0.1, rounds=1, next=True)


def _rows(text: str) -> list[str]:
    names = text.split(",")
    if unknown := set(names) - set(PAGES):
        raise argparse.ArgumentTypeError(f"no page {', '.join(unknown)}")
    return names


def _numbers(text: str) -> list[int]:
    return [int(number) for number in text.split(",")]


def hold_targets(cases: Sequence[Case], targets: Targets) -> None:
    """Those of this checkout's pages that can be held within one run.

    :param cases: this checkout's that were measured.
    """
    by_key = {case.key: case for case in cases}
    for name in ("clients", "clients-token"):
        if case := by_key.get((PAGES[name], 0, 8)):
            what = f"{case.name}, 8 threads: {case.of_empty:.1f} times the CPU time of an empty view"
            targets.hold(what, f"under {MOST_OF_EMPTY}", met=case.of_empty < MOST_OF_EMPTY)
    one, eight = (by_key.get((PAGES["clients"], 0, threads)) for threads in (1, 8))
    if one and eight:
        ratio = rate_of(one, eight)
        what = f"clients, cached: one thread has {ratio:.2f} times the rate of 8"
        targets.hold(what, f"under {MOST_OF_ONE_THREAD}", met=ratio < MOST_OF_ONE_THREAD)
    if delayed := by_key.get((PAGES["search"], DELAY_MS, 16)):
        # A number of this machine, and no ratio: it is printed, and decides nothing.
        print(f"       {delayed.name}, 16 threads: {delayed.rate:,.0f} requests/s (wanted: over {LEAST_DELAYED_RATE})")


def hold_rates(pairs: Sequence[tuple[Case, Case]], targets: Targets) -> None:
    """The rates of the pages that Next has too, of Next's."""
    least_of = {PAGES[name]: least for name, least in LEAST_OF_NEXT.items()}
    for case, there in pairs:
        # Before the slow backend a page's rate is that of the backend.
        if not case.delay_ms:
            rate, least = rate_of(case, there), least_of[case.row]
            targets.hold(f"{case.name}: {rate:.1f} times the rate of {NEXT}", f"at least {least}", met=rate >= least)


def sides_of(options: argparse.Namespace, *, core: int | None, backend: str) -> list[Side]:
    """This checkout first, then whom the options name."""
    sides = [of_checkout("this checkout", ROOT, core=core, backend=backend)]
    if options.beside:
        sides.append(of_checkout(options.beside.resolve().name, options.beside.resolve(), core=core, backend=backend))
    if options.next:
        try:
            beside = threads_beside(options)
            sides.append(on_next(build(), beside_threads=beside, core=core, backend=backend, smoke=options.smoke))
        except NoNextError as error:
            print(f"skipped: pages on {NEXT}: {error}")
    return sides


def threads_beside(options: argparse.Namespace) -> int:
    """With how many threads the server runs that is compared, and whose figures the documentation has."""
    return 8 if 8 in options.threads else int(options.threads[0])


def measure_pages(options: argparse.Namespace, *, folder: Path, stub: Stub, core: int | None) -> Targets:
    """Print all tables; gives the targets, held."""
    sides = sides_of(options, core=core, backend=stub.url)
    here, *others = sides
    rows = [PAGES[name] for name in options.rows]
    with started(sides, rows, threads=options.threads, folder=folder, core=core) as cases:
        measure(cases, stub=stub, seconds=options.seconds, rounds=options.rounds)
    for side in sides:
        print_pages([case for case in cases if case.side is side], side=side, one_core=core is not None)
    targets = Targets(smoke=options.smoke)
    for other in others:
        print_comparison(pairs_of(cases, here, other), other=other)
    load_s = options.seconds if options.smoke else SECONDS_EACH
    memory = measure_memory(sides, threads=options.threads, folder=folder, seconds=load_s)
    print_memory(memory)
    hold_targets([case for case in cases if case.side is here], targets)
    for other in others:
        if other.name == NEXT:
            hold_rates(pairs_of(cases, here, other), targets)
    hold_memory({threads: taken for (side, threads), taken in memory.items() if side is here}, targets)
    if options.write:
        threads = threads_beside(options)
        written = [case for case in cases if case.threads == threads]
        write("pages", *documented([case for case in written if case.side is here], memory[here, threads]))
        for other in others:
            if other.name == NEXT:
                write("pages --next", *documented_comparison(pairs_of(written, here, other), memory[other, threads]))
    return targets


def main() -> None:
    """Print the tables, and the targets with what came of them. This process keeps to one core."""
    options = _options()
    if sys.platform != "linux":
        skip("the servers' CPU time and memory are read as Linux gives them")
    core, others = cores_for_server_and_load(smoke=options.smoke)
    if core is not None:
        os.sched_setaffinity(0, others)
    with tempfile.TemporaryDirectory(prefix="portal-bench-") as name, stub_backend() as stub:
        if options.memory:
            here = of_checkout("this checkout", ROOT, core=core, backend=stub.url)
            targets = Targets(smoke=options.smoke)
            measure_growth(here, targets, requests=options.requests, folder=Path(name))
        else:
            targets = measure_pages(options, folder=Path(name), stub=stub, core=core)
    targets.end()


if __name__ == "__main__":
    main()
