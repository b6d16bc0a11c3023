"""A form of a page of one account is refused once another account is signed in."""

import json
import re
from collections.abc import Callable

import pytest
import responses
from django.test import Client

from portal.config.cookies import VAR_ACCESS_TOKEN, VAR_PERMITTED_PLATFORMS, VAR_REFRESH_TOKEN
from portal.testing import access_token
from portal.testing import profile_of as profile
from portal.testing.sign_ins import new_account
from tests.portal.web.conftest import BACKEND

FORM = {"name": "Ada", "email": "ada@example.com"}


@pytest.fixture
def old_tag(energy_user: Client) -> str:
    """The account tag in a form of `energy_user`. Meanwhile the browser has signed in with another account."""
    body = energy_user.get("/en/energy/clients/new").content.decode()
    (tag,) = set(re.findall(r'name="madeFor" value="([0-9a-f]+)"', body))
    assert f'hx-headers=\'{{"X-Made-For": "{tag}"}}\'' in body
    energy_user.cookies[VAR_ACCESS_TOKEN] = access_token(new_account(), "ENERGY_APP")
    return tag


@pytest.mark.parametrize("path", ["clients/new", "clients/cli_1/edit", "clients/cli_1/delete"])
def test_form_of_another_is_a_409(
    backend: responses.RequestsMock, energy_user: Client, old_tag: str, path: str
) -> None:
    response = energy_user.post(f"/en/energy/{path}", FORM | {"madeFor": old_tag})
    assert response.status_code == 409
    assert re.search("Somebody else is signed in now.*Nothing was changed", response.content.decode(), re.DOTALL)
    assert {call.request.method for call in backend.calls} == {"GET"}


@pytest.mark.parametrize("method", ["get", "post"])
def test_htmx_is_told_to_compare_the_accounts(energy_user: Client, old_tag: str, method: str) -> None:
    headers = {"hx-request": "true", "x-made-for": old_tag}
    response = getattr(energy_user, method)("/en/energy/clients", headers=headers)
    assert (response.status_code, response["HX-Trigger"]) == (409, "sign-in-changed")
    assert json.loads(response.content)["title"] == "Somebody else is signed in now"


def test_a_form_of_the_signed_in_account_is_accepted_and_so_is_one_without_a_tag(
    backend: responses.RequestsMock, energy_user: Client, account: str, old_tag: str
) -> None:
    backend.post(f"{BACKEND}/energy/clients", json={"id": "cli_1"}, status=201)
    assert energy_user.post("/en/energy/clients/new", FORM).status_code == 303
    energy_user.cookies[VAR_ACCESS_TOKEN] = access_token(account, "ENERGY_APP")
    assert energy_user.post("/en/energy/clients/new", FORM | {"madeFor": old_tag}).status_code == 303


def test_a_form_is_accepted_while_the_signed_in_account_is_unknown(
    backend: responses.RequestsMock, browser_of: Callable[..., Client], account: str, old_tag: str
) -> None:
    backend.post(f"{BACKEND}/refresh", json={"accessToken": access_token(account, "ENERGY_APP"), "refreshToken": "r2"})
    backend.get(f"{BACKEND}/me", json=profile(account, "ENERGY_APP"))
    backend.post(f"{BACKEND}/energy/clients", json={"id": "cli_1"}, status=201)
    browser = browser_of(**{VAR_REFRESH_TOKEN: f"refresh_{account}", VAR_PERMITTED_PLATFORMS: '["ENERGY"]'})
    del browser.cookies[VAR_ACCESS_TOKEN]
    assert browser.post("/en/energy/clients/new", FORM | {"madeFor": old_tag}).status_code == 303


def test_the_sign_out_form_works_for_any_account(backend: responses.RequestsMock, energy_user: Client) -> None:
    backend.post(f"{BACKEND}/auth/logout", status=204)
    body = energy_user.get("/en/logout").content.decode()
    assert "madeFor" not in body
    energy_user.cookies[VAR_ACCESS_TOKEN] = access_token(new_account(), "ENERGY_APP")
    assert energy_user.post("/en/logout").status_code == 303
