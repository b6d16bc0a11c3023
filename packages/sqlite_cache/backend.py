"""A Django cache backend on one SQLite file in WAL mode."""

import re
import sqlite3
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from asgiref.sync import sync_to_async
from django.core.cache.backends.base import DEFAULT_TIMEOUT, MEMCACHE_MAX_KEY_LENGTH, BaseCache, default_key_func
from django.core.exceptions import ImproperlyConfigured

from sqlite_cache.database import Database
from sqlite_cache.eviction import SizeLimit
from sqlite_cache.serializer import JSONSerializer

DEFAULT_MAX_BYTES: Final = 256 * 1024 * 1024
DEFAULT_BUSY_TIMEOUT_S: Final = 2.0
#: Characters that memcached takes in no key. Django's own pattern is a lazy object, and slow.
_ODD_CHARACTER: Final = re.compile(r"[\x00-\x20\x7f]")
_MIN_SQLITE: Final = (3, 35, 0)

_ALIVE: Final = "(expires IS NULL OR expires > ?)"
_UPSERT: Final = (
    "INSERT INTO entries (key, value, expires) VALUES (?, ?, ?) "
    "ON CONFLICT (key) DO UPDATE SET value = excluded.value, expires = excluded.expires"
)
_ADD: Final = f"{_UPSERT} WHERE entries.expires <= ?"
_INCR: Final = (
    f"UPDATE entries SET value = value + ? WHERE key = ? AND typeof(value) = 'integer' AND {_ALIVE} RETURNING value"
)
#: A value that was read has not changed if it is the same text, or the same number.
_REPLACE: Final = f"UPDATE entries SET value = ?, expires = ? WHERE key = ? AND value IS ? AND {_ALIVE}"
_GET: Final = f"SELECT value FROM entries WHERE key = ? AND {_ALIVE}"
_TOUCH: Final = f"UPDATE entries SET expires = ? WHERE key = ? AND {_ALIVE}"
_DELETE: Final = f"DELETE FROM entries WHERE key = ? AND {_ALIVE}"
#: So many values come as the columns of one row, more as rows. A thread gives up Python's lock for each row, and other
#: threads make it wait for the lock; from here on the columns would take SQLite more time.
_MOST_COLUMNS: Final = 16


class SQLiteCache(BaseCache):
    """Django's cache interface on one SQLite file. `README.md` lists the `OPTIONS`.

    `add`, `incr`, `touch` and `delete` are one statement each, so they are atomic across threads and processes.

    :param location: path of the file.
    :param params: the other settings of the `CACHES` entry.
    """

    def __init__(self, location: str, params: dict[str, Any]) -> None:
        super().__init__(params)
        if sqlite3.sqlite_version_info < _MIN_SQLITE:
            raise ImproperlyConfigured(
                f"SQLiteCache needs SQLite 3.35 or newer, this Python has {sqlite3.sqlite_version}"
            )
        options: Mapping[str, Any] = params.get("OPTIONS", {})
        entries = params.get("MAX_ENTRIES", params.get("max_entries", options.get("MAX_ENTRIES")))
        when_full = options.get("WHEN_FULL", "evict")
        if when_full not in {"evict", "refuse"}:
            raise ImproperlyConfigured('WHEN_FULL should be "evict" or "refuse"')
        self.path = Path(location).absolute()
        self.clock = time.time
        self.database = Database(self.path, busy_timeout_s=float(options.get("BUSY_TIMEOUT_S", DEFAULT_BUSY_TIMEOUT_S)))
        self.size_limit = SizeLimit(
            database=self.database,
            max_bytes=int(options.get("MAX_BYTES", DEFAULT_MAX_BYTES)),
            max_entries=None if entries is None else int(entries),
            evicts=when_full == "evict",
            cull_frequency=self._cull_frequency,
        )

    def add(self, key: str, value: Any, timeout: float | None = DEFAULT_TIMEOUT, version: int | None = None) -> bool:
        """Set `key` if it is missing or expired; True for exactly one of all callers at once.

        :raises CacheFullError: the cache is full, with `WHEN_FULL: "refuse"`.
        """
        row = self._row(key, value, timeout, version)
        self.size_limit.before_write(now=self.clock(), may_refuse=True)
        return self.database.run(_ADD, (*row, self.clock()))[1] > 0

    def get(self, key: str, default: Any = None, version: int | None = None) -> Any:
        """The value at `key`, or `default`."""
        [name] = self._names((key,), version)
        rows, _ = self.database.run(_GET, (name, self.clock()), may_lag=True)
        if not rows:
            return default
        return _value(rows[0][0])

    def set(self, key: str, value: Any, timeout: float | None = DEFAULT_TIMEOUT, version: int | None = None) -> None:
        """Set `key`, and replace any value of before."""
        row = self._row(key, value, timeout, version)
        self.size_limit.before_write(now=self.clock(), may_refuse=False)
        self.database.run(_UPSERT, row)

    def update(
        self, key: str, change: Callable[[Any], Any], timeout: float, *, missing: Any = None, since: float
    ) -> None:
        """Set `key` to what `change` makes of its value, with nothing of others in between.

        :param change: gets the value, or `missing`, and gives the new one, or `missing` to leave it as it is. It is
            called several times where the key has a value, or another caller sets it meanwhile.
        :param since: a value that was set before this moment, with the same timeout, counts as missing; seconds since
            the epoch. An entry tells by its end when it was set.
        """
        [name] = self._names((key,), None)
        while True:
            value, over = change(missing), max(self.clock(), since + timeout)
            if value is not missing and self._write(_ADD, self._row(key, value, timeout, None), over):
                return
            rows, _ = self.database.run(_GET, (name, self.clock()))
            if not rows:
                if value is missing:
                    return
                continue
            stored = rows[0][0]
            value = change(_value(stored))
            if value is missing:
                return
            _, text, expires = self._row(key, value, timeout, None)
            if self._write(_REPLACE, (text, expires, name, stored), self.clock()):
                return

    def _write(self, statement: str, row: Sequence[Any], over: float) -> bool:
        """Return whether a statement has written; an entry that ends at `over` or before counts as missing."""
        self.size_limit.before_write(now=self.clock(), may_refuse=False)
        return self.database.run(statement, (*row, over))[1] > 0

    def touch(self, key: str, timeout: float | None = DEFAULT_TIMEOUT, version: int | None = None) -> bool:
        """Give `key` a new lifetime from now; False where it is missing."""
        name = self.make_and_validate_key(key, version=version)
        return self.database.run(_TOUCH, (self.get_backend_timeout(timeout), name, self.clock()))[1] > 0

    def delete(self, key: str, version: int | None = None) -> bool:
        """Remove `key`; False where it was missing."""
        name = self.make_and_validate_key(key, version=version)
        return self.database.run(_DELETE, (name, self.clock()))[1] > 0

    def incr(self, key: str, delta: int = 1, version: int | None = None) -> int:
        """Add `delta` to the integer at `key` in one statement, and give the sum. The lifetime stays.

        :raises ValueError: the key is missing.
        :raises TypeError: the value is no integer.
        """
        name = self.make_and_validate_key(key, version=version)
        for _ in range(2):
            rows, _count = self.database.run(_INCR, (delta, name, self.clock()))
            if rows:
                return int(rows[0][0])
            if not self.has_key(key, version=version):
                raise ValueError(f"Key {key!r} not found")
            # Another process may have set the key after the first statement: try once more.
        raise TypeError(f"The value of {key!r} is no integer")

    async def aincr(self, key: str, delta: int = 1, version: int | None = None) -> int:
        """:meth:`incr` in a thread. Django's own calls `aget`, then `aset`, and loses counts."""
        return await sync_to_async(self.incr)(key, delta, version)

    def get_many(self, keys: Iterable[str], version: int | None = None) -> dict[str, Any]:
        """Those of `keys` that have a value, in one statement."""
        keys = list(keys)
        if not keys:
            return {}
        names = self._names(keys, version)
        now = self.clock()
        if len(names) > _MOST_COLUMNS:
            rows, _ = self.database.run(_select(len(names)), (*names, now), may_lag=True)
            by_name: dict[str, Any] = dict(rows)
            values: Iterable[Any] = map(by_name.get, names)
        else:
            each_with_now = tuple([value for name in names for value in (name, now)])
            rows, _ = self.database.run(_select(len(names)), each_with_now, may_lag=True)
            values = rows[0]
        return {
            key: stored if type(stored) is int else JSONSerializer.loads(stored)
            for key, stored in zip(keys, values, strict=True)
            if stored is not None
        }

    def set_many(
        self, data: Mapping[str, Any], timeout: float | None = DEFAULT_TIMEOUT, version: int | None = None
    ) -> list[str]:
        """Set all of `data` in one transaction: other processes see all of it, or nothing."""
        rows = [self._row(key, value, timeout, version) for key, value in data.items()]
        self.size_limit.before_write(now=self.clock(), may_refuse=False)
        self.database.run_many(_UPSERT, rows)
        return []

    def delete_many(self, keys: Iterable[str], version: int | None = None) -> None:
        """Remove all of `keys` in one transaction."""
        names = [(self.make_and_validate_key(key, version=version),) for key in keys]
        self.database.run_many("DELETE FROM entries WHERE key = ?", names)

    def clear(self) -> None:
        """Remove every entry of the file, of all key prefixes."""
        self.database.run("DELETE FROM entries")

    def size_in_bytes(self) -> int:
        """Bytes of live data."""
        return self.database.size_in_bytes()

    def check_room(self) -> None:
        """Return if the cache takes new entries: with `WHEN_FULL: "evict"` it always does.

        :raises CacheFullError: `add` refuses them.
        """
        self.size_limit.check_room(now=self.clock())

    def get_backend_timeout(self, timeout: float | None = DEFAULT_TIMEOUT) -> float | None:
        """The moment at which an entry written now expires, seconds since the epoch; None for never."""
        seconds = self.default_timeout if timeout is DEFAULT_TIMEOUT else timeout
        return None if seconds is None else self.clock() + seconds

    def validate_key(self, key: str) -> None:
        """Warn of a key that memcached would not take, as Django does; a usual key costs little time."""
        if len(key) > MEMCACHE_MAX_KEY_LENGTH or _ODD_CHARACTER.search(key):
            super().validate_key(key)

    def _names(self, keys: Iterable[str], version: int | None) -> list[str]:
        """The names of keys that are read. A key that memcached would not take is warned of when it is set."""
        if self.key_func is not default_key_func:
            return [self.make_key(key, version) for key in keys]
        prefix = f"{self.key_prefix}:{self.version if version is None else version}:"
        return [f"{prefix}{key}" for key in keys]

    def _row(self, key: str, value: Any, timeout: float | None, version: int | None) -> Sequence[Any]:
        name = self.make_and_validate_key(key, version=version)
        # SQLite can add to an integer that it stores as one. A larger integer than SQLite's own is stored as text.
        is_integer = type(value) is int and -(2**62) < value < 2**62
        return name, value if is_integer else JSONSerializer.dumps(value), self.get_backend_timeout(timeout)


def _value(stored: Any) -> Any:
    return stored if isinstance(stored, int) else JSONSerializer.loads(stored)


@lru_cache(maxsize=128)
def _select(count: int) -> str:
    """The statement that reads that many keys: one row with a column for each of a few, else a row for each found."""
    if count > _MOST_COLUMNS:
        return f"SELECT key, value FROM entries WHERE key IN ({','.join('?' * count)}) AND {_ALIVE}"
    # Python 3.12.0 to 3.12.3 warn of numbered marks, by which the time could be given once.
    return f"SELECT {', '.join([f'({_GET})'] * count)}"
