"""Who is led away from a platform that is not open is told so once, on the page at the end of the redirects."""

import pytest
from django.test import Client

from portal.config.cookies import REFUSED_PLATFORM

NOTICE = "You have no access to"
PAGE = "/en/help"


def test_the_redirect_names_the_platform_and_the_next_page_says_it_once(energy_user: Client) -> None:
    response = energy_user.get("/en/finance/invoices/inv_1")
    assert (response.status_code, response["Location"]) == (302, "/en/energy")
    cookie = response.cookies[REFUSED_PLATFORM]
    assert (cookie.value, cookie["max-age"], cookie["httponly"], cookie["samesite"]) == ("FINANCE", 60, True, "Lax")
    shown = energy_user.get(PAGE)
    assert f"{NOTICE} Finance." in shown.content.decode()
    assert shown.cookies[REFUSED_PLATFORM]["max-age"] == 0
    del energy_user.cookies[REFUSED_PLATFORM]
    assert NOTICE not in energy_user.get(PAGE).content.decode()


def test_what_is_no_page_leaves_the_notice_to_the_page_and_a_program_sets_none(energy_user: Client) -> None:
    refused = energy_user.get("/en/finance", headers={"accept": "application/json"})
    assert (refused.status_code, REFUSED_PLATFORM in refused.cookies) == (403, False)
    energy_user.cookies[REFUSED_PLATFORM] = "OPERATIONS"
    for answer in (energy_user.get("/en/essentials", headers={"hx-request": "true"}), energy_user.get("/en")):
        assert REFUSED_PLATFORM not in answer.cookies
    assert "keinen Zugang zu Betrieb" in energy_user.get("/de/help").content.decode()


@pytest.mark.parametrize("value", ["ENERGY", "<b>Finance", "finance"])
def test_only_a_platform_that_is_not_open_is_named(energy_user: Client, value: str) -> None:
    energy_user.cookies[REFUSED_PLATFORM] = value
    body = energy_user.get(PAGE).content.decode()
    assert NOTICE not in body
    assert "<b>Finance" not in body
