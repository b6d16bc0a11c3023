"""`ApiSession`: the four rows of requirements, "Token refresh flow", and what a retry carries."""

from __future__ import annotations

import json

import pytest

from portal.api import FormBody
from portal.api.backend import encode_body
from portal.api.refresh.sealing import idempotency_key
from portal.api.tokens import TokenPair, TokenStatus, TokenStore
from portal.errors import ApiUnauthorizedError, ApiUnavailableError
from portal.process.deadline import Deadline
from tests.portal.api.sessions import BASE, FRESH, NEW, PAIR, RENEWED
from tests.support.refresh_world import jwt


def me(api, tokens: TokenStore, **options):
    return api.call(tokens=tokens, method="GET", path="/me", **options).data


@pytest.mark.parametrize("access", [FRESH, jwt(exp=1)], ids=["fresh", "expired"])
def test_401_without_a_refresh_token_is_passed_through(api, backend, access):
    backend.get(f"{BASE}/me", status=401)
    tokens = TokenStore(TokenPair(access=access))
    with pytest.raises(ApiUnauthorizedError):
        me(api, tokens)
    assert len(backend.calls) == 1
    assert tokens.status is TokenStatus.KEPT


@pytest.mark.parametrize("body", [{"name": "x" * 100_000}, FormBody(name="x" * 100_000)], ids=["json", "form"])
def test_401_is_refreshed_stored_and_retried_once_with_the_whole_body(api, backend, body):
    backend.post(f"{BASE}/files", status=401)
    backend.post(f"{BASE}/files", json={"ok": True})
    backend.post(f"{BASE}/refresh", json=NEW)
    tokens = TokenStore(PAIR)
    answered = api.call(tokens=tokens, method="POST", path="/files", request_id="r", json=body)
    assert answered.data == {"ok": True}
    assert tokens.changed
    assert tokens.current == TokenPair(access=RENEWED, refresh="second")
    first, refresh, again = (call.request for call in backend.calls)
    assert json.loads(refresh.body) == {"refreshToken": "first"}
    assert (refresh.headers["idempotency-key"], refresh.headers["x-request-id"]) == (idempotency_key("first"), "r")
    assert [each.headers.get("authorization") for each in (first, again)] == [f"Bearer {FRESH}", f"Bearer {RENEWED}"]
    assert first.body == again.body == encode_body(body).content


# --- around it ---


def test_a_token_that_expired_on_its_way_ends_nothing(api, backend):
    backend.get(f"{BASE}/me", status=401)
    backend.post(f"{BASE}/refresh", json={"accessToken": jwt(exp=1), "refreshToken": "second"})
    tokens = TokenStore(PAIR)
    with pytest.raises(ApiUnavailableError):
        me(api, tokens)
    assert tokens.status is TokenStatus.REFRESHED


@pytest.mark.parametrize("made_fresh_first", [False, True], ids=["by the call", "by the page"])
def test_a_server_that_is_a_second_behind_the_issuer_ends_no_sign_in(api, backend, made_fresh_first: bool):
    """The token is refused until the server has caught up; the first call comes right after the refresh."""
    waits = []
    api._sleep = waits.append
    backend.post(f"{BASE}/refresh", json=NEW)
    backend.get(f"{BASE}/me", status=401)
    backend.get(f"{BASE}/me", json={"id": "1"})
    tokens = TokenStore(TokenPair(access=jwt(exp=1), refresh="first"))
    if made_fresh_first:
        api.refresher.ensure_fresh(tokens, deadline=Deadline(10))
    assert me(api, tokens) == {"id": "1"}
    assert tokens.status is TokenStatus.REFRESHED
    assert waits == [1.0]
    assert [call.request.url.removeprefix(BASE) for call in backend.calls] == ["/refresh", "/me", "/me"]


def test_a_token_that_was_from_record_and_is_rejected_ends_nothing(api, backend):
    """Its clock may differ from ours: the next request submits the refresh token that came with it."""
    backend.post(f"{BASE}/refresh", json=NEW)
    for status in (401, 200, 401):
        backend.get(f"{BASE}/me", status=status, json={})
    me(api, TokenStore(PAIR))
    late = TokenStore(PAIR)
    with pytest.raises(ApiUnauthorizedError):
        me(api, late)
    assert late.status is TokenStatus.REFRESHED
