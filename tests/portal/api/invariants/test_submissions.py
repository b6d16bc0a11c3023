"""What is submitted, and what ends a sign-in (token-refresh, I1 to I4). Interleavings are scripted."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from portal.api.metrics import RefreshOutcome
from portal.api.refresh.token_endpoint import InvalidGrant
from portal.api.tokens import TokenPair, TokenStatus, TokenStore
from portal.config import limits
from portal.errors import ApiUnavailableError, SignInEndedError, StoreUnavailableError
from tests.support.refresh_world import UNANSWERED, RefreshWorld

# --- 1 ---


def test_1_at_most_one_post_for_each_refresh_token(world: RefreshWorld, pair):
    processes = [world.process(real_waits=True) for _ in range(3)]
    barrier = threading.Barrier(24)

    def ask(number: int) -> TokenPair:
        tokens = TokenStore(pair)
        barrier.wait()
        processes[number % 3].refresh(tokens)
        return tokens.current

    with ThreadPoolExecutor(24) as pool:
        pairs = set(pool.map(ask, range(24)))
    assert world.backend.submitted == {pair.refresh: 1}
    assert len(pairs) == 1
    assert world.backend.is_signed_in()


def test_1_but_after_a_503_the_token_is_submitted_again_not_before_a_second(world: RefreshWorld, pair, process, other):
    world.backend.answers = [UNANSWERED]
    with pytest.raises(ApiUnavailableError):
        process.refresh(process.request(pair))
    world.time.advance(0.9)
    with pytest.raises(ApiUnavailableError):
        other.refresh(other.request(pair))
    assert world.backend.submitted[pair.refresh] == 1
    world.time.advance(0.2)
    assert other.refresh(other.request(pair)) is RefreshOutcome.REFRESHED
    assert world.backend.is_signed_in()


# --- 2 ---


def test_2_no_post_for_a_token_that_has_a_successor(world: RefreshWorld, process, other):
    first = world.backend.sign_in()
    tokens = process.request(first)
    for _ in range(3):
        process.refresh(tokens)
        world.expire()
    newest = tokens.current
    process.refresh(tokens)
    posts = world.backend.submitted.copy()
    late = other.request(first)
    assert other.refresh(late) is RefreshOutcome.FROM_RECORD
    assert late.current == tokens.current != newest
    assert world.backend.submitted == posts
    assert max(posts.values()) == 1


def test_2_a_successor_found_inside_the_lock_counts(world: RefreshWorld, pair, process, other):
    """Another process finishes between this one's look and its lock."""
    records = process.refresher._records
    lock = records.acquire_lock

    def lock_after_the_other_has_finished(secret: str, *, owner: str) -> bool:
        records.acquire_lock = lock
        other.refresh(other.request(pair))
        other.settle()
        return lock(secret, owner=owner)

    records.acquire_lock = lock_after_the_other_has_finished
    process.refreshed(pair)
    assert world.backend.submitted == {pair.refresh: 1}
    assert world.backend.is_signed_in()


@pytest.mark.parametrize("slept_s", [0, 3 * 24 * 3600])
def test_2_a_token_replaced_long_ago_is_not_submitted_again(world: RefreshWorld, process, slept_s: int):
    first = world.backend.sign_in()
    tokens = process.refreshed(first)
    world.expire()
    world.time.advance(slept_s)
    process.refresh(process.request(tokens.current))
    world.time.advance(limits.ROTATION_GRACE_S - 1)
    assert process.refresh(process.request(first)) is RefreshOutcome.FROM_RECORD
    world.time.advance(2)
    with pytest.raises(SignInEndedError):
        process.refresh(process.request(first))
    assert process.counts()[RefreshOutcome.REPLAY_SEEN] == 1
    assert world.backend.submitted[first.refresh] == 1
    assert world.backend.is_signed_in()


# --- 3 ---


def test_3_nobody_is_signed_out_because_someone_else_won(world: RefreshWorld, pair):
    winner, loser = world.process(), world.process()
    tokens = loser.request(pair)
    outcomes = []

    def the_loser_asks_meanwhile(_: str) -> None:
        try:
            loser.refresh(tokens)
        except ApiUnavailableError as error:
            outcomes.append(error.retry_after)

    world.backend.during = the_loser_asks_meanwhile
    winning = winner.request(pair)
    assert winner.refresh(winning) is RefreshOutcome.REFRESHED
    assert outcomes == [1.0]
    assert (tokens.status, tokens.current) == (TokenStatus.KEPT, pair)
    assert loser.refresh(tokens) is RefreshOutcome.FROM_RECORD
    assert tokens.current == winning.current


def test_3_the_loser_that_waits_receives_the_winners_tokens(world: RefreshWorld, pair):
    winner, loser = world.process(), world.process()
    may_answer, finished = threading.Event(), threading.Event()
    world.backend.during = lambda _: may_answer.wait(30)

    def the_winner_finishes() -> None:
        may_answer.set()
        finished.wait(30)

    loser.while_waiting = the_winner_finishes
    winning, losing = winner.request(pair), loser.request(pair)
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(winner.refresh, winning)
        while not world.backend.submitted:
            pass
        second = pool.submit(loser.refresh, losing)
        first.result(30)
        finished.set()
        assert second.result(30) is RefreshOutcome.JOINED
    assert losing.current == winning.current
    assert world.backend.submitted == {pair.refresh: 1}


# --- 4 ---


def test_4_a_store_that_can_not_be_reached_clears_no_cookies_and_asks_nobody(world: RefreshWorld, pair, process):
    process.store.get = process.store.get_many = _unavailable
    tokens = process.request(pair)
    with pytest.raises(ApiUnavailableError) as caught:
        process.refresh(tokens)
    assert caught.value.retry_after == 1
    assert tokens.status is TokenStatus.KEPT
    assert not world.backend.submitted
    assert process.counts() == {RefreshOutcome.STORE_DOWN: 1}
    del process.store.get, process.store.get_many
    assert process.refresh(tokens) is RefreshOutcome.REFRESHED


def test_4_cookies_are_cleared_when_the_backend_failed_the_head(world: RefreshWorld, process, other):
    first = world.backend.sign_in()
    tokens = process.refreshed(first)
    world.expire()
    world.backend.answers = [InvalidGrant(reason="status 401")]
    late = other.request(first)
    with pytest.raises(SignInEndedError):
        other.refresh(late)
    assert late.ended
    assert world.backend.submitted == {first.refresh: 1, tokens.current.refresh: 1}
    # The outcome is remembered: nobody asks again for a while, and every holder learns it.
    with pytest.raises(SignInEndedError):
        process.refresh(process.request(tokens.current))
    assert max(world.backend.submitted.values()) == 1


def test_4_the_outcome_failed_is_forgotten_after_30_s(world: RefreshWorld, pair, process):
    world.backend.answers = [InvalidGrant(reason="status 403")]
    with pytest.raises(SignInEndedError):
        process.refresh(process.request(pair))
    world.time.advance(29)
    with pytest.raises(SignInEndedError):
        process.refresh(process.request(pair))
    world.time.advance(2)
    assert process.refresh(process.request(pair)) is RefreshOutcome.REFRESHED


def _unavailable(*_: object, **__: object):
    raise StoreUnavailableError("store 'refresh': down")
