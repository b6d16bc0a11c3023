"""The sign-in flow: what the backend's answer to email and password comes to."""

from __future__ import annotations

import pytest
import responses
from django.http import HttpRequest
from django.test import Client, RequestFactory

from portal.api.session import api_session
from portal.api.tokens import TokenPair, TokenStatus, TokenStore
from portal.config.cookies import VAR_PERMITTED_PLATFORMS, VAR_REFRESH_TOKEN
from portal.config.limits import SIGN_INS_PER_ACCOUNT
from portal.oidc import ProviderFailure
from portal.oidc.id_tokens import IdTokenClaims
from portal.oidc.sign_in import _keep
from portal.process.deadline import Deadline
from portal.query.client import create_query_client
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


def test_usable_tokens_sign_in(backend: responses.RequestsMock, account: str, request_to_sign_in: HttpRequest) -> None:
    backend.post(f"{BACKEND}/auth/login", json={"accessToken": access_token(account), "refreshToken": "r"})
    backend.get(f"{BACKEND}/me", json=profile(account))
    outcome = try_with(request_to_sign_in, account)
    assert isinstance(outcome, str)
    assert request_to_sign_in.token_store.status is TokenStatus.SIGNED_IN


def test_an_account_that_has_signed_in_too_often_is_not_tried_and_told_why(
    backend: responses.RequestsMock, account: str, request_to_sign_in: HttpRequest
) -> None:
    backend.post(f"{BACKEND}/auth/login", json={"accessToken": access_token(account), "refreshToken": "r"})
    backend.get(f"{BACKEND}/me", json=profile(account))
    for _ in range(SIGN_INS_PER_ACCOUNT - 1):
        sign_in_limit().succeeded(f"{account}@example.com")
    assert isinstance(try_with(request_to_sign_in, account), str)
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
        ({"accessToken": "a\r\nb"}, "can’t use"),
        ({"accessToken": "ünïcödé"}, "can’t use"),
        ({"refreshToken": "a;b"}, "can’t use"),
        ({"refreshToken": "x" * 5000}, "larger than browsers can keep"),
    ],
    ids=["line break", "no ASCII", "semicolon", "too large"],
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


@pytest.mark.parametrize("access", ["a\r\nb", "ünïcödé \u2028", "x" * 5000])
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
