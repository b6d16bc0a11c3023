"""The tokens of one request: what becomes of them, when they end, what carries them, and a sign-in's services."""

import base64
from typing import Any

import pytest
import responses
from hypothesis import given
from hypothesis import strategies as st

from portal.api.session import api_session
from portal.api.sign_in import set_tokens, sign_out
from portal.api.token_validation import TokenProblem, validate_issued_tokens
from portal.api.tokens import (
    MAX_LIFETIME_S,
    TokenPair,
    TokenStatus,
    TokenStore,
    expires_at,
    is_expired,
    sign_in_lifetime,
)
from portal.config.cookies import MAX_COOKIE_BYTES, VAR_ACCESS_TOKEN, VAR_REFRESH_TOKEN
from portal.errors import UsageError
from tests.support.refresh_world import jwt

OLD, NEW, OTHER = (TokenPair(access=f"access-{n}", refresh=f"refresh-{n}") for n in ("old", "new", "other"))


def test_a_refresh_replaces_what_it_was_made_for_and_tells_whether_it_is_just_issued():
    tokens = TokenStore(OLD)
    assert (tokens.incoming, tokens.current, tokens.status) == (OLD, OLD, TokenStatus.KEPT)
    assert (tokens.changed, tokens.cleared, tokens.ended, tokens.just_issued) == (False, False, False, False)
    assert tokens.rotate(NEW, replaced=OLD.refresh, just_issued=True)
    assert (tokens.incoming, tokens.current, tokens.status) == (OLD, NEW, TokenStatus.REFRESHED)
    assert (tokens.changed, tokens.just_issued) == (True, True)
    tokens.rotate(OTHER, replaced=NEW.refresh)
    assert not tokens.just_issued


def test_a_late_refresh_undoes_no_sign_out_and_no_sign_in_which_wins_over_cookies_that_were_dead():
    tokens = TokenStore(OLD)
    tokens.clear()
    assert not tokens.rotate(NEW, replaced=OLD.refresh)
    assert (tokens.current, tokens.status) == (TokenPair(), TokenStatus.CLEARED)
    tokens.sign_in(OTHER)
    assert not tokens.rotate(NEW, replaced=OLD.refresh)
    assert (tokens.current, tokens.status) == (OTHER, TokenStatus.SIGNED_IN)
    assert (tokens.changed, tokens.cleared) == (True, False)
    # A refresh after a sign-in is still that sign-in.
    tokens.rotate(NEW, replaced=OTHER.refresh)
    assert (tokens.current, tokens.status) == (NEW, TokenStatus.SIGNED_IN)


@pytest.mark.parametrize("lost", [True, False])
def test_the_end_of_a_token_that_is_not_in_use_any_more_ends_nothing(lost: bool):
    tokens = TokenStore(OLD)
    tokens.rotate(NEW, replaced=OLD.refresh)
    assert not tokens.end(rejected=OLD.refresh, lost=lost)
    assert tokens.changed
    assert tokens.end(rejected=NEW.refresh, lost=lost)
    assert (tokens.ended, tokens.cleared, tokens.lost) == (True, True, lost)
    assert tokens.current == TokenPair()


# --- when a token ends by its own word ---


def payload(raw: bytes) -> str:
    return f"e30.{base64.urlsafe_b64encode(raw).decode().rstrip('=')}.x"


@pytest.mark.parametrize(
    ("token", "end"),
    [
        *((jwt(exp=100), 100.0), (jwt(exp=100.5), 100.5)),
        *((jwt(exp=odd), None) for odd in ("100", True, None, 10**400)),
        *((payload(raw), None) for raw in (b'{"exp": 1e999}', b'{"exp": NaN}', b"[]", b"\xff", b"[" * 3_000)),
        *((token, None) for token in (jwt(), jwt(exp=100, sub="x" * 5_000))),
        *((token, None) for token in ("a.b", "a.b.c.d", "a.%%%.c", "opaque", "")),
    ],
)
def test_only_a_jwt_with_a_number_says_when_it_ends(token, end):
    assert expires_at(token) == end


@given(st.text())
def test_no_text_is_a_fault(text):
    assert expires_at(text) is None or isinstance(expires_at(text), float)


def test_expired_means_that_the_moment_has_come():
    assert is_expired(jwt(exp=100), now=100)
    assert not is_expired(jwt(exp=100), now=99.9)
    assert not is_expired(jwt(), now=2**40)


@pytest.mark.parametrize(
    ("refresh", "default_s", "lasts_s"),
    [
        (jwt(exp=150), 7, 50),
        *((token, 7, 7) for token in ("opaque", None)),
        (jwt(exp=50), 7, 0),
        # No longer than browsers keep cookies.
        *((jwt(exp=2**40), 7, MAX_LIFETIME_S), ("opaque", 2**40, MAX_LIFETIME_S)),
    ],
)
def test_a_sign_in_lasts_as_long_as_its_refresh_token_or_the_default(refresh, default_s, lasts_s):
    assert sign_in_lifetime(refresh, now=100, default_s=default_s) == lasts_s


# --- what a cookie and a header both carry, or not at all ---

NAMES = pytest.mark.parametrize("name", [VAR_ACCESS_TOKEN, VAR_REFRESH_TOKEN])
UNSENDABLE = (
    *("a\r\nSet-Cookie: b=c", "abc\n", "a\x00b", "a\x7fb", "a b", "a\tb", "a;b", "a,b", 'a"b', "a\\b"),
    *("ünïcödé", "a\u2028b", "a\ud800b"),
)


def pair_of(name: str, value: str) -> TokenPair:
    return TokenPair(access=value, refresh="r") if name == VAR_ACCESS_TOKEN else TokenPair(access="a", refresh=value)


@pytest.mark.parametrize("token", UNSENDABLE, ids=ascii)
@NAMES
def test_a_token_that_no_header_or_no_cookie_carries_is_named_and_never_shown(name, token):
    unusable = validate_issued_tokens(pair_of(name, token))
    assert unusable is not None
    assert unusable.problem is TokenProblem.UNSENDABLE
    assert name in unusable.says
    assert token not in f"{unusable} {unusable!r}"


@NAMES
def test_a_token_that_browsers_would_not_keep_is_named_with_its_size(name):
    fits = "x" * (MAX_COOKIE_BYTES - len(name))
    assert validate_issued_tokens(pair_of(name, fits)) is None
    unusable = validate_issued_tokens(pair_of(name, fits + "x"))
    assert unusable is not None
    assert unusable.problem is TokenProblem.TOO_LARGE
    assert unusable.says == f"the {name} cookie would take 4097 bytes, and browsers keep 4096 at most"


# --- what the services of a sign-in call ---


@pytest.mark.parametrize("arguments", [("access", "refresh"), (TokenStore(), ("access", "refresh"))])
def test_set_tokens_names_what_it_takes(arguments: tuple[Any, Any]) -> None:
    with pytest.raises(UsageError, match=r"set_tokens\(request.token_store, TokenPair"):
        set_tokens(*arguments)


@responses.activate
@pytest.mark.usefixtures("embedded_store")
def test_set_tokens_begins_anew_with_tokens_that_were_signed_out_before():
    """A backend that does not rotate may issue the refresh token of an earlier sign-in again."""
    responses.post("http://backend.test/auth/logout", status=204)
    pair = TokenPair(access="a", refresh="r")
    sign_out(TokenStore(pair), verified=True)
    assert api_session().refresher.signed_out_at(pair) is not None
    set_tokens(TokenStore(), pair)
    assert api_session().refresher.signed_out_at(pair) is None
