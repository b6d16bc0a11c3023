"""At most one call for each key; its callers share the result."""

import contextvars
import threading

import pytest

from portal.process.single_flight import NoResultError, SharedCall, SingleFlight


@pytest.mark.parametrize("keeps", [False, True])
def test_one_with_a_result_is_joined_no_more_unless_it_is_kept_joinable_until_its_call_ends(keeps: bool):
    shared_calls, has_result, may_end = SingleFlight[int](), threading.Event(), threading.Event()
    first, _ = shared_calls.join("key")

    def work() -> int:
        first.set_result(1, keep_joinable=keeps)
        has_result.set()
        may_end.wait(30)
        return 3

    shared_calls.run_in_thread(first, work, name="test")
    has_result.wait(30)
    second, leads = shared_calls.join("key")
    assert (second is first, leads) == (keeps, not keeps)
    if leads:
        shared_calls.run_in_thread(second, lambda: 2, name="test")
    assert second.result(timeout_s=30) == (1 if keeps else 2)
    assert first in shared_calls.in_threads()
    may_end.set()
    assert first.wait_until_finished(timeout_s=30)
    assert first.result(timeout_s=0) == 1, "only the first result counts"
    assert first not in shared_calls.in_threads()
    assert shared_calls.join("key")[1]


def test_who_gives_up_does_not_end_the_call_which_has_the_context_of_who_started_it():
    request_id = contextvars.ContextVar("request_id", default="none")
    request_id.set("7f3a")
    shared_calls, may_end = SingleFlight[str](), threading.Event()
    shared_call, _ = shared_calls.join("key")
    shared_calls.run_in_thread(shared_call, lambda: may_end.wait(30) and request_id.get(), name="test")
    with pytest.raises(TimeoutError):
        shared_call.result(timeout_s=0)
    may_end.set()
    assert shared_call.result(timeout_s=30) == "7f3a"


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
    with shared_calls.lead(old):
        old.set_result("old")
    assert shared_calls.join("key") == (new, False)
    with shared_calls.lead(new):
        new.set_result("new")
    assert [shared_call.result(timeout_s=0) for shared_call in (old, new)] == ["old", "new"]
    assert shared_calls.join("key")[1]


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


@pytest.mark.parametrize(
    ("error", "others"), [(KeyError, KeyError), (SystemExit, NoResultError)], ids=["a failure", "the end of its thread"]
)
def test_who_waits_gets_the_leaders_failure_and_the_key_is_free(
    error: type[BaseException], others: type[Exception], caplog
) -> None:
    def work() -> int:
        raise error

    shared_calls = SingleFlight[int]()
    shared_call, _ = shared_calls.join("key")
    with pytest.raises(error), shared_calls.lead(shared_call):
        work()
    with pytest.raises(others):
        shared_call.result(timeout_s=0)
    shared_call, leads = shared_calls.join("key")
    assert leads
    if error is KeyError:
        shared_calls.run_in_thread(shared_call, work, name="the-name")
        assert shared_call.wait_until_finished(timeout_s=30)
        assert shared_calls.in_threads() == []
        assert "the-name: unexpected error" in caplog.text
