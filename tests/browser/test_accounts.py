"""The five demonstration accounts land where they should, and see what is theirs."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.support.harness import RunningStack

pytestmark = pytest.mark.browser

SignIn = Callable[..., None]
NewPage = Callable[..., Page]


@pytest.mark.parametrize(
    ("account", "landing"),
    [
        ("energy", ("energy", "/en/energy")),
        ("operations", ("operations", "/en/operations")),
        ("finance", ("finance", "/en/finance")),
        ("all", ("energy", "/en/energy")),
        ("none", ("auth_app", "/en/profile")),
    ],
)
def test_an_account_lands_on_its_platform(
    stack: RunningStack, new_page: NewPage, sign_in: SignIn, account: str, landing: tuple[str, str]
) -> None:
    page = new_page()
    sign_in(page, account)
    expect(page).to_have_url(stack.url(*landing))
    expect(page.locator("html")).to_have_attribute("data-pathname", landing[1])
    expect(page.locator("#essentials")).to_contain_text(f"{account}@example.com")


def test_with_three_permissions_all_three_platforms_are_one_click_away(
    stack: RunningStack, new_page: NewPage, sign_in: SignIn
) -> None:
    page = new_page()
    sign_in(page, "all")
    switcher = page.get_by_role("navigation", name="Platforms")
    for name, app in (("Operations", "operations"), ("Finance", "finance"), ("Energy", "energy")):
        switcher.get_by_role("link", name=name).click()
        expect(page).to_have_url(stack.url(app, f"/en/{app}"))
        expect(switcher.locator("[aria-current]")).to_contain_text(name)


def test_a_platform_that_is_not_permitted_leads_home(stack: RunningStack, new_page: NewPage, sign_in: SignIn) -> None:
    page = new_page()
    sign_in(page, "finance", opens=False)
    page.goto(stack.url("energy", "/en/energy/clients"))
    expect(page).to_have_url(stack.url("finance", "/en/finance"))


def test_without_a_platform_the_profile_says_so(stack: RunningStack, new_page: NewPage, sign_in: SignIn) -> None:
    page = new_page()
    sign_in(page, "none")
    expect(page.locator("main")).to_contain_text("No platform is open to you yet.")
    page.goto(stack.url("energy", "/en/energy"))
    expect(page).to_have_url(stack.url("auth_app", "/en/profile"))


def test_work_orders_are_created_found_and_completed(stack: RunningStack, new_page: NewPage, sign_in: SignIn) -> None:
    page = new_page()
    sign_in(page, "operations")
    page.get_by_role("link", name="New work order").click()
    page.locator("[name=title]").fill("Tighten the screws")
    page.locator("[name=priority]").select_option("urgent")
    page.get_by_role("combobox", name="Station").fill("Nowhere at all")
    page.get_by_role("button", name="Create work order").click()
    expect(page.locator("#id_stationId_error")).to_have_text("There is nothing called “Nowhere at all”.")
    page.get_by_role("combobox", name="Station").fill("")
    page.get_by_role("button", name="Create work order").click()
    first = page.locator("[data-row-id]").first
    expect(first).to_contain_text("Tighten the screws")
    expect(first).to_contain_text("Urgent")
    first.locator("th").get_by_role("link").click()
    page.get_by_role("button", name="Mark as done").click()
    expect(page.locator(".toast").get_by_text("“Tighten the screws” is done.")).to_be_visible()
    expect(page.get_by_role("button", name="Mark as done")).to_have_count(0)


def test_an_invoice_shows_its_lines(stack: RunningStack, new_page: NewPage, sign_in: SignIn) -> None:
    page = new_page()
    sign_in(page, "finance", opens=False)
    page.goto(stack.url("finance", "/en/finance/invoices"))
    page.locator("[data-row-id] th a").first.click()
    expect(page.get_by_role("heading", name="Lines")).to_be_visible()
    expect(page.locator("table tbody tr").first).to_contain_text("€")


def test_one_sign_in_and_then_all_are_ended_from_the_profile(
    stack: RunningStack, new_page: NewPage, sign_in: SignIn
) -> None:
    here, elsewhere, third = new_page(), new_page(), new_page()
    for page in (elsewhere, third, here):
        sign_in(page, "none")
    # By its id: the list holds 20 sign-ins, and other tests of these servers may have begun more.
    row = here.locator("[data-row-id]").nth(1)
    ended = row.get_attribute("data-row-id")
    row.get_by_role("button").click()
    expect(here.locator(".toast").get_by_text("That sign-in has ended.")).to_be_visible()
    expect(here.locator(f"[data-row-id='{ended}']")).to_have_count(0)
    here.get_by_role("button", name="Sign out everywhere").click()
    expect(here).to_have_url(stack.url("auth_app", "/en/signed-out?everywhere"))
    for page in (elsewhere, third):
        page.reload()
        expect(page.locator("[data-row-id]")).to_have_count(0)
