"""The refresh beyond its invariants: confirmation by use, sign-out, backends that do not rotate, counters."""

from __future__ import annotations

import contextlib
import logging

import pytest

from portal.api.metrics import RefreshOutcome
from portal.api.refresh.sealing import family_secret, record_name
from portal.api.refresh.token_endpoint import InvalidGrant, NoResponse, TokensIssued
from portal.api.tokens import TokenPair, TokenStatus, TokenStore
from portal.config import limits
from portal.errors import ApiUnavailableError, SignInEndedError, StoreUnavailableError
from portal.process.deadline import Deadline
from tests.support.refresh_world import MAX_AGE_S, RefreshWorld, jwt

A_DAY = 24 * 3600


# --- how long an old token is answered for ---


def test_a_lost_response_strands_nobody_for_as_long_as_the_sign_in_lasts(world: RefreshWorld):
    """A laptop that slept: its browser never saw the new tokens."""
    first = world.backend.sign_in()
    process = world.process()
    process.refresh(process.request(first))
    world.time.advance(MAX_AGE_S - A_DAY)
    late = process.request(first)
    process.refresh(late)
    assert world.backend.is_signed_in()
    assert world.backend.submitted[first.refresh] == 1


def test_however_many_rotations_lie_between(world: RefreshWorld):
    """Every response was lost: the browser still holds the very first pair."""
    first = world.backend.sign_in()
    process = world.process()
    for _ in range(20):
        world.expire()
        tokens = process.request(first)
        process.refresh(tokens)
    world.time.advance(20 * A_DAY)
    late = process.request(first)
    assert process.refresh(late) is RefreshOutcome.REFRESHED
    assert set(world.backend.submitted.values()) == {1}


def test_once_the_new_token_is_submitted_the_old_one_is_answered_for_a_minute_more(world: RefreshWorld):
    first = world.backend.sign_in()
    process = world.process()
    tokens = process.request(first)
    process.refresh(tokens)
    world.expire()
    process.refresh(process.request(tokens.current))
    world.time.advance(limits.ROTATION_GRACE_S - 1)
    late = process.request(first)
    assert process.refresh(late) is RefreshOutcome.FROM_RECORD
    world.time.advance(2)
    with pytest.raises(SignInEndedError):
        process.refresh(process.request(first))


def test_a_submitted_token_confirms_the_whole_chain_that_led_to_it(world: RefreshWorld):
    first = world.backend.sign_in()
    process = world.process()
    chain = [first]
    for _ in range(3):
        world.expire()
        tokens = process.request(first)
        process.refresh(tokens)
        chain.append(tokens.current)
    world.expire()
    process.refresh(process.request(chain[-1]))
    submitted = world.backend.submitted.copy()
    world.time.advance(limits.ROTATION_GRACE_S + 1)
    for older in chain[:-1]:
        with pytest.raises(SignInEndedError):
            process.refresh(process.request(older))
    assert process.refresh(process.request(chain[-1])) is RefreshOutcome.FROM_RECORD
    assert world.backend.submitted == submitted


def test_a_request_that_refreshes_twice_confirms_nothing_for_the_browser(world: RefreshWorld):
    """The second token was never in a cookie: the browser may still hold the first."""
    first = world.backend.sign_in()
    process = world.process()
    tokens = process.request(first)
    process.refresh(tokens)
    world.expire()
    process.refresh(tokens)
    world.time.advance(A_DAY)
    late = process.request(first)
    process.refresh(late)
    assert late.current != first
    assert set(world.backend.submitted.values()) == {1}


def test_the_record_lives_as_long_as_the_refresh_tokens_own_end(world: RefreshWorld):
    process = world.process()
    first = world.backend.sign_in()
    second = TokenPair(access=jwt(exp=world.time() + 60), refresh=jwt(exp=world.time() + 1000, jti="2"))
    world.backend.answers = [TokensIssued(pair=second)]
    process.refresh(process.request(first))
    kept = [f"{record_name(family_secret(first.refresh))}:family", f"{record_name(second.refresh)}:token"]
    world.time.advance(990)
    assert sorted(process.store.get_many(kept)) == sorted(kept)
    world.time.advance(20)
    assert not process.store.get_many(kept)


def test_a_token_is_spent_also_where_its_successor_is_over_by_our_clock(world: RefreshWorld):
    process = world.process()
    first = world.backend.sign_in()
    second = TokenPair(access=jwt(exp=world.time() + 60), refresh=jwt(exp=world.time() - 5, jti="2"))
    world.backend.answers = [TokensIssued(pair=second)]
    process.refresh(process.request(first))
    process.settle()
    assert process.refresh(process.request(first)) is RefreshOutcome.FROM_RECORD
    assert world.backend.submitted == {first.refresh: 1}


# --- backends that do not rotate ---


def test_a_refresh_token_that_stays_the_same_is_refreshed_once_for_each_access_token(world: RefreshWorld):
    process, other = world.process(), world.process()
    pair = TokenPair(access=jwt(exp=world.time() - 1), refresh="same")
    for generation in range(3):
        granted = TokenPair(access=jwt(exp=world.time() + 300, n=generation), refresh="same")
        world.backend.answers = [TokensIssued(pair=granted)]
        tokens = process.request(pair)
        assert process.refresh(tokens) is RefreshOutcome.REFRESHED
        assert tokens.current == granted
        late = other.request(pair)
        assert other.refresh(late) is RefreshOutcome.FROM_RECORD
        assert late.current == granted
        assert other.refresher.tokens_to_set(late) == granted
        assert world.backend.submitted["same"] == generation + 1
        world.time.advance(301)


def test_a_new_token_that_is_refused_ends_nothing_once_it_has_a_successor(world: RefreshWorld):
    process, other = world.process(), world.process()
    request = process.request(world.backend.sign_in())
    process.refresh(request)
    other.refresh(other.request(request.current), rejected_access=request.current.access)
    process.refresher.handle_401_after_refresh(request)
    assert request.status is TokenStatus.REFRESHED
    assert other.refresher.tokens_to_set(request) != request.current


# --- sign-out ---


def test_sign_out_tells_the_backend_the_newest_token_and_clears_the_request(world: RefreshWorld):
    first = world.backend.sign_in()
    process = world.process()
    tokens = process.request(first)
    process.refresh(tokens)
    late = process.request(first)
    process.refresher.sign_out(late)
    assert (late.status, late.current) == (TokenStatus.CLEARED, TokenPair())
    assert world.backend.revoked == [tokens.current.refresh]
    assert not world.backend.is_signed_in()


def test_sign_out_carries_no_access_token_that_has_expired(world: RefreshWorld):
    pair, process, bearers = world.backend.sign_in(), world.process(), []
    world.backend.revoke = lambda *, bearer, **_: bearers.append(bearer)
    process.refresher.sign_out(process.request(pair))
    world.expire()
    process.refresher.sign_out(process.request(pair))
    assert bearers == [pair.access, None]


def test_sign_out_without_tokens_asks_nobody(world: RefreshWorld):
    process = world.process()
    tokens = TokenStore(TokenPair(access="a"))
    process.refresher.sign_out(tokens)
    assert tokens.cleared
    assert world.backend.revoked == []


def test_sign_out_while_the_store_is_down_still_tells_the_backend(world: RefreshWorld, caplog):
    pair = world.backend.sign_in()
    process = world.process()
    process.store.set_many = _unavailable
    tokens = process.request(pair)
    process.refresher.sign_out(tokens)
    assert tokens.cleared
    assert world.backend.revoked == [pair.refresh]
    assert "no tombstone" in caplog.text


def test_a_sign_out_ends_no_other_sign_in_of_the_same_user(world: RefreshWorld):
    process = world.process()
    phone, laptop = world.backend.sign_in("phone"), world.backend.sign_in("laptop")
    process.refresher.sign_out(process.request(phone))
    assert process.refresh(process.request(laptop)) is RefreshOutcome.REFRESHED


def test_a_refresh_in_the_same_request_does_not_undo_its_sign_out(world: RefreshWorld):
    pair = world.backend.sign_in()
    process = world.process()
    tokens = process.request(pair)
    world.backend.during = lambda _: tokens.clear()
    with pytest.raises(SignInEndedError):
        process.refresh(tokens)
    assert tokens.status is TokenStatus.CLEARED


# --- the need for it ---


@pytest.mark.parametrize(
    ("access", "asks"),
    [
        (None, True),
        (jwt(exp=1_800_000_000), True),
        (jwt(exp=1_800_000_001), False),
        (jwt(), False),
        ("opaque", False),
        (jwt(exp="soon"), False),
    ],
    ids=["none", "expired now", "fresh", "no exp", "opaque", "odd exp"],
)
def test_a_token_is_refreshed_before_use_only_when_it_says_itself_that_it_is_over(world: RefreshWorld, access, asks):
    pair = world.backend.sign_in()
    process = world.process()
    process.refresher.ensure_fresh(TokenStore(TokenPair(access=access, refresh=pair.refresh)), deadline=Deadline(10))
    assert bool(world.backend.submitted) is asks


def test_a_from_record_token_that_has_expired_meanwhile_is_refreshed_at_the_head(world: RefreshWorld):
    first = world.backend.sign_in()
    process = world.process()
    tokens = process.request(first)
    process.refresh(tokens)
    world.expire()
    late = process.request(first)
    assert process.refresh(late) is RefreshOutcome.REFRESHED
    assert world.backend.submitted == {first.refresh: 1, tokens.current.refresh: 1}


# --- what operators see ---


@pytest.mark.parametrize(
    ("answer", "outcome", "told"),
    [
        (None, RefreshOutcome.REFRESHED, (logging.INFO, "refreshed")),
        (InvalidGrant(reason="status 401"), RefreshOutcome.REJECTED, (logging.WARNING, "refused: status 401")),
        (
            NoResponse(reason="status 503", lost=False),
            RefreshOutcome.UNREACHABLE,
            (logging.WARNING, "no usable answer"),
        ),
        (
            NoResponse(reason="timeout", lost=True),
            RefreshOutcome.UNREACHABLE,
            (logging.WARNING, "to be submitted again"),
        ),
        (NoResponse(reason="once", lost=True), RefreshOutcome.LOST, (logging.ERROR, "not to be submitted again: once")),
    ],
)
def test_each_answer_is_counted_and_has_one_line(world: RefreshWorld, caplog, answer, outcome, told):
    level, line = told
    world.backend.repeatable_s = 0 if outcome is RefreshOutcome.LOST else 120
    caplog.set_level(logging.DEBUG)
    pair = world.backend.sign_in()
    world.backend.answers = [answer] if answer else []
    process = world.process()
    with contextlib.suppress(ApiUnavailableError, SignInEndedError):
        process.refresh(process.request(pair))
    process.settle()
    assert process.counts() == {outcome: 1}
    lines = [record for record in caplog.records if record.name != "portal.audit"]
    assert [(record.levelno, line in record.message) for record in lines] == [(level, True)]


def test_an_unexpected_fault_reaches_who_waits_and_leaves_nothing_in_flight(world: RefreshWorld, caplog):
    pair = world.backend.sign_in()
    process = world.process()

    def fault(_: str) -> None:
        raise ZeroDivisionError

    world.backend.during = fault
    with pytest.raises(ZeroDivisionError):
        process.refresh(process.request(pair))
    process.settle()
    assert process.refresher._single_flight.in_threads() == []
    assert "unexpected error" in caplog.text


def _unavailable(*_: object, **__: object):
    raise StoreUnavailableError("store 'refresh': down")
