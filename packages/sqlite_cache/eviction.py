"""Keeps the file below its size limit: removes expired entries, then evicts live ones or refuses new ones."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from sqlite_cache.errors import CacheFullError

if TYPE_CHECKING:
    from sqlite_cache.database import Database

#: Writes of this process between two looks at the size, and estimated bytes of one write: a small limit is looked at
#: more often.
WRITES_PER_LOOK: Final = 128
BYTES_PER_WRITE: Final = 8 * 1024

_EXPIRED: Final = "SELECT id FROM entries WHERE expires IS NOT NULL AND expires <= ? LIMIT ?"
#: The order of eviction: the soonest to expire first, by the index; then the oldest of those that never expire.
_SOONEST: Final = "SELECT id FROM entries WHERE expires IS NOT NULL ORDER BY expires LIMIT ?"
_OLDEST_LASTING: Final = "SELECT id FROM entries WHERE expires IS NULL ORDER BY id LIMIT ?"


@dataclass(slots=True, kw_only=True)
class SizeLimit:
    """The size limit of one cache.

    :param evicts: whether a full cache evicts entries; otherwise it refuses new ones.
    :param cull_frequency: an eviction removes one entry in this many; 0: all of them.
    :param max_journal_bytes: a larger journal is written into the file and cut, within `empty_journal_for_s`.
    :param rows_per_statement: limit of one removal. Other processes write between two removals.
    :param make_room_for_s: the time after which one write stops removing entries; the next look continues.
    """

    database: Database
    max_bytes: int
    max_entries: int | None
    evicts: bool
    cull_frequency: int
    max_journal_bytes: int = 16 * 1024 * 1024
    empty_journal_for_s: float = 0.5
    rows_per_statement: int = 500
    make_room_for_s: float = 0.25
    writes_per_look: int = field(init=False)
    _writes: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        looks = [WRITES_PER_LOOK, self.max_bytes // 16 // BYTES_PER_WRITE]
        looks += [] if self.max_entries is None else [self.max_entries // 64]
        self.writes_per_look = max(1, min(looks))

    def before_write(self, *, now: float, may_refuse: bool) -> None:
        """Look at the size before every so many writes, and make room where the cache is too large.

        :param now: seconds since the epoch.
        :param may_refuse: for `add` alone: a process that holds a lock must be able to `set` its result.
        :raises CacheFullError: the cache is full, and this write may be refused.
        """
        self._writes += 1
        if self._writes % self.writes_per_look:
            return
        self.database.limit_journal(self.max_journal_bytes, limit_s=self.empty_journal_for_s)
        if not self._is_full():
            self._remove(_EXPIRED, now, self.rows_per_statement)
            return
        if not self._make_room(now=now):
            # The next write looks again: this one may be a result, which is not refused, and so may each that looks
            # later.
            self._writes -= 1
            if may_refuse:
                raise self._is_at_its_limit()

    def check_room(self, *, now: float) -> None:
        """Look at the size now, whatever was written before, and remove expired entries where that makes room.

        :param now: seconds since the epoch.
        :raises CacheFullError: new entries are refused.
        """
        if not self.evicts and self._is_full() and not self._make_room(now=now):
            raise self._is_at_its_limit()

    def _make_room(self, *, now: float) -> bool:
        """Remove expired entries, and evict others; False for a cache that stays full and evicts nothing."""
        end = time.monotonic() + self.make_room_for_s
        while self._remove(_EXPIRED, now, self.rows_per_statement) == self.rows_per_statement:
            if time.monotonic() >= end:
                break
            self.database.pause()
        if not self._is_full():
            return True
        if self.evicts:
            self._evict(until=end)
        return self.evicts

    def _is_at_its_limit(self) -> CacheFullError:
        return CacheFullError(f"{self.database.path.name} has reached its limit of {self.max_bytes} bytes")

    def _is_full(self) -> bool:
        if self.max_entries is not None and self._count() > self.max_entries:
            return True
        return self.database.size_in_bytes() > self.max_bytes

    def _evict(self, *, until: float) -> None:
        """Remove one entry in `cull_frequency`, in the order of eviction, but stop at `until`."""
        if self.cull_frequency == 0:
            self.database.run("DELETE FROM entries")
            return
        left = max(1, self._count() // self.cull_frequency)
        while True:
            limit = min(left, self.rows_per_statement)
            removed = self._remove(_SOONEST, limit) or self._remove(_OLDEST_LASTING, limit)
            left -= removed
            if not removed or left <= 0 or time.monotonic() >= until:
                return
            self.database.pause()

    def _count(self) -> int:
        rows, _ = self.database.run("SELECT COUNT(*) FROM entries")
        return int(rows[0][0])

    def _remove(self, ids: str, *values: float) -> int:
        """Remove the entries that the query `ids` names; give their number."""
        return self.database.run(f"DELETE FROM entries WHERE id IN ({ids})", values)[1]
