"""A storm on the query layer: processes and threads read and write one user's list, while keys are evicted.

Every read that starts after a write was completed must show it, in whatever process. Pages age fast here: within
seconds they are stale and fetched anew behind the reads that show them, and soon after dead. Then two users of two
tenants, whose tokens and profiles have one id, write the same rows, reload and renew their tokens: no read shows an
older version of a row than a read before it, nor a row that another user has seen; nor does an invented token with
their claims. The checker is shown to be able to
fail: the naive design, which reads the cached list, changes it and writes it back, runs through it too.

    ./manage.py bench storm_query [--seconds 60]
"""

import ctypes
import logging
import multiprocessing
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any
from unittest.mock import patch

from benchmarks.harness.options import options_of, parser_of
from benchmarks.harness.stores import caches, configure
from benchmarks.harness.targets import Targets
from benchmarks.query.storm_rows import LIFETIME_S, MAX_ROWS, START_ROWS, StormServer, make_rows
from benchmarks.query.storm_thread import Design, Known, Report, Storm, StormThread
from benchmarks.query.storm_users import LogUser, NaiveUser
from portal.query.cache import patches
from portal.store import SharedStore, query_store

PROCESSES = 3
THREADS = 4
#: Chance of a read to be a reload, if there are two users.
RELOADS = 0.1
#: The name of a design, whether keys are evicted, and the number of users.
RUNS: tuple[tuple[str, Design, bool, int], ...] = (
    ("pages and write log", "log", True, 1),
    ("pages and write log, 2 tenants with one id who reload, tokens renewed, no eviction", "log", False, 2),
    ("read, change, write back, no eviction", "naive", False, 1),
)


def run_storm(
    *, cache: dict[str, Any], folder: Path, seconds: float, design: Design = "log", evict: bool = True, users: int = 1
) -> Report:
    """Run one storm.

    :param cache: Django's settings of the cache that is stormed.
    :param folder: an empty one, for the backend's rows.
    """
    make_rows(folder / "rows.sqlite3")
    # All processes of all storms begin as copies of one that has imported what they run.
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["benchmarks.harness.stores", "benchmarks.query.storm_users"])
    leaving = context.RawArray(ctypes.c_int8, MAX_ROWS)
    known = [
        Known(
            version=context.RawArray(ctypes.c_int64, MAX_ROWS),
            created=context.RawArray(ctypes.c_int8, MAX_ROWS),
            deleted=context.RawArray(ctypes.c_int8, MAX_ROWS),
            leaving=leaving,
            **{name: context.RawArray(ctypes.c_double, 2 * MAX_ROWS) for name in ("shown", "found", "shown_one")},
            lock=context.Lock(),
            renewals=context.RawArray(ctypes.c_int64, 1),
        )
        for _ in range(users)
    ]
    for each in known:
        each.created[1 : START_ROWS + 1] = [1] * START_ROWS
    storm = Storm(folder=str(folder), cache=cache, design=design, seconds=seconds, evict=evict, users=users)
    results = context.Queue()
    workers = [context.Process(target=_work, args=(storm, known, seed, results)) for seed in range(PROCESSES)]
    for worker in workers:
        worker.start()
    report = Report()
    for _ in workers:
        # A worker that died has none: then this ends with an error.
        report.add(results.get(timeout=seconds + 60))
    for worker in workers:
        worker.join()
    return report


def _work(storm: Storm, known: Sequence[Known], seed: int, results: Any) -> None:
    configure({"default": storm.cache})
    logging.disable(logging.CRITICAL)
    reports = [Report() for _ in range(THREADS)]
    people = list(zip(known, _make_users(storm, query_store(), known), strict=True))
    with patch.object(patches, "PAGE_LIFETIME_S", LIFETIME_S), ThreadPoolExecutor(THREADS) as pool:
        running = [
            pool.submit(StormThread(storm=storm, people=people, report=report, seed=seed * 100 + number).run)
            for number, report in enumerate(reports)
        ]
        for thread in running:
            thread.result()  # an error in it ends the worker
    total = Report()
    for report in reports:
        total.add(asdict(report))
    results.put(asdict(total))


def _make_users(storm: Storm, store: SharedStore, known: Sequence[Known]) -> list[Any]:
    server = StormServer(Path(storm.folder, "rows.sqlite3"))
    if storm.design == "naive":
        return [NaiveUser(server, store)]
    reloads = RELOADS if storm.users > 1 else 0
    # The storms of a run share a store: each has users of its own.
    place = Path(storm.folder).name
    return [
        LogUser(server, store, name=f"{place} {number}", renewals=each.renewals, reloads=reloads)
        for number, each in enumerate(known)
    ]


def main() -> None:
    """Run all of them, and print a table; end with status 1 if the log lost a write."""
    parser = parser_of(__doc__)
    parser.add_argument("--seconds", type=float, default=60, help="of each storm: 60")
    options = options_of(parser, seconds=0.4)
    print(f"query storm: {PROCESSES} processes x {THREADS} threads, {options.seconds:g} s each, keys evicted at random")
    print(
        "| store | design | reads | writes | fetched | evicted | rows that contradict a write |"
        " rows older than shown before | rows of others |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    missed = older = foreign = 0
    with tempfile.TemporaryDirectory() as folder, caches(Path(folder)) as found:
        for name, cache in list(found.items())[: 1 if options.smoke else None]:
            for label, design, evict, users in RUNS:
                place = Path(folder) / f"{name} {design} {users}"
                place.mkdir()
                report = run_storm(
                    cache=cache, folder=place, seconds=options.seconds, design=design, evict=evict, users=users
                )
                if design == "log":
                    missed, older = missed + report.missed, older + report.older
                    foreign += report.foreign
                backwards = "–" if evict else f"**{report.older:,}**"
                print(
                    f"| {name} | {label} | {report.reads:,} | {report.writes:,} | {report.fetches:,} |"
                    f" {report.evictions:,} | **{report.missed:,}** | {backwards} | **{report.foreign:,}** |",
                    flush=True,
                )
    targets = Targets(smoke=options.smoke)
    targets.hold(f"rows that contradict a completed write: {missed}", "0", met=not missed)
    targets.hold(f"rows that are older than they were shown before: {older}", "0", met=not older)
    targets.hold(f"rows of another user: {foreign}", "0", met=not foreign)
    targets.end()


if __name__ == "__main__":
    main()
