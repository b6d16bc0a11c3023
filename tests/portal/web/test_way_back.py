"""A sign-in that ends leads to `/`; a cookie tells the sign-in page why, and leads back to the page."""

from typing import Any
from urllib.parse import quote

import pytest
import requests
from django.http import HttpRequest, HttpResponse
from django.test import Client
from responses import RequestsMock

from portal.api.session import api_session
from portal.config.cookies import (
    VAR_ACCESS_TOKEN,
    VAR_PERMITTED_PLATFORMS,
    VAR_REFRESH_TOKEN,
    VAR_WAY_BACK,
    WAY_BACK_MAX_AGE_S,
)
from portal.web.cookies import WayBack, read_way_back, set_way_back
from portal.web.sign_in import explain
from tests.portal.web.conftest import BACKEND, browser_with

ORIGIN = "http://localhost:8001"
EDIT = "/en/energy/clients/cli_1/edit"


@pytest.fixture
def browser(account: str) -> Client:
    """A browser with a refresh token alone."""
    return browser_with({VAR_REFRESH_TOKEN: f"refresh_{account}", VAR_PERMITTED_PLATFORMS: '["ENERGY"]'})


def told(response: HttpResponse) -> WayBack:
    """What the sign-in page of the next request reads."""
    request = HttpRequest()
    if VAR_WAY_BACK in response.cookies:
        request.COOKIES[VAR_WAY_BACK] = response.cookies[VAR_WAY_BACK].value
    return read_way_back(request)


PAGE = "/en/energy/clients?q=a%26b"
HTMX = {"hx-request": "true", "hx-current-url": ORIGIN + EDIT, "accept": "*/*"}
SCRIPT = {"accept": "application/json", "sec-fetch-mode": "cors"}
#: Method, path and headers of a request; the status of its redirect, and the page that it leads back to.
each_request = pytest.mark.parametrize(
    ("method", "path", "headers", "status", "page"),
    [
        ("GET", PAGE, {}, 302, PAGE),
        # A form leads back to the page with the form, and htmx to the page on which it stands.
        ("POST", EDIT, {"referer": ORIGIN + EDIT}, 303, EDIT),
        ("POST", EDIT, HTMX, 401, EDIT),
        ("POST", EDIT, {"referer": "https://elsewhere.test/en/energy"}, 303, ""),
        ("GET", PAGE, SCRIPT, 401, ""),
    ],
)


def assert_it_leads_to(response: HttpResponse, status: int, location: str) -> None:
    assert response.status_code == status
    assert response["HX-Redirect" if status == 401 else "Location"] == location
    for name in (VAR_ACCESS_TOKEN, VAR_REFRESH_TOKEN, VAR_PERMITTED_PLATFORMS):
        assert response.cookies[name]["max-age"] == 0
    assert response["Cache-Control"] == "private, no-store"


@each_request
def test_the_page_on_which_the_user_was_is_the_way_back_and_the_redirect_stays_as_it_is(
    *, backend: RequestsMock, browser: Client, method: str, path: str, headers: Any, status: int, page: str
) -> None:
    backend.post(f"{BACKEND}/refresh", status=401, json={"status": 401})
    response = browser.generic(method, path, headers=headers)
    assert_it_leads_to(response, status, "/")
    assert told(response) == WayBack("ended", page)


@pytest.mark.parametrize(("headers", "status", "page"), [({}, 302, PAGE), (HTMX, 401, EDIT), (SCRIPT, 401, "")])
def test_lost_refresh_leads_to_sign_in_with_the_reason(
    *, backend: RequestsMock, browser: Client, monkeypatch: Any, headers: Any, status: int, page: str
) -> None:
    """The refresh times out, and the backend honours no `Idempotency-Key`: its outcome stays unknown."""
    backend.post(f"{BACKEND}/refresh", body=requests.ReadTimeout())
    monkeypatch.setattr(api_session().refresher._token_endpoint, "repeatable_s", 0.0)
    to = f"next={quote(ORIGIN + page, safe='')}&" if page else ""
    response = browser.get(PAGE, headers=headers)
    assert_it_leads_to(response, status, f"http://localhost:8000/en/login?{to}reason=refresh-lost")


def test_too_large_token_could_not_be_renewed(backend: RequestsMock, browser: Client) -> None:
    backend.post(f"{BACKEND}/refresh", json={"accessToken": "x" * 5000, "refreshToken": "r2"})
    response = browser.get(PAGE)
    assert_it_leads_to(response, 302, "/")
    assert "could not be renewed" in explain(told(response).reason)


def test_without_a_sign_in_a_form_is_told_the_reason_and_a_first_visit_none() -> None:
    browser = Client(headers={"accept": "text/html"}, HTTP_HOST="localhost:8001")
    assert VAR_WAY_BACK not in browser.get(EDIT).cookies
    response = browser.post(EDIT, {"name": "x"}, headers={"referer": ORIGIN + EDIT})
    assert response["Location"] == f"http://localhost:8000/en/login?next={quote(ORIGIN + EDIT, safe='')}"
    assert told(response) == WayBack("ended", "")


def test_no_script_reads_the_cookie_which_ends_soon_and_keeps_no_address_that_is_too_long() -> None:
    response = HttpResponse()
    set_way_back(response, WayBack("ended", "/en/energy?q=" + "%C3%A4" * 420))
    assert told(response) == WayBack("ended", "")
    cookie = response.cookies[VAR_WAY_BACK]
    assert (cookie["httponly"], cookie["samesite"], cookie["path"]) == (True, "Lax", "/")
    assert cookie["max-age"] == WAY_BACK_MAX_AGE_S


@pytest.mark.parametrize(
    "value",
    [
        quote("ended https://elsewhere.test/en/energy", safe=""),
        quote("ended //elsewhere.test", safe=""),
        quote("ended /en/logout", safe=""),
        "%ff%fe",
    ],
)
def test_an_address_that_is_not_ours_is_no_way_back(value: str) -> None:
    request = HttpRequest()
    request.COOKIES[VAR_WAY_BACK] = value
    assert read_way_back(request).page == ""
