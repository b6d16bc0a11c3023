"""Time limits that several steps share."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class Deadline:
    """A moment after which nothing more is waited for.

    :param seconds: from now.
    :param clock: monotonic seconds.
    """

    __slots__ = ("_clock", "_end")

    def __init__(self, seconds: float, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._end = clock() + seconds

    def remaining(self) -> float:
        """Seconds left; 0 when it has passed."""
        return max(0.0, self._end - self._clock())

    @property
    def passed(self) -> bool:
        """Whether there is no time left."""
        return self._clock() >= self._end
