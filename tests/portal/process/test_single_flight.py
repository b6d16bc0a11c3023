"""At most one call for each key; its callers share the result."""

from __future__ import annotations

import contextvars
import threading

import pytest

from portal.process.single_flight import Flight, NoResultError, SingleFlight


def test_all_who_ask_for_one_key_share_one_flight():
    flights, may_end = SingleFlight[str](), threading.Event()

    def work() -> str:
        may_end.wait(30)
        return "result"

    first, leads = flights.join("key")
    flights.run_in_thread(first, work, name="test")
    second, also_leads = flights.join("key")
    other, other_leads = flights.join("other")
    flights.run_in_thread(other, work, name="test")
    assert (leads, also_leads, other_leads) == (True, False, True)
    assert first is second is not other
    may_end.set()
    assert [flight.result(timeout_s=30) for flight in (first, second, other)] == ["result"] * 3


def test_one_with_a_result_is_joined_no_more_though_its_call_goes_on():
    flights, has_result, may_end = SingleFlight[int](), threading.Event(), threading.Event()
    first, _ = flights.join("key")

    def work() -> int:
        first.set_result(1)
        has_result.set()
        may_end.wait(30)
        return 1

    flights.run_in_thread(first, work, name="test")
    has_result.wait(30)
    second, leads = flights.join("key")
    assert leads
    flights.run_in_thread(second, lambda: 2, name="test")
    assert (first.result(timeout_s=30), second.result(timeout_s=30)) == (1, 2)
    assert first in flights.in_threads()
    may_end.set()
    assert first.wait_until_finished(timeout_s=30)


def test_one_that_is_kept_joinable_is_joined_until_its_call_ends():
    flights, has_result, may_end = SingleFlight[int](), threading.Event(), threading.Event()
    first, _ = flights.join("key")

    def work() -> int:
        first.set_result(1, keep_joinable=True)
        has_result.set()
        may_end.wait(30)
        return 3

    flights.run_in_thread(first, work, name="test")
    has_result.wait(30)
    assert flights.join("key") == (first, False)
    may_end.set()
    assert first.wait_until_finished(timeout_s=30)
    assert first.result(timeout_s=0) == 1
    assert flights.in_threads() == []
    assert flights.join("key")[1]


def test_only_the_first_result_counts():
    flights = SingleFlight[int]()
    flight, _ = flights.join("key")
    flight.set_result(1)
    flight.set_exception(KeyError())
    assert flights.run(flight, lambda: 2) == 2
    assert flight.result(timeout_s=0) == 1
    assert flight.done


def test_who_gives_up_does_not_end_the_call():
    flights, may_end = SingleFlight[str](), threading.Event()
    flight, _ = flights.join("key")
    flights.run_in_thread(flight, lambda: may_end.wait(30) and "late", name="test")
    with pytest.raises(TimeoutError):
        flight.result(timeout_s=0)
    may_end.set()
    assert flight.result(timeout_s=30) == "late"


def test_a_caller_joins_only_what_is_good_enough_for_it():
    flights = SingleFlight[str]()
    asked: list[Flight[str]] = []

    def knows_version_2(flight: Flight[str]) -> bool:
        asked.append(flight)
        return flight.version >= 2

    old, leads = flights.join("key", version=1, may_join=knows_version_2)
    assert (leads, asked) == (True, [])
    new, leads_too = flights.join("key", version=2, may_join=knows_version_2)
    assert (leads_too, asked) == (True, [old])
    assert flights.join("key", may_join=knows_version_2) == (new, False)
    # The end of the old call leaves the new one in its place.
    assert flights.run(old, lambda: "old") == "old"
    assert flights.join("key") == (new, False)
    assert flights.run(new, lambda: "new") == "new"
    assert [flight.result(timeout_s=0) for flight in (old, new)] == ["old", "new"]
    assert flights.join("key")[1]


def test_a_flight_names_the_thread_of_its_leader_and_when_it_began():
    flights = SingleFlight[str]()
    first, _ = flights.join("first")
    second, _ = flights.join("second")
    assert first.leader == second.leader == threading.get_ident()
    assert first.started_at <= second.started_at


def test_the_call_carries_the_context_of_who_started_it():
    request_id = contextvars.ContextVar("request_id", default="none")
    request_id.set("7f3a")
    flights = SingleFlight[str]()
    flight, _ = flights.join("key")
    flights.run_in_thread(flight, request_id.get, name="test")
    assert flight.result(timeout_s=30) == "7f3a"


@pytest.mark.parametrize("moment", ["__init__", "start"])
def test_one_that_no_thread_began_leaves_its_key_to_the_next(monkeypatch, moment):
    """Else whoever holds this token would wait in vain for as long as the process lives."""

    def no_memory(*_: object, **__: object) -> None:
        raise MemoryError

    flights = SingleFlight[int]()
    flight, _ = flights.join("key")
    with monkeypatch.context() as patched:
        patched.setattr(f"threading.Thread.{moment}", no_memory)
        with pytest.raises(MemoryError):
            flights.run_in_thread(flight, lambda: 1, name="test")
    assert flights.in_threads() == []
    flight, leads = flights.join("key")
    assert leads
    flights.run_in_thread(flight, lambda: 2, name="test")
    assert flight.result(timeout_s=30) == 2


def test_an_error_reaches_all_who_wait_and_the_log_of_its_thread(caplog):
    def work() -> int:
        raise KeyError("x")

    flights = SingleFlight[int]()
    flight, _ = flights.join("key")
    flights.run_in_thread(flight, work, name="the-name")
    with pytest.raises(KeyError):
        flight.result(timeout_s=30)
    assert flight.wait_until_finished(timeout_s=30)
    assert flights.in_threads() == []
    assert "the-name: unexpected error" in caplog.text


def test_an_error_in_the_leaders_own_thread_reaches_the_leader_and_all_who_wait():
    flights = SingleFlight[int]()
    flight, _ = flights.join("key")

    def work() -> int:
        raise KeyError("x")

    with pytest.raises(KeyError):
        flights.run(flight, work)
    with pytest.raises(KeyError):
        flight.result(timeout_s=0)
    assert flights.join("key")[1]


def test_a_leader_that_ends_without_a_result_leaves_none_to_others_and_its_key_to_the_next():
    single_flight: SingleFlight[int] = SingleFlight()
    flight, leads = single_flight.join("a")
    assert leads
    with single_flight.lead(flight):
        assert single_flight.join("a") == (flight, False)
    with pytest.raises(NoResultError):
        flight.result(timeout_s=1)
    assert single_flight.join("a")[1]
