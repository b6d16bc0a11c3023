"""The write log of one endpoint, in the cache of one sign-in.

One number in the store is both the log's identity and its length. It begins at a random place, and a writer adds one to
it, *before* the writer puts a record at the position that this gives. So

- a reader that knows the number knows every position that may hold a record. An empty position is a gap: its record is
  under way, or was evicted, and the read is a miss;
- a number that was lost and made again begins elsewhere: stamps of the old log fit none of the new positions, so every
  page with such a stamp is a miss;
- nothing is locked, and nothing has to be undone when a process dies between the two steps.
"""

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from portal.query.cache.pages import Page, VersionStamp, chained_pages, parse_page
from portal.query.cache.write_records import ALL_STALE, WriteRecord, parse_record
from portal.query.sign_in_caches import CACHE_LIFETIME_S
from portal.store import Missing, SharedStore, note_unknown

#: How many records a read applies at most. A page that lacks more is a miss.
MAX_RECORDS: Final = 64
#: Where logs begin. A number that Redis lost while adding to it begins at 0: far below.
_FIRST_BASE: Final = 2**32
_LAST_BASE: Final = 2**62
#: Every log begins at a multiple of this, so a position tells where its log began. In its lifetime, a log would need
#: 4,660 writes a second to go beyond the next multiple; then a read would overlook writes before that multiple.
_LOG_SPAN: Final = 2**24
#: Lifetime of a record, seconds: longer than that of any page which may lack the record.
RECORD_LIFETIME_S: Final = 30 * 60


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheEntry:
    """The pages of a query in the store, and what they lack.

    :param is_current: whether the token still opens the cache.
    :param stamp: for pages that are fetched from now on; None where nothing can be stored.
    :param pages: from the start on. Each begins where the one before it ends.
    :param records: the writes that some of the pages lack, with their positions.
    """

    is_current: bool = True
    stamp: VersionStamp | None = None
    pages: tuple[Page, ...] = ()
    records: tuple[tuple[int, WriteRecord], ...] = ()


#: The store is not there.
NO_ENTRY: Final = CacheEntry()


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteLog:
    """One log. Its methods raise `StoreUnavailableError`.

    :param random_below: a random whole number from 0 to below its argument.
    :param space: of the sign-in's cache.
    :ivar key: key of the number.
    """

    store: SharedStore
    space: str
    endpoint: str
    random_below: Callable[[int], int] = secrets.randbelow
    key: str = field(init=False)

    def __post_init__(self) -> None:
        """Make the key once."""
        object.__setattr__(self, "key", f"{self.space}:{self.endpoint}:log")

    def create(self) -> int | None:
        """Make the log, unless another process has made it meanwhile; gives its position."""
        base = _FIRST_BASE + self.random_below((_LAST_BASE - _FIRST_BASE) // _LOG_SPAN) * _LOG_SPAN
        if self.store.add(self.key, base, lifetime_s=CACHE_LIFETIME_S):
            return base
        found = self.store.get_many([self.key])
        position = self.position_in(found)
        if position is None and found:
            # Nobody can add to it, so nobody could see a write.
            note_unknown("the position of a write log")
            self.store.set(self.key, position := base, lifetime_s=CACHE_LIFETIME_S)
        return position

    def position_in(self, found: Mapping[str, Any]) -> int | None:
        """The position among values that were read from the store; None where it is missing or can't be right."""
        position = found.get(self.key)
        return position if isinstance(position, int) and position >= _FIRST_BASE else None

    def records(self, *, after: int, until: int) -> tuple[list[tuple[int, WriteRecord]], int]:
        """Return the records behind position `after`, up to `until`.

        :returns: the records with their positions, and the newest position that is a gap (0: none). A page that is
            stamped before the gap may lack a write that nobody knows. Two positions that are too far apart are of two
            logs, because one was lost and made again: then `until` itself is the gap.
        """
        if until <= after:
            return [], 0
        if until - after > MAX_RECORDS:
            return [], until
        prefix = f"{self.space}:{self.endpoint}:"
        keys = {f"{prefix}{position}": position for position in range(after + 1, until + 1)}
        found = self.store.get_many(keys)
        gap = max((position for key, position in keys.items() if key not in found), default=0)
        return [(position, _record(found[key])) for key, position in keys.items() if key in found], gap

    def entry(self, stamp: VersionStamp | None, values: list[Any], *, start: str | None, is_list: bool) -> CacheEntry:
        """Return the pages among these values of the store, with the records that they lack.

        A page that is older than a gap is a miss, with all behind it.

        :param stamp: of now; without one, nothing counts.
        :param start: cursor of the first page.
        """
        if stamp is None:
            return NO_ENTRY
        pages = chained_pages(values, start=start, stamp=stamp, is_list=is_list, most_records=MAX_RECORDS)
        if len(pages) < len(values):
            odd = values[len(pages)]
            if odd is not None and parse_page(odd, is_list=is_list) is None:
                note_unknown("a cached page")
        positions = [page.stamp.position for page in pages if page.stamp]
        oldest = min(positions, default=stamp.position)
        if oldest == stamp.position:
            return CacheEntry(stamp=stamp, pages=pages)
        records, gap = self.records(after=oldest, until=stamp.position)
        usable = next((index for index, position in enumerate(positions) if position < gap), len(pages))
        return CacheEntry(stamp=stamp, pages=pages[:usable], records=tuple(records))

    def latest(self, *, until: int) -> tuple[list[tuple[int, WriteRecord]], int]:
        """Return the newest records up to `until`, at most 64, as :meth:`records`.

        A log without records costs no look into the store.
        """
        began = until - until % _LOG_SPAN
        return self.records(after=max(began, until - MAX_RECORDS), until=until)

    def reserve(self) -> int | None:
        """Reserve the next position; None if there is no log, so there is no page that could lack the record."""
        position = self.store.incr(self.key)
        if isinstance(position, Missing):
            return None
        if position < _FIRST_BASE:
            # Lost between two steps of the store's own. A number that begins at 0 could be guessed again.
            self.store.delete(self.key)
            return None
        return position

    def put(self, position: int, record: WriteRecord) -> None:
        """Put the record at a position that was reserved."""
        self.store.set(f"{self.space}:{self.endpoint}:{position}", record.stored(), lifetime_s=RECORD_LIFETIME_S)

    def others(self, *, since: int | None, until: int) -> Sequence[WriteRecord | None]:
        """Return the records that others appended between two positions; None for what nobody knows."""
        if since is None or not 0 < until - since <= MAX_RECORDS:
            return [None]
        records, gap = self.records(after=since, until=until - 1)
        return [*(record for _, record in records), *([None] if gap else [])]


def _record(value: object) -> WriteRecord:
    """Return the record as stored. An unreadable record makes everything stale."""
    record = parse_record(value)
    if record is None:
        note_unknown("a record of a write", counts_as="its endpoint is fetched again")
        return ALL_STALE
    return record
