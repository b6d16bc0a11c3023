"""A time limit that several steps share."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


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
