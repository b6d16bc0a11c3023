"""Where this process's CPU time goes: its stack, looked at each time that it has used a little more.

The kernel sends SIGPROF by CPU time, about 250 times a second, and Python calls the handler between two instructions:
after a call of a C function that is its caller. So time in C counts for the function that called it, and waiting for
nothing. cProfile and pyinstrument act at every call of a function: they make a page two or three times as slow, and
functions that call many others look dearer than they are.
"""

from __future__ import annotations

import contextlib
import signal
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import CodeType, FrameType

#: Asked for; the kernel gives what its clock has.
INTERVAL_S: Final = 0.001


@dataclass
class Samples:
    """How often a stack was seen.

    :ivar by_area: samples by area.
    :ivar own: samples in which the function was the innermost one.
    :ivar total: samples in which it was on the stack.
    """

    area_of: Callable[[str], str | None]
    by_area: Counter[str] = field(default_factory=Counter)
    own: Counter[CodeType] = field(default_factory=Counter)
    total: Counter[CodeType] = field(default_factory=Counter)

    @property
    def number(self) -> int:
        """Of samples within an area."""
        return self.by_area.total()

    def add(self, frame: FrameType | None) -> None:
        """Count the stack with this innermost frame, for the innermost area on it."""
        codes, area = [], None
        while frame is not None:
            codes.append(frame.f_code)
            area = area or self.area_of(frame.f_code.co_filename)
            frame = frame.f_back
        # Else it is the loop that sends the requests.
        if area is not None:
            self.by_area[area] += 1
            self.own[codes[0]] += 1
            self.total.update(set(codes))


@contextlib.contextmanager
def sampling(area_of: Callable[[str], str | None]) -> Iterator[Samples]:
    """Look at the main thread, which must be the caller's, while the block lasts.

    :param area_of: the area of a source file; None for files that work for whoever called them.
    """
    samples = Samples(area_of)
    before = signal.signal(signal.SIGPROF, lambda _, frame: samples.add(frame))
    signal.setitimer(signal.ITIMER_PROF, INTERVAL_S, INTERVAL_S)
    try:
        yield samples
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
