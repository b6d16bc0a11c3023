"""`ApiSession`: bearer, addresses, errors, and the four rows of the document's refresh table."""

from __future__ import annotations

import io
import json
import threading

import pytest
import responses
from hypothesis import given
from hypothesis import strategies as st
from responses import matchers

from portal.api.counters import Counters, Outcome
from portal.api.deadline import Deadline
from portal.api.exchange import DocumentExchange
from portal.api.handover import idempotency_key
from portal.api.refresher import TokenRefresher
from portal.api.session import ApiSession, Upload, build_target
from portal.api.tokens import Fate, TokenPair, TokenStore
from portal.api.transport import Transport
from portal.errors import (
    ApiConflictError,
    ApiForbiddenError,
    ApiInvalidError,
    ApiMalformedError,
    ApiNotFoundError,
    ApiRefusedError,
    ApiRejectedError,
    ApiTimeoutError,
    ApiUnavailableError,
    SignInEndedError,
    UsageError,
)
from portal.store.aliases import SharedStore
from tests.portal.api.http_server import reply, scripted_server
from tests.portal.api.world import MAX_AGE_S, jwt

BASE = "http://backend.test/base"
FRESH, RENEWED = jwt(n=1), jwt(n=2)
PAIR = TokenPair(access=FRESH, refresh="first")
NEW = {"accessToken": RENEWED, "refreshToken": "second"}


def make_session(base: str = BASE, counters: Counters | None = None) -> ApiSession:
    transport = Transport(base_url=base, connect_timeout_s=1, read_timeout_s=5)
    return ApiSession(
        transport=transport,
        refresher=TokenRefresher(
            exchange=DocumentExchange(transport),
            store=SharedStore(alias="refresh"),
            max_age_s=MAX_AGE_S,
            counters=counters or Counters(),
        ),
    )


@pytest.fixture
def api(embedded_store):
    made = make_session()
    yield made
    for flight in made.refresher._flights.in_flight():
        flight.over.wait(30)
    made.close()


@pytest.fixture
def backend():
    with responses.RequestsMock(assert_all_requests_are_fired=False) as mock:
        yield mock


def bearers(backend) -> list[str | None]:
    return [call.request.headers.get("Authorization") for call in backend.calls]


# --- a call ---


def test_a_call_carries_the_bearer_and_gives_the_data(api, backend):
    backend.get(f"{BASE}/me", json={"id": "1"}, headers={"X-Total": "7"})
    answer = api.call(tokens=TokenStore(PAIR), method="GET", path="/me")
    assert (answer.status, answer.data, answer.headers["x-total"]) == (200, {"id": "1"}, "7")
    assert bearers(backend) == [f"Bearer {FRESH}"]


def test_a_call_without_a_token_carries_no_bearer(api, backend):
    backend.get(f"{BASE}/me", json={})
    api.call(tokens=TokenStore(), method="GET", path="/me")
    assert bearers(backend) == [None]


def test_an_explicit_bearer_wins_and_is_never_refreshed(api, backend):
    backend.get(f"{BASE}/me", status=401)
    tokens = TokenStore(PAIR)
    with pytest.raises(ApiRejectedError):
        api.call(tokens=tokens, method="GET", path="/me", bearer="explicit")
    assert bearers(backend) == ["Bearer explicit"]
    assert tokens.fate is Fate.KEPT


def test_sign_in_carries_no_bearer_and_its_401_is_a_wrong_password(api, backend):
    backend.post(f"{BASE}/auth/login", status=401, json={"title": "Wrong e-mail or password"})
    with pytest.raises(ApiRejectedError, match="Wrong e-mail"):
        api.call(tokens=TokenStore(PAIR), method="POST", path="/auth/login", json={"email": "e", "password": "p"})
    assert bearers(backend) == [None]
    assert len(backend.calls) == 1


def test_parameters_body_keys_and_request_id_are_sent(api, backend):
    backend.post(
        f"{BASE}/energy/clients",
        json={"id": "1"},
        status=201,
        match=[
            matchers.query_param_matcher({"q": "å b&c", "limit": "20"}),
            matchers.json_params_matcher({"name": "Zoë"}),
            matchers.header_matcher({"Idempotency-Key": "k", "X-Request-ID": "r", "Content-Type": "application/json"}),
        ],
    )
    answer = api.call(
        tokens=TokenStore(PAIR),
        method="POST",
        path="/energy/clients",
        params={"q": "å b&c", "limit": 20, "cursor": None},
        json={"name": "Zoë"},
        idempotency_key="k",
        request_id="r",
    )
    assert answer.status == 201


@pytest.mark.parametrize(("given", "sent"), [("Firefox/140.0", "Firefox/140.0"), (None, "portal")])
def test_the_browsers_own_name_is_passed_on(api, backend, given, sent):
    backend.get(f"{BASE}/me", json={"id": "1"}, match=[matchers.header_matcher({"User-Agent": sent})])
    assert api.call(tokens=TokenStore(PAIR), method="GET", path="/me", user_agent=given).status == 200


def test_json_null_is_a_body_and_no_body_is_none(api, backend):
    backend.post(f"{BASE}/x", json={})
    api.call(tokens=TokenStore(PAIR), method="POST", path="/x", json=None)
    api.call(tokens=TokenStore(PAIR), method="POST", path="/x")
    assert [call.request.body for call in backend.calls] == [b"null", None]


def test_an_empty_answer_is_no_data(api, backend):
    backend.delete(f"{BASE}/x", status=204)
    assert api.call(tokens=TokenStore(PAIR), method="DELETE", path="/x").data is None


def test_values_are_kept_as_they_come(api, backend):
    body = '{"big": 12345678901234567890123, "small": 0.1, "text": "\\ud83d\\ude00", "none": null}'
    backend.get(f"{BASE}/x", body=body)
    data = api.call(tokens=TokenStore(PAIR), method="GET", path="/x").data
    assert data == {"big": 12345678901234567890123, "small": 0.1, "text": "😀", "none": None}


@pytest.mark.parametrize(
    "body", ["<html>", "{", '{"a": NaN}', '{"a": 1e999}', "[-1e400]", "[" * 100_000, "\xff"], ids=lambda body: body[:6]
)
def test_a_success_that_is_no_json_is_malformed(api, backend, body):
    backend.get(f"{BASE}/x", body=body)
    with pytest.raises(ApiMalformedError):
        api.call(tokens=TokenStore(PAIR), method="GET", path="/x")


def test_what_is_no_json_can_not_be_sent(api):
    with pytest.raises(UsageError):
        api.call(tokens=TokenStore(PAIR), method="POST", path="/x", json=object())
    with pytest.raises(UsageError):
        api.call(
            tokens=TokenStore(PAIR), method="POST", path="/x", json={}, upload=Upload(content=b"", content_type="x/y")
        )


# --- addresses ---


@pytest.mark.parametrize(
    "path",
    [
        *("http://evil.test/", "//evil.test/", "me", "", "/a/../b", "/..", "/.", "/a/%2e%2e/b", "/%2E", "/a\\b"),
        *("/a?b=c", "/a#b", "/a\nb", "/a\x00", "/a\u2028b"),
    ],
)
def test_a_path_that_could_leave_the_base_address_is_refused(api, path):
    with pytest.raises(UsageError):
        api.call(tokens=TokenStore(PAIR), method="GET", path=path)


def test_a_percent_encoded_identifier_stays_one_segment():
    assert build_target("/energy/clients/..%2Fme") == "/energy/clients/..%2Fme"
    assert build_target("/energy/clients/a%20b%3Fc") == "/energy/clients/a%20b%3Fc"
    assert build_target("/energy/clients/zoë") == "/energy/clients/zo%C3%AB"


@given(st.text())
def test_no_text_makes_an_address_outside_the_base(text):
    try:
        target = build_target(text)
    except UsageError:
        return
    assert target.startswith("/")
    assert not target.startswith("//")
    assert "/../" not in f"{target}/"
    assert target.isascii()


# --- errors ---


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (400, ApiInvalidError),
        (403, ApiForbiddenError),
        (404, ApiNotFoundError),
        (405, ApiRefusedError),
        (408, ApiUnavailableError),
        (409, ApiConflictError),
        (410, ApiNotFoundError),
        (412, ApiConflictError),
        (418, ApiRefusedError),
        (422, ApiInvalidError),
        (425, ApiUnavailableError),
        (429, ApiUnavailableError),
        (500, ApiUnavailableError),
        (501, ApiUnavailableError),
        (502, ApiUnavailableError),
        (503, ApiUnavailableError),
        (504, ApiUnavailableError),
        (301, ApiMalformedError),
        (302, ApiMalformedError),
        (307, ApiMalformedError),
    ],
)
def test_each_status_is_one_error_of_the_tree(api, backend, status, error):
    backend.get(f"{BASE}/x", status=status, json={"title": "Title", "detail": "What happened"})
    with pytest.raises(error) as caught:
        api.call(tokens=TokenStore(PAIR), method="GET", path="/x")
    assert type(caught.value) is error
    assert caught.value.status == status
    if status >= 400:
        assert caught.value.detail == "What happened"


def test_invalid_fields_come_with_their_messages(api, backend):
    errors = {"email": ["Not an address"], "name": "Missing", "odd": [1, {"a": 2}], "none": None}
    backend.post(f"{BASE}/x", status=422, json={"title": "Invalid", "errors": errors})
    with pytest.raises(ApiInvalidError) as caught:
        api.call(tokens=TokenStore(PAIR), method="POST", path="/x", json={})
    assert caught.value.errors == {"email": ("Not an address",), "name": ("Missing",)}


@pytest.mark.parametrize("body", ["<html>", "[]", '"text"', '{"detail": 7, "errors": [1]}', ""])
def test_an_error_without_a_problem_document_is_still_its_error(api, backend, body):
    backend.get(f"{BASE}/x", status=422, body=body)
    with pytest.raises(ApiInvalidError) as caught:
        api.call(tokens=TokenStore(PAIR), method="GET", path="/x")
    assert caught.value.errors == {}


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("7", 7.0),
        ("0", 0.0),
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0.0),
        ("soon", None),
        ("9" * 400, None),
        ("-1", None),
        ("", None),
    ],
)
def test_retry_after_is_read_in_both_forms(api, backend, value, seconds):
    backend.get(f"{BASE}/x", status=503, headers={"Retry-After": value})
    with pytest.raises(ApiUnavailableError) as caught:
        api.call(tokens=TokenStore(PAIR), method="GET", path="/x")
    assert caught.value.retry_after == seconds


def test_no_error_carries_a_token_or_a_body(api, backend):
    backend.get(f"{BASE}/x", status=503, body=f"<html>{FRESH} private</html>")
    with pytest.raises(ApiUnavailableError) as caught:
        api.call(tokens=TokenStore(PAIR), method="GET", path="/x")
    assert FRESH not in repr(caught.value.__dict__) + str(caught.value)
    assert "private" not in repr(caught.value.__dict__) + str(caught.value)


# --- the four rows ---


def test_401_without_a_refresh_token_is_passed_through(api, backend):
    backend.get(f"{BASE}/me", status=401)
    tokens = TokenStore(TokenPair(access=FRESH))
    with pytest.raises(ApiRejectedError):
        api.call(tokens=tokens, method="GET", path="/me")
    assert len(backend.calls) == 1
    assert tokens.fate is Fate.KEPT


def test_401_while_a_refresh_is_in_flight_waits_for_it_and_is_retried(embedded_store):
    """Eight requests with the same old pair, on a real socket: one refresh, all answered."""
    all_refused = threading.Barrier(8)
    counters = Counters()

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
        for flight in api.refresher._flights.in_flight():
            flight.over.wait(30)
        api.close()
    assert answers == [{"id": "1"}] * 8
    assert sum(request.line.startswith("POST /refresh") for request in server.received) == 1
    assert {tokens.current.refresh for tokens in stores} == {"second"}
    counts = counters.snapshot()
    assert counts[Outcome.REFRESHED] == 1
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
        *({"status": status} for status in (400, 401, 403, 422, 500)),
        {"json": {}},
        {"json": []},
        {"body": "null"},
        {"json": {"accessToken": "a"}},
        {"json": {"accessToken": "a", "refreshToken": ""}},
        {"json": {"accessToken": 1, "refreshToken": 2}},
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
        *({"status": status} for status in (302, 404, 405, 408, 425, 429, 501, 502, 503, 504)),
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
    assert (tokens.fate, tokens.current) == (Fate.KEPT, PAIR)


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
    api.ensure_fresh(tokens)
    assert tokens.current.refresh == "second"


def test_an_expired_token_without_a_refresh_token_is_the_backends_to_judge(api, backend):
    backend.get(f"{BASE}/me", status=401)
    with pytest.raises(ApiRejectedError):
        api.call(tokens=TokenStore(TokenPair(access=jwt(exp=1))), method="GET", path="/me")
    assert len(backend.calls) == 1


def test_a_refreshed_sign_in_that_the_backend_rejects_is_over(api, backend):
    backend.get(f"{BASE}/me", status=401)
    backend.post(f"{BASE}/refresh", json=NEW)
    tokens = TokenStore(PAIR)
    with pytest.raises(ApiRejectedError):
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
    assert tokens.fate is Fate.RENEWED


def test_a_token_that_was_handed_over_and_is_rejected_ends_nothing(api, backend):
    """Its clock may differ from ours: the next request presents the refresh token that came with it."""
    backend.get(f"{BASE}/me", json={"id": "1"}, match=[matchers.header_matcher({"Authorization": f"Bearer {RENEWED}"})])
    backend.get(f"{BASE}/me", status=401)
    backend.post(f"{BASE}/refresh", json=NEW)
    api.call(tokens=TokenStore(PAIR), method="GET", path="/me")
    for flight in api.refresher._flights.in_flight():
        flight.over.wait(30)
    backend.replace(responses.GET, f"{BASE}/me", status=401)
    backend.remove(responses.GET, f"{BASE}/me")
    backend.get(f"{BASE}/me", status=401)
    late = TokenStore(PAIR)
    with pytest.raises(ApiRejectedError):
        api.call(tokens=late, method="GET", path="/me")
    assert late.fate is Fate.RENEWED


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


class _Unseekable(io.BytesIO):
    def seekable(self) -> bool:
        return False


def _upload_server(seen: list[bytes]):
    def answer(request, out) -> None:
        if request.line.startswith("POST /refresh"):
            out.sendall(reply(json.dumps(NEW).encode()))
            return
        seen.append(request.body)
        fresh = request.headers["authorization"] == f"Bearer {RENEWED}"
        out.sendall(reply(b'{"ok": true}') if fresh else reply(status="401 Unauthorized"))

    return scripted_server(answer)


@pytest.mark.parametrize("as_stream", [False, True], ids=["bytes", "stream"])
def test_a_retried_upload_carries_its_body_again_whole(embedded_store, as_stream):
    seen: list[bytes] = []
    content = bytes(range(256)) * 1000
    stream = io.BytesIO(b"already read" + content)
    stream.seek(len(b"already read"))
    with _upload_server(seen) as server:
        api = make_session(server.url)
        upload = Upload(content=stream if as_stream else content, content_type="application/octet-stream")
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


def test_an_upload_that_can_not_be_sent_again_raises_the_original_401(embedded_store):
    seen: list[bytes] = []
    with _upload_server(seen) as server:
        api = make_session(server.url)
        upload = Upload(content=_Unseekable(b"once"), content_type="application/octet-stream")
        tokens = TokenStore(PAIR)
        with pytest.raises(ApiRejectedError):
            api.call(tokens=tokens, method="POST", path="/files", upload=upload)
        api.close()
    assert seen == [b"once"]
    assert tokens.fate is Fate.KEPT
