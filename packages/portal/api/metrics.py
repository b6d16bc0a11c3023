"""How often each outcome of the refresh occurred in this process: for `/metrics`, and for tests."""

from __future__ import annotations

from collections import Counter
from enum import Enum

from fork_safety import ForkSafeLock, reset_after_fork


class Outcome(Enum):
    """What a need for fresh tokens came to."""

    #: This process asked the backend, which gave new tokens.
    REFRESHED = "refreshed"
    #: Waited for a refresh that was in flight, here or elsewhere, and got its tokens.
    JOINED = "joined"
    #: The token had been refreshed before; its record gave the new ones at once.
    HANDED_OVER = "handed over"
    #: The backend refused the refresh token, now or a moment ago.
    REJECTED = "rejected"
    #: The token belongs to a sign-in that was signed out.
    SIGNED_OUT = "signed out"
    #: The backend gave no usable answer, now or a moment ago.
    UNREACHABLE = "unreachable"
    #: The answer to a refresh was lost; its token is not presented again.
    LOST = "lost"
    #: A refresh was in flight for longer than a request waits.
    BUSY = "busy"
    #: The shared store could not be used: nothing was asked of the backend.
    STORE_DOWN = "store down"
    #: A token that was replaced over a minute ago was presented; the backend was not asked.
    REPLAY_SEEN = "replay seen"


class Counters:
    """Counts that only grow. Safe for threads; a child process counts from zero."""

    def __init__(self) -> None:
        self._lock = ForkSafeLock()
        self._begin_anew()
        reset_after_fork(self, Counters._begin_anew)

    def count(self, outcome: Outcome) -> None:
        """Add one."""
        with self._lock:
            self._counts[outcome] += 1

    def snapshot(self) -> dict[Outcome, int]:
        """All outcomes with their counts, zeros included."""
        with self._lock:
            return {outcome: self._counts[outcome] for outcome in Outcome}

    def _begin_anew(self) -> None:
        self._counts: Counter[Outcome] = Counter()


_refresh_counters = Counters()


def refresh_counters() -> Counters:
    """The counters of this process."""
    return _refresh_counters
