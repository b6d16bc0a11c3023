"""What a read that has begun needs from the backend."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from portal.config.limits import QUERY_RETRIES

if TYPE_CHECKING:
    from collections.abc import Mapping
    from concurrent.futures import Future

    from portal.process import Deadline
    from portal.query.cache import MergedPage, ReadResult, VersionStamp
    from portal.query.endpoints import QuerySpec
    from portal.query.partition import Partition

#: For `joins_from`: any fetch of another thread may be joined, or none.
ANY_FETCH: Final = float("-inf")
NO_FETCH: Final = float("inf")


@dataclass(slots=True, kw_only=True)
class FetchPlan:
    """A read that has begun, and what it needs from the backend.

    :param token: the access token when it began.
    :param version: of the request cache when it began.
    :param memoized_at: when the oldest part of the result was memoized; None for now.
    :param partition: whose data; None where that is not known, and nothing is cached.
    :param stamp: the version stamp of before the first request leaves.
    :param expected: the version stamps by namespace, for the first `/me` of a sign-in, which leaves before its token
        is bound.
    :param pages: the cached pages, fresh or not.
    :param kept: how many of them stay as they are.
    :param is_stale: whether a page that stays is stale.
    :param patches: how many patches were applied to the cached pages.
    :param joins_from: fetches of other threads that began at this moment or later may be joined, in monotonic seconds:
        `ANY_FETCH`, or `NO_FETCH` for a read whose request must leave now.
    :param budget: time for the fetch; None for all that the request has left.
    :param bearer: for a fetch that may outlive the request: the access token that is bound to the partition. It is not
        refreshed. None: the request's own tokens.
    :param tries: how often each call is sent at most.
    :ivar future: the result, if another thread fetches it.
    :ivar is_abandoned: whether nobody waits for the result any more: then a failed call is not tried again.
    """

    call: QuerySpec[Any]
    token: str | None = None
    version: tuple[int, int] = (0, 0)
    memoized_at: float | None = None
    partition: Partition | None = None
    stamp: VersionStamp | None = None
    expected: Mapping[str, VersionStamp | None] = field(default_factory=dict)
    pages: tuple[MergedPage, ...] = ()
    kept: int = 0
    is_stale: bool = False
    patches: int = 0
    joins_from: float = ANY_FETCH
    budget: Deadline | None = None
    bearer: str | None = None
    tries: int = 1 + QUERY_RETRIES
    future: Future[ReadResult] | None = field(default=None, init=False)
    is_abandoned: bool = field(default=False, init=False)

    @property
    def has_older_data(self) -> bool:
        """Whether older data can be shown, so that the request waits for a moment only."""
        return self.bearer is not None


@dataclass(frozen=True, slots=True)
class Flight:
    """What the thread that makes a shared call knew when it began, which was at `at`, seconds since the epoch."""

    plan: FetchPlan
    stamp: VersionStamp
    deadline: Deadline
    at: float

    def tried_as_hard(self, plan: FetchPlan, *, seconds: float, ago: float) -> bool:
        """Whether it had as many tries as another read, and about as much time: then its error is that read's too.

        :param seconds: that the other read had.
        :param ago: when this call began, seconds.
        """
        has_as_much_time = self.deadline.remaining() + ago >= seconds / 2
        return self.plan.tries >= plan.tries and has_as_much_time and not self.plan.is_abandoned
