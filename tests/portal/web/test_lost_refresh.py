"""After a refresh whose outcome stays unknown, the sign-in page gives the reason, and leads back to the page."""

from __future__ import annotations

from urllib.parse import quote

import pytest
import requests
import responses
from django.test import Client

from portal.api.session import api_session
from portal.config.cookies import VAR_ACCESS_TOKEN, VAR_PERMITTED_PLATFORMS, VAR_REFRESH_TOKEN
from tests.portal.web.conftest import BACKEND

LOGIN = "http://localhost:8000/en/login"
ORIGIN = "http://localhost:8001"
REASON = "reason=refresh-lost"


@pytest.fixture
def browser(backend: responses.RequestsMock, account: str, monkeypatch: pytest.MonkeyPatch) -> Client:
    """A browser with an expired access token. Its refresh times out, and the backend honours no `Idempotency-Key`."""
    backend.post(f"{BACKEND}/refresh", body=requests.ReadTimeout())
    monkeypatch.setattr(api_session().refresher._token_endpoint, "repeatable_s", 0.0)
    made = Client(headers={"accept": "text/html"}, HTTP_HOST="localhost:8001")
    made.cookies[VAR_REFRESH_TOKEN] = f"refresh_{account}"
    made.cookies[VAR_PERMITTED_PLATFORMS] = '["ENERGY"]'
    return made


def back_to(path: str) -> str:
    return f"{LOGIN}?next={quote(ORIGIN + path, safe='')}&{REASON}"


def test_a_page_leads_there_with_its_own_address_and_clears_the_cookies(browser: Client) -> None:
    response = browser.get("/en/energy/clients?q=a%26b&sort=name")
    assert response.status_code == 302
    assert response["Location"] == back_to("/en/energy/clients?q=a%26b&sort=name")
    assert all(
        response.cookies[name]["max-age"] == 0
        for name in (VAR_ACCESS_TOKEN, VAR_REFRESH_TOKEN, VAR_PERMITTED_PLATFORMS)
    )
    assert response["Cache-Control"] == "private, no-store"


@pytest.mark.parametrize(
    ("referer", "location"),
    [
        (f"{ORIGIN}/en/energy/clients/new", back_to("/en/energy/clients/new")),
        ("https://elsewhere.test/en/energy", f"{LOGIN}?{REASON}"),
        (None, f"{LOGIN}?{REASON}"),
    ],
)
def test_a_sent_form_leads_back_to_the_page_with_the_form(browser: Client, referer: str | None, location: str) -> None:
    headers = {"referer": referer} if referer else {}
    response = browser.post("/en/energy/clients/new", {"name": "x"}, headers=headers)
    assert (response.status_code, response["Location"]) == (303, location)


def test_htmx_gets_the_sign_in_page_with_its_current_page_as_next(browser: Client) -> None:
    headers = {"hx-request": "true", "hx-current-url": f"{ORIGIN}/en/energy/clients", "accept": "*/*"}
    response = browser.get("/en/energy/clients?cursor=2", headers=headers)
    assert (response.status_code, response["HX-Redirect"]) == (401, back_to("/en/energy/clients"))
    assert response["Content-Type"] == "application/problem+json"


def test_a_script_gets_401_and_the_sign_in_page(browser: Client) -> None:
    response = browser.get("/en/energy/clients", headers={"accept": "application/json", "sec-fetch-mode": "cors"})
    assert (response.status_code, response["HX-Redirect"]) == (401, f"{LOGIN}?{REASON}")


def test_others_who_hold_the_token_are_led_there_without_another_submission(
    browser: Client, backend: responses.RequestsMock, account: str
) -> None:
    browser.get("/en/energy")
    other = Client(headers={"accept": "text/html"}, HTTP_HOST="localhost:8001")
    other.cookies[VAR_REFRESH_TOKEN] = f"refresh_{account}"
    other.cookies[VAR_PERMITTED_PLATFORMS] = '["ENERGY"]'
    assert other.get("/en/energy")["Location"] == back_to("/en/energy")
    assert len(backend.calls) == 1
