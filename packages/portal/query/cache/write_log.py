"""The log of writes of one endpoint, in one user's namespace.

One number in the store is both the log's identity and its length: it starts at a random place and is added to
*before* a record is put at the position that it gives. So

- a reader that knows the number knows every position that may hold a record: one that is empty is a hole (a
  record under way, or evicted), and the read is a miss;
- a number that was lost and made anew lies nowhere near the old one: stamps of the old log fit none of its
  positions, and whatever they stand on is a miss;
- nothing is locked, and nothing has to be undone when a process dies between the two steps.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from portal.query.cache.patches import Record, record_from_stored
from portal.store import Missing

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from portal.store import SharedStore

#: Records that a read applies at most; a page that lacks more is a miss.
MAX_RECORDS: Final = 64
#: Positions that are ever asked for at once: of the records that a page lacks, and of those that it may lack besides.
MAX_SPAN: Final = 2 * MAX_RECORDS
#: Where logs start. Redis makes a number that it lost while it adds to it start from 0: far below.
_FIRST_BASE: Final = 2**32
_LAST_BASE: Final = 2**52
#: A log lives for a day; then every page that is stamped with it is a miss, once.
LOG_LIFETIME_S: Final = 24 * 60 * 60
#: A record outlives every page that may lack it.
RECORD_LIFETIME_S: Final = 30 * 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Log:
    """The log of one endpoint in one namespace. Its methods raise `StoreUnavailableError`."""

    store: SharedStore
    namespace: str
    endpoint: str

    @property
    def key(self) -> str:
        """Where the number stands."""
        return f"{self.namespace}:{self.endpoint}:log"

    def position(self) -> int | None:
        """The position of the newest record; a log that is missing is begun. None if it is lost at once."""
        found = self.store.get_many([self.key])
        return self.checked(found) if self.key in found else self.begin()

    def begin(self) -> int | None:
        """Begin the log, if nobody else has meanwhile; gives its position."""
        base = _FIRST_BASE + secrets.randbelow(_LAST_BASE - _FIRST_BASE)
        if self.store.add(self.key, base, lifetime_s=LOG_LIFETIME_S):
            return base
        return self.checked(self.store.get_many([self.key]))

    def checked(self, found: Mapping[str, Any]) -> int | None:
        """The position among values that were read; None where it is missing or can't be right."""
        position = found.get(self.key)
        return position if isinstance(position, int) and position >= _FIRST_BASE else None

    def records(self, *, after: int, until: int) -> tuple[list[tuple[int, Record]], int]:
        """The records behind position `after`, up to `until`.

        :returns: the records with their positions, and the newest position that is a hole (0: none): what is
            stamped before it may lack a write that nobody can tell. So it is with all, where the two positions are so
            far apart that they are of two logs: one was lost, and begun anew elsewhere.
        """
        if until <= after:
            return [], 0
        if until - after > MAX_SPAN:
            return [], until
        slots = {self._slot(position): position for position in range(after + 1, until + 1)}
        found = self.store.get_many(slots)
        hole = max((position for slot, position in slots.items() if slot not in found), default=0)
        return [(position, record_from_stored(found[slot])) for slot, position in slots.items() if slot in found], hole

    def claim(self) -> int | None:
        """Take the next position; None if there is no log, and so nothing that could lack the record."""
        position = self.store.incr(self.key)
        if isinstance(position, Missing):
            return None
        if position < _FIRST_BASE:
            # Lost between two steps of the store's own: a number that begins at 0 could be guessed again.
            self.drop()
            return None
        return position

    def put(self, position: int, record: Record) -> None:
        """Fill a position that was claimed."""
        self.store.set(self._slot(position), record.stored(), lifetime_s=RECORD_LIFETIME_S)

    def drop(self) -> None:
        """Forget the log: every page that is stamped with it is a miss."""
        self.store.delete(self.key)

    def others(self, *, since: int | None, until: int) -> Sequence[Record | None]:
        """What others appended between two positions; `[None]` where that can't be known."""
        if since is None or not 0 < until - since <= MAX_RECORDS:
            return [None]
        records, hole = self.records(after=since, until=until - 1)
        return [*(record for _, record in records), *([None] if hole else [])]

    def _slot(self, position: int) -> str:
        return f"{self.namespace}:{self.endpoint}:{position}"
