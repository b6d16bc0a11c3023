"""Reads: from this request's memory, from the cache while fresh, else from the backend."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from portal.config.limits import PROOF_BUDGET_S
from portal.errors import ApiError, ApiForbiddenError, ApiRejectedError, ApiTimeoutError, SignInEndedError
from portal.query.cache import NOTHING_FOUND, Found, QueryCache
from portal.query.calls import Share
from portal.query.flights import ANY_FLIGHT, NO_FLIGHT
from portal.query.memory import REMEMBERED_FOR_S
from portal.query.pages import Page, Stamp, check_list_body
from portal.query.scopes import PROFILE_QUERY, Scopes
from portal.query.shown import Outcome, Shown, fresh_prefix, shown_answer, shown_pages

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from portal.api.deadline import Deadline
    from portal.query.calls import Caller
    from portal.query.flights import Flights
    from portal.query.list_cache import Judge
    from portal.query.memory import Memory
    from portal.query.proofs import Scope
    from portal.query.specs import ListQuery, Query
    from portal.query.urls import Address

logger = logging.getLogger("portal.query")


class _Unshared(Exception):  # noqa: N818  not a failure: it carries a page past the flights
    def __init__(self, page: Page) -> None:
        super().__init__("this page is for its own request only")
        self.page = page


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """Where a page belongs, and under which stamp its request leaves.

    :param budget: its part of the request's time; None for all that is left.
    """

    query: Query
    scope: Scope | None
    stamp: Stamp | None
    start: str | None = None
    index: int = 0
    cursor: str | None = None
    budget: Deadline | None = None


@dataclass(slots=True, kw_only=True)
class Reads:
    """The reads of one request.

    :param judge_of: of a list's endpoint key: what decides where rows belong in its variants.
    :param clock: seconds since the epoch.
    :param reload: whether the first read of each query asks the backend before it answers: the user wants what is so
        now. It may wait for a fetch of another request, if that left after this one began.
    """

    caller: Caller
    scopes: Scopes
    cache: QueryCache
    flights: Flights
    memory: Memory
    judge_of: Callable[[str], Judge]
    clock: Callable[[], float]
    reload: bool = False
    _began: float = field(default_factory=time.monotonic, init=False)
    _permissions_checked: tuple[str | None, float] | None = field(default=None, init=False)
    _proof_took_too_long: tuple[str | None, float] | None = field(default=None, init=False)

    def answer(self, query: Query, *, force: bool = False) -> Outcome:
        """Run a one-shot query.

        :param force: ask the backend, however fresh the cached answer is.
        :raises SignInEndedError: the sign-in is over.
        """
        self.scopes.follow()
        known = self.memory.get(query.key)
        if known is not None and not force:
            return known.outcome
        asker, since = self.scopes.token, self.memory.drops(query.key)
        outcome = self._protected(query, lambda: self._answer(query, force=force))
        if self.scopes.is_still(asker):
            self.memory.put(query.key, outcome, since=since)
        return outcome

    def pages(
        self, query: ListQuery, *, start: str | None, count: int, force: bool = False, again: bool = False
    ) -> Outcome:
        """Read the first `count` pages of a list, from the cursor `start` on.

        :param force: ask the backend for all of them, however fresh they are.
        :param again: try once more what has failed in this request.
        :raises SignInEndedError: the sign-in is over.
        """
        self.scopes.follow()
        known = self.memory.get(query.key, start=start)
        before: tuple[Shown, ...] = ()
        at: float | None = None
        if known is not None and not force:
            done = known.outcome
            if _is_enough(done.shown, count) and not done.stale:
                # What failed was a page behind these.
                return replace(done, shown=done.shown[:count], error=None)
            if _is_enough(done.shown, count) or (done.error is not None and count <= known.count and not again):
                return replace(done, shown=done.shown[:count])
            # Pages that this request has shown stay as they are; what follows begins at their cursor.
            before, at = ((), None) if done.stale else (done.shown, known.at)
        asker, since = self.scopes.token, self.memory.drops(query.key)
        outcome = self._protected(
            query, lambda: self._pages(query, start=start, count=count, force=force, before=before)
        )
        if self.scopes.is_still(asker):
            self.memory.put(query.key, outcome, since=since, start=start, count=count, at=at)
        return outcome

    def scope(self) -> Scope | None:
        """The scope of this request's user, proven with a GET `/me` if need be; None where that fails.

        :raises SignInEndedError: the sign-in is over.
        :raises ApiError: the access token has expired and no fresh one can be had now.
        """
        try:
            scope = self.scopes.current()
            if scope is None and self.scopes.token is not None:
                # A failure here is not this read's: it goes on without the cache and gets its own answer.
                self._prove()
                scope = self.scopes.current()
        except SignInEndedError:
            # Whoever meets it first, a read, a write or an invalidation: the backend does not know these tokens.
            self.scopes.purge()
            raise
        return scope

    def _prove(self) -> None:
        """Have GET `/me` prove the request's token, within a part of its time.

        A profile that takes longer may be had yet, by whoever wants to see it; it is not asked for as a proof again.
        """
        token = self.scopes.token
        if self.memory.get(PROFILE_QUERY.key) is not None or self._is_recent(self._proof_took_too_long):
            return
        since = self.memory.drops(PROFILE_QUERY.key)
        budget = Share(self.caller.deadline, seconds=PROOF_BUDGET_S)
        outcome = self._protected(PROFILE_QUERY, lambda: self._answer(PROFILE_QUERY, force=False, budget=budget))
        if isinstance(outcome.error, ApiTimeoutError):
            self._proof_took_too_long = (token, self.clock())
        elif self.scopes.is_still(token):
            self.memory.put(PROFILE_QUERY.key, outcome, since=since)

    def after_failure(self, error: ApiError, *, endpoint: str) -> None:
        """What a failure says about the cached data of this user.

        401 past a refresh: the backend does not know these tokens any more. 403: their permissions may have changed;
        a fresh profile tells, once per request (for a client that lives longer: once a minute), and purges if so
        (:meth:`Namespaces.prove`).
        """
        if isinstance(error, ApiRejectedError):
            self.scopes.purge()
        elif (
            isinstance(error, ApiForbiddenError)
            and endpoint != PROFILE_QUERY.key.endpoint
            and not self._is_recent(self._permissions_checked)
        ):
            self._permissions_checked = (self.scopes.token, self.clock())
            self.answer(PROFILE_QUERY, force=True)

    def _is_recent(self, noted: tuple[str | None, float] | None) -> bool:
        """Whether it was noted in this request: under the same token, and for a client that lives longer, just now."""
        if noted is None:
            return False
        token, at = noted
        return token == self.scopes.token and 0 <= self.clock() - at < REMEMBERED_FOR_S

    def _protected(self, query: Query, run: Callable[[], Outcome]) -> Outcome:
        """Failures as values; what they say about cached data is done."""
        try:
            outcome = run()
        except SignInEndedError:
            self.scopes.purge()
            raise
        except ApiError as error:
            outcome = Outcome(error=error)
        if outcome.error is not None:
            self.after_failure(outcome.error, endpoint=query.key.endpoint)
        return outcome

    def _answer(self, query: Query, *, force: bool, budget: Deadline | None = None) -> Outcome:
        scope, found = self._look_up(query)
        shown = shown_answer(found, query)
        if shown and not (force or self.reload) and self._fresh(shown, query) == len(shown):
            return Outcome(shown=shown)
        try:
            place = _Place(query=query, scope=scope, stamp=found.stamp, budget=budget)
            page = self._fetch(place, query.address(), force=force)
        except ApiError as error:
            return Outcome(shown=shown, error=error, stale=bool(shown))
        return Outcome(shown=(Shown(page=page),), fetched=1)

    def _pages(
        self, query: ListQuery, *, start: str | None, count: int, force: bool, before: tuple[Shown, ...]
    ) -> Outcome:
        scope, found = self._look_up(query, start=start, count=0 if before else count)
        shown, patches = (before, 0) if before else shown_pages(found, query, judge=self.judge_of(query.key.endpoint))
        kept = len(before) if before else self._fresh(shown, query)
        pages = [] if force or (self.reload and not before) else list(shown[:kept])
        stamp = found.stamp
        fetched = 0
        try:
            while not _is_enough(pages, count):
                if fetched and scope is not None and query.shared:
                    stamp = self.cache.stamp(scope, query.key)
                place = _Place(
                    query=query,
                    scope=scope,
                    stamp=stamp,
                    start=start,
                    index=len(pages),
                    cursor=pages[-1].page.next_cursor if pages else start,
                )
                page = self._fetch(place, query.page_address(cursor=place.cursor), force=force)
                fetched += 1
                pages.append(Shown(page=page, rows=tuple(page.rows)))
        except ApiError as error:
            stale = len(pages) < len(shown)
            return Outcome(
                shown=shown if stale else tuple(pages), error=error, stale=stale, fetched=fetched, patches=patches
            )
        return Outcome(shown=tuple(pages), fetched=fetched, patches=patches)

    def _look_up(self, query: Query, *, start: str | None = None, count: int = 1) -> tuple[Scope | None, Found]:
        """The scope to read in, and what the store knows there: of a query that is not shared, nothing."""
        needs_proof = query.shared and query.key != PROFILE_QUERY.key
        for _ in range(2):
            scope = self.scope() if needs_proof else self.scopes.current()
            if scope is None:
                break
            found = self.cache.look_up(scope, query.key, start=start, count=count if query.shared else 0)
            if found.stands:
                # Without a stamp nothing is kept, and nobody else's fetch is joined.
                return scope, found if query.shared else NOTHING_FOUND
            # Purged: the token has to prove itself anew.
            self.scopes.refute(scope)
        return None, NOTHING_FOUND

    def _fetch(self, place: _Place, where: Address, *, force: bool) -> Page:
        """One page from the backend, into the cache."""
        if place.scope is None:
            return self._fetch_alone(place, where)
        name = f"{place.scope.namespace}:{place.query.key.digest}:{place.cursor}"
        try:
            return self.flights.fetch(
                name,
                lambda: self._fetch_alone(place, where),
                stamp=place.stamp,
                budget=place.budget or self.caller.deadline,
                left_from=self._joined_from(force=force),
            )
        except _Unshared as unshared:
            return unshared.page

    def _joined_from(self, *, force: bool) -> float:
        """Which flights may be joined: those that left at this moment or later."""
        if force:
            return NO_FLIGHT
        return self._began if self.reload else ANY_FLIGHT

    def _fetch_alone(self, place: _Place, where: Address) -> Page:
        key = place.query.key
        sent = self.scopes.token
        at = self.clock()
        body = self.caller.read(where, budget=place.budget)
        if key.paginated:
            check_list_body(body, endpoint=key.endpoint)
        page = Page(stamp=place.stamp, at=at, cursor=place.cursor, body=body)
        if key.paginated and page.lacks_cursor:
            logger.warning(
                "%s: a page says that there is a next one, and gives no cursor for it, or its own: the list ends here."
                " The API should answer with `nextCursor`, a text that no page before has had",
                key.endpoint,
            )
        unchanged = place.scope is None or self.scopes.is_unchanged(place.scope, sent=sent)
        if key == PROFILE_QUERY.key:
            self.scopes.learn(body, sent=sent)
        if not unchanged:
            raise _Unshared(replace(page, stamp=None))
        if place.scope is not None:
            self.cache.keep(place.scope, key, page, start=place.start, index=place.index)
        return page

    def _fresh(self, shown: Sequence[Shown], query: Query) -> int:
        return fresh_prefix(shown, now=self.clock(), stale_time_s=query.stale_time_s)


def _is_enough(shown: Sequence[Shown], count: int) -> bool:
    """Whether these are all the pages that are wanted, or that there are."""
    return len(shown) >= count or (bool(shown) and not shown[-1].page.has_next)
