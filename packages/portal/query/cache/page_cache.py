"""The page cache: pages and write logs of one store. Where the store is down, a read is a miss and not an error.

A read takes at most two round trips: first what the token opens, the position of the write log and the pages; then the
records that the pages lack, if there are any.

A query without parameters has a key of its own for each of its pages. All variants of a sign-in (queries with
parameters, and lists from a cursor on) share `MAX_VARIANT_PAGES` places. A variant that gets the place of another one
replaces it. So a user who searches for one word after another fills a small part of the store, and nobody has to count
or to tidy up (ADR 4). The format of pages is a part of each key: a release never reads a page of another format.
"""

from __future__ import annotations

import hashlib
import logging
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import chain
from typing import Any, Final, NamedTuple

from portal.errors import StoreUnavailableError
from portal.query.cache.pages import (
    MAX_CLOCK_SKEW_S,
    PAGE_FORMAT,
    PAGE_LIFETIME_S,
    READ_LAG_S,
    Page,
    VersionStamp,
    parse_page,
)
from portal.query.cache.sent_keys import SentKeys
from portal.query.cache.write_log import NO_ENTRY, CacheEntry, WriteLog
from portal.query.cache.write_records import ALL_QUERIES, StaleQueries, WriteRecord
from portal.query.endpoints import QueryKey, canonical_json
from portal.query.sign_in_caches import SignInCache, SignInCaches
from portal.store import MISSING, SharedStore

logger = logging.getLogger("portal.query")

#: A larger page is not cached, and a larger record makes its endpoint stale instead.
MAX_PAGE_CHARS: Final = 1024 * 1024
MAX_RECORD_CHARS: Final = 64 * 1024
#: Places that all variants of a sign-in share.
MAX_VARIANT_PAGES: Final = 1024
_BACKEND_CHARS: Final = 8
_CURSOR_CHARS: Final = 16
#: Hexadecimal characters of a digest that choose a variant's place.
_PLACE_CHARS: Final = 8


class PageCache:
    """The pages and write logs of one store. Safe for threads.

    :ivar store: where they are.
    :ivar sent_keys: for writes that may be sent again.
    :param read_lag_s: how far the backend's reads may be behind its writes, seconds.
    :param variant_places: places that all variants of a sign-in share.
    :param backend_url: address of the backend: pages and answers of another one are misses. Write logs are shared,
        since apps may name one backend by several addresses.
    """

    def __init__(
        self,
        *,
        store: SharedStore,
        caches: SignInCaches,
        read_lag_s: float = READ_LAG_S,
        variant_places: int = MAX_VARIANT_PAGES,
        backend_url: str = "",
    ) -> None:
        self.store = store
        self._caches = caches
        self._read_lag_s = read_lag_s
        self._backend = hashlib.sha256(backend_url.encode()).hexdigest()[:_BACKEND_CHARS]
        self.sent_keys = SentKeys(store, self._backend)
        self._variant_places = variant_places
        # Every read of an endpoint in a cache needs the same.
        self._versions = lru_cache(maxsize=1024)(self._make_versions)

    def get(self, cache: SignInCache, key: QueryKey, *, start: str | None = None, count: int = 1) -> CacheEntry:
        """Return the first `count` cached pages of a query from the cursor `start`, and what they lack."""
        return self.get_all(cache, [(key, start, count)])[0]

    def get_all(self, cache: SignInCache, queries: Sequence[tuple[QueryKey, str | None, int]]) -> list[CacheEntry]:
        """Return the same of several queries, each with its `start` and `count`, as they were at one moment."""
        try:
            if self._caches.pending:
                self._caches.flush()
            versions = [self._versions(cache, key.endpoint) for key, _, _ in queries]
            places = [self._places(cache.space, key, start, range(count)) for key, start, count in queries]
            keys = [(log.key, *generations) for log, generations in versions]
            pages = [place.key for each in places for place in each]
            found = self.store.get_many(dict.fromkeys(chain(cache.keys, *keys, pages)))
            if not cache.is_current(found):
                return [CacheEntry(is_current=False)] * len(queries)
            return [
                log.entry(
                    self._stamp(log, cache, generations, found),
                    [place.page_in(found) for place in lie],
                    start=start,
                    is_list=key.paginated,
                )
                for (key, start, _), (log, generations), lie in zip(queries, versions, places, strict=True)
            ]
        except StoreUnavailableError as error:
            logger.warning("%s: read without the cache: %s", ", ".join(key.endpoint for key, _, _ in queries), error)
            return [NO_ENTRY] * len(queries)

    def put(
        self,
        cache: SignInCache,
        key: QueryKey,
        page: Page,
        *,
        start: str | None,
        index: int,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Store a page, if it has a stamp and is not too large.

        Of two such pages in one place the one whose request left later stays (contract, section 8).
        """
        stamp = page.stamp
        if stamp is None:
            return
        stored = page.stored()
        if len(canonical_json(stored)) > MAX_PAGE_CHARS:
            logger.warning(
                "%s: a page of more than %s characters is not cached; ask for fewer rows",
                key.endpoint,
                MAX_PAGE_CHARS,
            )
            return
        [place] = self._places(cache.space, key, start, range(index, index + 1))

        def unless_newer(value: Any) -> Any:
            there = parse_page(place.page_in({place.key: value}))
            if there is None or there.stamp is None or there.stamp.generation != stamp.generation:
                return [place.name, stored]
            # One that leaves in the future was stamped by a wrong clock.
            is_newer = page.at < there.at <= clock() + MAX_CLOCK_SKEW_S
            return MISSING if is_newer else [place.name, stored]

        try:
            # An entry stored before this request was sent is older.
            self.store.update(place.key, unless_newer, lifetime_s=PAGE_LIFETIME_S, since=page.at)
        except StoreUnavailableError as error:
            logger.warning("%s: a page was not cached: %s", key.endpoint, error)

    def invalidate(self, cache: SignInCache, key: QueryKey) -> None:
        """Have a query fetched before it is shown again, because the backend no longer has it for this user."""
        record = WriteRecord(stale=(StaleQueries(params=dict(key.params)),))
        self.append_records([cache.space], {key.endpoint: record}, since={})

    def missing_writes(
        self, cache: SignInCache, key: QueryKey, stamp: VersionStamp, *, at: float
    ) -> tuple[VersionStamp | None, list[tuple[int, WriteRecord]]]:
        """Return the writes that a page may lack although it left after them, since the backend's reads may lag.

        :param stamp: of now.
        :param at: when the page's request leaves.
        :returns: the stamp of the page, from before these writes, or None if they are not known; and those of them that
            are certain, with their positions.
        """
        if not self._read_lag_s:
            return stamp, []
        try:
            latest, gap = self._versions(cache, key.endpoint)[0].latest(until=stamp.position)
        except StoreUnavailableError as error:
            logger.warning("%s: the latest writes are not known: %s", key.endpoint, error)
            return None, []
        first = next((place for place, record in latest if record.may_be_missing(at=at, lag_s=self._read_lag_s)), None)
        if first is None:
            return stamp, []
        # A lost record may have changed the same again; an invalidation has changed nothing.
        known = [found for found in latest if found[0] > gap and found[1].done_at is not None]
        return replace(stamp, position=first - 1), known

    # --- writes ---

    def append_records(
        self, spaces: Iterable[str], records: Mapping[str, WriteRecord], *, since: Mapping[str, VersionStamp | None]
    ) -> None:
        """Append the records of a completed write to the log of each endpoint. Every read from now on knows the write.

        If that can't be done, all that these caches have is purged; later, if the store is down.

        :param spaces: of the caches.
        :param since: the version stamps of before the write left.
        """
        try:
            for space in spaces:
                for endpoint, record in records.items():
                    self._append(self._log(space, endpoint), record, since.get(endpoint))
        except StoreUnavailableError as error:
            logger.warning("a write could not be logged, so what is cached for its sign-in is dropped: %s", error)
            try:
                self._caches.purge(names=[space.partition(":")[0] for space in spaces])
            except StoreUnavailableError as still:
                logger.warning("what is cached for a sign-in is dropped as soon as the store is back: %s", still)

    def lease_key(self, cache: SignInCache, key: QueryKey, *, start: str | None, index: int) -> str:
        """Return the key of the lease for a revalidation that begins with this page of a query."""
        return f"{cache.space}:lease:{_page_name(key, start, index)}"

    # --- inside ---

    def _stamp(
        self, log: WriteLog, cache: SignInCache, generations: tuple[str, str], found: Mapping[str, Any]
    ) -> VersionStamp | None:
        """Return the version stamp of an endpoint, among values from the store. Makes what is missing."""
        position = log.position_in(found)
        if position is None:
            position = log.create()
        if position is None:
            return None
        return VersionStamp(position=position, generation=self._caches.generation(generations, cache, found))

    def _append(self, log: WriteLog, record: WriteRecord, stamp: VersionStamp | None) -> None:
        position = log.reserve()
        if position is None:
            return
        since = None if stamp is None else stamp.position
        try:
            if record.patches and position - 1 != since:
                others = log.others(since=since, until=position)
                record = _all_stale(record) if any(map(record.overlaps, others)) else record
            if len(canonical_json(record.stored())) > MAX_RECORD_CHARS:
                record = _all_stale(record)
            log.put(position, record)
        except StoreUnavailableError as error:
            # The position stays a gap, and every page that is stamped before it is a miss.
            logger.warning("%s: the record of a write was lost: %s", log.endpoint, error)
        except Exception:
            # A gap too. The write is done, and stays a success.
            logger.exception("%s: the record of a write could not be made", log.endpoint)

    def _log(self, space: str, endpoint: str) -> WriteLog:
        return WriteLog(store=self.store, space=space, endpoint=endpoint, random_below=self._caches.random_below)

    def _make_versions(self, cache: SignInCache, endpoint: str) -> tuple[WriteLog, tuple[str, str]]:
        """Return the write log of an endpoint in a cache, and the keys of the numbers that its pages carry."""
        return self._log(cache.space, endpoint), self._caches.generation_keys(endpoint, cache)

    def _places(self, space: str, key: QueryKey, start: str | None, indexes: range) -> list[_Place]:
        """Return where some pages of a query lie, from the cursor `start` on."""
        prefix, numbers = f"{space}:{self._backend}:{PAGE_FORMAT}:{key.digest}:", list(indexes)
        if start is not None or key.params:
            # The pages of one list lie side by side, so they never replace each other.
            mixed = hashlib.sha256(f"{space}:{_page_name(key, start, 0)}".encode()).hexdigest()
            first = int(mixed[:_PLACE_CHARS], 16)
            prefix = f"{space}:{self._backend}:{PAGE_FORMAT}:variant:"
            numbers = [(first + index) % self._variant_places for index in indexes]
        return [
            _Place(f"{prefix}{number}", _page_name(key, start, index))
            for number, index in zip(numbers, indexes, strict=True)
        ]


class _Place(NamedTuple):
    """The key of one page, and its name: another page may lie there."""

    key: str
    name: str

    def page_in(self, found: Mapping[str, Any]) -> Any:
        """Return the page among values that were read from the store; None where there is none, or another one."""
        value: Any = found.get(self.key)
        return value[1] if isinstance(value, list) and value[:-1] == [self.name] else None


def _page_name(key: QueryKey, start: str | None, index: int) -> str:
    # A cursor is the server's own text: of any length, and with any characters.
    begin = "" if start is None else hashlib.sha256(start.encode(errors="surrogatepass")).hexdigest()[:_CURSOR_CHARS]
    return f"{key.digest}:{begin}:{index}"


def _all_stale(record: WriteRecord) -> WriteRecord:
    return WriteRecord(by=record.by, stale=(ALL_QUERIES,), done_at=record.done_at)
