"""The page cache: pages and write logs of one store. Where the store is down, a read is a miss and not an error.

A read takes at most two round trips, besides that for the token's binding, which a process keeps in memory: first the
namespace, the position of the write log and the pages; then the records that the pages lack, if there are any.
"""

from __future__ import annotations

import hashlib
import logging
import secrets
import time
from functools import lru_cache, partial
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

import msgspec

from portal.config.limits import REVALIDATION_LEASE_S
from portal.errors import StoreUnavailableError
from portal.query.cache.page_keys import MAX_VARIANT_PAGES, page_keys
from portal.query.cache.pages import MAX_CLOCK_SKEW_S, READ_LAG_S, VersionStamp, parse_page
from portal.query.cache.sent_keys import SentKeys
from portal.query.cache.write_log import NO_ENTRY, CacheEntry, WriteLog
from portal.query.cache.write_records import InvalidatedQueries, WriteRecord
from portal.query.endpoints import canonical_json
from portal.store import MISSING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from portal.query.cache.pages import Page
    from portal.query.endpoints import QueryKey
    from portal.query.partition import Namespaces, Partition
    from portal.store import SharedStore

logger = logging.getLogger("portal.query")

#: Lifetime of a page from when it was fetched, seconds: 15 minutes. Nothing extends it.
PAGE_LIFETIME_S: Final = 15 * 60
#: A larger page is not kept, and a larger record invalidates instead.
MAX_PAGE_CHARS: Final = 1024 * 1024
MAX_RECORD_CHARS: Final = 64 * 1024
_BACKEND_CHARS: Final = 8


class PageCache:
    """The pages and write logs of one store. Safe for threads.

    :ivar sent_keys: for writes that may be sent again.
    :param read_lag_s: how far the backend's reads may be behind its writes, seconds.
    :param variant_places: places that all variants of a user share.
    :param backend_url: address of the backend: pages and answers of another one are misses. Write logs and namespaces
        are shared, since apps may name one backend by several addresses.
    :param random_below: a random whole number from 0 to below its argument.
    """

    def __init__(
        self,
        *,
        store: SharedStore,
        namespaces: Namespaces,
        read_lag_s: float = READ_LAG_S,
        variant_places: int = MAX_VARIANT_PAGES,
        backend_url: str = "",
        random_below: Callable[[int], int] = secrets.randbelow,
    ) -> None:
        self._store = store
        self._namespaces = namespaces
        self._pending_purges = namespaces.pending_purges
        self._read_lag_s = read_lag_s
        backend = hashlib.sha256(backend_url.encode()).hexdigest()[:_BACKEND_CHARS]
        self.sent_keys = SentKeys(store, backend)
        self._page_keys = partial(page_keys, places=variant_places, backend=backend)
        self._random_below = random_below
        # Every read of an endpoint in a namespace needs the same.
        self._versions = lru_cache(maxsize=1024)(self._make_versions)

    def get(self, partition: Partition, key: QueryKey, *, start: str | None = None, count: int = 1) -> CacheEntry:
        """What the store has of the first `count` pages of a query, from the cursor `start` on."""
        return self.get_all(partition, [(key, start, count)])[0]

    def get_all(self, partition: Partition, queries: Sequence[tuple[QueryKey, str | None, int]]) -> list[CacheEntry]:
        """The same of several queries, each with its `start` and `count`, as they were at one moment."""
        try:
            if self._pending_purges.queue:
                self._pending_purges.flush()
            versions = [self._versions(partition.namespace, key.endpoint) for key, _, _ in queries]
            places = [
                self._page_keys(partition, key, start=start, indexes=range(count)) for key, start, count in queries
            ]
            keys = [(log.key, *generations) for log, generations in versions]
            pages = [place.key for each in places for place in each]
            found = self._store.get_many(dict.fromkeys(chain(partition.keys, *keys, pages)))
            if not partition.is_current(found):
                return [CacheEntry(is_current=False)] * len(queries)
            return [
                log.entry(
                    self._stamp(log, generations, found),
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
        partition: Partition,
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
        if _size_of(stored) > MAX_PAGE_CHARS:
            logger.warning(
                "%s: a page of more than %s characters is not cached; ask for fewer rows",
                key.endpoint,
                MAX_PAGE_CHARS,
            )
            return
        [place] = self._page_keys(partition, key, start=start, indexes=range(index, index + 1))

        def unless_newer(value: Any) -> Any:
            there = parse_page(place.page_in({place.key: value}))
            if there is None or there.stamp is None or there.stamp.generation != stamp.generation:
                return place.stored(stored)
            # One that leaves in the future was stamped by a wrong clock.
            is_newer = page.at < there.at <= clock() + MAX_CLOCK_SKEW_S
            return MISSING if is_newer else place.stored(stored)

        try:
            # What was stored before this request left has left earlier itself.
            self._store.update(place.key, unless_newer, lifetime_s=PAGE_LIFETIME_S, since=page.at)
        except StoreUnavailableError as error:
            logger.warning("%s: a page was not cached: %s", key.endpoint, error)

    def invalidate(self, partition: Partition, key: QueryKey) -> None:
        """Have a query fetched before it is shown again, because the backend no longer has it for this user."""
        record = WriteRecord(invalidated=(InvalidatedQueries(params=key.params),))
        self.append_records(partition.principal, {key.endpoint: record}, since={})

    def clear(self, *, endpoint: str | None = None) -> None:
        """Clear what is cached for all users, of one endpoint or of all.

        :raises StoreUnavailableError: it can't be done now.
        """
        self._namespaces.generations.advance(endpoint)

    # --- reads that are behind writes ---

    def certain_until(
        self, partition: Partition, key: QueryKey, stamp: VersionStamp | None, *, at: float
    ) -> int | None:
        """The newest log position whose write a page certainly shows; None for every position up to its stamp.

        :param at: when the page's request leaves.
        """
        if stamp is None or not self._read_lag_s:
            return None
        try:
            records, gap = self._log(partition.namespace, key.endpoint).newest_records(until=stamp.position)
        except StoreUnavailableError as error:
            logger.warning("%s: the latest writes are not known: %s", key.endpoint, error)
            return None
        # A lost record may have changed again what came before it: only the server knows.
        missing = [
            position
            for position, record in records
            if position > gap and record.may_be_missing(at=at, lag_s=self._read_lag_s)
        ]
        return min(missing) - 1 if missing else None

    def with_recent_writes(self, partition: Partition, key: QueryKey, pages: Sequence[Page]) -> CacheEntry:
        """Pages that were just fetched, with the records of writes that they may lack."""
        known = [
            (page.shows_until, page.stamp.position) for page in pages if page.stamp and page.certain_until is not None
        ]
        if not known:
            return CacheEntry(pages=tuple(pages))
        try:
            after, until = min(first for first, _ in known), max(last for _, last in known)
            records, gap = self._log(partition.namespace, key.endpoint).records(after=after, until=until)
        except StoreUnavailableError as error:
            logger.warning("%s: shown without the latest writes: %s", key.endpoint, error)
            records, gap = [], 0
        return CacheEntry(pages=tuple(pages), records=tuple(record for record in records if record[0] > gap))

    # --- writes ---

    def stamps(self, namespace: str, endpoints: Sequence[str]) -> dict[str, VersionStamp | None]:
        """The version stamps of `endpoints` before a request leaves; None where a stamp is not known."""
        try:
            if self._pending_purges.queue:
                self._pending_purges.flush()
            versions = {endpoint: self._versions(namespace, endpoint) for endpoint in endpoints}
            found = self._store.get_many({key for log, keys in versions.values() for key in (log.key, *keys)})
            return {endpoint: self._stamp(log, keys, found) for endpoint, (log, keys) in versions.items()}
        except StoreUnavailableError as error:
            logger.warning("a write begins without the cache: %s", error)
            return dict.fromkeys(endpoints)

    def append_records(
        self, principal: str, records: Mapping[str, WriteRecord], *, since: Mapping[str, VersionStamp | None]
    ) -> None:
        """Append the records of a completed write to the log of each endpoint. Every read from now on knows the write.

        If that can't be done, all that is cached for the principal is purged; later, if the store is down.

        :param since: the version stamps of before the write left.
        """
        try:
            # The present namespace: one that was made after the write was done holds nothing older.
            namespace = self._namespaces.namespace_of(principal)
            if namespace is None:
                return
            for endpoint, record in records.items():
                self._append(self._log(namespace, endpoint), record, since.get(endpoint))
        except StoreUnavailableError as error:
            logger.warning("a write could not be logged, so what is cached for its user is dropped: %s", error)
            try:
                self._namespaces.purge(principal)
            except StoreUnavailableError as still:
                logger.warning("what is cached for a user is dropped as soon as the store is back: %s", still)

    # --- leases: one revalidation in all processes ---

    def acquire_lease(self, lease: str) -> bool:
        """Take a lease: True for exactly one caller in all processes, until the lease ends by itself.

        :param lease: from :func:`~portal.query.cache.page_keys.lease_key`.
        """
        try:
            return self._store.add(lease, 1, lifetime_s=REVALIDATION_LEASE_S)
        except StoreUnavailableError as error:
            logger.warning("nothing is revalidated without the store: %s", error)
            return False

    def release_lease(self, lease: str) -> None:
        """Give a lease back, because the cache has the newer response."""
        try:
            self._store.delete(lease)
        except StoreUnavailableError as error:
            logger.warning("a lease ends by itself: %s", error)

    # --- inside ---

    def _stamp(self, log: WriteLog, generations: tuple[str, ...], found: Mapping[str, Any]) -> VersionStamp | None:
        """The version stamp of an endpoint, among values that were read from the store. Makes what is missing."""
        position = log.position_in(found)
        if position is None:
            position = log.create()
        if position is None:
            return None
        return VersionStamp(position=position, generation=self._namespaces.generations.current(generations, found))

    def _append(self, log: WriteLog, record: WriteRecord, stamp: VersionStamp | None) -> None:
        position = log.reserve()
        if position is None:
            return
        since = None if stamp is None else stamp.position
        try:
            if record.patches and position - 1 != since:
                record = record.resolve_overlap(log.others(since=since, until=position))
            if len(canonical_json(record.stored())) > MAX_RECORD_CHARS:
                record = record.without_rows()
            log.put(position, record)
        except StoreUnavailableError as error:
            # The position stays a gap, and every page that is stamped before it is a miss.
            logger.warning("%s: the record of a write was lost: %s", log.endpoint, error)
        except Exception:
            # A gap too. The write is done, and stays a success.
            logger.exception("%s: the record of a write could not be made", log.endpoint)

    def _log(self, namespace: str, endpoint: str) -> WriteLog:
        return self._versions(namespace, endpoint)[0]

    def _make_versions(self, namespace: str, endpoint: str) -> tuple[WriteLog, tuple[str, str, str]]:
        """The write log of an endpoint in a namespace, and the keys of the generations that its pages carry."""
        log = WriteLog(store=self._store, namespace=namespace, endpoint=endpoint, random_below=self._random_below)
        return log, self._namespaces.generations.keys(endpoint, namespace=namespace)


def _size_of(stored: list[Any]) -> int:
    try:
        return len(msgspec.json.encode(stored))
    except UnicodeEncodeError:  # half of a surrogate pair
        return len(canonical_json(stored))
