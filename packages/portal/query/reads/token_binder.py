"""GET `/me` where it binds the access token of a request, by itself or begun beside the first query."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from portal.config.limits import BINDING_BUDGET_S
from portal.errors import ApiTimeoutError
from portal.process import DeadlineShare
from portal.query.reads.page_fetches import FetchPlan, ReadCall
from portal.query.reads.parallel_fetches import BegunRead
from portal.query.request_cache import MEMOIZED_FOR_S
from portal.query.request_partition import PROFILE_QUERY

if TYPE_CHECKING:
    from portal.query.cache import ReadResult
    from portal.query.reads.page_fetches import PageFetcher
    from portal.query.reads.parallel_fetches import ParallelFetches, PendingRead
    from portal.query.request_cache import RequestCache

#: An access token, and when something was noted about it.
Noted: TypeAlias = tuple[str | None, float]


class TokenBinder:
    """Asks `/me` for the request's token, once.

    :ivar started: GET `/me` that another thread was given, and that will bind the token.
    """

    def __init__(self, *, fetcher: PageFetcher, request_cache: RequestCache) -> None:
        self.started: PendingRead | None = None
        self._fetcher = fetcher
        self._partition = fetcher.partition
        self._memo = request_cache
        self._timed_out: Noted | None = None

    def pending(self) -> PendingRead | None:
        """The started `/me`, while the request does not know its result."""
        started = self.started
        if started is None or self._is_answered() or not self._partition.same_user_as(started.begun.token):
            return None
        return started

    def ask(self, parallel: ParallelFetches) -> tuple[BegunRead, ReadResult] | None:
        """Have `/me` bind the token, within a part of the request's time; gives its result.

        If `/me` times out here, this request does not use it for binding again; a view may still fetch it.

        :returns: None if there is no result, or if the request knows it already.
        :raises SignInEndedError: the sign-in is over.
        """
        if self._is_answered() or self.is_recent(self._timed_out):
            return None
        budget = DeadlineShare(self._fetcher.caller.deadline, seconds=BINDING_BUDGET_S)
        result: ReadResult | None
        if (started := self.pending()) is not None:
            begun, result = started.begun, parallel.result_within(started, budget)
        else:
            begun = BegunRead(
                call=ReadCall(request=PROFILE_QUERY),
                token=self._partition.token,
                drops=self._memo.drops(PROFILE_QUERY.key),
            )
            mark = self._fetcher.cache.marks.open(PROFILE_QUERY.key.endpoint)
            result = self._fetcher.fetch(
                FetchPlan(call=begun.call, partition=None, stamp=None, mark=mark, budget=budget)
            )
        if result is None or isinstance(result.error, ApiTimeoutError):
            self._timed_out = self.note()
            return None
        return begun, result

    def note(self) -> Noted:
        """Something is noted now, under the request's token."""
        return self._partition.token, self._fetcher.clock()

    def is_recent(self, noted: Noted | None) -> bool:
        """Whether it was noted in this request under the same token; by a command's client, within a minute."""
        if noted is None:
            return False
        token, at = noted
        return token == self._partition.token and 0 <= self._fetcher.clock() - at < MEMOIZED_FOR_S

    def _is_answered(self) -> bool:
        return self._memo.get(PROFILE_QUERY.key, epoch=self._partition.epoch) is not None
