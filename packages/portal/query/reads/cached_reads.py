"""The reads of one request: request cache → the sign-in's cache → single flight → backend.

Data that is stale by its age alone is shown at once, and revalidated behind the request. Where the endpoint or the user
wants newer data first, the request waits for a moment, and then shows the older data with an error beside it. Data that
the user's own writes have made stale is fetched before it is shown: docs/explanation/query-cache.md has the cases.
"""

import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, Final

from portal.config.limits import PROFILE_BUDGET_S
from portal.errors import (
    ApiError,
    ApiForbiddenError,
    ApiTimeoutError,
    ApiUnauthorizedError,
    CircuitOpenError,
    without_traceback,
)
from portal.process import waits_for
from portal.query.cache import NO_ENTRY, CacheEntry, ReadResult, fresh_prefix, is_enough, merge_pages
from portal.query.endpoints import QueryKey, QuerySpec
from portal.query.reads.page_fetches import ANY_FETCH, NO_FETCH, PageFetcher, Read
from portal.query.reads.revalidations import revalidate
from portal.query.request_sign_in import MEMOIZED_FOR_S, PROFILE_QUERY
from portal.query.sign_in_caches import SignInCache

_PROFILE: Final = PROFILE_QUERY.key.endpoint
#: Longest wait for a thread, seconds.
_BEGINS_WITHIN_S: Final = 0.1


class Reads:
    """See the module.

    :param reload: whether the first read of each query asks the backend before it shows anything, because the user
        reloads the page. It may join a fetch of another request that began after this request.
    """

    def __init__(self, *, fetcher: PageFetcher, reload: bool = False) -> None:
        self.sign_in = fetcher.sign_in
        self.fetcher = fetcher
        self._memo = fetcher.sign_in.memo
        self._reload = reload
        self._began = time.monotonic()
        # The profile is read with every page, so it may not take all of the time of a reload.
        self._patience_s = PROFILE_BUDGET_S if reload else fetcher.runtime.patience_s
        #: Fetches that were started and not read yet.
        self._started: dict[tuple[str, str, str | None], Read] = {}
        #: When `/me` was asked because of a 403, by access token.
        self._permissions_checked: dict[str | None, float] = {}

    def read(self, call: QuerySpec[Any]) -> ReadResult:
        """Read one query.

        :raises SignInEndedError: the sign-in is over.
        """
        [read] = self._prepare([call])
        if isinstance(read, ReadResult):
            return read
        if read.has_older_data:
            self._start(read)
        return self._end(read, self._result(read))

    def read_all(self, calls: Sequence[QuerySpec[Any]]) -> list[ReadResult]:
        """Read several queries. What has to be fetched is fetched at the same time, with one token refresh for all.

        :returns: their results, in the same order.
        :raises SignInEndedError: the sign-in is over.
        """
        most: dict[tuple[str, str, str | None], QuerySpec[Any]] = {}
        for call in calls:
            if call.pages > most.setdefault(call.name, call).pages:
                most[call.name] = call
        prepared = dict(zip(most, self._prepare(list(most.values())), strict=True))
        fetches = [one for one in prepared.values() if isinstance(one, Read)]
        # Fetches that are waited for in full come first. This thread makes the first of them, and all that no other
        # thread takes.
        fetches.sort(key=lambda one: one.has_older_data)
        for number, one in enumerate(fetches):
            if number or one.has_older_data:
                self._start(one)
        results: dict[tuple[str, str, str | None], ReadResult] = {}
        failures: list[Exception] = []
        for one in fetches:
            try:
                results[one.call.name] = self._end(one, self._result(one))
            except Exception as error:  # noqa: BLE001  raised when all have ended
                failures.append(error)
        if failures:
            raise failures[0]
        results.update({name: one for name, one in prepared.items() if isinstance(one, ReadResult)})
        # One that is asked for twice has been read in this request the second time.
        return [
            results.pop(call.name) if call is most[call.name] and call.name in results else self.read(call)
            for call in calls
        ]

    def start(self, call: QuerySpec[Any]) -> ReadResult | bool:
        """Begin to fetch what a query needs, while the request goes on. Its :meth:`read` will wait for that.

        :returns: the result, if it needs no fetch; else whether a fetch is under way.
        :raises SignInEndedError: the sign-in is over.
        """
        [read] = self._prepare([call])
        if isinstance(read, ReadResult):
            return read
        if not self._start(read):
            return False
        self._started[call.name] = read
        return True

    def look_up(
        self, queries: Sequence[tuple[QueryKey, str | None, int]], *, reads: Iterable[Read] = ()
    ) -> tuple[SignInCache | None, Sequence[CacheEntry]]:
        """Return the cache that the access token opens now, and what it has of these queries.

        :param queries: as of :meth:`PageCache.get_all`.
        :param reads: begin now.
        :raises SignInEndedError: the sign-in is over, also where the process remembers the cache still.
        :raises ApiError: the access token has expired and there is no fresh one now.
        """
        cache = self.sign_in.cache()
        for _ in range(2):
            for read in reads:
                read.token, read.version = self.sign_in.token, self._memo.version
            if cache is None or not queries:
                break
            entries = self.fetcher.runtime.cache.get_all(cache, queries)
            if entries[0] is NO_ENTRY:
                # The tombstone may lie in another store, which answers.
                self.fetcher.caller.end_if_signed_out()
            if entries[0].is_current:
                return cache, entries
            # Purged, or lost.
            cache = self.sign_in.reopened()
        return None, [NO_ENTRY] * len(queries)

    def after_failure(self, error: ApiError, *, endpoint: str) -> None:
        """Purge what a failure says is no longer the user's.

        401 after a refresh: the backend no longer accepts these tokens, so the data is purged. 403: the permissions may
        have changed. Then `/me` is asked once for each request (by a command's client once a minute), and a change of
        the permissions purges.
        """
        if isinstance(error, ApiUnauthorizedError):
            self.sign_in.purge()
        elif isinstance(error, ApiForbiddenError) and endpoint != _PROFILE:
            now, token = self.fetcher.clock(), self.sign_in.token
            if now - self._permissions_checked.get(token, float("-inf")) >= MEMOIZED_FOR_S:
                self._permissions_checked[token] = now
                self.read(QuerySpec(query=PROFILE_QUERY, force=True))

    # --- the steps of a read ---

    def _prepare(self, calls: Sequence[QuerySpec[Any]]) -> list[ReadResult | Read]:
        """Return the result of each, if the backend is not needed; else what is needed. The store is asked once."""
        self.sign_in.sync_with_tokens()
        version = self._memo.version
        prepared = [self._begin(call) for call in calls]
        begun = {i: one for i, one in enumerate(prepared) if isinstance(one, Read) and one.future is None}
        if not begun:
            return prepared
        try:
            # No pages of a query with `cache=False`.
            queries = [
                (call.query.key, call.cursor, 0 if read.pages or not call.query.hook.cache else call.pages)
                for read in begun.values()
                for call in [read.call]
            ]
            cache, entries = self.look_up(queries, reads=begun.values())
        except ApiError as error:
            result = ReadResult(error=without_traceback(error))
            return [self._end(begun[i], result) if i in begun else one for i, one in enumerate(prepared)]
        if version != self._memo.version and (len(begun) < len(calls) or any(one.pages for one in begun.values())):
            # Emptied meanwhile: what it had may be another user's.
            return self._prepare(calls)
        for (index, read), entry in zip(begun.items(), entries, strict=True):
            prepared[index] = self._plan(read, cache, entry)
        return prepared

    def _begin(self, call: QuerySpec[Any]) -> ReadResult | Read:
        """Return what this request knows of the query; else a read that has just begun."""
        started = self._started.pop(call.name, None)
        if started is not None and self._is_usable(started):
            return started
        known = None if call.force else self._memo.get(call.name)
        if known is not None and (answer := known.answer(call.pages, again=call.again)) is not None:
            return answer
        read = Read(call=call, token=self.sign_in.token, version=self._memo.version)
        # Pages that this request has shown stay as they are. What follows begins at their cursor.
        if known is not None and (not known.result.is_stale or known.result.error is None):
            done = known.result
            read.pages, read.memoized_at, read.is_stale = done.pages, known.at, done.is_stale
        return read

    def _plan(self, read: Read, cache: SignInCache | None, entry: CacheEntry) -> ReadResult | Read:
        """Return the cached pages, if they can be shown; else what has to be fetched.

        :param read: with the pages that the request has shown already.
        """
        call, request, before, is_stale = read.call, read.call.query, read.pages, read.is_stale
        now = self.fetcher.clock()
        pages, patches = (before, 0) if before else merge_pages(entry, request, registry=self.fetcher.registry)
        kept = len(before) or fresh_prefix(pages, now=now, stale_time_s=request.hook.stale_time_s)
        backend_first = call.force or (self._reload and not before)
        if not backend_first and is_enough(pages[:kept], call.pages):
            return self._end(read, ReadResult(pages=pages[:kept], is_stale=is_stale, patches=patches))
        # Without a stamp, nothing is stored and no other fetch is joined.
        read.cache, read.stamp = cache, entry.stamp if request.hook.cache else None
        read.pages, read.kept, read.patches = pages, 0 if backend_first else kept, patches
        read.joins_from = NO_FETCH if call.force else self._began if self._reload else ANY_FETCH
        has_older_data = is_enough(pages, call.pages) and all(page.may_show_stale(now=now) for page in pages)
        if call.force or not has_older_data or cache is None or not read.token:
            return read
        if request.hook.stale_while_revalidate:
            if self._reload:
                return read
            revalidate(read, cache, bearer=read.token, fetcher=self.fetcher)
            return self._end(read, ReadResult(pages=pages, is_stale=True, patches=patches))
        # A command waits in full: there is no page that has to be shown soon.
        return read if self.fetcher.caller.limit is None else replace(read, bearer=read.token)

    def _is_usable(self, begun: Read) -> bool:
        """Return whether a read is still this sign-in's, and no write of this request was done since it began."""
        self.sign_in.sync_with_tokens()
        # A profile that names other permissions empties the request cache, and is kept itself.
        first = 1 if begun.call.query.key.endpoint == _PROFILE else 0
        return begun.version[first:] == self._memo.version[first:]

    def _end(self, begun: Read, result: ReadResult) -> ReadResult:
        """Do what a failure says about cached data, and memoize the result."""
        call = begun.call
        may_keep = self._is_usable(begun)
        if result.error is not None:
            token = self.sign_in.token
            self.after_failure(result.error, endpoint=call.query.key.endpoint)
            # That may have refreshed the tokens, into another sign-in's.
            may_keep = may_keep and token == self.sign_in.token
        if may_keep:
            self._memo.put(call.name, result, count=call.pages, at=begun.memoized_at)
        return result

    # --- fetches in other threads ---

    def _start(self, read: Read) -> bool:
        """Have another thread fetch; False where too many fetches wait for a thread."""
        if read.future is None:
            # The request may be over, so nobody else would purge.
            fetch = self.sign_in.purged_if_ended()(self.fetcher.fetch)
            read.future = self.fetcher.runtime.pool.submit(partial(fetch, read))
        return read.future is not None

    def _result(self, read: Read) -> ReadResult:
        """Return the result. If it does not come in time, the older data with an error beside it.

        :raises SignInEndedError: the sign-in is over.
        """
        future = read.future
        if not read.has_older_data:
            if future is None or future.cancel():
                # No other thread has begun it.
                return self.fetcher.fetch(read)
            with waits_for(read.call.query.key.endpoint):
                return future.result()
        result = self._wait(read)
        if result is None:
            read.is_abandoned = True
            error = ApiTimeoutError("The backend takes longer to answer than this page waits for news.")
            return ReadResult(pages=read.pages, error=error, is_stale=True, patches=read.patches)
        if isinstance(result.error, ApiUnauthorizedError) and future is not None and not future.cancelled():
            # In the other thread the token could not be refreshed.
            return self.fetcher.fetch(replace(read, bearer=None))
        return result

    def _wait(self, read: Read) -> ReadResult | None:
        """Return the result, if it comes within the patience and the time of the request.

        All waits of the request share its patience. Endpoints that hang may hold all threads: this one fetches what no
        other begins soon.
        """
        future, began = read.future, time.monotonic()
        budget = self.fetcher.caller.deadline.part(seconds=max(0.0, self._patience_s))
        try:
            with waits_for(read.call.query.key.endpoint):
                if future is not None:
                    with suppress(TimeoutError):
                        return future.result(timeout=min(_BEGINS_WITHIN_S, budget.remaining()))
                if future is None or future.cancel():
                    return self.fetcher.fetch(replace(read, bearer=None, budget=budget))
                return future.result(timeout=budget.remaining())
        except (TimeoutError, CircuitOpenError):
            return None
        finally:
            self._patience_s -= time.monotonic() - began
