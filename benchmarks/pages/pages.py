"""Costs of pages: CPU time, requests a second and latencies on one core of the production server, all in one run.

Each page runs beside an empty view behind Django's default middlewares on the same server, stretch by stretch in turn,
since what else the machine does then falls on both alike. The figures are medians of the stretches; CPU time is that of
all processes of a server. The backend is a stub on the other core, with the load
generator: it answers at once, or after 20 ms. Requests come on 16 connections (32 before the slow backend), and ask for
no compression.

    ./manage.py bench pages [--rows clients,search] [--threads 1,8,16] [--seconds 0.25] [--rounds 5]
    ./manage.py bench pages --beside ../other     the pages of another checkout too, in turn in the same run
    ./manage.py bench pages --next                the same pages on Next.js too (benchmarks/pages/next)
"""

import argparse
import itertools
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from benchmarks.harness.load import drive
from benchmarks.harness.measured import table, write
from benchmarks.harness.options import options_of, parser_of, skip
from benchmarks.harness.servers import ROOT, keep_to_one_core
from benchmarks.harness.stub_backend import Stub, stub_backend
from benchmarks.harness.targets import Targets
from benchmarks.pages.cases import Case, Side, measure, of_checkout, started
from benchmarks.pages.next_server import NEXT, NoNextError, build, on_next
from benchmarks.pages.rows import PAGES, Row

#: By page, the most CPU time divided by that of an empty view.
MOST_OF_EMPTY: Final = {"clients": 6, "clients-token": 6, "redirect": 0.67}
#: By page, the least rate divided by that of Next.js.
LEAST_OF_NEXT: Final = {"clients": 6, "clients-token": 5, "sign-in": 4, "search": 1.6, "redirect": 4}
#: Processes of a server: the worker, and the parent that watches it.
MOST_PSS_MIB: Final = 85
#: Load on each page before the memory is read.
LOAD_S: Final = 0.4
HEADS: Final = ("page", "threads", "CPU, ms", "of an empty view's", "requests/s", "p99, ms", "calls")
HEADS_BESIDE: Final = ("page", "threads", "CPU there, ms", "requests/s there", "rate here, of that", "CPU, of here")


def _options() -> argparse.Namespace:
    parser = parser_of(__doc__, writes=True)
    parser.add_argument("--rows", type=_rows, default=list(PAGES), metavar="A,B", help=f"of {', '.join(PAGES)}")
    parser.add_argument("--threads", type=_numbers, default=[1, 8, 16], metavar="N,M", help="of the worker: 1,8,16")
    parser.add_argument("--seconds", type=float, default=0.25, help="of each stretch of load: 0.25")
    parser.add_argument("--rounds", type=int, default=5, help="stretches of each page: 5")
    parser.add_argument("--beside", type=Path, metavar="CHECKOUT", help="measure that checkout's pages too")
    parser.add_argument("--next", action="store_true", help="measure the pages of benchmarks/pages/next too")
    return options_of(parser, threads=[8], seconds=0.02, rounds=1, next=True)


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
            sides.append(on_next(build(), beside_threads=beside, core=core, backend=backend))
        except NoNextError as error:
            print(f"skipped: pages on {NEXT}: {error}")
    # A short run waits neither for caches nor for V8.
    return [replace(side, warm_requests=0, lead_s=0) for side in sides] if options.smoke else sides


def documented_threads(options: argparse.Namespace) -> int:
    """Return the number of threads whose figures the documentation has, and Next.js is compared with."""
    return 8 if 8 in options.threads else int(options.threads[0])


def measure_pages(options: argparse.Namespace, targets: Targets, *, folder: Path, stub: Stub, core: int | None) -> None:
    """Print all tables, and hold the targets."""
    here, *others = sides = sides_of(options, core=core, backend=stub.url)
    rows = [PAGES[name] for name in options.rows]
    with started(sides, rows, threads=options.threads, folder=folder, core=core) as cases:
        measure(cases, stub=stub, seconds=options.seconds, rounds=options.rounds)
    by_key = {side: {case.key: case for case in cases if case.side is side} for side in sides}
    pairs = {other: [(by_key[here][key], there) for key, there in by_key[other].items()] for other in others}
    for side in sides:
        print(
            f"\n## Pages: {side.name}, one process for requests\n\n{table(HEADS, map(row_of, by_key[side].values()))}"
        )
    for other in others:
        rows_beside = (row_beside(*pair) for pair in pairs[other])
        print(f"\n## Pages: here and there ({other.name})\n\n{table(HEADS_BESIDE, rows_beside)}")
    memory = measure_memory(sides[:1] if options.smoke else sides, options, folder=folder)
    hold_targets(by_key[here], targets)
    for threads in options.threads:
        pss_mib = memory[here, threads]
        targets.hold(
            f"{threads} threads: PSS {pss_mib:.0f} MiB", f"at most {MOST_PSS_MIB}", met=pss_mib <= MOST_PSS_MIB
        )
    for other in (other for other in others if other.name == NEXT):
        hold_rates(pairs[other], targets)
    if options.write:
        threads = documented_threads(options)
        _write("pages", HEADS, map(row_of, by_key[here].values()), threads, memory[here, threads])
        for other in (other for other in others if other.name == NEXT):
            rows_beside = (row_beside(*pair) for pair in pairs[other])
            _write("pages --next", HEADS_BESIDE, rows_beside, threads, memory[other, threads])


def _write(name: str, heads: Sequence[str], rows: Iterable[Sequence[str]], threads: int, pss_mib: float) -> None:
    """Write the four columns that the documentation has, and the memory."""
    shown = [(row[0], *row[2:5]) for row in rows if row[1] == str(threads)]
    write(name, table((heads[0], *heads[2:5]), shown), f"Memory after load: {pss_mib:.0f} MiB PSS.")


def row_of(case: Case) -> tuple[str, ...]:
    """Return the row of a page."""
    cost = (f"{case.figure('cpu_ms'):.2f}", f"{case.figure('of_empty'):.1f}", f"{case.figure('rate'):,.0f}")
    return (case.name, str(case.threads), *cost, f"{case.figure('p99_ms'):.0f}", f"{case.figure('calls'):.1f}")


def row_beside(case: Case, there: Case) -> tuple[str, ...]:
    """Return the row of a page beside the same page of another side."""
    documented = (f"{there.figure('cpu_ms'):.2f}", f"{there.figure('rate'):,.0f}", f"{case.ratio('rate', there):.2f}")
    return (case.name, str(case.threads), *documented, f"{there.ratio('cpu_ms', case):.2f}")


def hold_targets(by_key: Mapping[tuple[Row, int, int], Case], targets: Targets) -> None:
    """Hold the targets of this checkout's pages that can be held within one run."""
    for name, most in MOST_OF_EMPTY.items():
        if case := by_key.get((PAGES[name], 0, 8)):
            ratio = case.figure("of_empty")
            result = f"{case.name}, 8 threads: {ratio:.2f} times the CPU time of an empty view"
            targets.hold(result, f"under {most}", met=ratio < most)


def hold_rates(pairs: Sequence[tuple[Case, Case]], targets: Targets) -> None:
    """Hold the rates of the pages that Next has too, divided by Next's."""
    least_of = {PAGES[name]: least for name, least in LEAST_OF_NEXT.items()}
    for case, there in pairs:
        # Before the slow backend a page's rate is that of the backend.
        if not case.delay_ms:
            rate, least = case.ratio("rate", there), least_of[case.row]
            targets.hold(f"{case.name}: {rate:.1f} times the rate of {NEXT}", f"at least {least}", met=rate >= least)


def measure_memory(
    sides: Sequence[Side], options: argparse.Namespace, *, folder: Path
) -> dict[tuple[Side, int], float]:
    """Print and return the memory after load. Only one server runs at a time: pages that two map would count half."""
    found = {}
    for side, threads in itertools.product(sides, options.threads):
        if side.threads in {None, threads}:
            with side.loaded(threads=threads, folder=folder) as (server, visitors):
                for visitor in visitors:
                    seconds = options.seconds if options.smoke else LOAD_S
                    drive(server.port, visitor.requests(), seconds=seconds, status=visitor.row.status)
                found[side, threads] = server.pss_mib()
    print("\n## Pages: memory of a server with the energy app, after load, MiB PSS\n")
    print(table(("", "threads", "PSS"), ((side.name, f"{n}", f"{pss:.0f}") for (side, n), pss in found.items())))
    print()
    return found


def main() -> None:
    """Print the tables, and the targets with their results. This process keeps to one core."""
    options = _options()
    if sys.platform != "linux":
        skip("the servers' CPU time and memory are read as Linux gives them")
    core = keep_to_one_core(smoke=options.smoke)
    targets = Targets(smoke=options.smoke)
    with tempfile.TemporaryDirectory(prefix="portal-bench-") as name, stub_backend() as stub:
        measure_pages(options, targets, folder=Path(name), stub=stub, core=core)
    targets.end()


if __name__ == "__main__":
    main()
