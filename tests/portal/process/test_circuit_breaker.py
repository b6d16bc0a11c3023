"""The circuit breaker: it opens for what is slow and in vain, lets one caller try, and closes at the first answer."""

import pytest

from portal.process.circuit_breaker import OPEN_S, CircuitBreaker, Circuits
from tests.support.counts import counted, is_listed
from tests.support.fake_clock import FakeClock
from tests.support.forks import at_once, in_child

SLOW_S = 0.1


@pytest.fixture
def time() -> FakeClock:
    return FakeClock()


@pytest.fixture
def breaker(time) -> CircuitBreaker:
    return CircuitBreaker("test", clock=time)


def fail(breaker: CircuitBreaker, time: FakeClock, *, after_s: float = 1.0) -> None:
    admission = breaker.admit()
    assert admission is not None
    time.now += after_s
    breaker.failed(admission, slow_s=SLOW_S, why="TimeoutError")


def test_a_slow_failure_opens_it_and_everybody_is_refused_for_a_second(breaker, time):
    before = counted("portal_circuit_refused_total", circuit="test")
    fail(breaker, time)
    assert breaker.is_open
    time.now += OPEN_S - 0.001
    assert [breaker.admit() for _ in range(5)] == [None] * 5
    assert counted("portal_circuit_refused_total", circuit="test") == before + 5


def test_quick_failures_open_nothing_nor_does_a_slow_one_beside_answers(breaker, time):
    for _ in range(1000):
        fail(breaker, time, after_s=SLOW_S / 2)
    slow = breaker.admit()
    time.now += 5
    assert breaker.admit() is not None
    breaker.answered()
    time.now += 5
    breaker.failed(slow, slow_s=SLOW_S, why="TimeoutError")
    assert not breaker.is_open
    # An answer from before the call says nothing.
    fail(breaker, time)
    assert breaker.is_open


def test_after_a_second_exactly_one_caller_tries_and_its_answer_closes_it(breaker, time):
    fail(breaker, time)
    time.now += OPEN_S
    breaker.withdraw(breaker.admit())
    assert breaker.is_open, "a try that says nothing leaves its place to the next"
    probe = breaker.admit()
    assert breaker.is_probe(probe)
    time.now += 60
    assert breaker.admit() is None, "for as long as that one is on its way"
    breaker.answered()
    assert not breaker.is_open
    assert not breaker.is_probe(breaker.admit())


def test_a_try_in_vain_opens_it_for_another_second_however_quick_it_was(breaker, time):
    before = counted("portal_circuit_opened_total", circuit="test")
    fail(breaker, time)
    for _ in range(10):
        time.now += OPEN_S
        fail(breaker, time, after_s=0)
        assert breaker.admit() is None
    time.now += OPEN_S
    assert breaker.admit() is not None
    assert counted("portal_circuit_opened_total", circuit="test") == before + 1


def test_a_call_from_before_it_closed_can_t_end_the_try_of_a_later_opening(breaker, time):
    fail(breaker, time)
    time.now += OPEN_S
    old = breaker.admit()
    breaker.answered()
    time.now += 0.001
    fail(breaker, time)
    time.now += OPEN_S
    assert breaker.admit() is not None
    breaker.failed(old, slow_s=SLOW_S, why="late")
    breaker.withdraw(old)
    time.now += OPEN_S
    assert breaker.admit() is None


def test_of_many_threads_one_gets_through_each_time(time):
    breaker = CircuitBreaker("test", clock=time)
    fail(breaker, time)
    for _ in range(20):
        time.now += OPEN_S
        probe = [admission for admission in at_once(16, lambda _: breaker.admit()) if admission is not None]
        assert len(probe) == 1
        breaker.failed(probe[0], slow_s=SLOW_S, why="TimeoutError")


def test_a_server_that_can_t_be_reached_is_away_for_all_its_endpoints_until_somebody_connects(time):
    """Not until the call that connected has ended: it may be a write, which is waited for."""
    server = CircuitBreaker("server", clock=time)
    one, other = (CircuitBreaker(name, server=server, clock=time) for name in ("one", "other"))
    admission = one.admit()
    time.now += 1
    one.unreachable(admission, slow_s=SLOW_S, why="ApiTimeoutError")
    one.withdraw(admission)
    assert (server.is_open, one._is_open, other.is_open, other.admit()) == (True, False, True, None)
    time.now += OPEN_S
    assert one.is_probe(one.admit())
    assert other.admit() is None
    one.connected()
    assert other.admit() is not None


def test_an_endpoint_that_is_silent_holds_no_place_of_the_server(time):
    server = CircuitBreaker("server", clock=time)
    one, other = (CircuitBreaker(name, server=server, clock=time) for name in ("one", "other"))
    fail(server, time)
    time.now += OPEN_S
    one._is_open, one._try_at = True, time.now + OPEN_S
    assert one.admit() is None, "the server's circuit would let it try, its own does not"
    assert other.admit() is not None


def test_its_changes_are_in_the_log_and_nothing_else_is(breaker, time, caplog):
    caplog.set_level("INFO", logger="portal.process.circuit_breaker")
    for _ in range(3):
        fail(breaker, time)
        time.now += OPEN_S
        fail(breaker, time)
        time.now += 0.5
        assert breaker.admit() is None
        breaker.answered()
        breaker.answered()
        time.now += 0.001
    assert [(record.levelname, record.getMessage()) for record in caplog.records] == [
        ("WARNING", "circuit test: open: TimeoutError after 1.0 s"),
        ("INFO", "circuit test: closed, after 2.5 s"),
    ] * 3


def test_a_child_process_begins_with_a_closed_one(breaker, time):
    fail(breaker, time)
    with breaker._lock:
        assert in_child(lambda: breaker.admit() is not None)
    assert breaker.is_open


def test_metrics_list_a_circuit_from_the_start_and_tell_whether_it_is_open(time):
    circuits = Circuits()
    circuit = circuits.of("of this test")
    for name in ("portal_circuit_open", "portal_circuit_opened_total", "portal_circuit_refused_total"):
        assert is_listed(name, circuit="of this test")

    def is_open() -> float:
        return counted("portal_circuit_open", circuit="of this test")

    circuit.failed(circuit.admit(), slow_s=0, why="a test")
    assert circuits.of("of this test") is circuit
    assert is_open() == 1
    circuit.answered()
    assert is_open() == 0
    circuit.failed(circuit.admit(), slow_s=0, why="a test")
    circuits.clear()
    assert is_open() == 0, "nobody calls that server any more"
