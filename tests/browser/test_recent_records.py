"""The palette offers the records that an account has opened last, and keeps them for nobody else."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from portal.config.cookies import SIGN_IN_NAME
from tests.browser.conftest import submit_login
from tests.browser.palette import palette
from tests.support.harness import RunningStack

pytestmark = pytest.mark.browser

SignIn = Callable[..., None]
NewPage = Callable[..., Page]
NewAccount = Callable[..., str]


def open_client(page: Page, stack: RunningStack, place: int = 0) -> str:
    """Open a client of the list, by its place; its name, once its page is loaded and has kept it."""
    page.goto(stack.url("energy", "/en/energy/clients"))
    page.locator("[data-row-id] th a").nth(place).click()
    page.wait_for_url("**/clients/cli_*")
    return page.locator("h1").inner_text()


def test_recent_records_are_offered_in_the_page_s_language(
    stack: RunningStack, new_page: NewPage, sign_in: SignIn
) -> None:
    page = new_page()
    sign_in(page, "energy")
    names = [open_client(page, stack, place) for place in (0, 1)]
    page.goto(stack.url("energy", "/de/energy"))
    page.keyboard.press("Control+k")
    recent = page.locator("#palette-own [role=option]")
    expect(recent.nth(0)).to_contain_text(names[1])
    expect(recent.nth(1)).to_contain_text(names[0])
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text(names[1])
    expect(page).to_have_url(re.compile("/de/energy/clients/cli_"))
    page.goto(stack.url("energy", "/en/search"))
    expect(page.locator("main [data-recent] a").first).to_contain_text(names[1])


def test_recent_records_go_with_the_account(stack: RunningStack, new_page: NewPage, sign_in: SignIn) -> None:
    page = new_page()
    sign_in(page, "energy")
    name = open_client(page, stack)
    kept = "JSON.stringify(localStorage)"
    assert name in page.evaluate(kept)
    # Another account comes without a sign-out that this page could see.
    other = new_page()
    sign_in(other, "all")
    page.context.add_cookies([cookie for cookie in other.context.cookies() if cookie["name"].startswith("VAR_")])
    page.goto(stack.url("energy", "/en/energy"))
    assert name not in page.evaluate(kept)
    name = open_client(page, stack)
    assert name in page.evaluate(kept)
    page.locator("[data-sign-out] button").first.click()
    page.wait_for_url("**/signed-out")
    page.goto(stack.url("energy", "/robots.txt"))
    assert name not in page.evaluate(kept)


@pytest.mark.parametrize("next_account", ["all", ""], ids=["another account", "the same account"])
def test_recent_records_do_not_outlive_a_sign_out_from_another_device(
    stack: RunningStack, new_page: NewPage, sign_in: SignIn, new_account: NewAccount, next_account: str
) -> None:
    account = new_account("ENERGY_APP")
    page, device = new_page(), new_page()
    sign_in(page, account)
    name = open_client(page, stack)
    kept = "JSON.stringify(localStorage)"
    assert name in page.evaluate(kept)
    # The page stays as it is: this browser is not told.
    page.goto("about:blank")
    sign_in(device, account, opens=False)
    device.goto(stack.url("auth_app", "/en/profile"))
    device.get_by_role("button", name="Sign out everywhere").click()
    device.wait_for_url("**/signed-out?everywhere")
    page.goto(stack.url("energy", "/en/energy/clients/new"))
    page.wait_for_url("**/login**")
    submit_login(page, email=f"{next_account or account}@example.com", password="demo")
    page.goto(stack.url("energy", "/en/energy"))
    assert name not in page.evaluate(kept)
    page.keyboard.press("Control+k")
    expect(page.locator("#palette-own [role=option]").first).to_contain_text("Go to")


def test_a_kind_of_record_is_named_in_the_language_of_the_page(
    stack: RunningStack, new_page: NewPage, sign_in: SignIn
) -> None:
    page = new_page()
    sign_in(page, "energy")
    open_client(page, stack)
    for locale, kind in (("en", "Clients"), ("de", "Kunden"), ("tr", "Müşteriler")):
        page.goto(stack.url("energy", f"/{locale}/energy"))
        page.keyboard.press("Control+k")
        expect(page.locator("#palette-own [role=option] .found-detail").first).to_have_text(kind)


def test_storage_that_holds_anything_at_all_breaks_nothing(
    stack: RunningStack, new_page: NewPage, sign_in: SignIn
) -> None:
    page = new_page()
    sign_in(page, "energy", opens=False)
    page.goto(stack.url("energy", "/en/energy"))
    account = page.locator("#sign-in-cover").get_attribute("data-account")
    [name] = [each["value"] for each in page.context.cookies() if each["name"] == SIGN_IN_NAME]
    owner = f"{account} {name}"
    hostile = [{"path": "//evil.test", "title": "x", "kind": "y"}, {"path": "javascript:1"}, 7, None]
    hostile.append({"path": "/energy/clients/a", "title": "<img src=x onerror=alert(1)>", "kind": "<b>"})
    for kept in (
        "{",
        "null",
        "[]",
        '"x"',
        {"owner": owner, "records": 7},
        {"owner": owner, "records": hostile},
    ):
        page.evaluate(
            "kept => localStorage.setItem('portal.recent-records', typeof kept === 'string' ? kept : JSON.stringify(kept))",
            kept,
        )
        page.reload()
        page.keyboard.press("Control+k")
        expect(palette(page)).to_be_visible()
        page.keyboard.press("Escape")
    page.keyboard.press("Control+k")
    assert page.locator("#palette-own [role=option]").first.inner_text().startswith("<img")
    assert page.locator("#palette-own img").count() == 0
