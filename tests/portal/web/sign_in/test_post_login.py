"""Where a user goes after sign-in (requirements, "Post-login flow")."""

from typing import Any

import pytest
from django.http import HttpRequest
from responses import RequestsMock

from portal.api.tokens import TokenStore
from portal.process.deadline import Deadline
from portal.services.service_imports import import_services
from portal.web.sign_in.post_login import resolve_post_login_path
from tests.portal.web.conftest import BACKEND, access_token, profile
from tests.support.offers import offered


@pytest.fixture
def request_without_cookies() -> HttpRequest:
    request = HttpRequest()
    request.token_store = TokenStore()
    request.api_deadline = Deadline(10)
    request.request_id = "of-this-request"
    return request


@pytest.mark.parametrize(
    ("permissions", "expected"),
    [
        (["OPERATIONS_APP"], ("/operations", ("OPERATIONS",))),
        (["FINANCE_APP", "ENERGY_APP"], ("/energy", ("ENERGY", "FINANCE"))),
        ([], ("/profile", ())),
    ],
)
def test_the_profile_decides_and_its_platforms_are_kept_for_the_cookie(
    backend: RequestsMock, account: str, request_without_cookies: HttpRequest, permissions: list[str], expected: Any
) -> None:
    backend.get(f"{BACKEND}/me", json=profile(account, *permissions))
    token = access_token(account, "FINANCE_APP")
    path = resolve_post_login_path(request_without_cookies, access_token=token)
    assert (path, request_without_cookies.me_platforms) == expected
    assert backend.calls[0].request.headers["Authorization"] == f"Bearer {token}"


@pytest.mark.parametrize(("role", "home"), [("FINANCE", "/finance"), ("OPERATIONS", "/energy")])
def test_primary_role_is_the_home_where_permitted(
    backend: RequestsMock, account: str, request_without_cookies: HttpRequest, role: str, home: str
) -> None:
    backend.get(f"{BACKEND}/me", json=profile(account, "ENERGY_APP", "FINANCE_APP"))
    token = access_token(account, primaryRole=role)
    assert resolve_post_login_path(request_without_cookies, access_token=token) == home


@pytest.mark.parametrize("status", [401, 503])
def test_without_a_profile_the_tokens_own_platforms_decide_and_no_cookie_is_written(
    backend: RequestsMock, account: str, request_without_cookies: HttpRequest, status: int
) -> None:
    backend.get(f"{BACKEND}/me", status=status)
    token = access_token(account, "FINANCE_APP")
    assert resolve_post_login_path(request_without_cookies, access_token=token) == "/finance"
    assert request_without_cookies.me_platforms is None
    assert resolve_post_login_path(request_without_cookies, access_token="opaque") == "/profile"
    calls = len(backend.calls)
    request_without_cookies.api_deadline = Deadline(0)
    assert resolve_post_login_path(request_without_cookies, access_token=token) == "/finance"
    assert len(backend.calls) == calls, "no time is left for anybody"


def test_platform_without_an_offer_is_no_home(
    backend: RequestsMock, account: str, request_without_cookies: HttpRequest
) -> None:
    import_services()
    backend.get(f"{BACKEND}/me", json=profile(account, "OPERATIONS_APP", "FINANCE_APP"))
    token = access_token(account, "OPERATIONS_APP", "FINANCE_APP")
    with offered("finance.get_invoices"):
        assert resolve_post_login_path(request_without_cookies, access_token=token) == "/finance"
    assert len(backend.calls) == 1, "the profile alone is asked for"
