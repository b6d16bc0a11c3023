"""Administrators give accounts their permissions, with scripts and without."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.support.harness import RunningStack

pytestmark = pytest.mark.browser

SignIn = Callable[..., None]
NewPage = Callable[..., Page]
NewAccount = Callable[..., str]


@pytest.mark.parametrize("scripts", [True, False])
def test_an_administrator_gives_a_permission_and_takes_it_away(
    new_page: NewPage, sign_in: SignIn, new_account: NewAccount, scripts: bool
) -> None:
    account, page = new_account(), new_page(java_script_enabled=scripts)
    sign_in(page, "iam")
    page.get_by_role("link", name="Accounts").click()
    page.locator("main input[type=search]").fill(account)
    page.keyboard.press("Enter")
    expect(page.locator("[data-row-id]")).to_have_count(1)
    page.locator("[data-row-id] a").first.click()
    for given in (True, False):
        page.get_by_role("link", name="Edit").click()
        page.get_by_role("checkbox", name="Open Energy").set_checked(given)
        page.get_by_role("button", name="Save changes").click()
        expect(page.locator(".toast").filter(has_text="The permissions were changed.")).to_be_visible()
        expect(page.locator("dl").get_by_text("Open Energy")).to_have_count(1 if given else 0)


@pytest.mark.parametrize("scripts", [True, False])
def test_who_would_lose_the_permission_is_asked_and_may_stay(
    stack: RunningStack, new_page: NewPage, sign_in: SignIn, scripts: bool
) -> None:
    page = new_page(java_script_enabled=scripts)
    sign_in(page, "iam", opens=False)
    page.goto(stack.url("auth_app", "/en/accounts?q=iam"))
    page.locator("[data-row-id] a").first.click()
    page.get_by_role("link", name="Edit").click()
    page.get_by_role("checkbox", name="Administer accounts").uncheck()
    page.get_by_role("button", name="Save changes").click()
    expect(page.get_by_role("heading", name="Give up administration?")).to_be_visible()
    page.get_by_role("link", name="Cancel").click()
    expect(page.locator("dl").get_by_text("Administer accounts")).to_be_visible()


def test_nobody_else_finds_or_opens_them(stack: RunningStack, new_page: NewPage, sign_in: SignIn) -> None:
    page = new_page()
    sign_in(page, "all", opens=False)
    page.goto(stack.url("auth_app", "/en/profile"))
    expect(page.get_by_role("link", name="Accounts")).to_have_count(0)
    answer = page.goto(stack.url("auth_app", "/en/accounts"))
    assert answer is not None
    assert answer.status == 403
