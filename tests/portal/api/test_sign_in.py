"""`set_tokens`, `clear_tokens`, `sign_out`: what the sign-in services call."""

from __future__ import annotations

import json

import pytest
import responses

from portal.api.session import api_session
from portal.api.sign_in import clear_tokens, set_tokens, sign_out
from portal.api.tokens import SignInStatus, TokenPair, TokenStatus, TokenStore
from portal.config.cookies import MAX_COOKIE_BYTES, VAR_ACCESS_TOKEN, VAR_REFRESH_TOKEN
from portal.errors import ApiMalformedError


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


LARGE = "x" * MAX_COOKIE_BYTES


@pytest.mark.parametrize(
    ("pair", "told"),
    [
        (TokenPair(access=LARGE, refresh="r"), f"{VAR_ACCESS_TOKEN} cookie would take"),
        (TokenPair(access="a", refresh=LARGE), f"{VAR_REFRESH_TOKEN} cookie would take"),
        (TokenPair(access="a\r\nb", refresh="r"), "has characters that"),
        (TokenPair(access="a", refresh="r;s"), "has characters that"),
    ],
    ids=["large access", "large refresh", "access", "refresh"],
)
def test_a_token_that_no_browser_or_header_carries_is_refused_at_sign_in_and_logged(pair, told, caplog):
    tokens = TokenStore()
    with pytest.raises(ApiMalformedError, match=told) as caught:
        set_tokens(tokens, pair)
    assert "sign-in refused" in caplog.text
    assert "xx" not in str(caught.value) + caplog.text
    assert tokens.status is TokenStatus.KEPT
    set_tokens(tokens, TokenPair(access="a", refresh="r"))
    assert (tokens.current, tokens.status) == (TokenPair(access="a", refresh="r"), TokenStatus.SIGNED_IN)
    clear_tokens(tokens)
    assert tokens.cleared


@responses.activate
@pytest.mark.parametrize(
    "answer", [{"status": 204}, {"status": 500}, {"status": 401}, {"body": ConnectionError()}], ids=str
)
def test_sign_out_tells_the_backend_and_succeeds_whatever_it_says(answer):
    refresh = f"a-refresh-token-{answer}"
    logout = responses.post("http://backend.test/auth/logout", **answer)
    tokens = TokenStore(TokenPair(access="a", refresh=refresh))
    sign_out(tokens, verified=True)
    assert tokens.cleared
    assert logout.call_count == 1
    assert json.loads(responses.calls[0].request.body) == {"refreshToken": refresh}
