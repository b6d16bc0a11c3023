"""`ApiSession`: the four rows of requirements, "Token refresh flow", and what a retry carries."""

from __future__ import annotations

import json
import threading

import pytest

from portal.api import FormBody
from portal.api.backend import encode_body
from portal.api.metrics import RefreshOutcome
from portal.api.refresh.sealing import idempotency_key
from portal.api.tokens import TokenPair, TokenStatus, TokenStore
from portal.errors import ApiUnauthorizedError, ApiUnavailableError
from portal.process.deadline import Deadline
from tests.portal.api.sessions import BASE, FRESH, NEW, PAIR, RENEWED, bearers, make_session, settle
from tests.support.counts import RefreshCounts
from tests.support.forks import at_once
from tests.support.http_server import reply, scripted_server
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


@pytest.mark.parametrize("one_request", [True, False], ids=["threads of one request", "requests"])
def test_401_while_a_refresh_is_in_flight_waits_for_it_and_is_retried(embedded_store, one_request: bool):
    """Eight calls with the same old pair, on a real socket: one refresh, all answered."""
    all_refused = threading.Barrier(8)
    counters = RefreshCounts()

    def answer(request, out) -> None:
        if request.line.startswith("POST /refresh"):
            out.sendall(reply(json.dumps(NEW).encode()))
        elif request.headers["authorization"] == f"Bearer {RENEWED}":
            out.sendall(reply(b'{"id": "1"}'))
        else:
            all_refused.wait(30)
            out.sendall(reply(status="401 Unauthorized"))

    with scripted_server(answer) as server:
        api = make_session(server.url, counters)
        stores = [TokenStore(PAIR)] * 8 if one_request else [TokenStore(PAIR) for _ in range(8)]
        answers = at_once(8, lambda number: me(api, stores[number]))
        settle(api)
        api.close()
    assert answers == [{"id": "1"}] * 8
    assert sum(request.line.startswith("POST /refresh") for request in server.received) == 1
    assert {tokens.current.refresh for tokens in stores} == {"second"}
    counts = counters.snapshot()
    assert counts[RefreshOutcome.REFRESHED] == 1
    assert one_request or sum(counts.values()) == 8


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


@pytest.mark.parametrize("access", [jwt(exp=1), None], ids=["expired", "none"])
def test_a_token_that_is_of_no_use_is_refreshed_before_the_call(api, backend, access):
    backend.get(f"{BASE}/me", json={"id": "1"})
    backend.post(f"{BASE}/refresh", json=NEW)
    me(api, TokenStore(TokenPair(access=access, refresh="first")))
    assert bearers(backend) == [None, f"Bearer {RENEWED}"]


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


def test_the_time_budget_bounds_the_wait_and_not_the_refresh(embedded_store):
    """The call ends without its answer; the refresh goes on, and the next call has its tokens."""
    waited = threading.Event()

    def answer(request, out) -> None:
        if request.line.startswith("POST /refresh"):
            waited.wait(30)
            out.sendall(reply(json.dumps(NEW).encode()))
        else:
            out.sendall(reply(b'{"id": "1"}'))

    expired = TokenPair(access=jwt(exp=1), refresh="first")
    with scripted_server(answer) as server:
        api = make_session(server.url)
        for budget in (0, 0.2):
            with pytest.raises(ApiUnavailableError) as caught:
                me(api, TokenStore(expired), deadline=Deadline(budget))
            assert caught.value.was_sent is False
        waited.set()
        settle(api)
        tokens = TokenStore(expired)
        assert me(api, tokens) == {"id": "1"}
        api.close()
    assert tokens.current.refresh == "second"
    assert [request.line.split()[1] for request in server.received] == ["/refresh", "/me"]
