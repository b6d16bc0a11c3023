"""The refresh beyond its invariants: confirmation by use, sign-out, backends that do not rotate, counters."""

from __future__ import annotations

import contextlib
import logging

import pytest

from portal.api.metrics import RefreshOutcome
from portal.api.refresh.sealing import family_secret, record_name
from portal.api.refresh.token_endpoint import InvalidGrant, NoResponse, TokensIssued
from portal.api.tokens import TokenPair, TokenStatus, TokenStore
from portal.errors import ApiUnavailableError, SignInEndedError
from portal.process.deadline import Deadline
from tests.support.refresh_world import MAX_AGE_S, RefreshWorld, jwt

A_DAY = 24 * 3600


# --- how long an old token is answered for ---


def test_lost_responses_strand_nobody_for_as_long_as_the_sign_in_lasts(world: RefreshWorld, process):
    """Each response to a browser was lost: it still holds the very first pair."""
    first = world.backend.sign_in()
    for _ in range(20):
        world.expire()
        process.refreshed(first)
    world.time.advance(MAX_AGE_S - A_DAY)
    assert process.refresh(process.request(first)) is RefreshOutcome.REFRESHED
    assert set(world.backend.submitted.values()) == {1}


def test_the_record_lives_as_long_as_the_refresh_tokens_own_end(world: RefreshWorld, process):
    first = world.backend.sign_in()
    second = TokenPair(access=jwt(exp=world.time() + 60), refresh=jwt(exp=world.time() + 1000, jti="2"))
    world.backend.answers = [TokensIssued(pair=second)]
    process.refresh(process.request(first))
    kept = [f"{record_name(family_secret(first.refresh))}:family", f"{record_name(second.refresh)}:token"]
    world.time.advance(990)
    assert sorted(process.store.get_many(kept)) == sorted(kept)
    world.time.advance(20)
    assert not process.store.get_many(kept)


def test_a_token_is_spent_also_where_its_successor_is_over_by_our_clock(world: RefreshWorld, process):
    first = world.backend.sign_in()
    second = TokenPair(access=jwt(exp=world.time() + 60), refresh=jwt(exp=world.time() - 5, jti="2"))
    world.backend.answers = [TokensIssued(pair=second)]
    process.refresh(process.request(first))
    process.settle()
    assert process.refresh(process.request(first)) is RefreshOutcome.FROM_RECORD
    assert world.backend.submitted == {first.refresh: 1}


# --- backends that do not rotate ---


def test_a_refresh_token_that_stays_the_same_is_refreshed_once_for_each_access_token(
    world: RefreshWorld, process, other
):
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


def test_a_new_token_that_is_refused_ends_nothing_once_it_has_a_successor(world: RefreshWorld, process, other):
    request = process.refreshed(world.backend.sign_in())
    other.refresh(other.request(request.current), rejected_access=request.current.access)
    process.refresher.handle_401_after_refresh(request)
    assert request.status is TokenStatus.REFRESHED
    assert other.refresher.tokens_to_set(request) != request.current


# --- sign-out ---


def test_sign_out_carries_no_access_token_that_has_expired(world: RefreshWorld):
    pair, process, bearers = world.backend.sign_in(), world.process(), []
    world.backend.revoke = lambda *, bearer, **_: bearers.append(bearer)
    process.refresher.sign_out(process.request(pair))
    world.expire()
    process.refresher.sign_out(process.request(pair))
    assert bearers == [pair.access, None]


def test_sign_out_without_tokens_asks_nobody(world: RefreshWorld, process):
    tokens = TokenStore(TokenPair(access="a"))
    process.refresher.sign_out(tokens)
    assert tokens.cleared
    assert world.backend.revoked == []


def test_a_refresh_in_the_same_request_does_not_undo_its_sign_out(world: RefreshWorld, pair, process):
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
def test_a_token_is_refreshed_before_use_only_when_it_says_itself_that_it_is_over(
    world: RefreshWorld, pair, process, access, asks
):
    process.refresher.ensure_fresh(TokenStore(TokenPair(access=access, refresh=pair.refresh)), deadline=Deadline(10))
    assert bool(world.backend.submitted) is asks


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
def test_each_answer_is_counted_and_has_one_line(world: RefreshWorld, *, pair, process, caplog, answer, outcome, told):
    level, line = told
    world.backend.repeatable_s = 0 if outcome is RefreshOutcome.LOST else 120
    caplog.set_level(logging.DEBUG)
    world.backend.answers = [answer] if answer else []
    with contextlib.suppress(ApiUnavailableError, SignInEndedError):
        process.refresh(process.request(pair))
    process.settle()
    assert process.counts() == {outcome: 1}
    lines = [record for record in caplog.records if record.name != "portal.audit"]
    assert [(record.levelno, line in record.message) for record in lines] == [(level, True)]


def test_an_unexpected_fault_reaches_who_waits_and_leaves_nothing_in_flight(world: RefreshWorld, pair, process, caplog):

    def fault(_: str) -> None:
        raise ZeroDivisionError

    world.backend.during = fault
    with pytest.raises(ZeroDivisionError):
        process.refresh(process.request(pair))
    process.settle()
    assert process.refresher._single_flight.in_threads() == []
    assert "unexpected error" in caplog.text
