"""Runs statements on the database file: waits while other processes write, and replaces a damaged file."""

import contextlib
import random
import sqlite3
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, cast

from fork_safety import ForkSafeLock
from sqlite_cache.errors import CacheBusyError
from sqlite_cache.file import empty_journal, is_busy, journal_bytes, open_database, replace_damaged
from sqlite_cache.pool import ConnectionPool

Rows = list[tuple[Any, ...]]

#: Pause between two tries while another process writes, seconds. SQLite's own pauses grow to 100 ms, so a process that
#: writes without a break starves the others; short random pauses meet a gap between its writes.
BUSY_PAUSE_S: Final = (0.0005, 0.003)

_pools: dict[Path, ConnectionPool] = {}
_pools_lock = ForkSafeLock()


class Database:
    """The database file at `path`. Safe for threads; all objects of one path share the process's connections.

    :param busy_timeout_s: longest wait for other processes, seconds.
    """

    def __init__(self, path: Path, *, busy_timeout_s: float) -> None:
        self.path = path
        self.busy_timeout_s = busy_timeout_s
        self.sleep = time.sleep
        with _pools_lock:
            pool = _pools.get(path)
            if pool is None:
                pool = _pools[path] = ConnectionPool(path, self._connect)
        self.pool = pool

    def run(self, statement: str, values: Sequence[Any] = (), *, may_lag: bool = False) -> tuple[Rows, int]:
        """Run one statement in a transaction of its own; give its rows and the number of rows that it changed.

        :param may_lag: as of :meth:`ConnectionPool.take`.
        :raises CacheBusyError: other processes write for longer than the limit.
        :raises sqlite3.Error: SQLite reports another failure.
        """
        for last_try in (False, True):
            try:
                # The second try is after a replacement: other connections at hand are to the damaged file too.
                return self._run_once(statement, values, may_lag=may_lag and not last_try)
            except sqlite3.DatabaseError as error:
                self._recover(error, last_try=last_try)
        raise AssertionError  # the loop returns or raises

    def run_many(self, statement: str, rows: Sequence[Sequence[Any]]) -> None:
        """Run one statement for each of `rows`, all in one transaction; errors as :meth:`run`."""
        for last_try in (False, True) if rows else ():
            try:
                with self.pool.connection() as connection:
                    self._execute(connection, "BEGIN IMMEDIATE", ())
                    connection.executemany(statement, rows)
                    connection.execute("COMMIT")
                    return
            except sqlite3.DatabaseError as error:
                self._recover(error, last_try=last_try)

    def pause(self) -> None:
        """Let other processes write."""
        self.sleep(random.uniform(*BUSY_PAUSE_S))  # noqa: S311  a pause is no secret

    def size_in_bytes(self) -> int:
        """Bytes of live data, from SQLite's own page counts."""
        rows, _ = self.run(
            "SELECT (page_count - freelist_count) * page_size "
            "FROM pragma_page_count, pragma_freelist_count, pragma_page_size"
        )
        return cast("int", rows[0][0])

    def limit_journal(self, max_bytes: int, *, limit_s: float) -> None:
        """Empty a journal larger than `max_bytes`, which SQLite does only when no process reads.

        :param limit_s: longest time for trying, seconds.
        """
        if journal_bytes(self.path) <= max_bytes:
            return
        # The next write meets a damaged or replaced file, and reports it.
        with contextlib.suppress(sqlite3.DatabaseError), self.pool.connection() as connection:
            empty_journal(connection, limit_s=limit_s)

    def _connect(self) -> sqlite3.Connection:
        return open_database(self.path, busy_timeout_s=self.busy_timeout_s)

    def _recover(self, error: sqlite3.DatabaseError, *, last_try: bool) -> None:
        """Return if the file was damaged and an empty one replaces it now; raise in any other case."""
        if is_busy(error):
            raise CacheBusyError(f"other processes write to {self.path.name} without a gap") from error
        if last_try or not replace_damaged(self.path, error, busy_timeout_s=self.busy_timeout_s):
            raise error

    def _run_once(self, statement: str, values: Sequence[Any], *, may_lag: bool) -> tuple[Rows, int]:
        slot = self.pool.take(may_lag=may_lag)
        try:
            cursor = self._execute(slot.connection, statement, values)
            rows = cursor.fetchall()
        except BaseException:
            self.pool.discard(slot)
            raise
        self.pool.give_back(slot)
        return rows, cursor.rowcount

    def _execute(self, connection: sqlite3.Connection, statement: str, values: Sequence[Any]) -> sqlite3.Cursor:
        """Run `statement`, again and again while another process writes, for `busy_timeout_s` at most."""
        end: float | None = None
        while True:
            try:
                return connection.execute(statement, values)
            except sqlite3.OperationalError as error:
                now = time.monotonic()
                end = now + self.busy_timeout_s if end is None else end
                if not is_busy(error) or now >= end:
                    raise
            self.pause()
