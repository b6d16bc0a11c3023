"""The reads of one request: request cache → partition → page cache → single flight → backend.

Data that is stale by its age alone is shown at once, and revalidated behind the request. Where the endpoint or the user
wants newer data first, the request waits for a moment, and then shows the older data with an error beside it. Data that
the user's own writes have made stale is fetched before it is shown: docs/explanation/query-cache.md has the cases.
"""

from __future__ import annotations

import time
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from portal.config.limits import BINDING_BUDGET_S
from portal.errors import (
    ApiAbsentError,
    ApiError,
    ApiForbiddenError,
    ApiTimeoutError,
    ApiUnauthorizedError,
    without_traceback,
)
from portal.process import DeadlineShare
from portal.query.cache import NO_ENTRY, ReadResult, fresh_prefix, is_enough, merge_pages
from portal.query.reads.fetch_plans import ANY_FETCH, NO_FETCH, FetchPlan, ReadCall
from portal.query.reads.parallel_fetches import ParallelFetches, Revalidation
from portal.query.request_cache import MEMOIZED_FOR_S
from portal.query.request_partition import PROFILE_QUERY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from portal.process import Pool
    from portal.query.cache import CacheEntry, MergedPage, VersionStamp
    from portal.query.partition import Partition
    from portal.query.reads.page_fetches import PageFetcher
    from portal.query.reads.parallel_fetches import Revalidations
    from portal.query.request_cache import RequestCache


class Reads:
    """See the module.

    :param pool: threads for fetches that the request waits for.
    :param patience_s: how long the request waits for newer data while it could show older data.
    :param reload: whether the first read of each query asks the backend before it shows anything, because the user
        reloads the page. It may join a fetch of another request that began after this request.
    """

    def __init__(
        self,
        *,
        fetcher: PageFetcher,
        request_cache: RequestCache,
        revalidations: Revalidations,
        pool: Pool,
        patience_s: float,
        reload: bool = False,
    ) -> None:
        self.partition = fetcher.partition
        self.fetcher = fetcher
        self._cache = fetcher.cache
        self._clock = fetcher.clock
        self._memo = request_cache
        self.revalidations = revalidations
        self._pool = pool
        self._patience_s = patience_s
        self._reload = reload
        self._began = time.monotonic()
        #: Fetches that were started and not read yet.
        self._started: dict[tuple[str, str, str | None], FetchPlan] = {}
        self._permissions_checked: tuple[str | None, float] | None = None
        self._binding_timed_out: tuple[str | None, float] | None = None

    def read(self, call: ReadCall) -> ReadResult:
        """Read one query.

        :raises SignInEndedError: the sign-in is over.
        """
        plan = self._prepare(call)
        if isinstance(plan, ReadResult):
            return plan
        if plan.future is None and not plan.has_older_data:
            result = self.fetcher.fetch(plan)
        else:
            self._parallel.start(plan)
            result = self._parallel.result(plan)
        return self._end(plan, result)

    def read_all(self, calls: Sequence[ReadCall]) -> list[ReadResult]:
        """Read several queries. What has to be fetched is fetched at the same time, with one token refresh for all.

        :returns: their results, in the same order.
        :raises SignInEndedError: the sign-in is over.
        """
        most: dict[tuple[str, str, str | None], ReadCall] = {}
        for call in calls:
            if call.name not in most or call.count > most[call.name].count:
                most[call.name] = call
        prepared = {name: self._prepare(call) for name, call in most.items()}
        fetches = [one for one in prepared.values() if isinstance(one, FetchPlan)]
        # Fetches that are waited for in full come first. This thread makes the first of them, and all that no other
        # thread takes.
        fetches.sort(key=lambda one: one.has_older_data)
        for number, one in enumerate(fetches):
            if number or one.has_older_data:
                self._parallel.start(one)
        results = self._complete_all(fetches)
        results.update({name: one for name, one in prepared.items() if isinstance(one, ReadResult)})
        return [results[call.name] if call is most[call.name] else self.read(call) for call in calls]

    def start(self, call: ReadCall) -> ReadResult | bool:
        """Begin to fetch what a query needs, while the request goes on. Its :meth:`read` will wait for that.

        :returns: the result, if it needs no fetch; else whether a fetch is under way: not if the access token is not
            bound.
        :raises SignInEndedError: the sign-in is over.
        """
        plan = self._prepare(call)
        if isinstance(plan, ReadResult):
            return plan
        if plan.partition is None or not self._parallel.start(plan):
            return False
        self._started[call.name] = plan
        return True

    def bound_partition(self) -> Partition | None:
        """The request's partition. An unbound token is bound by GET `/me`; None where that fails.

        :raises SignInEndedError: the sign-in is over.
        :raises ApiError: the access token has expired and there is no fresh one now.
        """
        partition = self.partition.current()
        if partition is None and self.partition.token is not None:
            # A failure here is not this read's: it goes on without the cache, and gets its own response.
            self._bind_token()
            partition = self.partition.current()
        return partition

    def after_failure(self, error: ApiError, *, endpoint: str) -> None:
        """What a failure says about the user's cached data.

        401 after a refresh: the backend no longer accepts these tokens, so the data is purged. 403: the permissions may
        have changed. Then `/me` is asked once for each request (by a command's client once a minute), and a change of
        the permissions purges (:meth:`Namespaces.bind`).
        """
        if isinstance(error, ApiUnauthorizedError):
            self.partition.purge()
        elif (
            isinstance(error.__cause__ if isinstance(error, ApiAbsentError) else error, ApiForbiddenError)
            and endpoint != PROFILE_QUERY.key.endpoint
            and not self._is_recent(self._permissions_checked)
        ):
            self._permissions_checked = (self.partition.token, self._clock())
            self.read(ReadCall(request=PROFILE_QUERY, force=True))

    # --- the steps of a read ---

    @cached_property
    def _parallel(self) -> ParallelFetches:
        # Most requests show cached data and need none. The profile is read with every page, so it may not take all of
        # the time of a reload.
        patience_s = BINDING_BUDGET_S if self._reload else self._patience_s
        return ParallelFetches(pool=self._pool, fetcher=self.fetcher, patience_s=patience_s)

    def _prepare(self, call: ReadCall) -> ReadResult | FetchPlan:
        """The result, if the backend is not needed; else what is needed from there."""
        self.partition.sync_with_tokens()
        key = call.request.key
        started = self._started.pop(call.name, None)
        if started is not None and self._is_usable(started):
            return started
        before: tuple[MergedPage, ...] = ()
        memoized_at: float | None = None
        is_stale = False
        known = self._memo.get(key, start=call.start)
        if known is not None and not call.force:
            done = known.result
            has_all = is_enough(done.pages, call.count)
            if has_all and (not done.is_stale or done.error is None):
                # If there is an error, a page behind these failed.
                return done.memoized(call.count, error=None)
            if has_all or (done.error is not None and call.count <= known.count and not call.again):
                return done.memoized(call.count, error=done.error)
            # Pages that this request has shown stay as they are. What follows begins at their cursor.
            if not done.is_stale or done.error is None:
                before, memoized_at, is_stale = done.pages, known.at, done.is_stale
        begun = FetchPlan(
            call=call,
            token=self.partition.token,
            version=self._memo.version,
            memoized_at=memoized_at,
            pages=before,
            is_stale=is_stale,
        )
        try:
            plan = self._plan(begun)
        except ApiError as error:
            plan = ReadResult(error=without_traceback(error))
        return self._end(begun, plan) if isinstance(plan, ReadResult) else plan

    def _plan(self, begun: FetchPlan) -> ReadResult | FetchPlan:
        """The cached pages, if they can be shown; else what has to be fetched.

        :param begun: with the pages that the request has shown already.
        """
        call, request, before, is_stale = begun.call, begun.call.request, begun.pages, begun.is_stale
        partition, entry = self._look_up(call, count=0 if before else call.count)
        begun.version = self._memo.version
        now = self._clock()
        pages, patches = (before, 0) if before else merge_pages(entry, request, registry=self.fetcher.registry)
        kept = len(before) or fresh_prefix(pages, now=now, stale_time_s=request.hook.stale_time_s)
        backend_first = call.force or (self._reload and not before)
        if not backend_first and is_enough(pages[:kept], call.count):
            return ReadResult(pages=pages[:kept], is_stale=is_stale, patches=patches)
        plan = replace(
            begun,
            partition=partition,
            stamp=entry.stamp,
            expected=self._expected_stamps() if partition is None and request.key == PROFILE_QUERY.key else {},
            pages=pages,
            kept=0 if backend_first else kept,
            patches=patches,
            joins_from=NO_FETCH if call.force else self._began if self._reload else ANY_FETCH,
        )
        bearer = self.partition.token
        has_older_data = is_enough(pages, call.count) and all(page.may_show_stale(now=now) for page in pages)
        if call.force or not has_older_data or not partition or not bearer:
            return plan
        if request.hook.stale_while_revalidate:
            if self._reload:
                return plan
            plan = replace(plan, bearer=bearer)
            self.revalidations.begin(Revalidation(plan=plan, partition=partition, fetcher=self.fetcher))
            return ReadResult(pages=pages, is_stale=True, patches=patches)
        # A command waits in full: there is no page that has to be shown soon.
        return plan if self.fetcher.caller.limit is None else replace(plan, bearer=bearer)

    def _look_up(self, call: ReadCall, *, count: int) -> tuple[Partition | None, CacheEntry]:
        """The partition to read in, and what the store has there; nothing for a query with `cache=False`."""
        request = call.request
        needs_binding = request.hook.cache and request.key.endpoint != PROFILE_QUERY.key.endpoint
        for _ in range(2):
            partition = self.bound_partition() if needs_binding else self.partition.current()
            if partition is None:
                break
            entry = self._cache.get(partition, request.key, start=call.start, count=count if request.hook.cache else 0)
            if entry.is_current:
                # Without a stamp, nothing is kept and no other fetch is joined.
                return partition, entry if request.hook.cache else NO_ENTRY
            # Purged: the token has to be bound again.
            self.partition.unbind(partition)
        return None, NO_ENTRY

    def _is_usable(self, begun: FetchPlan) -> bool:
        """Whether a read that began is still this user's, and no write of this request was done since."""
        # A profile that tells of other permissions empties the request cache, and is kept itself.
        first = 1 if begun.call.request.key == PROFILE_QUERY.key else 0
        return begun.version[first:] == self._memo.version[first:] and self.partition.same_user_as(begun.token)

    def _complete_all(self, fetches: Sequence[FetchPlan]) -> dict[tuple[str, str, str | None], ReadResult]:
        """Wait for all of them, also if one raises."""
        results: dict[tuple[str, str, str | None], ReadResult] = {}
        failure: Exception | None = None
        for plan in fetches:
            try:
                results[plan.call.name] = self._end(plan, self._parallel.result(plan))
            except Exception as error:  # noqa: BLE001  raised below
                failure = failure or error
        if failure is not None:
            raise failure
        return results

    def _end(self, begun: FetchPlan, result: ReadResult) -> ReadResult:
        """Do what a failure says about cached data, and memoize the result."""
        call, key = begun.call, begun.call.request.key
        may_keep = self._is_usable(begun)
        if result.error is not None:
            self.after_failure(result.error, endpoint=key.endpoint)
        # That may have refreshed the tokens, into another sign-in's.
        if may_keep and self.partition.same_user_as(begun.token):
            self._memo.put(key, result, start=call.start, count=call.count, at=begun.memoized_at)
        return result

    # --- GET /me ---

    def _bind_token(self) -> None:
        """Have GET `/me` bind the request's token, within a part of the request's time.

        If `/me` times out here, this request does not use it for binding again; a view may still fetch it.
        """
        token, key = self.partition.token, PROFILE_QUERY.key
        if self._memo.get(key) is not None or self._is_recent(self._binding_timed_out):
            return
        budget = DeadlineShare(self.fetcher.caller.deadline, seconds=BINDING_BUDGET_S)
        call = ReadCall(request=PROFILE_QUERY)
        begun = FetchPlan(call=call, token=token, version=self._memo.version, budget=budget)
        result = self.fetcher.fetch(begun)
        if isinstance(result.error, ApiTimeoutError):
            self._binding_timed_out = (token, self._clock())
        else:
            self._end(begun, result)

    def _expected_stamps(self) -> dict[str, VersionStamp | None]:
        name = PROFILE_QUERY.key.endpoint
        return {each: self._cache.stamps(each, [name])[name] for each in self.partition.expected_namespaces()}

    def _is_recent(self, noted: tuple[str | None, float] | None) -> bool:
        """Whether something was noted in this request under the same token; by a command's client, within a minute."""
        if noted is None:
            return False
        token, at = noted
        return token == self.partition.token and 0 <= self._clock() - at < MEMOIZED_FOR_S
