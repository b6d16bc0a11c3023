"""A storm on the query layer: processes and threads read and write one user's list, while keys are evicted.

Every read that starts after a write was completed must show it, in whatever process. Pages age fast here: within
seconds they are stale and fetched anew behind the reads that show them, and soon after dead. The checker is shown to be
able to fail: the naive design, which reads the cached list, changes it and writes it back, runs through it too.

    ./manage.py bench storm_query
"""

from __future__ import annotations

import contextlib
import ctypes
import logging
import multiprocessing
import queue
import random
import sqlite3
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

import redis
from django.conf import settings

from benchmarks._stores import caches
from benchmarks._storm_hooks import RowMutations, RowQueries
from benchmarks._storm_naive import NaiveList
from benchmarks._storm_server import MAX_ROWS, START_ROWS, StormServer, make_rows
from portal.api import TokenPair, TokenStore
from portal.config.limits import MAX_PAGES
from portal.errors import ApiNotFoundError
from portal.query import RowParams, create_query_client
from portal.query.process_state import runtime_for
from portal.store import query_store

if TYPE_CHECKING:
    from portal.api import ApiSession
    from portal.query import QueryClient
    from portal.store import SharedStore

SECONDS = 60
PROCESSES = 3
THREADS = 4
#: Chance of each step of a thread: an eviction, a purge, a creation, a deletion, a change, a read of one row; else a
#: read of the list.
EVICT, PURGE, CREATE, DELETE, RENAME, READ_ONE = 0.03, 0.002, 0.06, 0.05, 0.25, 0.25
#: Chance of a change to be by the mutation that only invalidates.
TOUCH = 0.2
MOST_ROWS = 45
#: Seconds of a page's life that pass in one: it is stale after 0.5 s, and dead after 1.5.
AGEING = 600

Design = Literal["log", "naive"]


@dataclass(kw_only=True)
class Report:
    """What a storm came to.

    :ivar patched: reads that showed a cached page with later writes.
    :ivar missed: rows that a read showed, or hid, against a completed write.
    """

    reads: int = 0
    writes: int = 0
    fetches: int = 0
    patched: int = 0
    revalidations: int = 0
    evictions: int = 0
    missed: int = 0
    examples: list[str] = field(default_factory=list)

    def add(self, other: dict[str, Any]) -> None:
        """Add another one's counts."""
        for name, value in other.items():
            setattr(self, name, getattr(self, name) + value)


@dataclass(frozen=True, kw_only=True)
class Known:
    """What all processes know of completed writes, by row id: the highest version, and flags."""

    version: Any
    created: Any
    deleted: Any
    #: Set before a deletion leaves: a row that is being deleted need not be shown.
    leaving: Any
    lock: Any


@dataclass(frozen=True, kw_only=True)
class Storm:
    """Where it takes place."""

    folder: str
    cache: dict[str, Any]
    design: Design
    seconds: float
    evict: bool


def run_storm(
    *,
    cache: dict[str, Any],
    folder: Path,
    seconds: float,
    design: Design = "log",
    processes: int = PROCESSES,
    threads: int = THREADS,
    evict: bool = True,
) -> Report:
    """Run one storm.

    :param cache: Django's settings of the cache that is stormed.
    :param folder: an empty one, for the backend's rows.
    """
    make_rows(folder / "rows.sqlite3")
    context = multiprocessing.get_context("spawn")
    known = Known(
        version=context.RawArray(ctypes.c_int64, MAX_ROWS),
        created=context.RawArray(ctypes.c_int8, MAX_ROWS),
        deleted=context.RawArray(ctypes.c_int8, MAX_ROWS),
        leaving=context.RawArray(ctypes.c_int8, MAX_ROWS),
        lock=context.Lock(),
    )
    for number in range(1, START_ROWS + 1):
        known.created[number] = 1
    storm = Storm(folder=str(folder), cache=cache, design=design, seconds=seconds, evict=evict)
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


def _work(storm: Storm, known: Known, threads: int, seed: int, results: Any) -> None:
    settings.configure(CACHES={"default": storm.cache}, USE_TZ=True)
    logging.disable(logging.CRITICAL)
    store = query_store()
    reports = [Report() for _ in range(threads)]
    user = _make_user(storm, store)
    with ThreadPoolExecutor(max_workers=threads) as pool:
        running = [
            pool.submit(_Thread(storm=storm, known=known, user=user, report=report, seed=seed * 100 + number).run)
            for number, report in enumerate(reports)
        ]
        for thread in running:
            thread.result()  # what went wrong in it ends the worker
    total = Report()
    for report in reports:
        total.add(asdict(report))
    total.revalidations = user.revalidated
    results.put(asdict(total))


def _make_user(storm: Storm, store: SharedStore) -> Any:
    server = StormServer(Path(storm.folder, "rows.sqlite3"))
    if storm.design == "naive":
        return _NaiveUser(NaiveList(server=server, store=store), server)
    return _LogUser(server, store)


class _LogUser:
    """The user's hands on the query layer."""

    def __init__(self, server: StormServer, store: SharedStore) -> None:
        self.server = server
        self.runtime = runtime_for(store)
        self.client = lambda: create_query_client(
            tokens=TokenStore(TokenPair(access="token")),
            api=cast("ApiSession", server),  # it has what a client asks of one
            runtime=self.runtime,
            clock=lambda: time.time() * AGEING,
        )
        self.fetched = self.patched = 0

    def _note(self, client: QueryClient) -> None:
        self.fetched += client.events[-1].cache_status in {"miss", "partial"}
        self.patched += client.events[-1].patches > 0

    @property
    def revalidated(self) -> int:
        """Pages that were fetched behind the reads."""
        return self.runtime.revalidations.counts()["fetched"]

    def read(self, *, all_pages: bool) -> list[dict[str, Any]]:
        client = self.client()
        params = {} if all_pages or random.random() < 0.5 else {"q": "row"}
        result = RowQueries.use_get_rows_query(client, params, pages=MAX_PAGES if all_pages else 2)
        if result.error is not None:
            raise result.error
        self._note(client)
        return list(result.data.items)

    def read_one(self, row_id: str) -> dict[str, Any] | None:
        client = self.client()
        result = RowQueries.use_get_row_query(client, id=row_id)
        if result.error is not None and not isinstance(result.error, ApiNotFoundError):
            raise result.error
        self._note(client)
        # Beside a 404 there may be older data.
        return None if result.error is not None else result.data

    def create(self, name: str) -> dict[str, Any]:
        return RowMutations.use_create_row_mutation(self.client()).mutate(body={"name": name}).unwrap()

    def rename(self, row_id: str, name: str) -> dict[str, Any] | None:
        change = (
            RowMutations.use_touch_row_mutation if random.random() < TOUCH else RowMutations.use_update_row_mutation
        )
        return change(self.client()).mutate(body={"name": name}, params=RowParams(id=row_id)).data

    def delete(self, row_id: str) -> bool:
        return RowMutations.use_delete_row_mutation(self.client()).mutate(params=RowParams(id=row_id)).is_success

    def purge(self) -> None:
        self.client().purge()


class _NaiveUser:
    """The same on the naive design."""

    def __init__(self, rows: NaiveList, server: StormServer) -> None:
        self.rows, self.server = rows, server
        self.create, self.rename, self.delete = rows.create, rows.rename, rows.delete
        self.fetched = self.patched = self.revalidated = 0

    def read(self, *, all_pages: bool) -> list[dict[str, Any]]:
        del all_pages
        return self.rows.read()

    def read_one(self, row_id: str) -> dict[str, Any] | None:
        return next((row for row in self.rows.read() if row["id"] == row_id), None)

    def purge(self) -> None:
        """It has no namespaces."""


class _Thread:
    """One thread's steps, and what it checks."""

    def __init__(self, *, storm: Storm, known: Known, user: Any, report: Report, seed: int) -> None:
        self.storm, self.known, self.user, self.report = storm, known, user, report
        self.random = random.Random(seed)
        self.evict = _evicter(storm.cache) if storm.evict else None

    def run(self) -> None:
        end = time.monotonic() + self.storm.seconds
        while time.monotonic() < end:
            self._step(self.random.random())
        self.report.fetches, self.report.patched = self.user.fetched, self.user.patched
        self.user.fetched = self.user.patched = 0

    def _step(self, chance: float) -> None:
        for limit, action in (
            (EVICT, self._evict),
            (PURGE, self.user.purge),
            (CREATE, self._create),
            (DELETE, self._delete),
            (RENAME, self._rename),
            (READ_ONE, self._read_one),
        ):
            if chance < limit:
                action()
                return
            chance -= limit
        self._read()

    def _read(self) -> None:
        known = self.known
        complete = self.random.random() < 0.5
        version, deleted = list(known.version), bytes(known.deleted)
        created = bytes(known.created)
        rows = self.user.read(all_pages=complete)
        self.report.reads += 1
        shown = {int(row["id"]): row["version"] for row in rows}
        for row_id, seen in shown.items():
            if deleted[row_id]:
                self._missed(f"{row_id} was deleted and is shown")
            elif seen < version[row_id]:
                self._missed(f"{row_id} is shown in version {seen} after {version[row_id]} was completed")
        if complete:
            leaving = bytes(known.leaving)
            for row_id in range(1, MAX_ROWS):
                if created[row_id] and not leaving[row_id] and row_id not in shown:
                    self._missed(f"{row_id} was created and is not shown")

    def _read_one(self) -> None:
        row_id = self.user.server.some_id()
        if row_id is None:
            return
        number = int(row_id)
        version, deleted = self.known.version[number], self.known.deleted[number]
        row = self.user.read_one(row_id)
        self.report.reads += 1
        if row is None:
            if self.known.created[number] and not self.known.leaving[number]:
                self._missed(f"{number} was created and is not found")
        elif deleted:
            self._missed(f"{number} was deleted and is shown")
        elif row["version"] < version:
            self._missed(f"{number} is shown in version {row['version']} after {version} was completed")

    def _create(self) -> None:
        if self.user.server.count() > MOST_ROWS:
            return
        row = self.user.create("row")
        self._completed(row)
        self.known.created[int(row["id"])] = 1

    def _rename(self) -> None:
        row_id = self.user.server.some_id()
        row = row_id and self.user.rename(row_id, f"row {self.random.random():.3f}")
        if row:
            self._completed(row)

    def _delete(self) -> None:
        row_id = self.user.server.some_id()
        if row_id is None or self.user.server.count() < START_ROWS:
            return
        self.known.leaving[int(row_id)] = 1
        if self.user.delete(row_id):
            self.known.deleted[int(row_id)] = 1
            self.report.writes += 1

    def _completed(self, row: dict[str, Any]) -> None:
        with self.known.lock:
            number = int(row["id"])
            self.known.version[number] = max(self.known.version[number], row["version"])
        self.report.writes += 1

    def _evict(self) -> None:
        if self.evict is not None:
            self.evict()
            self.report.evictions += 1

    def _missed(self, example: str) -> None:
        self.report.missed += 1
        if len(self.report.examples) < 3:
            self.report.examples.append(example)


def _evicter(cache: dict[str, Any]) -> Any:
    """A function that deletes one entry at random, behind the store's back."""
    if cache["BACKEND"].endswith("RedisCache"):
        client = redis.Redis.from_url(cache["LOCATION"])

        def evict_from_redis() -> None:
            key = client.randomkey()
            if key is not None:
                client.delete(key)

        return evict_from_redis
    local = threading.local()

    def evict_from_file() -> None:
        if not hasattr(local, "connection"):
            local.connection = sqlite3.connect(cache["LOCATION"], isolation_level=None, timeout=10)
        with contextlib.suppress(sqlite3.OperationalError):
            local.connection.execute(
                "DELETE FROM entries WHERE id IN (SELECT id FROM entries ORDER BY random() LIMIT 1)"
            )

    return evict_from_file


def main() -> None:
    """Run all of them, and print a table; the exit status is 1 where the log lost a write."""
    print(f"query storm: {PROCESSES} processes x {THREADS} threads, {SECONDS} s each, keys evicted at random")
    print("| store | design | reads | writes | fetched | fetched behind | evicted | rows that contradict a write |")
    print("|---|---|---|---|---|---|---|---|")
    runs: tuple[tuple[Design, bool], ...] = (("log", True), ("naive", False))
    missed = 0
    with tempfile.TemporaryDirectory() as folder, caches(Path(folder)) as found:
        for name, cache in found.items():
            for design, evict in runs:
                place = Path(folder) / f"{name} {design}"
                place.mkdir()
                report = run_storm(
                    cache=cache,
                    folder=place,
                    seconds=SECONDS,
                    design=design,
                    evict=evict,
                )
                missed += report.missed if design == "log" else 0
                label = "pages and write log" if design == "log" else "read, change, write back (no eviction)"
                print(
                    f"| {name} | {label} | {report.reads:,} | {report.writes:,} | {report.fetches:,} |"
                    f" {report.revalidations:,} | {report.evictions:,} | **{report.missed:,}** |",
                    flush=True,
                )
    if missed:
        sys.exit(1)
