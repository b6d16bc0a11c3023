"""The cache of one store: pages and logs in namespaces. What it can't do is a miss, and never an error.

A read is at most two round trips beyond the proof of its token, which a process remembers: the namespace, the
endpoint's log and the pages; then, if writes were logged since the pages were fetched, their records.
"""

from __future__ import annotations

import hashlib
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from portal.config.limits import REVALIDATION_LEASE_S
from portal.errors import StoreUnavailableError
from portal.query.cache.pages import SETTLING_S, Page, VersionStamp, page_from_stored
from portal.query.cache.patches import Record, after_overlap, outdating
from portal.query.cache.write_log import MAX_RECORDS, Log
from portal.query.endpoints import canonical_json
from portal.query.partition.generations import Generations, generation_key, namespace_generation_key

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from portal.query.endpoints import QueryKey
    from portal.query.partition.namespaces import Namespaces
    from portal.query.partition.token_bindings import Scope
    from portal.store import SharedStore

logger = logging.getLogger("portal.query")

#: A page lives 15 minutes from when it was fetched; nothing makes that longer.
PAGE_LIFETIME_S: Final = 15 * 60
#: Pages of one list that a view may ask for.
MAX_PAGES: Final = 50
#: A larger page, or row, is not kept.
MAX_PAGE_CHARS: Final = 1024 * 1024
MAX_RECORD_CHARS: Final = 64 * 1024
_CURSOR_CHARS: Final = 16
#: Pages that a user's variants (queries with parameters, lists from a cursor on) may take in the store, all together.
MAX_VARIANT_PAGES: Final = 256
#: Hexadecimal characters of a digest that choose a variant's place.
_PLACE_CHARS: Final = 8
#: Members of what lies in a variant's place: the page's name, and the page.
_NAMED_MEMBERS: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What the store knows of a query.

    :param stands: whether the scope's namespace is still the principal's present one, and its proof there.
    :param stamp: for pages that are fetched from now on; None where nothing can be stored.
    :param pages: from the start on, each beginning where the one before it ends.
    :param records: the writes that some of the pages lack, with their positions.
    """

    stands: bool = True
    stamp: VersionStamp | None = None
    pages: tuple[Page, ...] = ()
    records: tuple[tuple[int, Record], ...] = ()


#: The store is not there.
NOTHING_FOUND: Final = Found()


class QueryCache:
    """Reads and writes of one store. Safe for threads."""

    def __init__(self, *, store: SharedStore, namespaces: Namespaces) -> None:
        self._store = store
        self._namespaces = namespaces
        self._generations = Generations(store=store)

    def look_up(self, scope: Scope, key: QueryKey, *, start: str | None = None, count: int = 1) -> Found:
        """What the store knows of the first `count` pages of a query, from the cursor `start` on."""
        try:
            return self._look_up(scope, key, start=start, count=count)
        except StoreUnavailableError as error:
            logger.warning("%s: read without the cache: %s", key.endpoint, error)
            return NOTHING_FOUND

    def stamp(self, scope: Scope, key: QueryKey) -> VersionStamp | None:
        """The stamp for a page whose request leaves now."""
        return self.look_up(scope, key, count=0).stamp

    def settled(self, scope: Scope, key: QueryKey, stamp: VersionStamp | None, *, at: float) -> int | None:
        """The newest position whose write a page certainly shows; None for all up to its stamp.

        :param at: when the page's request leaves.
        """
        if stamp is None or not SETTLING_S:
            return None
        try:
            after = stamp.position - MAX_RECORDS
            records, hole = self._log(scope.namespace, key.endpoint).records(after=after, until=stamp.position)
        except StoreUnavailableError as error:
            logger.warning("%s: the latest writes are not known: %s", key.endpoint, error)
            return None
        # What came before a record that is lost may have been changed again by it: only the server knows.
        lacked = [position for position, record in records if position > hole and record.may_be_lacked(at=at)]
        return min(lacked) - 1 if lacked else None

    def unsettled(self, scope: Scope, key: QueryKey, pages: Sequence[Page]) -> Found:
        """Pages that were just fetched, with the records of writes that they may lack."""
        known = [(page.shows_until, page.stamp.position) for page in pages if page.stamp and page.settled is not None]
        if not known:
            return Found(pages=tuple(pages))
        try:
            after, until = min(first for first, _ in known), max(last for _, last in known)
            records, hole = self._log(scope.namespace, key.endpoint).records(after=after, until=until)
        except StoreUnavailableError as error:
            logger.warning("%s: shown without the latest writes: %s", key.endpoint, error)
            records, hole = [], 0
        return Found(pages=tuple(pages), records=tuple(record for record in records if record[0] > hole))

    def keep(self, scope: Scope, key: QueryKey, page: Page, *, start: str | None, index: int) -> None:
        """Store a page, if it has a stamp and is not too large."""
        if page.stamp is None:
            return
        stored = page.stored()
        if len(canonical_json(stored)) > MAX_PAGE_CHARS:
            logger.warning(
                "%s: a page of more than %s characters is not cached; ask for fewer rows",
                key.endpoint,
                MAX_PAGE_CHARS,
            )
            return
        place = _place(scope, key, start, index)
        try:
            self._store.set(place.key, place.occupied(stored), lifetime_s=PAGE_LIFETIME_S)
        except StoreUnavailableError as error:
            logger.warning("%s: a page was not cached: %s", key.endpoint, error)

    def lease(self, lease: str) -> bool:
        """Take a lease: True for exactly one of all who try, in all processes, until it ends by itself.

        :param lease: from :func:`lease_key`.
        """
        try:
            return self._store.add(lease, 1, lifetime_s=REVALIDATION_LEASE_S)
        except StoreUnavailableError as error:
            logger.warning("nothing is revalidated without the store: %s", error)
            return False

    def release(self, lease: str) -> None:
        """Give a lease back: the cache has the news."""
        try:
            self._store.delete(lease)
        except StoreUnavailableError as error:
            logger.warning("a lease ends by itself: %s", error)

    def drop(self, scope: Scope, key: QueryKey, *, start: str | None, index: int) -> None:
        """Drop one page, and with it those behind it: the backend has it no more for this user."""
        try:
            self._store.delete(_place(scope, key, start, index).key)
        except StoreUnavailableError as error:
            logger.warning("%s: a page was not dropped: %s", key.endpoint, error)

    def positions(self, scope: Scope, endpoints: Sequence[str]) -> dict[str, int | None]:
        """Where the logs of `endpoints` stand, before a write leaves."""
        try:
            self._namespaces.settle()
            return {endpoint: self._log(scope.namespace, endpoint).position() for endpoint in endpoints}
        except StoreUnavailableError as error:
            logger.warning("a write begins without the cache: %s", error)
            return dict.fromkeys(endpoints)

    def append(self, principal: str, records: Mapping[str, Record], *, since: Mapping[str, int | None]) -> None:
        """Log a write that is done, for each endpoint that it concerns, so that every read from now on knows of it.

        Where that can't be done, all that is cached for the principal is dropped, or as soon as the store is back.

        :param since: where the logs stood before the write left.
        """
        try:
            # The namespace of now: one that is made after the write was done holds nothing older.
            namespace = self._namespaces.present(principal)
            if namespace is None:
                return
            for endpoint, record in records.items():
                self._append_one(self._log(namespace, endpoint), record, since.get(endpoint))
        except StoreUnavailableError as error:
            logger.warning("a write could not be logged, so what is cached for its user is dropped: %s", error)
            self._purge(principal)

    def clear(self, *, endpoint: str | None = None) -> None:
        """Drop what is cached for all users, of one endpoint or of all.

        :raises StoreUnavailableError: it can't be done now.
        """
        self._generations.renew(generation_key(endpoint))

    def _look_up(self, scope: Scope, key: QueryKey, *, start: str | None, count: int) -> Found:
        self._namespaces.settle()
        log = self._log(scope.namespace, key.endpoint)
        places = [_place(scope, key, start, index) for index in range(count)]
        generations = (
            generation_key(None),
            generation_key(key.endpoint),
            namespace_generation_key(scope.namespace),
        )
        found = self._store.get_many([*scope.keys, log.key, *generations, *(place.key for place in places)])
        if not scope.stands(found):
            return Found(stands=False)
        position = log.checked(found)
        if position is None:
            position = log.begin()
        if position is None:
            return NOTHING_FOUND
        stamp = VersionStamp(position=position, generation=self._generations.present(generations, found))
        pages = _chain([place.page_in(found) for place in places], start=start, stamp=stamp)
        return self._with_records(log, Found(stamp=stamp, pages=pages), position=position)

    def _with_records(self, log: Log, found: Found, *, position: int) -> Found:
        oldest = min([page.shows_until for page in found.pages], default=position)
        if oldest == position:
            return found
        records, hole = log.records(after=oldest, until=position)
        pages = list(found.pages)
        for index, page in enumerate(pages):
            if page.shows_until < hole:
                pages = pages[:index]
                break
        return Found(stamp=found.stamp, pages=tuple(pages), records=tuple(records))

    def _append_one(self, log: Log, record: Record, since: int | None) -> None:
        position = log.claim()
        if position is None:
            return
        try:
            if record.operations and position - 1 != since:
                record = after_overlap(record, others=log.others(since=since, until=position))
            if len(canonical_json(record.stored())) > MAX_RECORD_CHARS:
                record = outdating(record)
            log.put(position, record)
        except StoreUnavailableError as error:
            # The position stays a hole, and whatever is stamped before it a miss.
            logger.warning("%s: the record of a write was lost: %s", log.endpoint, error)
        except Exception:
            # Likewise for a record that can't be kept: the write is done, and stays a success.
            logger.exception("%s: the record of a write could not be made", log.endpoint)

    def _purge(self, principal: str) -> None:
        try:
            self._namespaces.purge(principal)
        except StoreUnavailableError as error:
            logger.warning("what is cached for a user is dropped as soon as the store is back: %s", error)

    def _log(self, namespace: str, endpoint: str) -> Log:
        return Log(store=self._store, namespace=namespace, endpoint=endpoint)


def _chain(values: Sequence[Any], *, start: str | None, stamp: VersionStamp) -> tuple[Page, ...]:
    """The stored pages up to the first that is missing, cleared, or does not begin where the one before it ends."""
    pages: list[Page] = []
    cursor = start
    for value in values:
        page = page_from_stored(value)
        if page is None or page.stamp is None or page.cursor != cursor:
            break
        if page.stamp.generation != stamp.generation:
            break
        if not page.stamp.position <= stamp.position <= page.shows_until + MAX_RECORDS:
            break
        pages.append(page)
        if len(pages) == len(values) or not page.has_next:
            break
        cursor = page.next_cursor
    return tuple(pages)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a page lies in the store.

    A query without parameters has a place of its own for each page of it. All variants of a user share
    `MAX_VARIANT_PAGES` places: one that comes to lie where another one lies takes its place. So a user who searches
    for one word after another fills a small part of the store and no more, and nobody has to count or to tidy up.

    :param name: which page it has to be, where others may lie there too; empty where none may.
    """

    key: str
    name: str

    def occupied(self, stored: list[Any]) -> list[Any]:
        """What is written there for a page."""
        return [self.name, stored] if self.name else stored

    def page_in(self, found: Mapping[str, Any]) -> Any:
        """The page among values that were read; None where another one lies there, or none."""
        value = found.get(self.key)
        if not self.name:
            return value
        if not isinstance(value, list) or len(value) != _NAMED_MEMBERS or value[0] != self.name:
            return None
        return value[1]


def lease_key(scope: Scope, key: QueryKey, *, start: str | None, index: int) -> str:
    """Where the lease of a revalidation stands that begins with this page of a query."""
    return f"{scope.pages}:lease:{_page_name(key, start, index)}"


def _page_name(key: QueryKey, start: str | None, index: int) -> str:
    return f"{key.digest}:{_begin(start)}:{index}"


def _begin(start: str | None) -> str:
    # A cursor is the server's own text: of any length, and with any characters.
    return "" if start is None else hashlib.sha256(start.encode(errors="surrogatepass")).hexdigest()[:_CURSOR_CHARS]


def _place(scope: Scope, key: QueryKey, start: str | None, index: int) -> _Place:
    if start is None and not key.params:
        return _Place(f"{scope.pages}:{key.digest}::{index}", "")
    # Two queries that want one place do so for this user alone, and each time: what happens to a user can be repeated.
    # The pages of one list lie side by side: they never take each other's place.
    mixed = hashlib.sha256(f"{scope.principal}:{_page_name(key, start, 0)}".encode()).hexdigest()
    first = int(mixed[:_PLACE_CHARS], 16)
    return _Place(f"{scope.pages}:variant:{(first + index) % MAX_VARIANT_PAGES}", _page_name(key, start, index))
