"""Time, as an argument."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, slots=True, kw_only=True)
class Clock:
    """The three things that code asks of time.

    :param now: seconds since the epoch, comparable between machines.
    :param monotonic: seconds since some moment, never set back.
    :param sleep: wait for a number of seconds.
    """

    now: Callable[[], float] = time.time
    monotonic: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
