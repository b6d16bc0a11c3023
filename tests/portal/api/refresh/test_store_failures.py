"""The refresh when its store is down, slow, or fails in the middle (docs/explanation/store-failures.md)."""

from __future__ import annotations

import contextlib
import socket
import threading
import time

import pytest

from portal.api.metrics import RefreshOutcome
from portal.api.refresh import attempt
from portal.api.refresh.token_endpoint import NoResponse, TokensIssued
from portal.api.tokens import TokenPair
from portal.config import limits
from portal.errors import ApiUnavailableError, SignInEndedError, StoreUnavailableError
from tests.portal.api.conftest import caches, redis_entry
from tests.support.redis_server import RedisServer
from tests.support.refresh_world import LOST, UNANSWERED, RefreshProcess, RefreshWorld, jwt


class FlakyStore:
    """Wraps a process's store; while it is down, every operation fails."""

    def __init__(self, process: RefreshProcess) -> None:
        self.down = False
        self.refused = 0
        self._do = process.store._do
        process.store._do = self._operate

    def _operate(self, operation):
        if self.down:
            self.refused += 1
            raise StoreUnavailableError("store 'refresh': down")
        return self._do(operation)


# --- down ---


def test_down_during_the_call_the_new_tokens_are_offered_until_the_store_takes_them(
    world: RefreshWorld, pair, process, other
):
    store = FlakyStore(process)
    back = threading.Event()

    def goes_down(_: str) -> None:
        store.down = True

    def comes_back() -> None:
        if store.refused >= 3:
            assert back.wait(30)
            store.down = False

    world.backend.during = goes_down
    process.while_waiting = comes_back
    tokens = process.request(pair)
    # Who asked has its tokens, and so have all others in this process.
    assert process.refresh(tokens) is RefreshOutcome.REFRESHED
    late = process.request(pair)
    assert process.refresh(late) is RefreshOutcome.FROM_RECORD
    assert late.current == tokens.current
    # They are not written as cookies while nobody can say whether the sign-in still stands.
    assert process.refresher.tokens_to_set(tokens) is None
    back.set()
    process.settle()
    elsewhere = other.request(pair)
    assert other.refresh(elsewhere) is RefreshOutcome.FROM_RECORD
    assert elsewhere.current == tokens.current == process.refresher.tokens_to_set(tokens)
    assert world.backend.submitted == {pair.refresh: 1}


def test_down_during_the_call_and_for_longer_than_the_lock_the_token_is_not_submitted_again(
    world: RefreshWorld, pair, process, other
):
    store = FlakyStore(process)
    other_is_at_it = threading.Event()

    def comes_back_for_both_at_once() -> None:
        assert other_is_at_it.wait(30)
        store.down = False

    def waits_for_the_outcome() -> None:
        other_is_at_it.set()
        process.settle()

    world.backend.during = lambda _: setattr(store, "down", True)
    process.while_waiting = comes_back_for_both_at_once
    tokens = process.request(pair)
    assert process.refresh(tokens) is RefreshOutcome.REFRESHED
    world.time.advance(limits.REFRESH_LOCK_S + 1)
    # The store is back, the lock has expired, and the record is not there yet.
    other.while_waiting = waits_for_the_outcome
    elsewhere = other.request(pair)
    assert other.refresh(elsewhere) is RefreshOutcome.JOINED
    assert elsewhere.current == tokens.current
    assert world.backend.submitted == {pair.refresh: 1}


def not_rotated(world: RefreshWorld, refresh: str) -> TokensIssued:
    return TokensIssued(pair=TokenPair(access=jwt(exp=world.time() + 300), refresh=refresh))


@pytest.mark.parametrize("down_s", [0, limits.REFRESH_LOCK_S + 1])
@pytest.mark.parametrize("answer", [LOST, UNANSWERED, None], ids=["lost", "unanswered", "not rotated"])
def test_down_during_the_call_its_outcome_is_noted_when_the_store_is_back(
    world: RefreshWorld, *, pair, process, other, answer: NoResponse | None, down_s: float
):
    """Where nothing may be submitted again, a doubt that is none would sign its user out."""
    store = FlakyStore(process)
    world.backend.answers = [answer or not_rotated(world, pair.refresh)]
    world.backend.repeatable_s = 0
    world.backend.during = lambda _: setattr(store, "down", True)

    def comes_back() -> None:
        if store.down:
            world.time.advance(down_s)
            store.down = False

    process.while_waiting = comes_back
    with contextlib.suppress(ApiUnavailableError, SignInEndedError):
        process.refresh(process.request(pair))
    process.settle()
    world.backend.during = lambda _: None
    world.expire()
    if answer is LOST:
        with pytest.raises(SignInEndedError):
            other.refresh(other.request(pair))
    else:
        assert other.refresh(other.request(pair)) is RefreshOutcome.REFRESHED
    assert world.backend.submitted == {pair.refresh: 1 if answer is LOST else 2}


def test_a_process_that_died_during_the_call_is_waited_for_once_more_and_no_longer(world: RefreshWorld, pair):
    world.backend.honours_key = True
    dead, other = world.process(), world.process()
    world.backend.die_during_the_call(dead, pair)
    world.time.advance(limits.REFRESH_LOCK_S + 1)
    before = world.time()
    assert other.refresh(other.request(pair)) is RefreshOutcome.REFRESHED
    assert world.time() - before == attempt.OTHERS_OUTCOME_WAIT_S


@pytest.mark.parametrize("step_s", [3600, 29 * 24 * 3600], ids=["an hour", "almost a sign-in"])
def test_a_step_of_the_wall_clock_during_the_call_does_not_present_the_token_again(
    world: RefreshWorld, pair, process, other, step_s: float
):

    def later(refresh: str) -> None:
        for each in (process, other):
            each.store.backend().clock = lambda: world.time() + step_s
        with pytest.raises(ApiUnavailableError):
            other.refresh(other.request(pair))
        other.settle()

    world.backend.during = later
    tokens = process.request(pair)
    assert process.refresh(tokens) is RefreshOutcome.REFRESHED
    elsewhere = other.request(pair)
    assert other.refresh(elsewhere) is RefreshOutcome.FROM_RECORD
    assert elsewhere.current == tokens.current
    assert world.backend.submitted == {pair.refresh: 1}


def test_down_for_longer_than_patience_the_attempt_ends(world: RefreshWorld, pair, process, caplog):
    store = FlakyStore(process)
    world.backend.during = lambda _: setattr(store, "down", True)
    tokens = process.request(pair)
    assert process.refresh(tokens) is RefreshOutcome.REFRESHED
    process.settle()
    assert "never took" in caplog.text


def test_a_sign_out_while_the_record_waits_for_the_store_is_not_undone(world: RefreshWorld, pair, process, other):
    store = FlakyStore(process)
    world.backend.during = lambda _: setattr(store, "down", True)

    def signed_out_meanwhile() -> None:
        process.while_waiting = lambda: None
        other.refresher.sign_out(other.request(pair))
        store.down = False

    process.while_waiting = signed_out_meanwhile
    tokens = process.refreshed(pair)
    process.settle()
    assert process.refresher.tokens_to_set(tokens) is None
    # The new tokens, which the sign-out could not know, were revoked too.
    assert world.backend.revoked == [pair.refresh, tokens.current.refresh]


def refreshed_when_the_circuit_closes(process, pair):
    """On a busy machine, a refused connection takes so long that the circuit opens, for a second."""
    for _ in range(100):
        with contextlib.suppress(ApiUnavailableError):
            return process.refresh(process.request(pair))
        time.sleep(0.1)
    raise AssertionError("the store is not used again")


@pytest.mark.redis
def test_a_redis_that_restarts_with_its_data_hands_over_as_before(tmp_path):
    server = RedisServer(tmp_path, "--appendonly", "yes", "--appendfsync", "always")
    server.start()
    try:
        with caches(redis_entry(server.url())):
            world = RefreshWorld()
            pair = world.backend.sign_in()
            process, other = world.process(), world.process()
            process.refresh(process.request(pair))
            server.stop()
            with pytest.raises(ApiUnavailableError):
                other.refresh(other.request(pair))
            server.start()
            assert refreshed_when_the_circuit_closes(other, pair) in {
                RefreshOutcome.FROM_RECORD,
                RefreshOutcome.JOINED,
            }
            assert world.backend.submitted == {pair.refresh: 1}
            for used in (process, other):
                used.store.backend()._cache.get_client(write=True).connection_pool.disconnect()
    finally:
        server.stop()


# --- slow ---


@pytest.mark.redis
def test_a_store_that_does_not_answer_costs_a_request_seconds_not_minutes():
    """A socket that accepts and says nothing: each operation ends at the store's own timeout."""
    with (
        socket.create_server(("127.0.0.1", 0)) as silent,
        caches(redis_entry(f"redis://127.0.0.1:{silent.getsockname()[1]}")),
    ):
        world = RefreshWorld()
        process = world.process()
        tokens = process.request(world.backend.sign_in())
        with pytest.raises(ApiUnavailableError):
            process.refresh(tokens, budget_s=10)
        process.settle()
        assert process.counts() == {RefreshOutcome.STORE_DOWN: 1}
        assert not world.backend.submitted
