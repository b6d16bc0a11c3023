"""`set_tokens`, `clear_tokens`, `sign_out`: what the sign-in services call."""

from __future__ import annotations

import pytest
import responses

from portal.api.session import api_session
from portal.api.sign_in import clear_tokens, set_tokens, sign_out
from portal.api.tokens import SignInStatus, TokenPair, TokenStatus, TokenStore
from portal.config.cookies import MAX_COOKIE_BYTES, VAR_ACCESS_TOKEN, VAR_REFRESH_TOKEN
from portal.errors import ApiMalformedError


def test_set_tokens_signs_in():
    tokens = TokenStore()
    set_tokens(tokens, TokenPair(access="a", refresh="r"))
    assert (tokens.current, tokens.status) == (TokenPair(access="a", refresh="r"), TokenStatus.SIGNED_IN)


@responses.activate
@pytest.mark.usefixtures("embedded_store")
def test_set_tokens_begins_anew_with_tokens_that_were_signed_out_before():
    """A backend that does not rotate may issue the refresh token of an earlier sign-in again."""
    responses.post("http://backend.test/auth/logout", status=204)
    pair = TokenPair(access="a", refresh="r")
    sign_out(TokenStore(pair), verified=True)
    assert api_session().refresher.sign_in_status(pair) is SignInStatus.SIGNED_OUT
    set_tokens(TokenStore(), pair)
    assert api_session().refresher.sign_in_status(pair) is SignInStatus.ACTIVE


def test_clear_tokens_forgets_them():
    tokens = TokenStore(TokenPair(access="a", refresh="r"))
    clear_tokens(tokens)
    assert tokens.cleared


@pytest.mark.parametrize("name", [VAR_ACCESS_TOKEN, VAR_REFRESH_TOKEN])
def test_a_token_that_browsers_would_not_keep_is_refused_at_sign_in_and_logged(name, caplog):
    fits = "x" * (MAX_COOKIE_BYTES - len(name))
    tokens = TokenStore()

    def pair(value: str) -> TokenPair:
        return (
            TokenPair(access=value, refresh="r") if name == VAR_ACCESS_TOKEN else TokenPair(access="a", refresh=value)
        )

    with pytest.raises(ApiMalformedError, match=f"{name} cookie would take 4097 bytes") as caught:
        set_tokens(tokens, pair(fits + "x"))
    assert "sign-in refused" in caplog.text
    assert "xx" not in str(caught.value) + caplog.text
    assert tokens.status is TokenStatus.KEPT
    set_tokens(tokens, pair(fits))
    assert tokens.changed


@pytest.mark.parametrize("pair", [TokenPair(access="a\r\nb", refresh="r"), TokenPair(access="a", refresh="r;s")])
def test_a_token_that_no_header_or_cookie_carries_is_refused_at_sign_in_and_logged(pair, caplog):
    tokens = TokenStore()
    with pytest.raises(ApiMalformedError, match="has characters that"):
        set_tokens(tokens, pair)
    assert "sign-in refused" in caplog.text
    assert tokens.status is TokenStatus.KEPT


@responses.activate
def test_sign_out_tells_the_backend_and_leaves_nothing():
    logout = responses.post("http://backend.test/auth/logout", status=204)
    tokens = TokenStore(TokenPair(access="a", refresh="a-refresh-token-of-this-test"))
    sign_out(tokens, verified=True)
    assert tokens.cleared
    assert logout.call_count == 1
    assert responses.calls[0].request.body == b'{"refreshToken": "a-refresh-token-of-this-test"}'


@responses.activate
@pytest.mark.parametrize("answer", [{"status": 500}, {"status": 401}, {"body": ConnectionError()}], ids=str)
def test_sign_out_succeeds_whatever_the_backend_says(answer):
    responses.post("http://backend.test/auth/logout", **answer)
    tokens = TokenStore(TokenPair(access="a", refresh=f"another-refresh-token-{answer}"))
    sign_out(tokens, verified=True)
    assert tokens.cleared
