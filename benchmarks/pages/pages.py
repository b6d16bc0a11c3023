"""Costs of pages: CPU time, requests a second and latencies on one core of the production server, all in one run.

Each page runs beside an empty view behind Django's default middlewares on the same server, stretch by stretch in turn,
since what else the machine does then falls on both alike. The figures are medians of the stretches, latencies those of
all requests; CPU time is that of all processes of a server. The backend is a stub on the other core, with the load
generator: it answers at once, or after 20 ms. Requests come on 16 connections (32 before the slow backend), and ask for
no compression.

    ./manage.py bench pages [--rows clients,search] [--threads 1,8,16] [--seconds 0.25] [--rounds 5]
    ./manage.py bench pages --beside ../other     the pages of another checkout too, in turn in the same run
    ./manage.py bench pages --next                the same pages on Next.js too (benchmarks/pages/next)
    ./manage.py bench pages --memory              memory over 50,000 requests, in place of the tables
"""

from __future__ import annotations

import argparse
import itertools
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Final

from benchmarks.harness.load import drive
from benchmarks.harness.measured import table, write
from benchmarks.harness.options import options_of, parser_of, skip
from benchmarks.harness.servers import ROOT, keep_to_one_core
from benchmarks.harness.stub_backend import Stub, stub_backend
from benchmarks.harness.targets import Targets
from benchmarks.pages.cases import DELAY_MS, Case, Side, measure, of_checkout, started
from benchmarks.pages.next_server import NEXT, NoNextError, build, on_next
from benchmarks.pages.rows import PAGES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.pages.rows import Visitor

MOST_OF_EMPTY: Final = 6
MOST_OF_EMPTY_REDIRECT: Final = 0.67
MOST_OF_ONE_THREAD: Final = 1.1
LEAST_DELAYED_RATE: Final = 250
#: By page, the least rate divided by that of Next.js.
LEAST_OF_NEXT: Final = {"clients": 5, "clients-token": 5, "sign-in": 3.5, "search": 2, "redirect": 4}
#: Of all processes: the worker, and the parent that watches it.
MOST_PSS_MIB: Final = 80
#: The share by which memory may grow after the first step, when a process has made all that it caches.
MOST_GROWTH: Final = 1.03
#: How often the memory is read in the long run.
STEPS: Final = 10
#: Of load on each page, before the memory is read.
LOAD_S: Final = 0.4
HEADS: Final = ("page", "CPU, ms", "of an empty view's", "requests/s")
HEADS_BESIDE: Final = ("page", "CPU there, ms", "requests/s there", "rate here, of that")


def _options() -> argparse.Namespace:
    parser = parser_of(__doc__, writes=True)
    parser.add_argument("--rows", type=_rows, default=list(PAGES), metavar="A,B", help=f"of {', '.join(PAGES)}")
    parser.add_argument("--threads", type=_numbers, default=[1, 8, 16], metavar="N,M", help="of the worker: 1,8,16")
    parser.add_argument("--seconds", type=float, default=0.25, help="of each stretch of load: 0.25")
    parser.add_argument("--rounds", type=int, default=5, help="stretches of each page: 5")
    parser.add_argument("--beside", type=Path, metavar="CHECKOUT", help="measure that checkout's pages too")
    parser.add_argument("--next", action="store_true", help="measure the pages of benchmarks/pages/next too")
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


def sides_of(options: argparse.Namespace, *, core: int | None, backend: str) -> list[Side]:
    """Return this checkout first, then the others that the options name."""
    sides = [of_checkout("this checkout", ROOT, core=core, backend=backend)]
    if options.beside:
        sides.append(of_checkout(options.beside.resolve().name, options.beside.resolve(), core=core, backend=backend))
    if options.next:
        try:
            beside = documented_threads(options)
            sides.append(on_next(build(), beside_threads=beside, core=core, backend=backend, smoke=options.smoke))
        except NoNextError as error:
            print(f"skipped: pages on {NEXT}: {error}")
    return sides


def documented_threads(options: argparse.Namespace) -> int:
    """Return the number of threads whose figures the documentation has, and Next.js is compared with."""
    return 8 if 8 in options.threads else int(options.threads[0])


def measure_pages(options: argparse.Namespace, targets: Targets, *, folder: Path, stub: Stub, core: int | None) -> None:
    """Print all tables, and hold the targets."""
    here, *others = sides = sides_of(options, core=core, backend=stub.url)
    rows = [PAGES[name] for name in options.rows]
    with started(sides, rows, threads=options.threads, folder=folder, core=core) as cases:
        measure(cases, stub=stub, seconds=options.seconds, rounds=options.rounds)
    pairs = {
        other: [
            (case, there) for case in cases for there in cases if case.side is here and _is_same(case, there, other)
        ]
        for other in others
    }
    for side in sides:
        print_pages([case for case in cases if case.side is side])
    for other, both in pairs.items():
        print_comparison(both, other=other)
    memory = measure_memory(sides, options, folder=folder)
    hold_targets([case for case in cases if case.side is here], targets)
    for threads in options.threads:
        hold_memory(f"{threads} threads: PSS", memory[here, threads], targets)
    for other, both in pairs.items():
        if other.name == NEXT:
            hold_rates(both, targets)
    if options.write:
        threads = documented_threads(options)
        shown = [case for case in cases if case.side is here and case.threads == threads]
        rows_here = [(case.name, f"{case.cpu_ms:.2f}", f"{case.of_empty:.1f}", f"{case.rate:,.0f}") for case in shown]
        write("pages", table(HEADS, rows_here), _memory_line(memory[here, threads]))
        for other in (other for other in others if other.name == NEXT):
            both = pairs[other]
            rows_there = [
                (case.name, f"{there.cpu_ms:.2f}", f"{there.rate:,.0f}", f"{case.rate_of(there):.2f}")
                for case, there in both
            ]
            write("pages --next", table(HEADS_BESIDE, rows_there), _memory_line(memory[other, threads]))


def _is_same(case: Case, there: Case, other: Side) -> bool:
    return there.side is other and there.key == case.key


def _memory_line(pss_mib: float) -> str:
    return f"Memory after load: {pss_mib:.0f} MiB PSS."


def print_pages(cases: Sequence[Case]) -> None:
    """Print the table of one side."""
    print(f"\n## Pages: {cases[0].side.name}, a server with one process for requests\n")
    rows = [
        (
            *(case.name, f"{case.threads}", f"{case.cpu_ms:.2f}", f"{case.of_empty:.1f}", f"{case.rate:,.0f}"),
            *(f"{case.percentile(50):.0f}", f"{case.percentile(99):.0f}", f"{case.calls:.1f}"),
        )
        for case in cases
    ]
    print(table((HEADS[0], "threads", *HEADS[1:], "p50, ms", "p99, ms", "calls to the backend"), rows))


def print_comparison(pairs: Sequence[tuple[Case, Case]], *, other: Side) -> None:
    """Print both sides, pair by pair."""
    print(f"\n## Pages: here and there ({other.name})\n")
    rows = [
        (
            *(case.name, f"{case.threads}", f"{there.cpu_ms:.2f}", f"{case.cpu_ms:.2f}"),
            f"{median(b.cpu_ms / a.cpu_ms for a, b in zip(case.stretches, there.stretches, strict=True)):.2f}",
            *(f"{there.rate:,.0f}", f"{case.rate:,.0f}", f"{case.rate_of(there):.2f}"),
        )
        for case, there in pairs
    ]
    heads = ("CPU there, ms", "here", "there, of here", "requests/s there", "here", "here, of there")
    print(table(("page", "threads", *heads), rows))


def hold_targets(cases: Sequence[Case], targets: Targets) -> None:
    """Hold the targets of this checkout's pages that can be held within one run."""
    by_key = {case.key: case for case in cases}
    for name in ("clients", "clients-token"):
        if case := by_key.get((PAGES[name], 0, 8)):
            result = f"{case.name}, 8 threads: {case.of_empty:.1f} times the CPU time of an empty view"
            targets.hold(result, f"under {MOST_OF_EMPTY}", met=case.of_empty < MOST_OF_EMPTY)
    if case := by_key.get((PAGES["redirect"], 0, 8)):
        result = f"{case.name}, 8 threads: {case.of_empty:.2f} of the CPU time of an empty view"
        targets.hold(result, f"under {MOST_OF_EMPTY_REDIRECT}", met=case.of_empty < MOST_OF_EMPTY_REDIRECT)
    one, eight = (by_key.get((PAGES["clients"], 0, threads)) for threads in (1, 8))
    if one and eight:
        ratio = one.rate_of(eight)
        result = f"clients, cached: one thread has {ratio:.2f} times the rate of 8"
        targets.hold(result, f"under {MOST_OF_ONE_THREAD}", met=ratio < MOST_OF_ONE_THREAD)
    if delayed := by_key.get((PAGES["search"], DELAY_MS, 16)):
        # A number of this machine, and no ratio: it is printed, and decides nothing.
        print(f"       {delayed.name}, 16 threads: {delayed.rate:,.0f} requests/s (wanted: over {LEAST_DELAYED_RATE})")


def hold_rates(pairs: Sequence[tuple[Case, Case]], targets: Targets) -> None:
    """Hold the rates of the pages that Next has too, divided by Next's."""
    least_of = {PAGES[name]: least for name, least in LEAST_OF_NEXT.items()}
    for case, there in pairs:
        # Before the slow backend a page's rate is that of the backend.
        if not case.delay_ms:
            rate, least = case.rate_of(there), least_of[case.row]
            targets.hold(f"{case.name}: {rate:.1f} times the rate of {NEXT}", f"at least {least}", met=rate >= least)


def hold_memory(name: str, pss_mib: float, targets: Targets) -> None:
    targets.hold(f"{name} {pss_mib:.0f} MiB", f"at most {MOST_PSS_MIB}", met=pss_mib <= MOST_PSS_MIB)


def measure_memory(
    sides: Sequence[Side], options: argparse.Namespace, *, folder: Path
) -> dict[tuple[Side, int], float]:
    """Print and return the memory after load. Only one server runs at a time: pages that two map would count half."""
    found = {}
    for side, threads in itertools.product(sides, options.threads):
        if side.threads in {None, threads}:
            with side.loaded(threads=threads, folder=folder) as (server, visitors):
                _load_each(server.port, visitors, seconds=options.seconds if options.smoke else LOAD_S)
                found[side, threads] = server.pss_mib()
    print("\n## Pages: memory of a server with the energy app, after load, MiB PSS\n")
    print(table(("", "threads", "PSS"), ((side.name, f"{n}", f"{pss:.0f}") for (side, n), pss in found.items())))
    print()
    return found


def measure_growth(side: Side, targets: Targets, *, requests: int, folder: Path) -> None:
    """Print the memory over many requests, 8 threads."""
    print(f"\n## Pages: memory of the energy app over {requests:,} requests, 8 threads, MiB PSS\n")
    print("| requests | PSS | of that, the worker |\n|---|---|---|")
    found: list[float] = []
    with side.loaded(threads=8, folder=folder) as (server, visitors):
        answered = 0
        for goal in range(requests // STEPS, requests + 1, requests // STEPS):
            while answered < goal:
                answered += _load_each(server.port, visitors, seconds=LOAD_S)
            found.append(server.pss_mib())
            print(f"| {answered:,} | {found[-1]:.1f} | {server.workers_pss_mib():.1f} |", flush=True)
    print()
    growth = found[-1] / found[0]
    result = f"PSS after {requests:,} requests, of that after {requests // STEPS:,}: {growth:.3f}"
    targets.hold(result, f"at most {MOST_GROWTH}", met=growth <= MOST_GROWTH)
    hold_memory("highest PSS", max(found), targets)


def _load_each(port: int, visitors: Sequence[Visitor], *, seconds: float) -> int:
    """Load each page for so long, and return the number of requests."""
    return sum(drive(port, one.requests(), seconds=seconds, status=one.row.status).number for one in visitors)


def main() -> None:
    """Print the tables, and the targets with their results. This process keeps to one core."""
    options = _options()
    if sys.platform != "linux":
        skip("the servers' CPU time and memory are read as Linux gives them")
    core = keep_to_one_core(smoke=options.smoke)
    targets = Targets(smoke=options.smoke)
    with tempfile.TemporaryDirectory(prefix="portal-bench-") as name, stub_backend() as stub:
        if options.memory:
            here = of_checkout("this checkout", ROOT, core=core, backend=stub.url)
            measure_growth(here, targets, requests=options.requests, folder=Path(name))
        else:
            measure_pages(options, targets, folder=Path(name), stub=stub, core=core)
    targets.end()


if __name__ == "__main__":
    main()
