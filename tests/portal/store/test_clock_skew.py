"""How far the clocks of a store's server and of this machine differ."""

from __future__ import annotations

import time

import pytest

from portal.store import SharedStore, survey
from portal.store.clock_skew import ASK_EVERY_S, ClockWatch


class Times:
    """The time of this machine, which a test sets."""

    def __init__(self, ahead: float) -> None:
        self.ahead = ahead

    def time(self) -> float:
        return time.time() + self.ahead


@pytest.mark.parametrize(("our_clock_ahead_s", "is_told"), [(0.0, False), (0.9, False), (1.5, True), (-90.0, True)])
def test_a_difference_is_measured_once_a_minute_and_told_from_a_second_on(
    store: SharedStore, our_clock_ahead_s: float, is_told: bool, monkeypatch, caplog
) -> None:
    now = [0.0]
    monkeypatch.setattr(survey, "time", Times(our_clock_ahead_s))
    watch = ClockWatch([store], clock=lambda: now[0])
    is_redis = "Redis" in type(store.backend()).__name__
    for now[0], asked in ((0.0, 1), (ASK_EVERY_S - 1, 1), (ASK_EVERY_S, 2)):
        ahead = watch.ahead_s()
        assert ahead == ({"default": pytest.approx(-our_clock_ahead_s, abs=0.09)} if is_redis else {})
        assert caplog.text.count("server's clock is") == (asked if is_told and is_redis else 0)


def test_a_store_that_does_not_answer_tells_nothing(monkeypatch) -> None:
    class Away(SharedStore):
        def size(self):
            return None

        def backend(self):
            raise AssertionError("it is not asked again")

    assert ClockWatch([Away(alias="default")]).ahead_s() == {}
