"""At most one piece of work for each key, finished whoever still waits."""

from __future__ import annotations

import contextvars
import threading

import pytest

from portal.process.single_flight import Flights


def test_all_who_ask_for_one_key_share_one_flight():
    flights, may_land = Flights(), threading.Event()

    def work(flight):
        may_land.wait(30)
        flight.land("result")

    first, started = flights.board("key", work)
    second, also_started = flights.board("key", work)
    other, other_started = flights.board("other", work)
    assert (started, also_started, other_started) == (True, False, True)
    assert first is second is not other
    may_land.set()
    assert [flight.result(timeout_s=30) for flight in (first, second, other)] == ["result"] * 3


def test_one_that_has_landed_is_boarded_no_more_though_its_work_goes_on():
    flights, landed, may_end = Flights(), threading.Event(), threading.Event()

    def work(flight):
        flight.land(1)
        landed.set()
        may_end.wait(30)

    first, _ = flights.board("key", work)
    landed.wait(30)
    second, started = flights.board("key", lambda flight: flight.land(2))
    assert started
    assert (first.result(timeout_s=30), second.result(timeout_s=30)) == (1, 2)
    assert first in flights.in_flight()
    may_end.set()
    assert first.over.wait(30)


def test_one_that_is_held_is_boarded_until_its_work_is_over():
    flights, landed, may_end = Flights(), threading.Event(), threading.Event()

    def work(flight):
        flight.land(1, hold=True)
        landed.set()
        may_end.wait(30)

    first, _ = flights.board("key", work)
    landed.wait(30)
    assert flights.board("key", work) == (first, False)
    may_end.set()
    assert first.over.wait(30)
    assert flights.in_flight() == []
    assert flights.board("key", lambda flight: flight.land(2))[1]


def test_only_the_first_landing_counts():
    flight, _ = Flights().board("key", lambda flight: (flight.land(1), flight.land(2)))
    assert flight.over.wait(30)
    assert flight.result(timeout_s=0) == 1
    assert flight.landed


def test_who_gives_up_does_not_end_the_work():
    flights, may_land = Flights(), threading.Event()
    flight, _ = flights.board("key", lambda flight: (may_land.wait(30), flight.land("late")))
    with pytest.raises(TimeoutError):
        flight.result(timeout_s=0)
    may_land.set()
    assert flight.result(timeout_s=30) == "late"


def test_the_work_carries_the_context_of_who_started_it():
    request_id = contextvars.ContextVar("request_id", default="none")
    request_id.set("7f3a")
    flight, _ = Flights().board("key", lambda flight: flight.land(request_id.get()))
    assert flight.result(timeout_s=30) == "7f3a"


@pytest.mark.parametrize("moment", ["__init__", "start"])
def test_one_that_no_thread_began_leaves_its_key_to_the_next(monkeypatch, moment):
    """Else whoever holds this token would wait in vain for as long as the process lives."""

    def no_memory(*_: object, **__: object) -> None:
        raise MemoryError

    flights = Flights()
    with monkeypatch.context() as patched:
        patched.setattr(f"threading.Thread.{moment}", no_memory)
        with pytest.raises(MemoryError):
            flights.board("key", lambda flight: flight.land(1))
    assert flights.in_flight() == []
    flight, started = flights.board("key", lambda flight: flight.land(2))
    assert started
    assert flight.result(timeout_s=30) == 2


def test_an_error_reaches_all_who_wait(caplog):
    def work(_):
        raise KeyError("x")

    flight, _ = Flights().board("key", work)
    with pytest.raises(KeyError):
        flight.result(timeout_s=30)
