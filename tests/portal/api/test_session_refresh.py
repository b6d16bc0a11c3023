"""`ApiSession`: the four rows of requirements, "Token refresh flow", and what a retry carries."""

from __future__ import annotations

import json
import threading

import pytest
import responses
from responses import matchers

from portal.api.metrics import RefreshOutcome
from portal.api.refresh.sealing import idempotency_key
from portal.api.session import Upload
from portal.api.tokens import TokenPair, TokenStatus, TokenStore
from portal.errors import (
    ApiTimeoutError,
    ApiUnauthorizedError,
    ApiUnavailableError,
)
from portal.process.deadline import Deadline
from tests.portal.api.sessions import BASE, FRESH, NEW, PAIR, RENEWED, bearers, make_session
from tests.support.counts import RefreshCounts
from tests.support.http_server import reply, scripted_server
from tests.support.refresh_world import jwt

# --- the four rows ---


def test_401_without_a_refresh_token_is_passed_through(api, backend):
    backend.get(f"{BASE}/me", status=401)
    tokens = TokenStore(TokenPair(access=FRESH))
    with pytest.raises(ApiUnauthorizedError):
        api.call(tokens=tokens, method="GET", path="/me")
    assert len(backend.calls) == 1
    assert tokens.status is TokenStatus.KEPT


def test_401_while_a_refresh_is_in_flight_waits_for_it_and_is_retried(embedded_store):
    """Eight requests with the same old pair, on a real socket: one refresh, all answered."""
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
        stores = [TokenStore(PAIR) for _ in range(8)]
        answers = []

        def call(tokens: TokenStore) -> None:
            answers.append(api.call(tokens=tokens, method="GET", path="/me").data)

        threads = [threading.Thread(target=call, args=(tokens,)) for tokens in stores]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30)
        for shared_call in api.refresher._single_flight.in_threads():
            shared_call.wait_until_finished(timeout_s=30)
        api.close()
    assert answers == [{"id": "1"}] * 8
    assert sum(request.line.startswith("POST /refresh") for request in server.received) == 1
    assert {tokens.current.refresh for tokens in stores} == {"second"}
    counts = counters.snapshot()
    assert counts[RefreshOutcome.REFRESHED] == 1
    assert sum(counts.values()) == 8


@pytest.mark.parametrize(
    "body",
    [{"json": {"name": "x" * 100_000}}, {"upload": Upload(content=bytes(range(256)) * 1000, content_type="a/b")}],
    ids=["json", "upload"],
)
def test_401_is_refreshed_stored_and_retried_once_with_the_whole_body(embedded_store, body):
    def answer(request, out) -> None:
        if request.line.startswith("POST /refresh"):
            out.sendall(reply(json.dumps(NEW).encode()))
        elif request.headers["authorization"] == f"Bearer {RENEWED}":
            out.sendall(reply(b'{"ok": true}'))
        else:
            out.sendall(reply(status="401 Unauthorized"))

    tokens = TokenStore(PAIR)
    with scripted_server(answer) as server:
        api = make_session(server.url)
        answered = api.call(tokens=tokens, method="POST", path="/files", request_id="r", **body)
        api.close()
    assert answered.data == {"ok": True}
    assert tokens.changed
    assert tokens.current == TokenPair(access=RENEWED, refresh="second")
    first, refresh, again = server.received
    assert json.loads(refresh.body) == {"refreshToken": "first"}
    assert (refresh.headers["idempotency-key"], refresh.headers["x-request-id"]) == (idempotency_key("first"), "r")
    sent = body["upload"].content if "upload" in body else json.dumps(body["json"], separators=(",", ":")).encode()
    assert first.body == again.body == sent


WITHOUT_TOKENS = (
    *({"json": body} for body in ({}, [], {"accessToken": "a"}, {"accessToken": "a", "refreshToken": ""})),
    *({"json": {"accessToken": 1, "refreshToken": 2}}, {"body": "null"}),
)


@pytest.mark.parametrize(
    "answer",
    [
        *({"status": status} for status in (302, 404, 405, 408, 409, 425, 429, 500, 501, 502, 503, 504)),
        *({"body": body} for body in ("<html>Sign in to this network</html>", "")),
        *WITHOUT_TOKENS,
    ],
    ids=str,
)
@pytest.mark.parametrize("honours", [True, False], ids=["honours keys", "honours none"])
def test_a_refresh_without_a_usable_answer_signs_nobody_out(api, backend, answer, honours):
    """It is no verdict on the token, and nothing of it was lost on the way."""
    api.refresher._token_endpoint.repeatable_s = 120.0 if honours else 0.0
    backend.get(f"{BASE}/me", status=401)
    backend.post(f"{BASE}/refresh", **answer)
    tokens = TokenStore(PAIR)
    with pytest.raises(ApiUnavailableError) as caught:
        api.call(tokens=tokens, method="GET", path="/me")
    assert caught.value.retry_after == 1
    assert (tokens.status, tokens.current) == (TokenStatus.KEPT, PAIR)


# --- around it ---


@pytest.mark.parametrize("access", [jwt(exp=1), None], ids=["expired", "none"])
def test_a_token_that_is_of_no_use_is_refreshed_before_the_call(api, backend, access):
    backend.get(f"{BASE}/me", json={"id": "1"})
    backend.post(f"{BASE}/refresh", json=NEW)
    api.call(tokens=TokenStore(TokenPair(access=access, refresh="first")), method="GET", path="/me")
    assert bearers(backend) == [None, f"Bearer {RENEWED}"]


def test_an_expired_token_without_a_refresh_token_is_the_backends_to_judge(api, backend):
    backend.get(f"{BASE}/me", status=401)
    with pytest.raises(ApiUnauthorizedError):
        api.call(tokens=TokenStore(TokenPair(access=jwt(exp=1))), method="GET", path="/me")
    assert len(backend.calls) == 1


def test_a_token_that_expired_on_its_way_ends_nothing(api, backend):
    backend.get(f"{BASE}/me", status=401)
    backend.post(f"{BASE}/refresh", json={"accessToken": jwt(exp=1), "refreshToken": "second"})
    tokens = TokenStore(PAIR)
    with pytest.raises(ApiUnavailableError):
        api.call(tokens=tokens, method="GET", path="/me")
    assert tokens.status is TokenStatus.REFRESHED


@pytest.mark.parametrize("made_fresh_first", [False, True], ids=["by the call", "by the page"])
def test_a_server_that_is_a_second_behind_the_issuer_ends_no_sign_in(embedded_store, made_fresh_first: bool):
    """The token is refused until the server has caught up; the first call comes right after the refresh."""
    caught_up = threading.Event()
    waits = []

    def wait(seconds: float) -> None:
        waits.append(seconds)
        caught_up.set()

    def answer(request, out) -> None:
        if request.line.startswith("POST /refresh"):
            out.sendall(reply(json.dumps(NEW).encode()))
        elif caught_up.is_set():
            out.sendall(reply(b'{"id": "1"}'))
        else:
            out.sendall(reply(status="401 Unauthorized"))

    with scripted_server(answer) as server:
        api = make_session(server.url, sleep=wait)
        tokens = TokenStore(TokenPair(access=jwt(exp=1), refresh="first"))
        if made_fresh_first:
            api.refresher.ensure_fresh(tokens, deadline=Deadline(10))
        assert api.call(tokens=tokens, method="GET", path="/me").data == {"id": "1"}
        for shared_call in api.refresher._single_flight.in_threads():
            shared_call.wait_until_finished(timeout_s=30)
        api.close()
    assert tokens.status is TokenStatus.REFRESHED
    assert waits == [1.0]
    assert [request.line.split()[1] for request in server.received] == ["/refresh", "/me", "/me"]


def test_a_token_that_was_from_record_and_is_rejected_ends_nothing(api, backend):
    """Its clock may differ from ours: the next request submits the refresh token that came with it."""
    backend.get(f"{BASE}/me", json={"id": "1"}, match=[matchers.header_matcher({"Authorization": f"Bearer {RENEWED}"})])
    backend.get(f"{BASE}/me", status=401)
    backend.post(f"{BASE}/refresh", json=NEW)
    api.call(tokens=TokenStore(PAIR), method="GET", path="/me")
    for shared_call in api.refresher._single_flight.in_threads():
        shared_call.wait_until_finished(timeout_s=30)
    backend.replace(responses.GET, f"{BASE}/me", status=401)
    backend.remove(responses.GET, f"{BASE}/me")
    backend.get(f"{BASE}/me", status=401)
    late = TokenStore(PAIR)
    with pytest.raises(ApiUnauthorizedError):
        api.call(tokens=late, method="GET", path="/me")
    assert late.status is TokenStatus.REFRESHED


def test_the_threads_of_one_request_share_one_refresh(api, backend):
    backend.get(f"{BASE}/me", status=401, match=[matchers.header_matcher({"Authorization": f"Bearer {FRESH}"})])
    backend.get(f"{BASE}/me", json={"id": "1"})
    backend.post(f"{BASE}/refresh", json=NEW)
    tokens = TokenStore(PAIR)
    barrier = threading.Barrier(6)
    answers = []

    def call() -> None:
        barrier.wait()
        answers.append(api.call(tokens=tokens, method="GET", path="/me").data)

    threads = [threading.Thread(target=call) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert answers == [{"id": "1"}] * 6
    assert sum(call.request.method == "POST" for call in backend.calls) == 1


def test_the_time_budget_bounds_the_wait_and_not_the_refresh(api, backend):
    with pytest.raises(ApiTimeoutError):
        api.call(tokens=TokenStore(PAIR), method="GET", path="/me", deadline=Deadline(0))
    assert len(backend.calls) == 0
