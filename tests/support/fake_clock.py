"""A clock that moves when a test says so."""


class FakeClock:
    """Seconds since the epoch, in `now`.

    :ivar step: seconds that are added at each look.
    """

    def __init__(self, *, step: float = 0.0) -> None:
        self.now, self.step = 1_800_000_000.0, step

    def __call__(self) -> float:
        self.now += self.step
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += seconds
