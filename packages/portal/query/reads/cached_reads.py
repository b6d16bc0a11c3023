"""Reads: from this request's memory, from the cache while fresh, else from the backend.

What is stale by its age alone is known all the same. It is shown at once and revalidated behind the request; where the
endpoint or the user wants the news first, the request waits for them a moment, and shows what is known beside an error
if they don't come. What the user's own writes have made stale is fetched before anything is shown.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from portal.config.limits import PROOF_BUDGET_S
from portal.errors import ApiError, ApiForbiddenError, ApiTimeoutError, ApiUnauthorizedError, SignInEndedError
from portal.query.backend_calls import Share
from portal.query.cache.merged_pages import MergedPage, Outcome, fresh_prefix, is_enough, shown_of
from portal.query.cache.page_cache import NOTHING_FOUND, Found, QueryCache
from portal.query.partition.token_bindings import proof_key
from portal.query.reads.background import Behind
from portal.query.reads.fetches import Ask, Fetch, Fetches
from portal.query.reads.flights import ANY_FLIGHT, NO_FLIGHT
from portal.query.reads.waiting import Beside, Work
from portal.query.request_cache import REMEMBERED_FOR_S
from portal.query.request_partition import PROFILE_QUERY, RequestPartition

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from portal.process import Pool
    from portal.query.backend_calls import BackendCaller
    from portal.query.cache.patches import Judge
    from portal.query.partition.token_bindings import Scope
    from portal.query.reads.flights import Flights
    from portal.query.reads.revalidations import Revalidations
    from portal.query.request_cache import RequestCache

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """One run of a query, and what was so at its begin.

    :param asker: the access token.
    :param since: for :meth:`Memory.put`.
    :param at: when the oldest part of it was remembered; None for now.
    """

    ask: Ask
    asker: str | None
    since: int
    at: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Begun:
    """A run that needs the backend."""

    asked: _Asked
    work: Work


@dataclass(kw_only=True)
class Reads:
    """The reads of one request.

    :param beside: threads for fetches that this request waits for.
    :param judge_of: of a list's endpoint key: what decides where rows belong in its variants.
    :param clock: seconds since the epoch.
    :param reload: whether the first read of each query asks the backend before it answers: the user wants what is so
        now. It may wait for a fetch of another request, if that left after this one began.
    """

    caller: BackendCaller
    scopes: RequestPartition
    cache: QueryCache
    flights: Flights
    beside: Pool
    revalidations: Revalidations
    memory: RequestCache
    judge_of: Callable[[str], Judge]
    clock: Callable[[], float]
    reload: bool = False
    _began: float = field(default_factory=time.monotonic, init=False)
    _started: dict[tuple[str, str, str | None], _Begun] = field(default_factory=dict, init=False)
    _permissions_checked: tuple[str | None, float] | None = field(default=None, init=False)
    _proof_took_too_long: tuple[str | None, float] | None = field(default=None, init=False)

    def read(self, ask: Ask) -> Outcome:
        """Run one query.

        :raises SignInEndedError: the sign-in is over.
        """
        begun = self._begin(ask)
        if isinstance(begun, Outcome):
            return begun
        if begun.work.may_be_left:
            self._beside.hand_over(begun.work)
        return self._ended(begun)

    def read_all(self, asks: Sequence[Ask]) -> list[Outcome]:
        """Run queries side by side: what has to be fetched is fetched at the same time, with one token refresh for all.

        :returns: their outcomes, in the same order.
        :raises SignInEndedError: the sign-in is over.
        """
        if len(asks) == 1:
            return [self.read(asks[0])]
        most: dict[tuple[str, str, str | None], Ask] = {}
        for ask in asks:
            if ask.name not in most or ask.count > most[ask.name].count:
                most[ask.name] = ask
        begun = {name: self._begin(ask) for name, ask in most.items()}
        fetches = [one for one in begun.values() if isinstance(one, _Begun)]
        # What is waited for in full comes first. One of those is this thread's own, and whatever no other one takes.
        fetches.sort(key=lambda one: one.work.may_be_left)
        for number, one in enumerate(fetches):
            if number or one.work.may_be_left:
                self._beside.hand_over(one.work)
        ended = self._all_ended(fetches)
        outcomes = {name: one if isinstance(one, Outcome) else ended[name] for name, one in begun.items()}
        return [outcomes[ask.name] if ask is most[ask.name] else self.read(ask) for ask in asks]

    def start(self, ask: Ask) -> bool:
        """Begin to fetch what a query needs, while the request goes on: its :meth:`read` will wait for it.

        :returns: whether a fetch is under way; not where none is needed, nor where it is unknown whose the token is.
        :raises SignInEndedError: the sign-in is over.
        """
        begun = self._begin(ask)
        if isinstance(begun, Outcome) or begun.work.fetch.scope is None:
            return False
        if not self._beside.hand_over(begun.work):
            return False
        self._started[ask.name] = begun
        return True

    @cached_property
    def _fetches(self) -> Fetches:
        """Most requests that show what is cached need none."""
        return Fetches(
            caller=self.caller,
            scopes=self.scopes,
            cache=self.cache,
            flights=self.flights,
            judge_of=self.judge_of,
            clock=self.clock,
        )

    @cached_property
    def _beside(self) -> Beside:
        return Beside(pool=self.beside, fetches=self._fetches)

    @cached_property
    def _behind(self) -> Behind:
        return Behind(
            revalidations=self.revalidations,
            fetches=self._fetches,
            shown_of=lambda found, query: shown_of(found, query, judge_of=self.judge_of),
        )

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
        ask = Ask(query=PROFILE_QUERY)
        asked = _Asked(ask=ask, asker=token, since=self.memory.drops(PROFILE_QUERY.key))
        fetch = Fetch(ask=ask, scope=None, stamp=None, budget=Share(self.caller.deadline, seconds=PROOF_BUDGET_S))
        outcome = self._valued(lambda: self._fetches.run(fetch))
        if isinstance(outcome.error, ApiTimeoutError):
            self._proof_took_too_long = (token, self.clock())
        else:
            self._end(asked, outcome)

    def after_failure(self, error: ApiError, *, endpoint: str) -> None:
        """What a failure says about the cached data of this user.

        401 past a refresh: the backend does not know these tokens any more. 403: their permissions may have changed;
        a fresh profile tells, once per request (for a client that lives longer: once a minute), and purges if so
        (:meth:`Namespaces.prove`).
        """
        if isinstance(error, ApiUnauthorizedError):
            self.scopes.purge()
        elif (
            isinstance(error, ApiForbiddenError)
            and endpoint != PROFILE_QUERY.key.endpoint
            and not self._is_recent(self._permissions_checked)
        ):
            self._permissions_checked = (self.scopes.token, self.clock())
            self.read(Ask(query=PROFILE_QUERY, force=True))

    def _is_recent(self, noted: tuple[str | None, float] | None) -> bool:
        """Whether it was noted in this request: under the same token, and for a client that lives longer, just now."""
        if noted is None:
            return False
        token, at = noted
        return token == self.scopes.token and 0 <= self.clock() - at < REMEMBERED_FOR_S

    def _begin(self, ask: Ask) -> Outcome | _Begun:
        """What a query comes to without the backend, or what it needs from there."""
        self.scopes.follow()
        started = self._started.pop(ask.name, None)
        if started is not None and self.scopes.is_still(started.asked.asker):
            return started
        before: tuple[MergedPage, ...] = ()
        at: float | None = None
        stale = False
        known = self.memory.get(ask.query.key, start=ask.start)
        if known is not None and not ask.force:
            done = known.outcome
            if is_enough(done.shown, ask.count) and (not done.stale or done.error is None):
                # What failed was a page behind these.
                return replace(done, shown=done.shown[: ask.count], error=None)
            if is_enough(done.shown, ask.count) or (
                done.error is not None and ask.count <= known.count and not ask.again
            ):
                return replace(done, shown=done.shown[: ask.count])
            # Pages that this request has shown stay as they are; what follows begins at their cursor.
            if not done.stale or done.error is None:
                before, at, stale = done.shown, known.at, done.stale
        asked = _Asked(ask=ask, asker=self.scopes.token, since=self.memory.drops(ask.query.key), at=at)
        prepared = self._valued(lambda: self._prepared(ask, before=before, stale=stale))
        if isinstance(prepared, Outcome):
            return self._end(asked, prepared)
        return _Begun(asked=asked, work=Work(fetch=prepared))

    def _prepared(self, ask: Ask, *, before: tuple[MergedPage, ...], stale: bool) -> Outcome | Fetch:
        """What the cache says, or what has to be fetched.

        :param before: pages that the request has shown already, and whether one of them is `stale`.
        """
        query = ask.query
        scope, found = self._look_up(ask, count=0 if before else ask.count)
        shown, patches = (before, 0) if before else shown_of(found, query, judge_of=self.judge_of)
        kept = len(before) or fresh_prefix(shown, now=self.clock(), stale_time_s=query.stale_time_s)
        wants_news = ask.force or (self.reload and not before)
        if not wants_news and is_enough(shown[:kept], ask.count):
            return Outcome(shown=shown[:kept], stale=stale, patches=patches)
        fetch = Fetch(
            ask=ask,
            scope=scope,
            stamp=found.stamp,
            shown=shown,
            kept=0 if wants_news else kept,
            stale=stale,
            patches=patches,
            left_from=self._left_from(ask),
        )
        bearer = self.scopes.token
        is_known = is_enough(shown, ask.count) and all(page.is_known(now=self.clock()) for page in shown)
        if ask.force or not is_known or scope is None or bearer is None or scope.proof != proof_key(bearer):
            return fetch
        if query.stale_while_revalidate and not self.reload:
            self._behind.revalidate(replace(fetch, bearer=bearer), scope)
            return Outcome(shown=shown, stale=True, patches=patches)
        # A command has no page that waits for it.
        return fetch if self.caller.limit is None else replace(fetch, bearer=bearer)

    def _look_up(self, ask: Ask, *, count: int) -> tuple[Scope | None, Found]:
        """The scope to read in, and what the store knows there: of a query that is not shared, nothing."""
        query = ask.query
        needs_proof = query.cache and query.key != PROFILE_QUERY.key
        for _ in range(2):
            scope = self.scope() if needs_proof else self.scopes.current()
            if scope is None:
                break
            found = self.cache.look_up(scope, query.key, start=ask.start, count=count if query.cache else 0)
            if found.stands:
                # Without a stamp nothing is kept, and nobody else's fetch is joined.
                return scope, found if query.cache else NOTHING_FOUND
            # Purged: the token has to prove itself anew.
            self.scopes.refute(scope)
        return None, NOTHING_FOUND

    def _left_from(self, ask: Ask) -> float:
        """Which flights may be joined: those that left at this moment or later."""
        if ask.force:
            return NO_FLIGHT
        return self._began if self.reload else ANY_FLIGHT

    def _all_ended(self, begun: Sequence[_Begun]) -> dict[tuple[str, str, str | None], Outcome]:
        """Wait for all of them, also where one raises."""
        ended: dict[tuple[str, str, str | None], Outcome] = {}
        failure: Exception | None = None
        for one in begun:
            try:
                ended[one.asked.ask.name] = self._ended(one)
            except Exception as error:  # noqa: BLE001  raised below
                failure = failure or error
        if failure is not None:
            raise failure
        return ended

    def _ended(self, one: _Begun) -> Outcome:
        return self._end(one.asked, self._valued(lambda: self._beside.outcome(one.work)))

    # --- what a run came to ---

    def _valued(self, run: Callable[[], T]) -> T | Outcome:
        """Failures as values; a sign-in that is over takes its cached data with it."""
        try:
            return run()
        except SignInEndedError:
            self.scopes.purge()
            raise
        except ApiError as error:
            return Outcome(error=error)

    def _end(self, asked: _Asked, outcome: Outcome) -> Outcome:
        """Do what a failure says about cached data, and remember the outcome for this request."""
        query = asked.ask.query
        if outcome.error is not None:
            self.after_failure(outcome.error, endpoint=query.key.endpoint)
        if self.scopes.is_still(asked.asker):
            self.memory.put(
                query.key, outcome, since=asked.since, start=asked.ask.start, count=asked.ask.count, at=asked.at
            )
        return outcome
