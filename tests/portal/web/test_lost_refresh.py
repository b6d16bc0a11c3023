"""After a refresh whose outcome stays unknown, the sign-in page gives the reason, and leads back to the page."""

from __future__ import annotations

from urllib.parse import quote

import pytest
import requests
import responses
from django.test import Client

from portal.api.session import api_session
from portal.config.cookies import VAR_ACCESS_TOKEN, VAR_PERMITTED_PLATFORMS, VAR_REFRESH_TOKEN
from tests.portal.web.conftest import BACKEND, browser_with

LOGIN = "http://localhost:8000/en/login"
ORIGIN = "http://localhost:8001"
REASON = "reason=refresh-lost"


@pytest.fixture
def browser(backend: responses.RequestsMock, account: str, monkeypatch: pytest.MonkeyPatch) -> Client:
    """A browser with an expired access token. Its refresh times out, and the backend honours no `Idempotency-Key`."""
    backend.post(f"{BACKEND}/refresh", body=requests.ReadTimeout())
    monkeypatch.setattr(api_session().refresher._token_endpoint, "repeatable_s", 0.0)
    return browser_with({VAR_REFRESH_TOKEN: f"refresh_{account}", VAR_PERMITTED_PLATFORMS: '["ENERGY"]'})


def back_to(path: str) -> str:
    return f"{LOGIN}?next={quote(ORIGIN + path, safe='')}&{REASON}"


PAGE = "/en/energy/clients?q=a%26b&sort=name"
FORM = "/en/energy/clients/new"
NOWHERE = f"{LOGIN}?{REASON}"
HTMX = {"hx-request": "true", "hx-current-url": f"{ORIGIN}/en/energy/clients", "accept": "*/*"}


@pytest.mark.parametrize(
    ("method", "path", "headers", "status", "location"),
    [
        ("GET", PAGE, {}, 302, back_to(PAGE)),
        # A form leads back to the page with the form.
        ("POST", FORM, {"referer": ORIGIN + FORM}, 303, back_to(FORM)),
        ("POST", FORM, {"referer": "https://elsewhere.test/en/energy"}, 303, NOWHERE),
        ("POST", FORM, {}, 303, NOWHERE),
        ("GET", "/en/energy/clients?cursor=2", HTMX, 401, back_to("/en/energy/clients")),
        ("GET", PAGE, {"accept": "application/json", "sec-fetch-mode": "cors"}, 401, NOWHERE),
    ],
)
def test_everybody_is_led_to_the_sign_in_page_with_the_reason_and_without_cookies(
    *, browser: Client, method: str, path: str, headers: dict[str, str], status: int, location: str
) -> None:
    response = browser.generic(method, path, headers=headers)
    assert response.status_code == status
    assert response["HX-Redirect" if status == 401 else "Location"] == location
    for name in (VAR_ACCESS_TOKEN, VAR_REFRESH_TOKEN, VAR_PERMITTED_PLATFORMS):
        assert response.cookies[name]["max-age"] == 0
    assert response["Cache-Control"] == "private, no-store"


def test_others_who_hold_the_token_are_led_there_without_another_submission(
    browser: Client, backend: responses.RequestsMock
) -> None:
    other = browser_with({name: morsel.value for name, morsel in browser.cookies.items()})
    browser.get("/en/energy")
    assert other.get("/en/energy")["Location"] == back_to("/en/energy")
    assert len(backend.calls) == 1
