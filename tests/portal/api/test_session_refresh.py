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
    SignInEndedError,
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


def test_401_is_refreshed_stored_and_retried_once(api, backend):
    backend.get(f"{BASE}/me", status=401, match=[matchers.header_matcher({"Authorization": f"Bearer {FRESH}"})])
    backend.get(f"{BASE}/me", json={"id": "1"})
    backend.post(
        f"{BASE}/refresh",
        json=NEW,
        match=[
            matchers.json_params_matcher({"refreshToken": "first"}),
            matchers.header_matcher({"Idempotency-Key": idempotency_key("first"), "X-Request-ID": "r"}),
        ],
    )
    tokens = TokenStore(PAIR)
    assert api.call(tokens=tokens, method="GET", path="/me", request_id="r").data == {"id": "1"}
    assert tokens.changed
    assert tokens.current == TokenPair(access=RENEWED, refresh="second")
    assert bearers(backend) == [f"Bearer {FRESH}", None, f"Bearer {RENEWED}"]


@pytest.mark.parametrize(
    "answer",
    [
        *({"status": status} for status in (400, 401, 403, 422)),
    ],
    ids=str,
)
def test_a_failed_refresh_ends_the_sign_in(api, backend, answer):
    backend.get(f"{BASE}/me", status=401)
    backend.post(f"{BASE}/refresh", **answer)
    tokens = TokenStore(PAIR)
    with pytest.raises(SignInEndedError):
        api.call(tokens=tokens, method="GET", path="/me")
    assert tokens.ended
    assert tokens.current == TokenPair()
    # Whatever this page still asks for is not sent any more.
    with pytest.raises(SignInEndedError):
        api.call(tokens=tokens, method="GET", path="/me")
    assert len(backend.calls) == 2


@pytest.mark.parametrize(
    "answer",
    [
        {"json": {}},
        {"json": []},
        {"body": "null"},
        {"json": {"accessToken": "a"}},
        {"json": {"accessToken": "a", "refreshToken": ""}},
        {"json": {"accessToken": 1, "refreshToken": 2}},
    ],
    ids=str,
)
@pytest.mark.parametrize("honours", [True, False], ids=["honours keys", "honours none"])
def test_json_without_tokens_signs_nobody_out(api, backend, answer, honours):
    """It is no verdict on the token, and nothing of it was lost on the way."""
    api.refresher._token_endpoint.repeatable_s = 120.0 if honours else 0.0
    backend.get(f"{BASE}/me", status=401)
    backend.post(f"{BASE}/refresh", **answer)
    tokens = TokenStore(PAIR)
    with pytest.raises(ApiUnavailableError):
        api.call(tokens=tokens, method="GET", path="/me")
    assert (tokens.ended, tokens.lost) == (False, False)


@pytest.mark.parametrize(
    "answer",
    [
        *({"status": status} for status in (302, 404, 405, 408, 409, 425, 429, 500, 501, 502, 503, 504)),
        {"body": "<html>Sign in to this network</html>"},
        {"body": ""},
        {"body": ConnectionRefusedError()},
        {"body": TimeoutError()},
    ],
    ids=str,
)
def test_a_refresh_without_a_usable_answer_signs_nobody_out(api, backend, answer):
    backend.get(f"{BASE}/me", status=401)
    backend.post(f"{BASE}/refresh", **answer)
    tokens = TokenStore(PAIR)
    with pytest.raises(ApiUnavailableError) as caught:
        api.call(tokens=tokens, method="GET", path="/me")
    assert caught.value.retry_after == 1
    assert (tokens.status, tokens.current) == (TokenStatus.KEPT, PAIR)


# --- around it ---


def test_an_expired_token_is_refreshed_before_the_call(api, backend):
    backend.get(f"{BASE}/me", json={"id": "1"})
    backend.post(f"{BASE}/refresh", json=NEW)
    tokens = TokenStore(TokenPair(access=jwt(exp=1), refresh="first"))
    api.call(tokens=tokens, method="GET", path="/me")
    assert bearers(backend) == [None, f"Bearer {RENEWED}"]


def test_a_refresh_token_alone_is_enough(api, backend):
    backend.get(f"{BASE}/me", json={"id": "1"})
    backend.post(f"{BASE}/refresh", json=NEW)
    api.call(tokens=TokenStore(TokenPair(refresh="first")), method="GET", path="/me")
    assert bearers(backend) == [None, f"Bearer {RENEWED}"]


def test_ensure_fresh_refreshes_for_a_page_that_asks_the_backend_nothing_else(api, backend):
    backend.post(f"{BASE}/refresh", json=NEW)
    tokens = TokenStore(TokenPair(access=jwt(exp=1), refresh="first"))
    api.refresher.ensure_fresh(tokens, deadline=Deadline(10))
    assert tokens.current.refresh == "second"


def test_an_expired_token_without_a_refresh_token_is_the_backends_to_judge(api, backend):
    backend.get(f"{BASE}/me", status=401)
    with pytest.raises(ApiUnauthorizedError):
        api.call(tokens=TokenStore(TokenPair(access=jwt(exp=1))), method="GET", path="/me")
    assert len(backend.calls) == 1


def test_a_refreshed_sign_in_that_the_backend_rejects_is_over(api, backend):
    backend.get(f"{BASE}/me", status=401)
    backend.post(f"{BASE}/refresh", json=NEW)
    tokens = TokenStore(PAIR)
    with pytest.raises(ApiUnauthorizedError):
        api.call(tokens=tokens, method="GET", path="/me")
    assert tokens.ended
    # The others who hold the old pair learn it without another refresh.
    late = TokenStore(PAIR)
    with pytest.raises(SignInEndedError):
        api.call(tokens=late, method="GET", path="/me")
    assert sum(call.request.method == "POST" for call in backend.calls) == 1


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


# --- uploads ---


def _upload_server(seen: list[bytes]):
    def answer(request, out) -> None:
        if request.line.startswith("POST /refresh"):
            out.sendall(reply(json.dumps(NEW).encode()))
            return
        seen.append(request.body)
        fresh = request.headers["authorization"] == f"Bearer {RENEWED}"
        out.sendall(reply(b'{"ok": true}') if fresh else reply(status="401 Unauthorized"))

    return scripted_server(answer)


def test_a_retried_upload_carries_its_body_again_whole(embedded_store):
    seen: list[bytes] = []
    content = bytes(range(256)) * 1000
    with _upload_server(seen) as server:
        api = make_session(server.url)
        upload = Upload(content=content, content_type="application/octet-stream")
        answer = api.call(tokens=TokenStore(PAIR), method="POST", path="/files", upload=upload)
        api.close()
    assert answer.data == {"ok": True}
    assert seen == [content, content]


def test_a_json_body_is_sent_again_whole(embedded_store):
    seen: list[bytes] = []
    with _upload_server(seen) as server:
        api = make_session(server.url)
        api.call(tokens=TokenStore(PAIR), method="POST", path="/files", json={"name": "x" * 100_000})
        api.close()
    assert len(seen) == 2
    assert seen[0] == seen[1]
    assert json.loads(seen[1]) == {"name": "x" * 100_000}
