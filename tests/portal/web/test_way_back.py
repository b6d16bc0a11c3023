"""A sign-in that ends leads to `/`; a cookie tells the sign-in page why, and leads back to the page."""

from __future__ import annotations

from urllib.parse import quote

import pytest
import responses
from django.http import HttpRequest, HttpResponse
from django.test import Client

from portal.config.cookies import VAR_PERMITTED_PLATFORMS, VAR_REFRESH_TOKEN, VAR_WAY_BACK, WAY_BACK_MAX_AGE_S
from portal.config.current import portal_config
from portal.web.cookies import WayBack, read_way_back, set_way_back
from tests.portal.web.conftest import BACKEND, browser_with

ORIGIN = "http://localhost:8001"
EDIT = "/en/energy/clients/cli_1/edit"


@pytest.fixture
def browser(backend: responses.RequestsMock, account: str) -> Client:
    """A browser with a refresh token that the backend refuses."""
    backend.post(f"{BACKEND}/refresh", status=401, json={"status": 401})
    return browser_with({VAR_REFRESH_TOKEN: f"refresh_{account}", VAR_PERMITTED_PLATFORMS: '["ENERGY"]'})


def told(response: HttpResponse) -> WayBack:
    """What the sign-in page of the next request reads."""
    request = HttpRequest()
    if VAR_WAY_BACK in response.cookies:
        request.COOKIES[VAR_WAY_BACK] = response.cookies[VAR_WAY_BACK].value
    return read_way_back(request, config=portal_config())


HTMX = {"hx-request": "true", "hx-current-url": ORIGIN + EDIT, "accept": "*/*"}


@pytest.mark.parametrize(
    ("method", "path", "headers", "answer", "page"),
    [
        ("GET", "/en/energy/clients?q=a%26b", {}, (302, "Location"), "/en/energy/clients?q=a%26b"),
        ("POST", EDIT, {"referer": ORIGIN + EDIT}, (303, "Location"), EDIT),
        ("POST", EDIT, HTMX, (401, "HX-Redirect"), EDIT),
        ("POST", EDIT, {"referer": "https://elsewhere.test/en/energy"}, (303, "Location"), ""),
        ("POST", EDIT, {"referer": f"{ORIGIN}/en/login"}, (303, "Location"), ""),
        ("POST", EDIT, {}, (303, "Location"), ""),
    ],
)
def test_the_page_on_which_the_user_was_is_the_way_back_and_the_redirect_stays_as_it_is(
    *, browser: Client, method: str, path: str, headers: dict[str, str], answer: tuple[int, str], page: str
) -> None:
    response = browser.generic(method, path, headers=headers)
    assert (response.status_code, response[answer[1]]) == (answer[0], "/")
    assert told(response) == WayBack("ended", page)


def test_without_a_sign_in_a_form_is_told_the_reason_and_a_first_visit_none() -> None:
    browser = Client(headers={"accept": "text/html"}, HTTP_HOST="localhost:8001")
    assert VAR_WAY_BACK not in browser.get(EDIT).cookies
    response = browser.post(EDIT, {"name": "x"}, headers={"referer": ORIGIN + EDIT})
    assert response["Location"] == f"http://localhost:8000/en/login?next={quote(ORIGIN + EDIT, safe='')}"
    assert told(response) == WayBack("ended", "")


def test_no_script_reads_the_cookie_which_ends_soon_and_keeps_no_address_that_is_too_long() -> None:
    response = HttpResponse()
    set_way_back(response, WayBack("ended", "/en/energy?q=" + "%C3%A4" * 400), config=portal_config())
    assert told(response) == WayBack("ended", "")
    cookie = response.cookies[VAR_WAY_BACK]
    assert (cookie["httponly"], cookie["samesite"], cookie["path"]) == (True, "Lax", "/")
    assert cookie["max-age"] == WAY_BACK_MAX_AGE_S


@pytest.mark.parametrize(
    "value",
    [
        "ended",
        "x" * 5000,
        quote("ended https://elsewhere.test/en/energy", safe=""),
        quote("ended //elsewhere.test", safe=""),
        quote("ended /en/logout", safe=""),
        "%ff%fe",
    ],
)
def test_an_address_that_is_not_ours_is_no_way_back(value: str) -> None:
    request = HttpRequest()
    request.COOKIES[VAR_WAY_BACK] = value
    assert read_way_back(request, config=portal_config()).page == ""
