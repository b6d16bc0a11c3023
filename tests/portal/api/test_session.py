"""`ApiSession`: one call, its bearer, its address, its errors."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from responses import matchers

from portal import errors
from portal.api import FormBody
from portal.api.backend import encode_body
from portal.api.refresh.sealing import idempotency_key
from portal.api.responses import RawResponse, read_response
from portal.api.session import build_target
from portal.api.tokens import TokenPair, TokenStatus, TokenStore
from portal.process.deadline import Deadline
from tests.portal.api.sessions import BASE, FRESH, NEW, PAIR, RENEWED, bearers
from tests.support.refresh_world import jwt


def get(api, path: str = "/x"):
    return api.call(tokens=TokenStore(PAIR), method="GET", path=path)


# --- a call ---


@pytest.mark.parametrize(
    ("tokens", "call", "bearer"),
    [
        (TokenPair(), {"path": "/me"}, None),
        (PAIR, {"path": "/me", "bearer": "explicit"}, "Bearer explicit"),
        (PAIR, {"path": "/auth/login", "method": "POST", "json": {"email": "e", "password": "p"}}, None),
    ],
    ids=["no token", "explicit", "sign-in"],
)
def test_a_401_of_a_call_without_the_requests_own_bearer_is_passed_on(api, backend, tokens, call, bearer):
    backend.get(f"{BASE}/me", status=401, json={"title": "Wrong e-mail or password"})
    backend.post(f"{BASE}/auth/login", status=401, json={"title": "Wrong e-mail or password"})
    held = TokenStore(tokens)
    with pytest.raises(errors.ApiUnauthorizedError, match="Wrong e-mail"):
        api.call(tokens=held, **{"method": "GET", **call})
    assert bearers(backend) == [bearer]
    assert held.status is TokenStatus.KEPT


def test_parameters_body_keys_and_request_id_are_sent(api, backend):
    backend.post(
        f"{BASE}/energy/clients",
        json={"id": "1"},
        status=201,
        headers={"X-Total": "7"},
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
    assert (answer.status, answer.data, answer.headers["x-total"]) == (201, {"id": "1"}, "7")
    assert bearers(backend) == [f"Bearer {FRESH}"]


@pytest.mark.parametrize(
    ("given", "header", "sent"),
    [
        # A version is one tag, whatever a form has sent; the browser's own name is passed on.
        *(({"if_match": 7}, "If-Match", '"7"'), ({"if_match": "\n"}, "If-Match", '"%0A"')),
        ({"if_match": 'a", "b'}, "If-Match", '"a%22%2C%20%22b"'),
        *(({"user_agent": name}, "User-Agent", name or "portal") for name in ("Firefox/140.0", None)),
    ],
)
def test_versions_and_the_name_of_the_browser_are_headers(api, backend, given, header, sent):
    backend.put(f"{BASE}/x", json={}, match=[matchers.header_matcher({header: sent})])
    assert api.call(tokens=TokenStore(PAIR), method="PUT", path="/x", **given).status == 200


def test_call_and_answer_may_have_no_body(api, backend):
    backend.post(f"{BASE}/x", status=204)
    assert api.call(tokens=TokenStore(PAIR), method="POST", path="/x").data is None
    assert backend.calls[0].request.body is None


@pytest.mark.parametrize("body", [{1}, {"kwh": float("nan")}, [float("inf")]], ids=repr)
def test_what_json_does_not_have_can_not_be_sent(api, body):
    with pytest.raises(errors.UsageError):
        api.call(tokens=TokenStore(PAIR), method="POST", path="/x", json=body)


@pytest.mark.parametrize(
    "body", ["<html>", "{", '{"a": NaN}', '{"a": 1e999}', "[-1e400]", "[" * 100_000, "\xff"], ids=lambda body: body[:6]
)
def test_a_success_that_is_no_json_is_malformed(api, backend, body):
    backend.get(f"{BASE}/x", body=body)
    with pytest.raises(errors.ApiMalformedError):
        get(api)


# --- addresses ---


@pytest.mark.parametrize(
    "path",
    [
        *("http://evil.test/", "//evil.test/", "me", "", "/a/../b", "/..", "/.", "/a/%2e%2e/b", "/%2E", "/a\\b"),
        *("/a?b=c", "/a#b", "/a\nb", "/a\x00", "/a\u2028b"),
    ],
)
def test_a_path_that_could_leave_the_base_address_is_refused(api, path):
    with pytest.raises(errors.UsageError):
        get(api, path)


def test_a_percent_encoded_identifier_stays_one_segment():
    assert build_target("/energy/clients/..%2Fme") == "/energy/clients/..%2Fme"
    assert build_target("/energy/clients/a%20b%3Fc") == "/energy/clients/a%20b%3Fc"
    assert build_target("/energy/clients/zoë") == "/energy/clients/zo%C3%AB"


@given(st.text())
def test_no_text_makes_an_address_outside_the_base(text):
    try:
        target = build_target(text)
    except errors.UsageError:
        return
    assert target.startswith("/")
    assert not target.startswith("//")
    assert "/../" not in f"{target}/"
    assert target.isascii()


# --- errors ---

ERRORS = {
    errors.ApiValidationError: (400, 422),
    errors.ApiForbiddenError: (403,),
    errors.ApiNotFoundError: (404, 410),
    errors.ApiClientError: (405, 418),
    errors.ApiConflictError: (409,),
    errors.ApiPreconditionFailedError: (412,),
    errors.ApiUnavailableError: (408, 425, 429, 500, 501, 502, 503, 504),
    errors.ApiMalformedError: (301, 302, 307),
}


@pytest.mark.parametrize(("status", "error"), [(each, error) for error, all_of in ERRORS.items() for each in all_of])
def test_each_status_is_one_error_of_the_tree(api, backend, status, error):
    backend.get(f"{BASE}/x", status=status, json={"title": "Title", "detail": "What happened"})
    with pytest.raises(error) as caught:
        get(api)
    assert type(caught.value) is error
    assert caught.value.status == status
    if status >= 400:
        assert caught.value.detail == "What happened"


@pytest.mark.parametrize(
    ("body", "detail", "of_fields"),
    [
        *((body, "", {}) for body in (b"<html>", b"[]", b'"text"', b'{"detail": 7, "errors": [1]}', b"")),
        (
            b'{"title": "T", "errors": {"email": ["No"], "name": "Missing", "odd": [1, {"a": 2}], "none": null}}',
            "T",
            {"email": ("No",), "name": ("Missing",)},
        ),
        # What is no text of Unicode can be written too.
        (
            rb'{"detail": "bad \ud83d", "errors": {"n \ud83d": ["bad \ud83d"]}}',
            "bad \ufffd",
            {"n \ufffd": ("bad \ufffd",)},
        ),
    ],
)
def test_error_has_the_texts_of_its_fields(body, detail, of_fields):
    with pytest.raises(errors.ApiValidationError) as caught:
        read_response(RawResponse(status=422, headers={}, content=body))
    assert (caught.value.detail, caught.value.errors) == (detail, of_fields)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        *(("7", 7.0), ("0", 0.0), ("Thu, 01 Jan 1970 00:00:00 GMT", 0.0)),
        *((value, None) for value in ("soon", "9" * 400, "-1", "", "Mon, 01 Jan 99999999999 00:00:00 GMT")),
    ],
)
def test_retry_after_is_read_in_both_forms_and_no_error_carries_a_token_or_a_body(api, backend, value, seconds):
    backend.get(f"{BASE}/x", status=503, headers={"Retry-After": value}, body=f"<html>{FRESH} private</html>")
    with pytest.raises(errors.ApiUnavailableError) as caught:
        get(api)
    assert caught.value.retry_after == seconds
    shown = repr(caught.value.__dict__) + str(caught.value)
    assert [secret for secret in (FRESH, "private") if secret in shown] == []


# --- a refresh: the four rows of requirements, "Token refresh flow", and what a retry carries ---


def me(api, tokens: TokenStore, **options):
    return api.call(tokens=tokens, method="GET", path="/me", **options).data


@pytest.mark.parametrize("access", [FRESH, jwt(exp=1)], ids=["fresh", "expired"])
def test_401_without_a_refresh_token_is_passed_through(api, backend, access):
    backend.get(f"{BASE}/me", status=401)
    tokens = TokenStore(TokenPair(access=access))
    with pytest.raises(errors.ApiUnauthorizedError):
        me(api, tokens)
    assert len(backend.calls) == 1
    assert tokens.status is TokenStatus.KEPT


@pytest.mark.parametrize("body", [{"name": "x" * 100_000}, FormBody(name="x" * 100_000)], ids=["json", "form"])
def test_401_is_refreshed_and_retried_with_its_body(api, backend, body):
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


def test_token_expired_on_its_way_ends_nothing(api, backend):
    backend.get(f"{BASE}/me", status=401)
    backend.post(f"{BASE}/refresh", json={"accessToken": jwt(exp=1), "refreshToken": "second"})
    tokens = TokenStore(PAIR)
    with pytest.raises(errors.ApiUnavailableError):
        me(api, tokens)
    assert tokens.status is TokenStatus.REFRESHED


@pytest.mark.parametrize("made_fresh_first", [False, True], ids=["by the call", "by the page"])
def test_clock_behind_the_issuer_ends_no_sign_in(api, backend, made_fresh_first: bool):
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


def test_rejected_token_of_a_record_ends_nothing(api, backend):
    """Its clock may differ from ours: the next request submits the refresh token that came with it."""
    backend.post(f"{BASE}/refresh", json=NEW)
    for status in (401, 200, 401):
        backend.get(f"{BASE}/me", status=status, json={})
    me(api, TokenStore(PAIR))
    late = TokenStore(PAIR)
    with pytest.raises(errors.ApiUnauthorizedError):
        me(api, late)
    assert late.status is TokenStatus.REFRESHED
