"""The time functions, as an object that a test can replace."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


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
