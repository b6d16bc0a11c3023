"""The main job, end to end: sign in, see clients, load more, create, find, edit, delete, sign out."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.support.harness import RunningStack

pytestmark = pytest.mark.browser

SignIn = Callable[..., None]
NewPage = Callable[..., Page]
ROWS = "[data-row-id]"
PAGE_SIZE = 20


def sign_out(page: Page) -> None:
    page.locator("[data-sign-out] button").first.click()
    page.wait_for_url("**/signed-out")


def fill_client(page: Page, **fields: str) -> None:
    for name, value in fields.items():
        page.locator(f"main [name={name}]").fill(value)
    page.locator("main form button[type=submit]").click()


def delete_shown_client(page: Page) -> None:
    page.get_by_role("button", name="Delete", exact=True).click()
    page.get_by_role("button", name="Delete client").click()


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
def test_a_user_works_with_clients_and_cannot_come_back_after_sign_out(
    stack: RunningStack, new_page: NewPage, sign_in: SignIn, new_account: Callable[..., str], scripts: bool
) -> None:
    page = new_page(java_script_enabled=scripts)
    sign_in(page, new_account("ENERGY_APP"))
    expect(page).to_have_url(stack.url("energy", "/en/energy"))
    page.get_by_role("link", name="Clients").first.click()
    expect(page.locator(ROWS)).to_have_count(PAGE_SIZE)
    first_ids = page.locator(ROWS).evaluate_all("rows => rows.map(row => row.dataset.rowId)")

    page.locator("[data-load-more]").click()
    if scripts:
        expect(page.locator(ROWS)).to_have_count(2 * PAGE_SIZE)
        shown = page.locator(ROWS).evaluate_all("rows => rows.map(row => row.dataset.rowId)")
        assert shown[:PAGE_SIZE] == first_ids
        assert len(set(shown)) == 2 * PAGE_SIZE
    else:
        expect(page).to_have_url(re.compile("cursor="))
        shown = page.locator(ROWS).evaluate_all("rows => rows.map(row => row.dataset.rowId)")
        assert len(shown) == PAGE_SIZE
        assert not set(shown) & set(first_ids)
        page.get_by_role("link", name="Back to the first page").click()
        expect(page.locator(ROWS).first).to_have_attribute("data-row-id", first_ids[0])

    page.get_by_role("link", name="New client").click()
    name = f"Ada {'Scripted' if scripts else 'Plain'}"
    fill_client(page, name=name, email="ada@example.com", city="Oslo")
    expect(page).to_have_url(stack.url("energy", "/en/energy/clients"))
    expect(page.locator(".toast").get_by_text(f"{name} was created.")).to_be_visible()
    expect(page.locator(ROWS).first).to_contain_text(name)

    page.locator(ROWS).first.get_by_role("link").click()
    page.get_by_role("link", name="Edit").click()
    expect(page.locator("[name=email]")).to_have_value("ada@example.com")
    fill_client(page, name=f"{name} Lovelace", phone="+47 22 33 44 55")
    expect(page.locator("h1")).to_have_text(f"{name} Lovelace")
    expect(page.locator("main")).to_contain_text("+47 22 33 44 55")
    expect(page.locator("main")).to_contain_text("Oslo")

    delete_shown_client(page)
    expect(page).to_have_url(stack.url("energy", "/en/energy/clients"))
    expect(page.locator(ROWS).first).to_have_attribute("data-row-id", first_ids[0])
    expect(page.locator("table")).not_to_contain_text(name)

    sign_out(page)
    expect(page.locator("h1")).to_have_text("You are signed out")
    page.go_back()
    page.wait_for_load_state()
    expect(page.locator(ROWS)).to_have_count(0)
    page.goto(stack.url("energy", "/en/energy/clients"))
    expect(page).to_have_url(re.compile(r"/en/login\?next="))


def test_search_and_sort_change_the_list_in_place_and_in_the_address(
    stack: RunningStack, new_page: NewPage, sign_in: SignIn
) -> None:
    page = new_page()
    sign_in(page, "energy", opens=False)
    page.goto(stack.url("energy", "/en/energy/clients"))
    page.locator("#search").press_sequentially("oslo", delay=20)
    expect(page).to_have_url(re.compile(r"\?q=oslo"))
    expect(page.locator(ROWS).first).to_contain_text("Oslo")
    page.locator("#sort").select_option("name")
    expect(page).to_have_url(re.compile(r"sort=name"))
    first, last = (page.locator(f"{ROWS} th a").nth(at).inner_text() for at in (0, PAGE_SIZE - 1))
    assert first[0] == "A"
    assert first < last
    expect(page.locator("html")).to_have_attribute("data-pathname", "/en/energy/clients")
    page.locator("#search").fill("nothing is called like this")
    expect(page.get_by_role("heading", name="Nothing found")).to_be_visible()


def test_a_page_asked_for_is_opened_after_sign_in(stack: RunningStack, new_page: NewPage) -> None:
    page = new_page()
    page.goto(stack.url("energy", "/en/energy/stations?q=oslo"))
    expect(page).to_have_url(re.compile(r"/en/login\?next="))
    page.locator("input[name=email]").fill("energy@example.com")
    page.locator("input[name=password]").fill("demo")
    page.locator("form:has(input[name=email]) button").click()
    expect(page).to_have_url(stack.url("energy", "/en/energy/stations?q=oslo"))


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
def test_a_form_that_is_not_valid_shows_its_errors_at_the_fields_and_keeps_what_was_typed(
    stack: RunningStack, new_page: NewPage, sign_in: SignIn, scripts: bool
) -> None:
    page = new_page(java_script_enabled=scripts)
    sign_in(page, "energy", opens=False)
    page.goto(stack.url("energy", "/en/energy/clients/new"))
    fill_client(page, name="x" * 300, email="no address", phone="call me", city="Oslo")
    expect(page.locator("#id_name_error")).to_contain_text("200")
    expect(page.locator("#id_email_error")).to_be_visible()
    expect(page.locator("#id_phone_error")).to_contain_text("telephone number")
    expect(page.locator("[name=city]")).to_have_value("Oslo")
    expect(page.locator("[name=email]")).to_have_attribute("aria-invalid", "true")
    expect(page).to_have_url(stack.url("energy", "/en/energy/clients/new"))


def test_markup_in_a_name_is_shown_and_never_run(stack: RunningStack, new_page: NewPage, sign_in: SignIn) -> None:
    page = new_page()
    dialogs: list[str] = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    sign_in(page, "energy", opens=False)
    page.goto(stack.url("energy", "/en/energy/clients/new"))
    evil = "<script>alert(1)</script><img src=x onerror=alert(2)>'\""
    fill_client(page, name=evil, email="evil@example.com")
    expect(page.locator(ROWS).first).to_contain_text(evil)
    expect(page.locator(".toast").first).to_contain_text(evil)
    page.locator(ROWS).first.get_by_role("link").click()
    expect(page.locator("h1")).to_have_text(evil)
    delete_shown_client(page)
    expect(page.locator(ROWS).first).not_to_contain_text("script")
    assert dialogs == []
