"""What a page of one account sends is refused once somebody else is signed in."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest
import responses
from django.test import Client

from portal.testing import access_token
from portal.testing import profile_of as profile
from portal.testing.sign_ins import new_account
from tests.portal.web.conftest import BACKEND

FORM = {"name": "Ada", "email": "ada@example.com"}


@pytest.fixture
def old_mark(energy_user: Client) -> str:
    """The mark in a form that was made for `energy_user`; by now somebody else is signed in with that browser."""
    body = energy_user.get("/en/energy/clients/new").content.decode()
    (mark,) = re.findall(r'name="madeFor" value="([0-9a-f]+)"', body)
    assert f'hx-headers=\'{{"X-Made-For": "{mark}"}}\'' in body
    energy_user.cookies["VAR_ACCESS_TOKEN"] = access_token(new_account(), "ENERGY_APP")
    return mark


@pytest.mark.parametrize("path", ["clients/new", "clients/cli_1/edit", "clients/cli_1/delete"])
def test_a_form_of_another_account_changes_nothing_and_the_page_says_why(
    backend: responses.RequestsMock, energy_user: Client, old_mark: str, path: str
) -> None:
    response = energy_user.post(f"/en/energy/{path}", FORM | {"madeFor": old_mark})
    assert response.status_code == 409
    assert "Somebody else is signed in now" in response.content.decode()
    assert "Nothing was changed" in response.content.decode()
    assert {call.request.method for call in backend.calls} == {"GET"}


@pytest.mark.parametrize("method", ["get", "post"])
def test_htmx_is_told_to_look_who_is_signed_in(energy_user: Client, old_mark: str, method: str) -> None:
    headers = {"hx-request": "true", "x-made-for": old_mark}
    response = getattr(energy_user, method)("/en/energy/clients", headers=headers)
    assert (response.status_code, response["HX-Trigger"]) == (409, "sign-in-changed")
    assert json.loads(response.content)["title"] == "Somebody else is signed in now"


def test_the_form_of_who_is_signed_in_is_taken(
    backend: responses.RequestsMock, energy_user: Client, account: str, old_mark: str
) -> None:
    energy_user.cookies["VAR_ACCESS_TOKEN"] = access_token(account, "ENERGY_APP")
    backend.post(f"{BACKEND}/energy/clients", json={"id": "cli_1"}, status=201)
    assert energy_user.post("/en/energy/clients/new", FORM | {"madeFor": old_mark}).status_code == 303


@pytest.mark.usefixtures("old_mark")
def test_a_form_that_says_nothing_is_taken(backend: responses.RequestsMock, energy_user: Client) -> None:
    backend.post(f"{BACKEND}/energy/clients", json={"id": "cli_1"}, status=201)
    assert energy_user.post("/en/energy/clients/new", FORM).status_code == 303


def test_a_sign_in_whose_account_is_not_known_is_asked_no_further(
    backend: responses.RequestsMock, browser_of: Callable[..., Client], account: str, old_mark: str
) -> None:
    backend.post(f"{BACKEND}/refresh", json={"accessToken": access_token(account, "ENERGY_APP"), "refreshToken": "r2"})
    backend.get(f"{BACKEND}/me", json=profile(account, "ENERGY_APP"))
    backend.post(f"{BACKEND}/energy/clients", json={"id": "cli_1"}, status=201)
    browser = browser_of(VAR_REFRESH_TOKEN=f"refresh_{account}", VAR_PERMITTED_PLATFORMS='["ENERGY"]')
    del browser.cookies["VAR_ACCESS_TOKEN"]
    assert browser.post("/en/energy/clients/new", FORM | {"madeFor": old_mark}).status_code == 303


def test_signing_out_is_everybodys(backend: responses.RequestsMock, energy_user: Client) -> None:
    backend.post(f"{BACKEND}/auth/logout", status=204)
    body = energy_user.get("/en/logout").content.decode()
    assert "madeFor" not in body
    energy_user.cookies["VAR_ACCESS_TOKEN"] = access_token(new_account(), "ENERGY_APP")
    assert energy_user.post("/en/logout").status_code == 303
