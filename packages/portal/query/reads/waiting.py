"""Work beside a request, which waits for it: in full, or for a moment where it could show what is known."""

from __future__ import annotations

import threading
import time
from concurrent.futures import CancelledError, Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from portal.config.limits import PATIENCE_S
from portal.errors import ApiTimeoutError, ApiUnauthorizedError, SignInEndedError
from portal.query.cache.merged_pages import Outcome

if TYPE_CHECKING:
    from portal.process import Pool
    from portal.query.reads.fetches import Fetch, Fetches

_LATER_DETAIL: Final = "The backend takes longer to answer than this page waits for news."


@dataclass(slots=True, kw_only=True)
class Work:
    """One fetch of a request.

    :param future: where another thread has it.
    :param given_up: set when nobody waits for it any more.
    """

    fetch: Fetch
    future: Future[Outcome] | None = None
    given_up: threading.Event = field(default_factory=threading.Event)

    @property
    def may_be_left(self) -> bool:
        """Whether all that it asks for is known, so that the request waits for a moment only."""
        return self.fetch.bearer is not None


class Beside:
    """The work of one request. What it may leave behind goes on, and its result is kept in the cache."""

    def __init__(self, *, pool: Pool, fetches: Fetches) -> None:
        self._pool = pool
        self._fetches = fetches
        self._patience_s = PATIENCE_S

    def hand_over(self, work: Work) -> bool:
        """Have another thread do it; False where too much is waiting for one."""
        if work.future is None:
            work.future = self._pool.submit(lambda: self._done(work))
        return work.future is not None

    def outcome(self, work: Work) -> Outcome:
        """What it came to; where it does not come in time, what is known, with an error beside it.

        :raises SignInEndedError: the sign-in is over.
        """
        if not work.may_be_left:
            if work.future is None or work.future.cancel():
                # No other thread has begun it: this one does.
                return self._fetches.run(work.fetch)
            return work.future.result()
        outcome = None if work.future is None else self._waited_for(work.future)
        if outcome is None:
            return self._left(work)
        if isinstance(outcome.error, ApiUnauthorizedError):
            # Its token was not refreshed there.
            return self._fetches.run(replace(work.fetch, bearer=None))
        return outcome

    def _done(self, work: Work) -> Outcome:
        try:
            return self._fetches.run(work.fetch, is_given_up=work.given_up.is_set)
        except SignInEndedError:
            # The request may be over: nobody else would do it.
            self._fetches.scopes.purge()
            raise

    def _waited_for(self, future: Future[Outcome]) -> Outcome | None:
        """What it came to, if it does before this request's patience ends: all its waits together."""
        began = time.monotonic()
        try:
            return future.result(timeout=max(0.0, min(self._patience_s, self._fetches.caller.deadline.remaining())))
        except (FutureTimeoutError, CancelledError):
            return None
        finally:
            self._patience_s -= time.monotonic() - began

    def _left(self, work: Work) -> Outcome:
        work.given_up.set()
        if work.future is not None:
            # What no thread has begun yet will not be: the next page asks again.
            work.future.cancel()
        fetch = work.fetch
        return Outcome(shown=fetch.shown, error=ApiTimeoutError(_LATER_DETAIL), stale=True, patches=fetch.patches)
