"""What pages cost: CPU time, requests a second and latencies on one core of the production server, all in one run.

Each page runs beside an empty view behind Django's default middlewares on the same server, stretch by stretch in turn,
since what else the machine does then falls on both alike. The figures are medians of the stretches, latencies those of
all requests; CPU time is that of all processes of a server. The backend is a stub on the other core, with the load
generator: it answers at once, or after 20 ms. Requests come on 16 connections (32 before the slow backend), and ask for
no compression.

    python -m benchmarks pages [--rows clients,search] [--threads 1,8,16] [--seconds 0.25] [--rounds 5]
    python -m benchmarks pages --beside ../other     the pages of another checkout too, in turn in the same run
    python -m benchmarks pages --memory              memory over 50,000 requests, in place of the tables
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Final

from benchmarks._page_cases import Case, measure, started
from benchmarks._page_memory import MOST_PSS_MIB, measure_growth, measure_memory
from benchmarks._page_rows import PAGES
from benchmarks._servers import ROOT, cores_for_server_and_load
from benchmarks._stub_backend import stub_backend
from benchmarks._targets import Targets

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from benchmarks._servers import Memory

HERE: Final = "this checkout"
MOST_OF_EMPTY: Final = 9
MOST_OF_ONE_THREAD: Final = 1.1
LEAST_DELAYED_RATE: Final = 250


def main() -> None:
    """Runs in a process of its own, which keeps to one core."""
    if sys.platform != "linux":
        print("pages: reads the servers' CPU time and memory as Linux gives them, and runs there only")
        return
    sys.exit(subprocess.run([sys.executable, "-m", "benchmarks.pages", *sys.argv[1:]], check=False).returncode)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="benchmarks pages")
    parser.add_argument("--rows", type=_rows, default=list(PAGES), metavar="A,B", help=f"of {', '.join(PAGES)}")
    parser.add_argument("--threads", type=_numbers, default=[1, 8, 16], metavar="N,M", help="of the worker: 1,8,16")
    parser.add_argument("--seconds", type=float, default=0.25, help="of each stretch of load: 0.25")
    parser.add_argument("--rounds", type=int, default=5, help="stretches of each page: 5")
    parser.add_argument("--beside", type=Path, metavar="CHECKOUT", help="measure that checkout's pages too")
    parser.add_argument("--memory", action="store_true", help="measure memory over 50,000 requests, and nothing else")
    return parser.parse_args()


def _rows(text: str) -> list[str]:
    names = text.split(",")
    if unknown := set(names) - set(PAGES):
        raise argparse.ArgumentTypeError(f"no page {', '.join(unknown)}")
    return names


def _numbers(text: str) -> list[int]:
    return [int(number) for number in text.split(",")]


def print_pages(cases: Sequence[Case], *, side: str, one_core: bool) -> None:
    """The table of one side."""
    print(f"\n## Pages: {side}, one worker of granian{' on one core' if one_core else ''}\n")
    print("| page | threads | CPU, ms | of an empty view's | requests/s | p50, ms | p99, ms | calls to the backend |")
    print("|---|---|---|---|---|---|---|---|")
    for case in cases:
        print(
            f"| {case.name} | {case.threads} | {case.cpu_ms:.2f} | {case.of_empty:.1f} | {case.rate:,.0f} |"
            f" {case.percentile(50):.0f} | {case.percentile(99):.0f} | {case.calls:.1f} |"
        )


def print_comparison(cases: Sequence[Case], others: Sequence[Case]) -> None:
    """Both sides, pair by pair."""
    print(f"\n## Pages: {others[0].side} and {HERE}\n")
    print("| page | threads | CPU there, ms | here | there, of here | requests/s there | here | here, of there |")
    print("|---|---|---|---|---|---|---|---|")
    for case, other in zip(cases, others, strict=True):
        pairs = list(zip(case.stretches, other.stretches, strict=True))
        cost, rate = median(b.cpu_ms / a.cpu_ms for a, b in pairs), median(a.rate / b.rate for a, b in pairs)
        print(
            f"| {case.name} | {case.threads} | {other.cpu_ms:.2f} | {case.cpu_ms:.2f} | {cost:.2f} |"
            f" {other.rate:,.0f} | {case.rate:,.0f} | {rate:.2f} |"
        )


def print_memory(memory: Mapping[tuple[str, int], Memory]) -> None:
    """All processes of the server together."""
    print("\n## Pages: memory of the energy app with one worker, after load, MiB\n")
    print("| | threads | RSS | PSS |\n|---|---|---|---|")
    for (side, threads), taken in memory.items():
        print(f"| {side} | {threads} | {taken.rss:.0f} | {taken.pss:.0f} |")
    print()


def hold_targets(cases: Sequence[Case], targets: Targets) -> None:
    """Those that can be held within one run, of the pages that were measured."""
    by_key = {(case.row, case.delay_ms, case.threads): case for case in cases}
    for name in ("clients", "clients-token"):
        if case := by_key.get((PAGES[name], 0, 8)):
            what = f"{case.name}, 8 threads: {case.of_empty:.1f} times the CPU time of an empty view"
            targets.hold(what, f"under {MOST_OF_EMPTY}", met=case.of_empty < MOST_OF_EMPTY)
    one, eight = (by_key.get((PAGES["clients"], 0, threads)) for threads in (1, 8))
    if one and eight:
        pairs = zip(one.stretches, eight.stretches, strict=True)
        ratio = median(single.rate / many.rate for single, many in pairs)
        what = f"clients, cached: one thread has {ratio:.2f} times the rate of 8"
        targets.hold(what, f"under {MOST_OF_ONE_THREAD}", met=ratio < MOST_OF_ONE_THREAD)
    if delayed := by_key.get((PAGES["search"], 20, 16)):
        # A number of this machine, and no ratio: it is printed, and decides nothing.
        print(f"       {delayed.name}, 16 threads: {delayed.rate:,.0f} requests/s (wanted: over {LEAST_DELAYED_RATE})")


def _run(options: argparse.Namespace) -> None:
    core, others = cores_for_server_and_load()
    if core is not None:
        os.sched_setaffinity(0, others)
    targets = Targets()
    with tempfile.TemporaryDirectory(prefix="portal-bench-") as name, stub_backend() as stub:
        folder = Path(name)
        if options.memory:
            measure_growth(folder=folder, stub=stub, core=core, targets=targets)
            targets.end()
            return
        checkouts = {HERE: ROOT} | ({options.beside.resolve().name: options.beside.resolve()} if options.beside else {})
        rows = [PAGES[name] for name in options.rows]
        with started(checkouts, rows, threads=options.threads, folder=folder, stub=stub, core=core) as cases:
            measure(cases, stub=stub, seconds=options.seconds, rounds=options.rounds)
        sides = [[case for case in cases if case.side == side] for side in checkouts]
        for side, found in zip(checkouts, sides, strict=True):
            print_pages(found, side=side, one_core=core is not None)
        if options.beside:
            print_comparison(*sides)
        print()
        hold_targets(sides[0], targets)
        memory = measure_memory(checkouts, threads=options.threads, folder=folder, stub=stub, core=core)
        print_memory(memory)
        for (side, threads), taken in memory.items():
            if side == HERE:
                what = f"{threads} threads: PSS {taken.pss:.0f} MiB"
                targets.hold(what, f"at most {MOST_PSS_MIB}", met=taken.pss <= MOST_PSS_MIB)
    targets.end()


if __name__ == "__main__":
    _run(_options())
