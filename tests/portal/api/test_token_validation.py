"""Tokens that a backend issued: what a cookie and a header both carry, or not at all."""

from __future__ import annotations

import pytest

from portal.api.token_validation import TokenProblem, cookie_bytes, validate_issued_tokens
from portal.api.tokens import TokenPair
from portal.config.cookies import MAX_COOKIE_BYTES, VAR_ACCESS_TOKEN, VAR_REFRESH_TOKEN

UNSENDABLE = (
    *("a\r\nSet-Cookie: b=c", "abc\n", "a\x00b", "a\x7fb", "a b", "a\tb", "a;b", "a,b", 'a"b', "a\\b"),
    *("ünïcödé", "a\u2028b", "a\ud800b"),
)


def pair_of(name: str, value: str) -> TokenPair:
    return TokenPair(access=value, refresh="r") if name == VAR_ACCESS_TOKEN else TokenPair(access="a", refresh=value)


@pytest.mark.parametrize("token", UNSENDABLE, ids=ascii)
@pytest.mark.parametrize("name", [VAR_ACCESS_TOKEN, VAR_REFRESH_TOKEN])
def test_a_token_that_no_header_or_no_cookie_carries_is_named_and_never_shown(name, token):
    unusable = validate_issued_tokens(pair_of(name, token))
    assert unusable is not None
    assert unusable.problem is TokenProblem.UNSENDABLE
    assert name in unusable.says
    assert token not in f"{unusable} {unusable!r}"


@pytest.mark.parametrize("name", [VAR_ACCESS_TOKEN, VAR_REFRESH_TOKEN])
def test_a_token_that_browsers_would_not_keep_is_named_with_its_size(name):
    fits = "x" * (MAX_COOKIE_BYTES - len(name))
    assert validate_issued_tokens(pair_of(name, fits)) is None
    unusable = validate_issued_tokens(pair_of(name, fits + "x"))
    assert unusable is not None
    assert unusable.problem is TokenProblem.TOO_LARGE
    assert unusable.says == f"the {name} cookie would take 4097 bytes, and browsers keep 4096 at most"


@pytest.mark.parametrize(
    "pair",
    [
        TokenPair(),
        TokenPair(access="a"),
        TokenPair(access="eyJhbGciOiJIUzI1NiJ9.e30.c2ln-_", refresh="1//0abc+/=="),
        TokenPair(access="a", refresh="".join(chr(code) for code in range(0x21, 0x7F) if chr(code) not in '",;\\')),
    ],
)
def test_anything_else_can_be_kept(pair):
    assert validate_issued_tokens(pair) is None


def test_a_cookies_size_is_that_of_its_written_form():
    assert cookie_bytes("name", "value") == 9
    # A comma makes the value a quoted one, with three digits in the comma's place.
    assert cookie_bytes("name", "a,b") == len('name"a\\054b"')
