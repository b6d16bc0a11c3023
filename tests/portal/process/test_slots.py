"""A request that waits for a server releases its slot, and takes one again before it goes on."""

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import partial

import pytest

from portal.errors import CircuitOpenError
from portal.process import Slots, waits_for
from tests.support.counts import counted
from tests.support.processes import PATIENCE_S, until


def is_free(slots: Slots) -> bool:
    """Return whether another thread gets a slot at once."""

    def hold() -> bool:
        try:
            with slots.hold(wait_s=0):
                return True
        except CircuitOpenError:
            return False

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(hold).result(PATIENCE_S)


def test_failed_request_gives_its_slot_back() -> None:
    slots = Slots(1, per_endpoint=1)
    with pytest.raises(KeyError), slots.hold(wait_s=0):
        raise KeyError
    assert is_free(slots)


def test_slot_is_released_once_and_retaken_after_errors() -> None:
    slots = Slots(1, per_endpoint=1)
    for _ in range(2):
        with slots.hold(wait_s=0):
            with suppress(KeyError), waits_for("clients"), waits_for("clients"):
                assert is_free(slots)
                raise KeyError
            assert not is_free(slots)
        assert is_free(slots)


def in_thread(slots: Slots, block: Callable[[], object]) -> Future[object]:
    """Run a block in a slot, in a thread of its own."""

    def run() -> object:
        with slots.hold(wait_s=PATIENCE_S):
            return block()

    pool = ThreadPoolExecutor(1)
    result = pool.submit(run)
    pool.shutdown(wait=False)
    return result


class Endpoint:
    """An endpoint that answers when a test says so."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.asked, self.answers = threading.Event(), threading.Event()

    def call(self) -> None:
        with waits_for(self.name):
            self.asked.set()
            assert self.answers.wait(PATIENCE_S)


def test_bounded_number_waits_for_one_endpoint() -> None:
    slots, clients = Slots(1, per_endpoint=1), Endpoint("clients")
    first = in_thread(slots, clients.call)
    assert clients.asked.wait(PATIENCE_S)
    with slots.hold(wait_s=PATIENCE_S):
        with pytest.raises(CircuitOpenError) as caught, waits_for("clients"):
            pytest.fail("it does not wait")
        assert not caught.value.was_sent
        assert not is_free(slots)
        with waits_for("stations"):
            clients.answers.set()
            first.result(PATIENCE_S)
        with waits_for("clients"):
            assert is_free(slots)


def test_answered_request_waits_for_a_slot() -> None:
    slots, clients = Slots(1, per_endpoint=1), Endpoint("clients")
    answered = in_thread(slots, clients.call)
    assert clients.asked.wait(PATIENCE_S)
    with slots.hold(wait_s=PATIENCE_S):
        clients.answers.set()
        until(partial(waiting, 1), what="it has its answer")
        assert not answered.done()
    answered.result(PATIENCE_S)
    assert waiting(0)


def waiting(number: int) -> bool:
    return counted("portal_requests_waiting") == number


def test_thread_without_slot_just_waits() -> None:
    slots, clients = Slots(1, per_endpoint=1), Endpoint("clients")
    with slots.hold(wait_s=0), ThreadPoolExecutor(2) as pool:
        calls = [pool.submit(clients.call) for _ in range(2)]
        clients.answers.set()
        for call in calls:
            call.result(PATIENCE_S)
        assert not is_free(slots)
