"""The tokens of one request, and what becomes of them."""

from __future__ import annotations

import dataclasses

import pytest

from portal.api.tokens import TokenPair, TokenStatus, TokenStore

OLD, NEW, OTHER = (TokenPair(access=f"access-{n}", refresh=f"refresh-{n}") for n in ("old", "new", "other"))


def test_a_refresh_replaces_what_it_was_made_for():
    tokens = TokenStore(OLD)
    assert (tokens.incoming, tokens.current, tokens.status) == (OLD, OLD, TokenStatus.KEPT)
    assert (tokens.changed, tokens.cleared, tokens.ended) == (False, False, False)
    assert tokens.rotate(NEW, replaced=OLD.refresh)
    assert (tokens.incoming, tokens.current, tokens.status) == (OLD, NEW, TokenStatus.REFRESHED)
    assert tokens.changed


def sign_out(tokens: TokenStore) -> TokenPair:
    tokens.clear()
    return TokenPair()


def sign_in(tokens: TokenStore) -> TokenPair:
    tokens.sign_in(OTHER)
    return OTHER


@pytest.mark.parametrize(("act", "status"), [(sign_out, TokenStatus.CLEARED), (sign_in, TokenStatus.SIGNED_IN)])
def test_a_late_refresh_undoes_no_sign_out_and_no_sign_in(act, status):
    tokens = TokenStore(OLD)
    left = act(tokens)
    assert not tokens.rotate(NEW, replaced=OLD.refresh)
    assert (tokens.current, tokens.status) == (left, status)


def test_a_sign_in_wins_over_cookies_that_were_dead():
    tokens = TokenStore(OLD)
    tokens.clear()
    tokens.sign_in(NEW)
    assert tokens.changed
    assert not tokens.cleared


def test_a_refresh_after_a_sign_in_is_still_that_sign_in():
    tokens = TokenStore(OLD)
    tokens.sign_in(OTHER)
    tokens.rotate(NEW, replaced=OTHER.refresh)
    assert (tokens.current, tokens.status) == (NEW, TokenStatus.SIGNED_IN)


def test_the_end_of_a_token_that_is_not_in_use_any_more_ends_nothing():
    tokens = TokenStore(OLD)
    tokens.rotate(NEW, replaced=OLD.refresh)
    assert not tokens.end(rejected=OLD.refresh)
    assert tokens.changed
    assert tokens.end(rejected=NEW.refresh)
    assert tokens.ended
    assert tokens.cleared


def test_a_pair_never_shows_itself():
    assert "old" not in f"{OLD!r} {OLD!s} {OLD}"
    with pytest.raises(dataclasses.FrozenInstanceError):
        OLD.access = "other"


def test_tokens_that_came_from_the_backend_for_this_request_are_told_from_those_of_a_record():
    tokens = TokenStore(OLD)
    assert not tokens.just_issued
    tokens.rotate(NEW, replaced=OLD.refresh, just_issued=True)
    assert tokens.just_issued
    tokens.rotate(OTHER, replaced=NEW.refresh)
    assert not tokens.just_issued


@pytest.mark.parametrize("lost", [True, False])
def test_a_sign_in_that_is_lost_ends_as_one_that_was_refused_but_for_where_it_leads(lost: bool):
    tokens = TokenStore(OLD)
    assert tokens.end(rejected=OLD.refresh, lost=lost)
    assert (tokens.ended, tokens.cleared, tokens.lost) == (True, True, lost)
    assert tokens.current == TokenPair()
