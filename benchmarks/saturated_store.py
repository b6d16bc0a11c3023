"""The embedded store when processes write and read without a pause: its journal, its slowest write, failed writes.

`./manage.py bench saturated_store [--seconds 40] [--megabytes 64]`
"""

from __future__ import annotations

import multiprocessing
import tempfile
import time
from pathlib import Path
from queue import Empty
from typing import TYPE_CHECKING, Any

from django.conf import settings

from benchmarks._options import options_of, parser_of
from benchmarks._targets import Targets
from sqlite_cache import SQLiteCache

if TYPE_CHECKING:
    from multiprocessing.queues import Queue

WRITERS, READERS = 2, 2
VALUE = "x" * 8000
LIFETIME_S = 900
SAMPLE_EVERY_S = 0.05


def _cache(path: str, megabytes: int) -> SQLiteCache:
    return SQLiteCache(path, {"OPTIONS": {"MAX_BYTES": megabytes * 2**20, "BUSY_TIMEOUT_S": 1.0}})


def _write(path: str, megabytes: int, writer: int, end: float, results: Queue[tuple[int, int, float]]) -> None:
    cache = _cache(path, megabytes)
    number, failed, slowest = 0, 0, 0.0
    while time.time() < end:
        began = time.perf_counter()
        try:
            cache.set(f"{writer}:{number}", VALUE, LIFETIME_S)
        except Exception:  # noqa: BLE001  whatever it is, it is counted
            failed += 1
        slowest = max(slowest, time.perf_counter() - began)
        number += 1
    results.put((number, failed, slowest))


def _read(path: str, megabytes: int, end: float) -> None:
    cache = _cache(path, megabytes)
    number = 0
    while time.time() < end:
        cache.get_many([f"{number % WRITERS}:{number + step}" for step in range(8)])
        number += 8


def main() -> None:
    """Print a table; end with 1 where a write failed."""
    parser = parser_of(__doc__)
    parser.add_argument("--seconds", type=float, default=40)
    parser.add_argument("--megabytes", type=int, default=64)
    chosen = options_of(parser, seconds=1)
    settings.configure()
    context = multiprocessing.get_context("fork")
    results: Any = context.Queue()
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder, "store", "cache.sqlite3"))
        end = time.time() + chosen.seconds
        processes = [
            context.Process(target=_write, args=(path, chosen.megabytes, writer, end, results))
            for writer in range(WRITERS)
        ]
        processes += [context.Process(target=_read, args=(path, chosen.megabytes, end)) for _ in range(READERS)]
        for process in processes:
            process.start()
        largest, found = 0, []
        while len(found) < WRITERS:
            largest = max([largest, *(file.stat().st_size for file in Path(folder).rglob("*-wal"))])
            try:
                found.append(results.get(timeout=SAMPLE_EVERY_S))
            except Empty:
                continue
        for process in processes:
            process.join()
    writes, failed, slowest = sum(one[0] for one in found), sum(one[1] for one in found), max(one[2] for one in found)
    print(f"\n## {WRITERS} writers and {READERS} readers without a pause, {chosen.megabytes} MB\n")
    print("| largest journal | writes | failed | slowest write |")
    print("|---|---|---|---|")
    print(f"| {largest / 2**20:.0f} MB | {writes:,} | {failed} | {slowest:.2f} s |")
    targets = Targets(smoke=chosen.smoke)
    targets.hold(f"writes that failed: {failed}", "0", met=not failed)
    targets.end()


if __name__ == "__main__":
    main()
