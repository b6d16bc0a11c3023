"""Who is led away from a platform that is not open is told so once, on the page at the end of the redirects."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import responses
from django.test import Client

from portal.config.cookies import REFUSED_PLATFORM
from tests.portal.web.conftest import BACKEND

NOTICE = "You have no access to"
PAGE = "/en/help"


@pytest.fixture
def user(energy_user: Client) -> Client:
    return energy_user


def test_the_redirect_names_the_platform_and_the_next_page_says_it_once(user: Client) -> None:
    response = user.get("/en/finance/invoices/inv_1")
    assert (response.status_code, response["Location"]) == (302, "/en/energy")
    cookie = response.cookies[REFUSED_PLATFORM]
    assert (cookie.value, cookie["max-age"], cookie["httponly"], cookie["samesite"]) == ("FINANCE", 60, True, "Lax")
    shown = user.get(PAGE)
    assert f"{NOTICE} Finance." in shown.content.decode()
    assert shown.cookies[REFUSED_PLATFORM]["max-age"] == 0
    del user.cookies[REFUSED_PLATFORM]
    assert NOTICE not in user.get(PAGE).content.decode()


def test_what_is_no_page_leaves_the_notice_to_the_page(user: Client) -> None:
    user.cookies[REFUSED_PLATFORM] = "FINANCE"
    for answer in (
        user.get("/sign-in-state", headers={"accept": "application/json"}),
        user.get("/en/essentials", headers={"hx-request": "true"}),
        user.get("/en"),
    ):
        assert REFUSED_PLATFORM not in answer.cookies


@pytest.mark.parametrize("value", ["", "ENERGY", "<b>Finance", "finance", "FINANCE; x", "X" * 5000])
def test_only_a_platform_that_is_not_open_is_named(user: Client, value: str) -> None:
    user.cookies[REFUSED_PLATFORM] = value
    body = user.get(PAGE).content.decode()
    assert NOTICE not in body
    assert "<b>Finance" not in body


def test_a_program_that_is_refused_sets_nothing(user: Client) -> None:
    response = user.get("/en/finance", headers={"accept": "application/json"})
    assert response.status_code == 403
    assert REFUSED_PLATFORM not in response.cookies


def test_nobody_is_told_of_a_refusal_without_a_sign_in(backend: responses.RequestsMock) -> None:
    client = Client(headers={"accept": "text/html"})
    client.cookies[REFUSED_PLATFORM] = "FINANCE"
    assert NOTICE not in client.get("/en/logout").content.decode()
    assert client.get("/en/finance").cookies.get(REFUSED_PLATFORM) is None
    assert BACKEND
    assert len(backend.calls) == 0


def test_the_notice_is_in_the_page_s_language(user: Client, browser_of: Callable[..., Client]) -> None:
    user.cookies[REFUSED_PLATFORM] = "OPERATIONS"
    assert "keinen Zugang zu Betrieb" in user.get("/de/help").content.decode()
