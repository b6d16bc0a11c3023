"""Fetches of one request: pages from the backend, into the cache, for a read that needs them."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from portal.config.limits import QUERY_RETRIES
from portal.errors import ApiError, ApiUnauthorizedError, ApiUnavailableError
from portal.query.cache.merged_pages import MergedPage, Outcome, is_enough, shown_of
from portal.query.cache.pages import Page, VersionStamp, check_list_body
from portal.query.endpoints import ListRequest, ReadRequest
from portal.query.reads.flights import ANY_FLIGHT
from portal.query.request_partition import PROFILE_QUERY, RequestPartition

if TYPE_CHECKING:
    from collections.abc import Callable

    from portal.process import Deadline
    from portal.query.backend_calls import BackendCaller
    from portal.query.cache.page_cache import QueryCache
    from portal.query.cache.patches import Judge
    from portal.query.endpoints import Address
    from portal.query.partition.token_bindings import Scope
    from portal.query.reads.flights import Flights

logger = logging.getLogger("portal.query")


class _Unshared(Exception):  # noqa: N818  not a failure: it carries a page past the flights
    def __init__(self, page: Page) -> None:
        super().__init__("this page is for its own request only")
        self.page = page


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """What one call of a hook asks for.

    :param start: cursor of the first page; None for the beginning.
    :param count: how many pages; 1 for a one-shot query.
    :param force: ask the backend for all of it, however fresh it is.
    :param again: try once more what has failed in this request.
    """

    query: ReadRequest
    start: str | None = None
    count: int = 1
    force: bool = False
    again: bool = False

    @property
    def name(self) -> tuple[str, str, str | None]:
        """What is one and the same read, whatever the number of its pages."""
        return self.query.key.endpoint, self.query.key.digest, self.start


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetch:
    """What a read needs from the backend.

    :param scope: whose data; None where that is not known, and nothing is shared.
    :param stamp: under which its first request leaves.
    :param shown: what is known, fresh or not.
    :param kept: how many of these pages stay as they are.
    :param stale: whether a page that stays is stale.
    :param patches: how many operations of writes were applied to what is known.
    :param left_from: which flights of other requests may be joined.
    :param budget: its part of the request's time; None for all that is left.
    :param bearer: of a fetch that goes on without its request: the access token that proved the scope. It is not
        refreshed. None: the request's tokens, which are.
    :param tries: how often each call is sent at most.
    """

    ask: Ask
    scope: Scope | None
    stamp: VersionStamp | None
    shown: tuple[MergedPage, ...] = ()
    kept: int = 0
    stale: bool = False
    patches: int = 0
    left_from: float = ANY_FLIGHT
    budget: Deadline | None = None
    bearer: str | None = None
    tries: int = 1 + QUERY_RETRIES


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetches:
    """See the module. Safe for threads.

    :param judge_of: of a list's endpoint key: what decides where rows belong in its variants.
    :param clock: seconds since the epoch.
    """

    caller: BackendCaller
    scopes: RequestPartition
    cache: QueryCache
    flights: Flights
    judge_of: Callable[[str], Judge]
    clock: Callable[[], float]

    def run(self, fetch: Fetch, *, is_given_up: Callable[[], bool] = lambda: False) -> Outcome:
        """Fetch what is needed, one page after another; a failure shows what is known.

        :param is_given_up: whether nobody waits any more, so that a failed call is not tried again.
        :raises SignInEndedError: the sign-in is over.
        """
        query, count = fetch.ask.query, fetch.ask.count
        is_list = isinstance(query, ListRequest)
        pages = list(fetch.shown[: fetch.kept])
        stamp = fetch.stamp
        fetched = 0
        try:
            while not is_enough(pages, count):
                if fetched and fetch.scope is not None and query.cache:
                    stamp = self.cache.stamp(fetch.scope, query.key)
                cursor = pages[-1].page.next_cursor if pages else fetch.ask.start
                place = _Place(fetch=fetch, stamp=stamp, index=len(pages), cursor=cursor, is_given_up=is_given_up)
                page = self._page(place)
                fetched += 1
                pages.append(
                    MergedPage(page=page, rows=tuple(page.rows), total=page.total) if is_list else MergedPage(page=page)
                )
        except ApiError as error:
            if fetch.scope is not None and len(pages) < len(fetch.shown) and is_definite_no(error):
                # Whoever reads next is to meet it too, and to see nothing older before it.
                self.cache.drop(fetch.scope, query.key, start=fetch.ask.start, index=len(pages))
            pages = self._settled(fetch, pages, fetched=fetched)
            less = len(pages) < len(fetch.shown)
            return Outcome(
                shown=fetch.shown if less else tuple(pages),
                error=error,
                stale=less or fetch.stale,
                fetched=fetched,
                patches=fetch.patches,
            )
        pages = self._settled(fetch, pages, fetched=fetched)
        return Outcome(shown=tuple(pages), stale=fetch.stale, fetched=fetched, patches=fetch.patches)

    def _settled(self, fetch: Fetch, pages: list[MergedPage], *, fetched: int) -> list[MergedPage]:
        """The same pages, those that were just fetched with the writes that they may lack (`SETTLE_S`)."""
        query, kept = fetch.ask.query, len(pages) - fetched
        if fetch.scope is None or not isinstance(query, ListRequest):
            return pages
        found = self.cache.unsettled(fetch.scope, query.key, [shown.page for shown in pages[kept:]])
        return [*pages[:kept], *shown_of(found, query, judge_of=self.judge_of)[0]]

    def _page(self, place: _Place) -> Page:
        """One page from the backend, into the cache."""
        fetch = place.fetch
        if fetch.scope is None:
            return self._fetch_alone(place)
        name = f"{fetch.scope.pages}:{fetch.ask.query.key.digest}:{place.cursor}"
        try:
            return self.flights.fetch(
                name,
                lambda: self._fetch_alone(place),
                stamp=place.stamp,
                budget=fetch.budget or self.caller.deadline,
                left_from=fetch.left_from,
            )
        except _Unshared as unshared:
            return unshared.page

    def _fetch_alone(self, place: _Place) -> Page:
        fetch, key = place.fetch, place.fetch.ask.query.key
        sent = fetch.bearer or self.scopes.token
        at = self.clock()
        settled = self.cache.settled(fetch.scope, key, place.stamp, at=at) if fetch.scope else None
        body = self.caller.read(
            place.address(),
            budget=fetch.budget,
            bearer=fetch.bearer,
            tries=fetch.tries,
            may_repeat=lambda _error: not place.is_given_up(),
        )
        if key.paginated:
            check_list_body(body, endpoint=key.endpoint)
        page = Page(stamp=place.stamp, at=at, cursor=place.cursor, body=body, came_at=self.clock(), settled=settled)
        if key.paginated and page.lacks_cursor:
            logger.warning(
                "%s: a page says that there is a next one, and gives no cursor for it, or its own: the list ends here."
                " The API should answer with `nextCursor`, a text that no page before has had",
                key.endpoint,
            )
        unchanged = fetch.scope is None or self._is_unchanged(fetch, fetch.scope, sent=sent)
        if key == PROFILE_QUERY.key:
            self.scopes.learn(body, sent=sent)
        if not unchanged:
            raise _Unshared(replace(page, stamp=None))
        if fetch.scope is not None:
            self.cache.keep(fetch.scope, key, page, start=fetch.ask.start, index=place.index)
        return page

    def _is_unchanged(self, fetch: Fetch, scope: Scope, *, sent: str | None) -> bool:
        """Whether an answer that just came is certainly this scope's, and the scope still there for it.

        Nobody sees it if the namespace is gone; for an answer that nobody waits for, it is not even written.
        """
        if not self.scopes.is_unchanged(scope, sent=sent):
            return False
        return fetch.bearer is None or self.cache.look_up(scope, fetch.ask.query.key, count=0).stands


def is_definite_no(error: ApiError) -> bool:
    """Whether the backend refused this query, such as by 403 or 404. By 401 it refuses a token."""
    return not isinstance(error, ApiUnavailableError | ApiUnauthorizedError)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """Where a page belongs, and under which stamp its request leaves."""

    fetch: Fetch
    stamp: VersionStamp | None
    index: int
    cursor: str | None
    is_given_up: Callable[[], bool]

    def address(self) -> Address:
        """Where it is read."""
        query = self.fetch.ask.query
        return query.page_address(cursor=self.cursor) if isinstance(query, ListRequest) else query.address()
