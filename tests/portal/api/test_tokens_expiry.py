"""When a token ends by its own word."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portal.api.tokens import MAX_LIFETIME_S, expires_at, is_expired, sign_in_lifetime
from tests.support.refresh_world import jwt


def payload(raw: bytes) -> str:
    return f"e30.{base64.urlsafe_b64encode(raw).decode().rstrip('=')}.x"


@pytest.mark.parametrize(
    ("token", "end"),
    [
        (jwt(exp=100), 100.0),
        (jwt(exp=100.5), 100.5),
        (jwt(), None),
        (jwt(exp="100"), None),
        (jwt(exp=True), None),
        (jwt(exp=None), None),
        (jwt(exp=10**400), None),
        (payload(b'{"exp": 1e999}'), None),
        (payload(b'{"exp": NaN}'), None),
        (payload(b"[]"), None),
        (payload(b"\xff"), None),
        (payload(b"[" * 3_000), None),
        (jwt(exp=100, sub="x" * 5_000), None),
        ("a.b", None),
        ("a.b.c.d", None),
        ("a.%%%.c", None),
        ("opaque", None),
        ("", None),
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


def test_a_sign_in_lasts_as_long_as_its_refresh_token_or_the_default():
    assert sign_in_lifetime(jwt(exp=150), now=100, default_s=7) == 50
    assert sign_in_lifetime("opaque", now=100, default_s=7) == 7
    assert sign_in_lifetime(None, now=100, default_s=7) == 7
    assert sign_in_lifetime(jwt(exp=50), now=100, default_s=7) == 0


def test_no_sign_in_lasts_longer_than_browsers_keep_cookies():
    assert sign_in_lifetime(jwt(exp=2**40), now=100, default_s=7) == MAX_LIFETIME_S
    assert sign_in_lifetime("opaque", now=100, default_s=2**40) == MAX_LIFETIME_S
