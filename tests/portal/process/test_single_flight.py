"""At most one call for each key; its callers share the result."""

from __future__ import annotations

import contextvars
import threading

import pytest

from portal.process.single_flight import NoResultError, SharedCall, SingleFlight


def test_all_who_ask_for_one_key_share_one_flight():
    shared_calls, may_end = SingleFlight[str](), threading.Event()

    def work() -> str:
        may_end.wait(30)
        return "result"

    first, leads = shared_calls.join("key")
    shared_calls.run_in_thread(first, work, name="test")
    second, also_leads = shared_calls.join("key")
    other, other_leads = shared_calls.join("other")
    shared_calls.run_in_thread(other, work, name="test")
    assert (leads, also_leads, other_leads) == (True, False, True)
    assert first is second is not other
    may_end.set()
    assert [shared_call.result(timeout_s=30) for shared_call in (first, second, other)] == ["result"] * 3


def test_one_with_a_result_is_joined_no_more_though_its_call_goes_on():
    shared_calls, has_result, may_end = SingleFlight[int](), threading.Event(), threading.Event()
    first, _ = shared_calls.join("key")

    def work() -> int:
        first.set_result(1)
        has_result.set()
        may_end.wait(30)
        return 1

    shared_calls.run_in_thread(first, work, name="test")
    has_result.wait(30)
    second, leads = shared_calls.join("key")
    assert leads
    shared_calls.run_in_thread(second, lambda: 2, name="test")
    assert (first.result(timeout_s=30), second.result(timeout_s=30)) == (1, 2)
    assert first in shared_calls.in_threads()
    may_end.set()
    assert first.wait_until_finished(timeout_s=30)


def test_one_that_is_kept_joinable_is_joined_until_its_call_ends():
    shared_calls, has_result, may_end = SingleFlight[int](), threading.Event(), threading.Event()
    first, _ = shared_calls.join("key")

    def work() -> int:
        first.set_result(1, keep_joinable=True)
        has_result.set()
        may_end.wait(30)
        return 3

    shared_calls.run_in_thread(first, work, name="test")
    has_result.wait(30)
    assert shared_calls.join("key") == (first, False)
    may_end.set()
    assert first.wait_until_finished(timeout_s=30)
    assert first.result(timeout_s=0) == 1
    assert shared_calls.in_threads() == []
    assert shared_calls.join("key")[1]


def test_only_the_first_result_counts():
    shared_calls = SingleFlight[int]()
    shared_call, _ = shared_calls.join("key")
    shared_call.set_result(1)
    shared_call.set_exception(KeyError())
    assert shared_calls.run(shared_call, lambda: 2) == 2
    assert shared_call.result(timeout_s=0) == 1
    assert shared_call.done


def test_who_gives_up_does_not_end_the_call():
    shared_calls, may_end = SingleFlight[str](), threading.Event()
    shared_call, _ = shared_calls.join("key")
    shared_calls.run_in_thread(shared_call, lambda: may_end.wait(30) and "late", name="test")
    with pytest.raises(TimeoutError):
        shared_call.result(timeout_s=0)
    may_end.set()
    assert shared_call.result(timeout_s=30) == "late"


def test_a_caller_joins_only_what_is_good_enough_for_it():
    shared_calls = SingleFlight[str]()
    asked: list[SharedCall[str]] = []

    def knows_version_2(shared_call: SharedCall[str]) -> bool:
        asked.append(shared_call)
        return shared_call.version >= 2

    old, leads = shared_calls.join("key", version=1, may_join=knows_version_2)
    assert (leads, asked) == (True, [])
    new, leads_too = shared_calls.join("key", version=2, may_join=knows_version_2)
    assert (leads_too, asked) == (True, [old])
    assert shared_calls.join("key", may_join=knows_version_2) == (new, False)
    # The end of the old call leaves the new one in its place.
    assert shared_calls.run(old, lambda: "old") == "old"
    assert shared_calls.join("key") == (new, False)
    assert shared_calls.run(new, lambda: "new") == "new"
    assert [shared_call.result(timeout_s=0) for shared_call in (old, new)] == ["old", "new"]
    assert shared_calls.join("key")[1]


def test_a_flight_names_the_thread_of_its_leader_and_when_it_began():
    shared_calls = SingleFlight[str]()
    first, _ = shared_calls.join("first")
    second, _ = shared_calls.join("second")
    assert first.leader == second.leader == threading.get_ident()
    assert first.started_at <= second.started_at


def test_the_call_carries_the_context_of_who_started_it():
    request_id = contextvars.ContextVar("request_id", default="none")
    request_id.set("7f3a")
    shared_calls = SingleFlight[str]()
    shared_call, _ = shared_calls.join("key")
    shared_calls.run_in_thread(shared_call, request_id.get, name="test")
    assert shared_call.result(timeout_s=30) == "7f3a"


@pytest.mark.parametrize("moment", ["__init__", "start"])
def test_one_that_no_thread_began_leaves_its_key_to_the_next(monkeypatch, moment):
    """Else whoever holds this token would wait in vain for as long as the process lives."""

    def no_memory(*_: object, **__: object) -> None:
        raise MemoryError

    shared_calls = SingleFlight[int]()
    shared_call, _ = shared_calls.join("key")
    with monkeypatch.context() as patched:
        patched.setattr(f"threading.Thread.{moment}", no_memory)
        with pytest.raises(MemoryError):
            shared_calls.run_in_thread(shared_call, lambda: 1, name="test")
    assert shared_calls.in_threads() == []
    shared_call, leads = shared_calls.join("key")
    assert leads
    shared_calls.run_in_thread(shared_call, lambda: 2, name="test")
    assert shared_call.result(timeout_s=30) == 2


def test_an_error_reaches_all_who_wait_and_the_log_of_its_thread(caplog):
    def work() -> int:
        raise KeyError("x")

    shared_calls = SingleFlight[int]()
    shared_call, _ = shared_calls.join("key")
    shared_calls.run_in_thread(shared_call, work, name="the-name")
    with pytest.raises(KeyError):
        shared_call.result(timeout_s=30)
    assert shared_call.wait_until_finished(timeout_s=30)
    assert shared_calls.in_threads() == []
    assert "the-name: unexpected error" in caplog.text


def test_an_error_in_the_leaders_own_thread_reaches_the_leader_and_all_who_wait():
    shared_calls = SingleFlight[int]()
    shared_call, _ = shared_calls.join("key")

    def work() -> int:
        raise KeyError("x")

    with pytest.raises(KeyError):
        shared_calls.run(shared_call, work)
    with pytest.raises(KeyError):
        shared_call.result(timeout_s=0)
    assert shared_calls.join("key")[1]


def test_a_leader_that_ends_without_a_result_leaves_none_to_others_and_its_key_to_the_next():
    single_flight: SingleFlight[int] = SingleFlight()
    shared_call, leads = single_flight.join("a")
    assert leads
    with single_flight.lead(shared_call):
        assert single_flight.join("a") == (shared_call, False)
    with pytest.raises(NoResultError):
        shared_call.result(timeout_s=1)
    assert single_flight.join("a")[1]


def test_a_leader_whose_thread_is_told_to_exit_ends_no_other_thread() -> None:
    flight: SingleFlight[int] = SingleFlight()
    shared_call, _ = flight.join("a")

    def lead() -> None:
        with flight.lead(shared_call):
            raise SystemExit

    with pytest.raises(SystemExit):
        lead()
    with pytest.raises(NoResultError):
        shared_call.result(timeout_s=0)
