"""A clock that moves when a test says so."""

from __future__ import annotations


class FakeClock:
    """Seconds since the epoch, in `now`."""

    def __init__(self) -> None:
        self.now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += seconds
