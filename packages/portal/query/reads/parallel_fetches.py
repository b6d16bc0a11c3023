"""Fetches of one request in other threads. The request waits in full, or for a moment if it can show older data."""

from __future__ import annotations

import threading
import time
from concurrent.futures import CancelledError, Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Final

from portal.errors import ApiTimeoutError, ApiUnauthorizedError, SignInEndedError
from portal.query.cache import ReadResult

if TYPE_CHECKING:
    from portal.process import Pool
    from portal.query.reads.page_fetches import FetchPlan, PageFetcher, ReadCall

_LATER_DETAIL: Final = "The backend takes longer to answer than this page waits for news."


@dataclass(frozen=True, slots=True, kw_only=True)
class BegunRead:
    """A read, and what was true when it began.

    :param token: the access token.
    :param drops: for :meth:`RequestCache.put`.
    :param memoized_at: when the oldest part of the result was memoized; None for now.
    """

    call: ReadCall
    token: str | None
    drops: int
    memoized_at: float | None = None


@dataclass(slots=True)
class PendingRead:
    """A read that needs the backend.

    :param future: the result, if another thread fetches it.
    :param abandoned: set when nobody waits for the result any more.
    """

    begun: BegunRead
    plan: FetchPlan
    future: Future[ReadResult] | None = None
    abandoned: threading.Event = field(default_factory=threading.Event)

    @property
    def has_older_data(self) -> bool:
        """Whether older data can be shown, so that the request waits for a moment only."""
        return self.plan.bearer is not None


class ParallelFetches:
    """The fetches that one request has in other threads. One that the request leaves behind goes on into the cache.

    :param patience_s: how long the request waits for newer data while it could show older data, all its waits together.
    """

    def __init__(self, *, pool: Pool, fetcher: PageFetcher, patience_s: float) -> None:
        self._pool = pool
        self._fetcher = fetcher
        self._patience_s = patience_s

    def start(self, read: PendingRead) -> bool:
        """Have another thread fetch; False where too many fetches wait for a thread."""
        if read.future is None:
            read.future = self._pool.submit(partial(self._fetch, read))
        return read.future is not None

    def result(self, read: PendingRead) -> ReadResult:
        """The result. If it does not come in time, the older data with an error beside it.

        :raises SignInEndedError: the sign-in is over.
        """
        if not read.has_older_data:
            if read.future is None or read.future.cancel():
                # No other thread has begun it.
                return self._fetcher.fetch(read.plan)
            return read.future.result()
        result = None if read.future is None else self._wait(read.future)
        if result is None:
            read.abandoned.set()
            if read.future is not None:
                # If no thread has begun it yet, none will: the next page asks again.
                read.future.cancel()
            plan = read.plan
            return ReadResult(
                pages=plan.pages, error=ApiTimeoutError(_LATER_DETAIL), is_stale=True, patches=plan.patches
            )
        if isinstance(result.error, ApiUnauthorizedError):
            # In the other thread the token could not be refreshed.
            return self._fetcher.fetch(replace(read.plan, bearer=None))
        return result

    def _fetch(self, read: PendingRead) -> ReadResult:
        try:
            return self._fetcher.fetch(read.plan, abandoned=read.abandoned)
        except SignInEndedError:
            # The request may be over, so nobody else would purge.
            self._fetcher.partition.purge()
            raise

    def _wait(self, future: Future[ReadResult]) -> ReadResult | None:
        """The result, if it comes within the patience and the time of the request."""
        began = time.monotonic()
        try:
            return future.result(timeout=max(0.0, min(self._patience_s, self._fetcher.caller.deadline.remaining())))
        except (FutureTimeoutError, CancelledError):
            return None
        finally:
            self._patience_s -= time.monotonic() - began
