"""The sign-in flow: what the backend's answer to email and password comes to."""

from collections.abc import Callable
from functools import partial
from secrets import token_hex
from typing import Any

import pytest
import responses
from django.http import HttpRequest
from django.test import RequestFactory
from responses import RequestsMock

from portal.api.session import api_session
from portal.api.tokens import TokenPair, TokenStatus, TokenStore
from portal.config.limits import SIGN_IN_TRIES, SIGN_IN_TRIES_PER_ADDRESS, SIGN_INS_PER_ACCOUNT
from portal.process.deadline import Deadline
from portal.query.client import create_query_client
from portal.telemetry.audit import Reason
from portal.web.sign_in import sign_in, sign_in_limit
from portal.web.sign_in.password import SignInFailure
from portal_oidc import ProviderFailure
from portal_oidc.id_tokens import IdTokenClaims
from portal_oidc.sign_in import _keep
from tests.portal.web.conftest import BACKEND, access_token, profile

WRONG = (401, Reason.WRONG_CREDENTIALS)
UNUSABLE = (502, Reason.UNEXPECTED_ANSWER)
LATER = (503, Reason.BACKEND_UNAVAILABLE)
NO_ADDRESS = {"email": ["is no address"]}


@pytest.fixture
def request_to_sign_in() -> HttpRequest:
    request = RequestFactory().post("/en/login", REMOTE_ADDR=f"2001:db8:{token_hex(2)}::1")
    request.token_store = TokenStore()
    request.api_deadline = Deadline(10)
    request.request_id = "id"
    request.query_client = create_query_client(
        tokens=request.token_store, api=api_session(), deadline=request.api_deadline, request_id=request.request_id
    )
    return request


@pytest.fixture
def attempt(request_to_sign_in: HttpRequest, account: str) -> Callable[[], Any]:
    """Try to sign in; what it comes to."""
    return lambda: sign_in(request_to_sign_in, email=f"{account}@example.com", password="demo", wanted="")


def test_known_user_signs_in_beside_made_up_names(
    backend: RequestsMock, request_to_sign_in: HttpRequest, account: str, attempt: Callable[[], Any]
) -> None:
    backend.get(f"{BACKEND}/me", json=profile(account))
    granted = {"json": {"accessToken": access_token(account), "refreshToken": "r"}}
    answer = partial(backend.upsert, responses.POST, f"{BACKEND}/auth/login")
    answer(**granted)
    assert isinstance(attempt(), str)
    answer(status=401)
    names = [f"made-up-{number}@example.com" for number in range(SIGN_IN_TRIES_PER_ADDRESS + 1)]
    failures = [sign_in(request_to_sign_in, email=name, password="demo", wanted="") for name in names]
    assert [failure.status for failure in failures] == [401] * SIGN_IN_TRIES_PER_ADDRESS + [429]
    answer(**granted)
    assert isinstance(attempt(), str)


def test_too_many_sign_ins_are_told(backend: RequestsMock, account: str, attempt: Callable[[], Any]) -> None:
    backend.post(f"{BACKEND}/auth/login", json={"accessToken": access_token(account), "refreshToken": "r"})
    backend.get(f"{BACKEND}/me", json=profile(account))
    for _ in range(SIGN_INS_PER_ACCOUNT - 1):
        sign_in_limit().succeeded(f"{account}@example.com")
    assert isinstance(attempt(), str)
    calls = len(backend.calls)
    outcome = attempt()
    assert outcome.status == 429
    assert outcome.text.startswith("Too many sign-ins to this account. Please wait ")
    assert len(backend.calls) == calls


def test_who_signed_in_too_often_at_a_provider_gets_no_sign_in_here(
    backend: RequestsMock, account: str, request_to_sign_in: HttpRequest
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


def test_tokens_that_nothing_can_carry_sign_nobody_in(
    backend: RequestsMock, account: str, request_to_sign_in: HttpRequest, attempt: Callable[[], Any], caplog: Any
) -> None:
    login, access = f"{BACKEND}/auth/login", access_token(account)
    for token, text in (("a;b", "can’t use"), ("x" * 5000, "larger than browsers can keep")):
        backend.upsert(responses.POST, login, json={"accessToken": access, "refreshToken": token})
        outcome = attempt()
        assert (outcome.status, text in outcome.text) == (502, True)
        assert request_to_sign_in.token_store.status is TokenStatus.KEPT
        assert "sign-in refused" in caplog.text
        assert token not in caplog.text


#: What the backend answers, and what it comes to.
ANSWERS: dict[str, tuple[dict[str, Any], tuple[int, Reason]]] = {
    "401": ({"status": 401}, WRONG),
    "422 of both fields": ({"status": 422, "json": {"errors": NO_ADDRESS | {"password": ["is too short"]}}}, WRONG),
    # Anything else is no verdict on the password, and a failed try: a backend may refuse a wrong password by it.
    "400": ({"status": 400, "json": {"title": "Bad request"}}, UNUSABLE),
    "422": ({"status": 422, "json": {"detail": [{"loc": ["body", "username"], "msg": "Field required"}]}}, UNUSABLE),
    "422 of another field": ({"status": 422, "json": {"errors": NO_ADDRESS | {"username": ["lacks"]}}}, UNUSABLE),
    "a redirect": ({"status": 302, "headers": {"Location": "https://elsewhere.example"}}, UNUSABLE),
    "other names": ({"status": 200, "json": {"access_token": "a", "refresh_token": "r"}}, UNUSABLE),
    # What says "later" is no failed try.
    "429": ({"status": 429}, LATER),
}


@pytest.mark.parametrize(("answer", "outcome"), ANSWERS.values(), ids=ANSWERS)
def test_only_a_verdict_on_the_password_blames_the_user(
    backend: RequestsMock, attempt: Callable[[], Any], caplog: Any, answer: dict[str, Any], outcome: tuple[int, Reason]
) -> None:
    backend.post(f"{BACKEND}/auth/login", **answer)
    failure = attempt()
    assert isinstance(failure, SignInFailure)
    assert (failure.status, failure.reason) == outcome
    if outcome == WRONG:
        assert failure.text == "Email or password is wrong."
    elif outcome == UNUSABLE:
        assert "gave an answer that this portal can’t use" in failure.text
        (told,) = [line for line in caplog.messages if line.startswith("sign-in: the backend's answer can't be used")]
        assert "401" in told, "what a wrong password should be"
        assert '"accessToken"' in told, "what a success should be"
        assert answer["status"] < 400 or f"status {answer['status']}" in told
    statuses = [attempt().status for _ in range(SIGN_IN_TRIES)]
    assert statuses == [outcome[0]] * (SIGN_IN_TRIES - 1) + [503 if outcome == LATER else 429]
