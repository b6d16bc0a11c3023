"""The sign-in flow: what the backend's answer to email and password comes to."""

from __future__ import annotations

from dataclasses import replace
from secrets import token_hex
from typing import Any

import pytest
import responses
from django.http import HttpRequest
from django.test import Client, RequestFactory

from portal.api import Backend, BackendProblem, FormBody
from portal.api.session import api_session
from portal.api.tokens import TokenPair, TokenStatus, TokenStore
from portal.config.cookies import VAR_PERMITTED_PLATFORMS, VAR_REFRESH_TOKEN
from portal.config.limits import SIGN_IN_TRIES, SIGN_INS_PER_ACCOUNT
from portal.oidc import ProviderFailure
from portal.oidc.id_tokens import IdTokenClaims
from portal.oidc.sign_in import _keep
from portal.process.deadline import Deadline
from portal.query.client import create_query_client
from portal.telemetry.audit import Reason
from portal.web.sign_in import sign_in, sign_in_limit
from portal.web.sign_in.password import SignInFailure
from tests.portal.web.conftest import BACKEND, access_token, profile


@pytest.fixture
def request_to_sign_in() -> HttpRequest:
    request = RequestFactory().post("/en/login")
    request.token_store = TokenStore()
    request.api_deadline = Deadline(10)
    request.request_id = "id"
    request.query_client = create_query_client(
        tokens=request.token_store, api=api_session(), deadline=request.api_deadline, request_id=request.request_id
    )
    return request


def try_with(request: HttpRequest, account: str):
    return sign_in(request, email=f"{account}@example.com", password="demo", wanted="")


def test_an_account_that_has_signed_in_too_often_is_not_tried_and_told_why(
    backend: responses.RequestsMock, account: str, request_to_sign_in: HttpRequest
) -> None:
    backend.post(f"{BACKEND}/auth/login", json={"accessToken": access_token(account), "refreshToken": "r"})
    backend.get(f"{BACKEND}/me", json=profile(account))
    for _ in range(SIGN_INS_PER_ACCOUNT - 1):
        sign_in_limit().succeeded(f"{account}@example.com")
    assert isinstance(try_with(request_to_sign_in, account), str)
    assert request_to_sign_in.token_store.status is TokenStatus.SIGNED_IN
    calls = len(backend.calls)
    outcome = try_with(request_to_sign_in, account)
    assert isinstance(outcome, SignInFailure)
    assert outcome.status == 429
    assert outcome.text == "Too many sign-ins to this account. Please wait 15 minutes, then try again."
    assert len(backend.calls) == calls


def test_who_signed_in_too_often_at_a_provider_gets_no_sign_in_here(
    backend: responses.RequestsMock, account: str, request_to_sign_in: HttpRequest
) -> None:
    backend.get(f"{BACKEND}/me", json=profile(account))
    pair = TokenPair(access=access_token(account), refresh="r")
    issued = {"claims": IdTokenClaims(subject=account, sid=None), "id_token": "id-token", "wanted": ""}
    for _ in range(SIGN_INS_PER_ACCOUNT - 1):
        sign_in_limit().succeeded(f"provider:{account}")
    assert isinstance(_keep(request_to_sign_in, pair, **issued), str)
    refused = _keep(request_to_sign_in, pair, **issued)
    assert isinstance(refused, ProviderFailure)
    assert (refused.name, refused.status) == ("too-many", 429)
    assert 0 < (refused.retry_after or 0) <= 15 * 60


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"accessToken": "ünïcödé"}, "can’t use"),
        ({"refreshToken": "a;b"}, "can’t use"),
        ({"refreshToken": "x" * 5000}, "larger than browsers can keep"),
    ],
    ids=["no ASCII", "semicolon", "too large"],
)
def test_tokens_that_nothing_can_carry_sign_nobody_in_and_the_page_says_why(
    *,
    backend: responses.RequestsMock,
    account: str,
    request_to_sign_in: HttpRequest,
    caplog: pytest.LogCaptureFixture,
    changes: dict[str, str],
    text: str,
) -> None:
    backend.post(f"{BACKEND}/auth/login", json={"accessToken": access_token(account), "refreshToken": "r", **changes})
    outcome = try_with(request_to_sign_in, account)
    assert isinstance(outcome, SignInFailure)
    assert outcome.status == 502
    assert text in outcome.text
    assert request_to_sign_in.token_store.status is TokenStatus.KEPT
    assert [record.levelname for record in caplog.records if record.name == "portal.api.sign_in"] == ["ERROR"]


@pytest.mark.parametrize("access", ["a\r\nb", "x" * 5000])
def test_a_refresh_that_gives_tokens_that_nothing_can_carry_ends_at_the_sign_in_and_not_in_an_error(
    backend: responses.RequestsMock, account: str, access: str
) -> None:
    backend.post(f"{BACKEND}/refresh", json={"accessToken": access, "refreshToken": f"second_{account}"})
    browser = Client(headers={"accept": "text/html"})
    browser.cookies[VAR_REFRESH_TOKEN] = f"refresh_{account}"
    browser.cookies[VAR_PERMITTED_PLATFORMS] = '["ENERGY"]'
    response = browser.get("/en/energy/clients")
    assert (response.status_code, response["Location"]) == (302, "/")
    assert response.cookies[VAR_REFRESH_TOKEN]["max-age"] == 0


UNUSABLE_ANSWERS = {
    "400": {"status": 400, "json": {"title": "Bad request"}},
    "404": {"status": 404, "json": {"title": "No such path"}},
    "409": {"status": 409},
    "422": {"status": 422, "json": {"detail": [{"loc": ["body", "username"], "msg": "Field required"}]}},
    "a redirect": {"status": 302, "headers": {"Location": "https://elsewhere.example"}},
    "422 of another field": {"status": 422, "json": {"errors": {"email": ["is unknown"], "username": ["is missing"]}}},
    "400 of a field": {"status": 400, "json": {"errors": {"email": ["is no address"]}}},
    "other names": {"status": 200, "json": {"access_token": "a", "refresh_token": "r"}},
    "a list": {"status": 200, "json": []},
    "an empty token": {"status": 200, "json": {"accessToken": "", "refreshToken": "r"}},
}


@pytest.mark.parametrize("answer", UNUSABLE_ANSWERS.values(), ids=UNUSABLE_ANSWERS)
def test_an_answer_that_is_no_verdict_on_the_password_does_not_blame_the_user(
    backend: responses.RequestsMock,
    account: str,
    request_to_sign_in: HttpRequest,
    caplog: pytest.LogCaptureFixture,
    answer: dict[str, Any],
) -> None:
    backend.post(f"{BACKEND}/auth/login", **answer)
    outcome = try_with(request_to_sign_in, account)
    assert isinstance(outcome, SignInFailure)
    assert (outcome.status, outcome.reason) == (502, Reason.UNEXPECTED_ANSWER)
    assert "gave an answer that this portal can’t use" in outcome.text
    line = "sign-in: the backend's answer can't be used"
    [told] = [record.getMessage() for record in caplog.records if record.getMessage().startswith(line)]
    assert "401" in told, "what a wrong password should be"
    assert '"accessToken"' in told, "what a success should be"
    if answer["status"] >= 400:
        assert f"status {answer['status']}" in told


@pytest.mark.parametrize("name", ["400", "a redirect", "other names"])
def test_an_answer_that_is_no_verdict_on_the_password_is_a_failed_try(
    backend: responses.RequestsMock, account: str, request_to_sign_in: HttpRequest, name: str
) -> None:
    """A backend may refuse a wrong password by any of them, and nobody may go on guessing."""
    request_to_sign_in.META["REMOTE_ADDR"] = f"2001:db8:{token_hex(2)}::1"
    backend.post(f"{BACKEND}/auth/login", **UNUSABLE_ANSWERS[name])
    statuses = [try_with(request_to_sign_in, account).status for _ in range(SIGN_IN_TRIES + 1)]
    assert statuses == [502] * SIGN_IN_TRIES + [429]
    assert len(backend.calls) == SIGN_IN_TRIES


@pytest.mark.parametrize("status", [429, 503])
def test_an_answer_that_says_later_is_no_failed_try(
    backend: responses.RequestsMock, account: str, request_to_sign_in: HttpRequest, status: int
) -> None:
    backend.post(f"{BACKEND}/auth/login", status=status)
    statuses = {try_with(request_to_sign_in, account).status for _ in range(SIGN_IN_TRIES + 1)}
    assert statuses == {503}


@pytest.mark.parametrize(
    ("status", "errors"),
    [
        (401, {}),
        (422, {"email": ["is no address"]}),
        (422, {"email": ["is no address"], "password": ["is too short"]}),
    ],
    ids=["401", "an address that is none", "both fields"],
)
def test_a_401_and_a_422_about_what_was_typed_are_a_wrong_password(
    *,
    backend: responses.RequestsMock,
    account: str,
    request_to_sign_in: HttpRequest,
    status: int,
    errors: dict[str, list[str]],
) -> None:
    backend.post(f"{BACKEND}/auth/login", status=status, json={"title": "No", "errors": errors})
    outcome = try_with(request_to_sign_in, account)
    assert isinstance(outcome, SignInFailure)
    assert (outcome.status, outcome.reason) == (401, Reason.WRONG_CREDENTIALS)
    assert outcome.text == "Email or password is wrong."


def test_a_422_names_the_fields_as_the_backends_class_does(
    backend: responses.RequestsMock, account: str, request_to_sign_in: HttpRequest, settings: Any
) -> None:
    settings.PORTAL = replace(settings.PORTAL, backend=type("Renaming", (Backend,), {"email_field": "loginName"})())
    backend.post(f"{BACKEND}/auth/login", status=422, json={"errors": {"loginName": ["is no address"]}})
    assert try_with(request_to_sign_in, account).status == 401


class OAuth(Backend):
    """A backend whose token endpoint says 400 to a wrong password (RFC 6749, section 5.2)."""

    sign_in_path = "/oauth/token"

    def build_sign_in(self, *, email: str, password: str) -> FormBody:
        return FormBody(grant_type="password", username=email, password=password)

    def read_tokens(self, body: Any) -> dict[str, Any]:
        return {"accessToken": body["access_token"], "refreshToken": body["refresh_token"]}

    def read_error(self, status: int, body: Any) -> BackendProblem:
        return BackendProblem(status=401) if body["error"] == "invalid_grant" else BackendProblem(status=status)


@pytest.mark.parametrize(("error", "status"), [("invalid_grant", 401), ("unsupported_grant_type", 502)])
def test_a_class_says_what_a_sign_in_sends_and_what_a_wrong_password_is(
    *,
    backend: responses.RequestsMock,
    account: str,
    request_to_sign_in: HttpRequest,
    settings: Any,
    error: str,
    status: int,
) -> None:
    settings.PORTAL = replace(settings.PORTAL, backend=OAuth())
    backend.post(f"{BACKEND}/oauth/token", status=400, json={"error": error})
    outcome = try_with(request_to_sign_in, account)
    assert isinstance(outcome, SignInFailure)
    assert outcome.status == status
    sent = backend.calls[-1].request
    assert sent.headers["Content-Type"] == "application/x-www-form-urlencoded"
    assert sent.body == f"grant_type=password&username={account}%40example.com&password=demo".encode()
