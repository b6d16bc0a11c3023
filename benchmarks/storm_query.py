"""A storm on the query layer: processes and threads read and write one user's list, while keys are evicted.

Every read that starts after a write was completed must show it, in whatever process. Pages age fast here: within
seconds they are stale and fetched anew behind the reads that show them, and soon after dead. Then two users write the
same rows and reload: no read shows an older version of a row than a read before it. The checker is shown to be able to
fail: the naive design, which reads the cached list, changes it and writes it back, runs through it too.

    ./manage.py bench storm_query [--seconds 60]
"""

from __future__ import annotations

import ctypes
import logging
import multiprocessing
import queue
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from django.conf import settings

from benchmarks._options import options_of, parser_of
from benchmarks._stores import caches
from benchmarks._storm_hooks import LIFETIME_S
from benchmarks._storm_naive import NaiveList
from benchmarks._storm_server import MAX_ROWS, START_ROWS, StormServer, make_rows
from benchmarks._storm_thread import Design, Known, Report, Storm, StormThread
from benchmarks._storm_users import LogUser, NaiveUser
from benchmarks._targets import Targets
from portal.query.cache import merged_pages
from portal.store import query_store

if TYPE_CHECKING:
    from collections.abc import Sequence

    from portal.store import SharedStore

PROCESSES = 3
THREADS = 4
#: Chance of a read to be a reload, where there are two users.
RELOADS = 0.1


def run_storm(
    *,
    cache: dict[str, Any],
    folder: Path,
    seconds: float,
    design: Design = "log",
    processes: int = PROCESSES,
    threads: int = THREADS,
    evict: bool = True,
    users: int = 1,
) -> Report:
    """Run one storm.

    :param cache: Django's settings of the cache that is stormed.
    :param folder: an empty one, for the backend's rows.
    """
    make_rows(folder / "rows.sqlite3")
    context = multiprocessing.get_context("spawn")
    leaving = context.RawArray(ctypes.c_int8, MAX_ROWS)
    known = [
        Known(
            version=context.RawArray(ctypes.c_int64, MAX_ROWS),
            created=context.RawArray(ctypes.c_int8, MAX_ROWS),
            deleted=context.RawArray(ctypes.c_int8, MAX_ROWS),
            leaving=leaving,
            shown=context.RawArray(ctypes.c_double, 2 * MAX_ROWS),
            found=context.RawArray(ctypes.c_double, 2 * MAX_ROWS),
            shown_one=context.RawArray(ctypes.c_double, 2 * MAX_ROWS),
            lock=context.Lock(),
        )
        for _ in range(users)
    ]
    for each in known:
        for number in range(1, START_ROWS + 1):
            each.created[number] = 1
    storm = Storm(folder=str(folder), cache=cache, design=design, seconds=seconds, evict=evict, users=users)
    results = context.Queue()
    workers = [context.Process(target=_work, args=(storm, known, threads, seed, results)) for seed in range(processes)]
    for worker in workers:
        worker.start()
    report = Report()
    for _ in workers:
        report.add(_next_result(results, workers, until=time.monotonic() + seconds + 60))
    for worker in workers:
        worker.join()
    return report


def _next_result(results: Any, workers: list[Any], *, until: float) -> dict[str, Any]:
    """The counts of one more worker; an error if one died instead."""
    while True:
        try:
            found: dict[str, Any] = results.get(timeout=0.2)
        except queue.Empty:
            if any(worker.exitcode for worker in workers) or time.monotonic() > until:
                raise RuntimeError("a worker of the storm died, or hangs") from None
        else:
            return found


def _work(storm: Storm, known: Sequence[Known], threads: int, seed: int, results: Any) -> None:
    settings.configure(CACHES={"default": storm.cache}, USE_TZ=True)
    logging.disable(logging.CRITICAL)
    store = query_store()
    reports = [Report() for _ in range(threads)]
    people = list(zip(known, _make_users(storm, store), strict=True))
    with patch.object(merged_pages, "PAGE_LIFETIME_S", LIFETIME_S), ThreadPoolExecutor(max_workers=threads) as pool:
        running = [
            pool.submit(StormThread(storm=storm, people=people, report=report, seed=seed * 100 + number).run)
            for number, report in enumerate(reports)
        ]
        for thread in running:
            thread.result()  # what went wrong in it ends the worker
    total = Report()
    for report in reports:
        total.add(asdict(report))
    total.revalidations = sum(user.revalidated for _, user in people)
    results.put(asdict(total))


def _make_users(storm: Storm, store: SharedStore) -> list[Any]:
    server = StormServer(Path(storm.folder, "rows.sqlite3"))
    if storm.design == "naive":
        return [NaiveUser(NaiveList(server=server, store=store), server)]
    reloads = RELOADS if storm.users > 1 else 0
    # The storms of a run share a store: each has users of its own.
    place = Path(storm.folder).name
    return [LogUser(server, store, name=f"{place} {number}", reloads=reloads) for number in range(storm.users)]


def main() -> None:
    """Run all of them, and print a table; the exit status is 1 where the log lost a write."""
    parser = parser_of(__doc__)
    parser.add_argument("--seconds", type=float, default=60, help="of each storm: 60")
    options = options_of(parser, seconds=1)
    print(f"query storm: {PROCESSES} processes x {THREADS} threads, {options.seconds:g} s each, keys evicted at random")
    print(
        "| store | design | reads | writes | fetched | fetched behind | evicted | rows that contradict a write |"
        " rows older than shown before |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    runs: tuple[tuple[Design, bool, int], ...] = (("log", True, 1), ("log", False, 2), ("naive", False, 1))
    missed = older = 0
    with tempfile.TemporaryDirectory() as folder, caches(Path(folder)) as found:
        for name, cache in found.items():
            for design, evict, users in runs:
                place = Path(folder) / f"{name} {design} {users}"
                place.mkdir()
                report = run_storm(
                    cache=cache,
                    folder=place,
                    seconds=options.seconds,
                    design=design,
                    evict=evict,
                    users=users,
                )
                missed += report.missed if design == "log" else 0
                older += report.older if design == "log" else 0
                label = "pages and write log" if design == "log" else "read, change, write back"
                label += f", {users} users who reload" if users > 1 else ""
                label += "" if evict else ", no eviction"
                backwards = "–" if evict else f"**{report.older:,}**"
                print(
                    f"| {name} | {label} | {report.reads:,} | {report.writes:,} | {report.fetches:,} |"
                    f" {report.revalidations:,} | {report.evictions:,} | **{report.missed:,}** | {backwards} |",
                    flush=True,
                )
    targets = Targets(smoke=options.smoke)
    targets.hold(f"rows that contradict a completed write: {missed}", "0", met=not missed)
    targets.hold(f"rows that are older than they were shown before: {older}", "0", met=not older)
    targets.end()


if __name__ == "__main__":
    main()
