"""The profile's list of sign-ins, where there are more than one page of them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
import requests
from playwright.sync_api import Page, expect

from tests.support.harness import RunningStack

pytestmark = pytest.mark.browser

OTHERS = 44
SignIn = Callable[..., None]
NewPage = Callable[..., Page]


@pytest.fixture
def here(stack: RunningStack, new_page: NewPage, sign_in: SignIn) -> Page:
    """A browser that signed in before many others did: its own sign-in stands on the last page of the list."""
    page = new_page()
    sign_in(page, "none")
    everywhere = page.get_by_role("button", name="Sign out everywhere")
    (everywhere if everywhere.count() else page.locator("[data-sign-out] button").first).click()
    expect(page).to_have_url(re.compile("/en/signed-out"))
    sign_in(page, "none")
    for _ in range(OTHERS):
        body = {"email": "none@example.com", "password": "demo"}
        requests.post(f"{stack.backend}/auth/login", json=body, timeout=20).raise_for_status()
    page.goto(stack.url("auth_app", "/en/profile"))
    return page


def test_all_sign_ins_are_loaded_and_the_one_that_asks_is_found_among_them(stack: RunningStack, here: Page) -> None:
    rows = here.locator("[data-row-id]")
    expect(rows).to_have_count(20)
    expect(here.get_by_text("This browser")).to_have_count(0)
    for count in (40, OTHERS + 1):
        here.get_by_role("link", name="Load more").click()
        expect(rows).to_have_count(count)
    expect(here.get_by_role("link", name="Load more")).to_have_count(0)
    own = rows.filter(has_text="This browser")
    expect(own).to_have_count(1)
    own.get_by_role("button", name="Sign out").click()
    expect(here).to_have_url(stack.url("auth_app", "/en/signed-out"))


def test_without_scripts_a_page_leads_on_and_back(stack: RunningStack, here: Page) -> None:
    href = here.get_by_role("link", name="Load more").get_attribute("href")
    assert href is not None
    assert href.startswith("/en/profile?cursor=")
    rows = here.locator("[data-row-id]")
    first = rows.first.get_attribute("data-row-id")
    here.goto(stack.url("auth_app", href))
    expect(rows).to_have_count(20)
    expect(here.locator("h1")).to_be_visible()
    assert first not in [row.get_attribute("data-row-id") for row in rows.all()]
    here.get_by_role("link", name="Back to the first page").click()
    expect(here).to_have_url(stack.url("auth_app", "/en/profile"))
    here.get_by_role("button", name="Sign out everywhere").click()
    expect(here).to_have_url(stack.url("auth_app", "/en/signed-out?everywhere"))


def test_a_cursor_that_is_none_leads_to_the_first_page_as_in_every_list(
    stack: RunningStack, new_page: NewPage, sign_in: SignIn
) -> None:
    page = new_page()
    sign_in(page, "energy")
    answers = [
        page.goto(stack.url(*place))
        for place in (("auth_app", "/en/profile?cursor=nonsense"), ("energy", "/en/energy/clients?cursor=nonsense"))
    ]
    assert [answer.status for answer in answers if answer] == [200, 200]


@pytest.mark.parametrize("scripts", [True, False])
def test_all_others_end_and_this_one_stays(
    stack: RunningStack, new_page: NewPage, sign_in: SignIn, new_account: Callable[..., str], scripts: bool
) -> None:
    account, page, other = new_account(), new_page(java_script_enabled=scripts), new_page()
    sign_in(other, account)
    sign_in(page, account, opens=False)
    page.goto(stack.url("auth_app", "/en/profile"))
    own = page.locator("[data-row-id]").filter(has_text="This browser")
    expect(own).to_contain_text("127.0.0.1")
    expect(own.locator("time")).to_have_count(2)
    page.get_by_role("button", name="Sign out all others").click()
    expect(
        page.locator(".toast").get_by_text("1 other sign-in has ended. You are still signed in here.")
    ).to_be_visible()
    expect(page.locator("[data-row-id]")).to_have_count(1)
    other.reload()
    expect(other.get_by_role("heading", name="Sign in")).to_be_visible()


def test_the_end_of_all_says_so(stack: RunningStack, new_page: NewPage, sign_in: SignIn, new_account: Any) -> None:
    account, page, other = new_account(), new_page(), new_page()
    sign_in(other, account)
    sign_in(page, account, opens=False)
    page.goto(stack.url("auth_app", "/en/profile"))
    page.get_by_role("button", name="Sign out everywhere").click()
    expect(page.get_by_role("heading", name="You are signed out everywhere")).to_be_visible()
