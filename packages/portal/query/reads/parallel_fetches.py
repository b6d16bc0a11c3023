"""Fetches of one request in other threads. The request waits in full, or for a moment if it can show older data."""

from __future__ import annotations

import threading
import time
from concurrent.futures import CancelledError, Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from portal.errors import ApiTimeoutError, ApiUnauthorizedError, SignInEndedError
from portal.query.cache import ReadResult

if TYPE_CHECKING:
    from portal.process import Pool
    from portal.query.reads.page_fetches import FetchPlan, PageFetcher

_LATER_DETAIL: Final = "The backend takes longer to answer than this page waits for news."


class ParallelFetches:
    """The fetches that one request has in other threads. One that the request leaves behind goes on into the cache.

    :param patience_s: how long the request waits for newer data while it could show older data, all its waits together.
    """

    def __init__(self, *, pool: Pool, fetcher: PageFetcher, patience_s: float) -> None:
        self._pool = pool
        self._fetcher = fetcher
        self._patience_s = patience_s

    def start(self, plan: FetchPlan) -> bool:
        """Have another thread fetch; False where too many fetches wait for a thread."""
        if plan.future is None:
            plan.abandoned = threading.Event()
            plan.future = self._pool.submit(partial(self._fetch, plan))
        return plan.future is not None

    def result(self, plan: FetchPlan) -> ReadResult:
        """The result. If it does not come in time, the older data with an error beside it.

        :raises SignInEndedError: the sign-in is over.
        """
        if not plan.has_older_data:
            if plan.future is None or plan.future.cancel():
                # No other thread has begun it.
                return self._fetcher.fetch(plan)
            return plan.future.result()
        result = None if plan.future is None else self._wait(plan.future)
        if result is None:
            if plan.abandoned is not None and plan.future is not None:
                plan.abandoned.set()
                # If no thread has begun it yet, none will: the next page asks again.
                plan.future.cancel()
            return ReadResult(
                pages=plan.pages, error=ApiTimeoutError(_LATER_DETAIL), is_stale=True, patches=plan.patches
            )
        if isinstance(result.error, ApiUnauthorizedError):
            # In the other thread the token could not be refreshed.
            return self._fetcher.fetch(replace(plan, bearer=None))
        return result

    def _fetch(self, plan: FetchPlan) -> ReadResult:
        try:
            return self._fetcher.fetch(plan, abandoned=plan.abandoned)
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
