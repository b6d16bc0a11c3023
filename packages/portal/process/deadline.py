"""A time limit that several steps share; and the time functions, as an object that a test can replace."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Clock:
    """Time of day, monotonic time, and sleep.

    :param now: seconds since the epoch, comparable between machines.
    :param monotonic: seconds since an arbitrary moment; they never go back.
    :param sleep: waits for a number of seconds.
    """

    now: Callable[[], float] = time.time
    monotonic: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep


class Deadline:
    """The moment at which all waits end.

    :param seconds: time until then.
    :param clock: monotonic seconds.
    """

    __slots__ = ("_clock", "_end")

    def __init__(self, seconds: float, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._end = clock() + seconds

    def remaining(self) -> float:
        """Seconds left; 0 after the deadline."""
        return max(0.0, self._end - self._clock())

    @property
    def passed(self) -> bool:
        """Whether no time is left."""
        return self._clock() >= self._end

    def part(self, *, seconds: float) -> Deadline:
        """A part of the time: it passes with this deadline, or after so many seconds from now."""
        return Deadline(min(seconds, self.remaining()), clock=self._clock)
