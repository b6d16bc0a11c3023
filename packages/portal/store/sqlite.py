"""The embedded store: a Django cache backend on one SQLite file that all processes of a machine share.

`add`, `incr` and `touch` are single statements, so they are atomic across threads and processes. Values are
JSON. The file lies in a private folder. See `docs/explanation/store-failures.md` for what happens when it is
locked, full, damaged or removed.

Settings::

    {"BACKEND": "portal.store.sqlite.SqliteCache",
     "LOCATION": "/path/of/the/file.sqlite3",
     "OPTIONS": {"MAX_BYTES": 256 * 1024 * 1024,     # live data; default
                 "MAX_ENTRIES": None,                # or a number; Django's own option
                 "CULL_FREQUENCY": 3,                # one in three entries goes when full; 0: all of them
                 "WHEN_FULL": "evict",               # or "refuse": `add` raises StoreFullError, nothing is lost
                 "BUSY_TIMEOUT_S": 2.0}}             # longest wait for another process's write
"""

from __future__ import annotations

import contextlib
import random
import re
import sqlite3
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from django.core.cache.backends.base import DEFAULT_TIMEOUT, MEMCACHE_MAX_KEY_LENGTH, BaseCache
from django.core.exceptions import ImproperlyConfigured

from portal.forks import ForkSafeLock
from portal.store.json_serializer import JsonSerializer
from portal.store.refusals import StoreFullError
from portal.store.sqlite_file import (
    empty_journal,
    is_busy,
    journal_bytes,
    open_database,
    replace_damaged,
)
from portal.store.sqlite_pool import SqlitePool

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

DEFAULT_MAX_BYTES: Final = 256 * 1024 * 1024
DEFAULT_BUSY_TIMEOUT_S: Final = 2.0
#: Writes of this process between two looks at the size; fewer where the limit is small.
WRITES_PER_LOOK: Final = 128
#: Bytes of writes of this process between two looks, about: so a small limit is looked after as closely.
BYTES_PER_LOOK: Final = 8 * 1024
#: A journal that is larger is written into the file and cut. SQLite does so by itself only when nobody is reading.
MAX_JOURNAL_BYTES: Final = 16 * 1024 * 1024
#: Rows that one statement removes to make room, and how long one write goes on doing so, seconds: others write
#: between two portions, and the next look goes on where this one ended.
ROWS_PER_PORTION: Final = 500
MAKE_ROOM_FOR_S: Final = 0.25
#: Pause between two looks at a file that another process writes to, seconds. SQLite's own grow to 100 ms, so a
#: process that writes without a break starves the others; short ones at random meet a gap between its writes.
BUSY_PAUSE_S: Final = (0.0005, 0.003)
#: Keys of one statement: far below SQLite's own limit.
KEYS_PER_STATEMENT: Final = 500
#: What memcached takes in no key; Django's own pattern is a lazy object, and seven keys are read for a page.
_ODD_CHARACTER: Final = re.compile(r"[\x00-\x20\x7f]")
_MIN_SQLITE: Final = (3, 35, 0)

_ALIVE: Final = "(expires IS NULL OR expires > ?)"
_UPSERT: Final = (
    "INSERT INTO entries (key, value, expires) VALUES (?, ?, ?) "
    "ON CONFLICT (key) DO UPDATE SET value = excluded.value, expires = excluded.expires"
)
_ADD: Final = f"{_UPSERT} WHERE entries.expires <= ?"
_INCR: Final = (
    f"UPDATE entries SET value = value + ? WHERE key = ? AND typeof(value) = 'integer' AND {_ALIVE} "  # noqa: S608  constants only
    "RETURNING value"
)
_EXPIRED: Final = "expires IS NOT NULL AND expires <= ?"
#: What goes first when room is needed: the soonest to expire, by the index; then what never expires, oldest first.
_SOONEST: Final = "SELECT id FROM entries WHERE expires IS NOT NULL ORDER BY expires LIMIT ?"
_LASTING: Final = "SELECT id FROM entries WHERE expires IS NULL ORDER BY id LIMIT ?"

_pools: dict[Path, SqlitePool] = {}
_pools_lock = ForkSafeLock()


class SqliteCache(BaseCache):
    """Django's cache interface on one SQLite file in WAL mode."""

    def __init__(self, location: str, params: dict[str, Any]) -> None:
        super().__init__(params)
        if sqlite3.sqlite_version_info < _MIN_SQLITE:
            raise ImproperlyConfigured(
                f"SqliteCache needs SQLite 3.35 or newer, this Python has {sqlite3.sqlite_version}"
            )
        options: Mapping[str, Any] = params.get("OPTIONS", {})
        entries = params.get("MAX_ENTRIES", params.get("max_entries", options.get("MAX_ENTRIES")))
        self.path = Path(location).absolute()
        self.max_bytes = int(options.get("MAX_BYTES", DEFAULT_MAX_BYTES))
        self.max_entries = None if entries is None else int(entries)
        self.when_full = str(options.get("WHEN_FULL", "evict"))
        if self.when_full not in {"evict", "refuse"}:
            raise ImproperlyConfigured('WHEN_FULL should be "evict" or "refuse"')
        self.busy_timeout_s = float(options.get("BUSY_TIMEOUT_S", DEFAULT_BUSY_TIMEOUT_S))
        self.clock = time.time
        self.sleep = time.sleep
        self._json = JsonSerializer()
        self._writes = 0
        limits = [WRITES_PER_LOOK, self.max_bytes // 16 // BYTES_PER_LOOK]
        limits += [] if self.max_entries is None else [self.max_entries // 64]
        self._writes_per_look = max(1, min(limits))
        self._pool = self._shared_pool()

    # --- Django's interface ---

    def add(self, key: str, value: Any, timeout: float | None = DEFAULT_TIMEOUT, version: int | None = None) -> bool:
        """Set `key` where it is missing or expired; True for exactly one of all who try at once."""
        name = self.make_and_validate_key(key, version=version)
        row = (name, self._dump(value), self.get_backend_timeout(timeout))
        self._make_room(may_refuse=True)
        return self._run(_ADD, (*row, self.clock()))[1] > 0

    def get(self, key: str, default: Any = None, version: int | None = None) -> Any:
        """The value at `key`, or `default`."""
        name = self.make_and_validate_key(key, version=version)
        rows, _ = self._run(
            f"SELECT value FROM entries WHERE key = ? AND {_ALIVE}",  # noqa: S608  constants only
            (name, self.clock()),
        )
        return self._load(rows[0][0]) if rows else default

    def set(self, key: str, value: Any, timeout: float | None = DEFAULT_TIMEOUT, version: int | None = None) -> None:
        """Set `key`, whatever was there."""
        name = self.make_and_validate_key(key, version=version)
        row = (name, self._dump(value), self.get_backend_timeout(timeout))
        self._make_room(may_refuse=False)
        self._run(_UPSERT, row)

    def touch(self, key: str, timeout: float | None = DEFAULT_TIMEOUT, version: int | None = None) -> bool:
        """Give `key` a new lifetime; False where it is missing."""
        name = self.make_and_validate_key(key, version=version)
        statement = f"UPDATE entries SET expires = ? WHERE key = ? AND {_ALIVE}"  # noqa: S608  constants only
        return self._run(statement, (self.get_backend_timeout(timeout), name, self.clock()))[1] > 0

    def delete(self, key: str, version: int | None = None) -> bool:
        """Remove `key`; False where it was missing."""
        name = self.make_and_validate_key(key, version=version)
        statement = f"DELETE FROM entries WHERE key = ? AND {_ALIVE}"  # noqa: S608  constants only
        return self._run(statement, (name, self.clock()))[1] > 0

    def has_key(self, key: str, version: int | None = None) -> bool:
        """Whether `key` has a value."""
        name = self.make_and_validate_key(key, version=version)
        statement = f"SELECT 1 FROM entries WHERE key = ? AND {_ALIVE}"  # noqa: S608  constants only
        return bool(self._run(statement, (name, self.clock()))[0])

    def incr(self, key: str, delta: int = 1, version: int | None = None) -> int:
        """Add `delta` to the integer at `key` and give the sum, in one statement.

        :raises ValueError: the key is missing.
        :raises TypeError: its value is no integer.
        """
        name = self.make_and_validate_key(key, version=version)
        for _ in range(2):
            rows, _count = self._run(_INCR, (delta, name, self.clock()))
            if rows:
                return int(rows[0][0])
            if not self.has_key(key, version=version):
                raise ValueError(f"Key {key!r} not found")
            # There by now, and perhaps only since: somebody may have set it between the two statements.
        raise TypeError(f"The value of {key!r} is no integer")

    def get_many(self, keys: Iterable[str], version: int | None = None) -> dict[str, Any]:
        """Those of `keys` that have a value, in one statement."""
        names = {self.make_and_validate_key(key, version=version): key for key in keys}
        found: dict[str, Any] = {}
        for part in _parts(list(names)):
            marks = ",".join("?" * len(part))
            rows, _ = self._run(
                f"SELECT key, value FROM entries WHERE key IN ({marks}) AND {_ALIVE}",  # noqa: S608  marks only
                (*part, self.clock()),
            )
            found |= {names[name]: self._load(value) for name, value in rows}
        return found

    def set_many(
        self, data: Mapping[str, Any], timeout: float | None = DEFAULT_TIMEOUT, version: int | None = None
    ) -> list[str]:
        """Set all of `data` in one transaction: all of it is seen, or none."""
        expires = self.get_backend_timeout(timeout)
        rows = [
            (self.make_and_validate_key(key, version=version), self._dump(value), expires)
            for key, value in data.items()
        ]
        self._make_room(may_refuse=False)
        self._run_all(_UPSERT, rows)
        return []

    def delete_many(self, keys: Iterable[str], version: int | None = None) -> None:
        """Remove all of `keys` in one transaction."""
        names = [(self.make_and_validate_key(key, version=version),) for key in keys]
        self._run_all("DELETE FROM entries WHERE key = ?", names)

    def clear(self) -> None:
        """Remove everything in this file."""
        self._run("DELETE FROM entries", ())

    def close(self, **kwargs: Any) -> None:
        """Nothing to do at the end of a request: connections are the process's, and are closed with it."""

    def get_backend_timeout(self, timeout: float | None = DEFAULT_TIMEOUT) -> float | None:
        """Moment at which an entry written now expires; None for never."""
        seconds = self.default_timeout if timeout is DEFAULT_TIMEOUT else timeout
        return None if seconds is None else self.clock() + seconds

    def validate_key(self, key: str) -> None:
        """Warn of a key that other backends would not take, as Django does; a plain one costs next to nothing."""
        if len(key) > MEMCACHE_MAX_KEY_LENGTH or _ODD_CHARACTER.search(key):
            super().validate_key(key)

    # --- the file ---

    def _shared_pool(self) -> SqlitePool:
        with _pools_lock:
            pool = _pools.get(self.path)
            if pool is None:
                path, busy = self.path, self.busy_timeout_s
                pool = _pools[path] = SqlitePool(path, lambda: open_database(path, busy_timeout_s=busy))
            return pool

    def _run(self, statement: str, values: Sequence[Any]) -> tuple[list[tuple[Any, ...]], int]:
        """Run one statement in its own transaction; give its rows and the number of rows that it changed."""
        for last_try in (False, True):
            try:
                with self._pool.connection() as connection:
                    cursor = self._execute(connection, statement, values)
                    return cursor.fetchall(), cursor.rowcount
            except sqlite3.DatabaseError as error:
                if last_try or not self._recovered(error):
                    raise
        raise AssertionError  # the loop returns or raises

    def _run_all(self, statement: str, rows: Sequence[Sequence[Any]]) -> None:
        if not rows:
            return
        for last_try in (False, True):
            try:
                with self._pool.connection() as connection:
                    self._execute(connection, "BEGIN IMMEDIATE", ())
                    connection.executemany(statement, rows)
                    connection.execute("COMMIT")
                    return
            except sqlite3.DatabaseError as error:
                if last_try or not self._recovered(error):
                    raise

    def _execute(self, connection: sqlite3.Connection, statement: str, values: Sequence[Any]) -> sqlite3.Cursor:
        """Run `statement` as soon as no other process writes; after `busy_timeout_s` it is "locked"."""
        end = time.monotonic() + self.busy_timeout_s
        while True:
            try:
                return connection.execute(statement, values)
            except sqlite3.OperationalError as error:
                if not is_busy(error) or time.monotonic() >= end:
                    raise
            self._let_others_write()

    def _recovered(self, error: sqlite3.DatabaseError) -> bool:
        """Whether the file was damaged and an empty one stands in its place now."""
        return replace_damaged(self.path, error, busy_timeout_s=self.busy_timeout_s)

    # --- the size ---

    def _make_room(self, *, may_refuse: bool) -> None:
        """Every so often: drop what has expired, and when still too large, evict or refuse.

        :raises StoreFullError: with `WHEN_FULL: "refuse"`, for `add` alone: whoever has a lock already must be
            able to store what it protects.
        """
        self._writes += 1
        if self._writes % self._writes_per_look:
            return
        self._bound_journal()
        if not self._is_full():
            self._remove_expired(ROWS_PER_PORTION)
            return
        end = time.monotonic() + MAKE_ROOM_FOR_S
        while self._remove_expired(ROWS_PER_PORTION) == ROWS_PER_PORTION and time.monotonic() < end:
            self._let_others_write()
        if not self._is_full():
            return
        if self.when_full == "evict":
            self._evict(until=end)
        elif may_refuse:
            self._writes -= 1  # the next one looks again
            raise StoreFullError(f"{self.path.name} has reached its limit of {self.max_bytes} bytes")

    def _bound_journal(self) -> None:
        """Empty a journal that has outgrown its limit: while others always read, it would grow without end."""
        if journal_bytes(self.path) <= MAX_JOURNAL_BYTES:
            return
        # A file that is damaged or replaced is met, and said so, by the write itself.
        with contextlib.suppress(sqlite3.DatabaseError), self._pool.connection() as connection:
            empty_journal(connection)

    def _let_others_write(self) -> None:
        self.sleep(random.uniform(*BUSY_PAUSE_S))  # noqa: S311  a pause is no secret

    def _remove_expired(self, limit: int) -> int:
        """Remove some of what has expired; gives how many entries that were."""
        return self._run(
            f"DELETE FROM entries WHERE id IN (SELECT id FROM entries WHERE {_EXPIRED} LIMIT ?)",  # noqa: S608  constants only
            (self.clock(), limit),
        )[1]

    def _is_full(self) -> bool:
        if self.max_entries is not None:
            count = self._run("SELECT COUNT(*) FROM entries", ())[0][0][0]
            if count > self.max_entries:
                return True
        return self.size_in_bytes() > self.max_bytes

    def size_in_bytes(self) -> int:
        """Bytes of live data, from SQLite's own page counts."""
        rows, _ = self._run(
            "SELECT (page_count - freelist_count) * page_size "
            "FROM pragma_page_count, pragma_freelist_count, pragma_page_size",
            (),
        )
        return cast("int", rows[0][0])

    def _evict(self, *, until: float) -> None:
        """Remove one entry in `CULL_FREQUENCY`, the soonest to expire first, but for no longer than `until`."""
        if self._cull_frequency == 0:
            self.clear()
            return
        count = self._run("SELECT COUNT(*) FROM entries", ())[0][0][0]
        left = max(1, count // self._cull_frequency)
        while True:
            portion = min(left, ROWS_PER_PORTION)
            removed = self._remove(_SOONEST, portion) or self._remove(_LASTING, portion)
            left -= removed
            if not removed or left <= 0 or time.monotonic() >= until:
                return
            self._let_others_write()

    def _remove(self, which: str, limit: int) -> int:
        return self._run(f"DELETE FROM entries WHERE id IN ({which})", (limit,))[1]  # noqa: S608  constants only

    # --- the values ---

    def _dump(self, value: Any) -> str | int:
        # A whole number is kept as one, so that SQLite can add to it; a larger one than SQLite has is text.
        if type(value) is int and -(2**62) < value < 2**62:
            return value
        return self._json.dumps(value)

    def _load(self, stored: str | int) -> Any:
        return stored if isinstance(stored, int) else self._json.loads(stored)


def _parts(names: Sequence[str]) -> Iterable[Sequence[str]]:
    return (names[start : start + KEYS_PER_STATEMENT] for start in range(0, len(names), KEYS_PER_STATEMENT))
