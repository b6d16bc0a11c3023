"""A response that comes late, of a sign-in that has ended or gone on, and a browser with newer cookies."""

from __future__ import annotations

import time

import pytest
import responses
from django.test import Client

from portal.api.refresh.token_family import rotate
from portal.api.session import api_session
from portal.api.tokens import TokenPair
from portal.config.cookies import VAR_ACCESS_TOKEN, VAR_PERMITTED_PLATFORMS, VAR_REFRESH_TOKEN, VAR_WAY_BACK
from portal.config.limits import ROTATION_GRACE_S
from portal.testing import access_token
from tests.portal.web.conftest import browser_with
from tests.support.refresh_world import jwt

EDIT = "/en/energy/clients/cli_1/edit"


@pytest.fixture
def spent(refresh: str, account: str) -> dict[str, str]:
    """Cookies whose tokens were replaced longer ago than the grace."""
    records, family, latest = api_session().refresher._records, None, refresh
    for number in (1, 2):
        pair = TokenPair(access=access_token(account, "ENERGY_APP"), refresh=f"{refresh}-{number}")
        now = time.time() - ROTATION_GRACE_S - 5
        family, _ = rotate(family, latest_refresh=latest, submitted=latest, pair=pair, now=now)
        records.set_rotation(records.get(refresh).secret, family, submitted=[latest], lifetime_s=600)
        latest = pair.refresh
    return {VAR_ACCESS_TOKEN: jwt(exp=1), VAR_REFRESH_TOKEN: refresh, VAR_PERMITTED_PLATFORMS: '["ENERGY"]'}


def test_an_upload_whose_tokens_were_replaced_long_ago_takes_no_newer_ones_with_it(
    energy_user: Client, spent: dict[str, str]
) -> None:
    """It left with the old cookies: the browser has others when it ends."""
    sent = "; ".join(f"{name}={value}" for name, value in spent.items())
    response = energy_user.post(EDIT, HTTP_COOKIE=sent)
    assert (response.status_code, response["Location"]) == (303, "/")
    # The client has taken the response's cookies.
    assert energy_user.cookies[VAR_WAY_BACK].value
    assert energy_user.get("/en/logout").status_code == 200
    assert energy_user.cookies[VAR_ACCESS_TOKEN].value
    assert not energy_user.cookies[VAR_WAY_BACK].value


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_browser_that_still_has_them_is_led_to_the_sign_in_page(
    spent: dict[str, str], backend: responses.RequestsMock, method: str
) -> None:
    browser = browser_with(spent)
    response = browser.generic(method, EDIT, headers={"referer": f"http://localhost:8001{EDIT}"})
    hops = [response["Location"]]
    while hops[-1].startswith("/"):
        hops.append(browser.get(hops[-1])["Location"])
    # Of an upload by a response that removes nothing, then by one that does.
    assert hops.count("/") == (1 if method == "GET" else 2)
    assert hops[-1].startswith("http://localhost:8000/en/login")
    assert not browser.cookies[VAR_REFRESH_TOKEN].value
    assert EDIT.replace("/", "%2F") in browser.cookies[VAR_WAY_BACK].value
    assert not backend.calls
