"""Finding things: the search over everything and its palette, with and without scripts."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.firefox import firefox
from tests.browser.palette import ACTIVE, FIELD, found, palette
from tests.support.harness import RunningStack, require_tool

pytestmark = pytest.mark.browser

SignIn = Callable[..., None]
NewPage = Callable[..., Page]


def active_is_described(page: Page) -> bool:
    """Whether the field names the option that Enter would open, as a screen reader needs it."""
    return bool(
        page.evaluate("document.querySelector('#palette-q').getAttribute('aria-activedescendant')")
        == page.locator(ACTIVE).get_attribute("id")
    )


@pytest.mark.parametrize("keys", ["Control+k", "Meta+k", "/"])
def test_a_key_opens_the_search_and_enter_opens_the_record(
    stack: RunningStack, new_page: NewPage, sign_in: SignIn, keys: str
) -> None:
    page = new_page()
    sign_in(page, "all", opens=False)
    page.goto(stack.url("energy", "/en/energy/clients"))
    row = page.locator("[data-row-id] th a").nth(2)
    name = row.inner_text()
    page.keyboard.press(keys)
    expect(page.locator(FIELD)).to_be_focused()
    page.locator(FIELD).fill(name)
    expect(found(page).first).to_contain_text(name)
    expect(page.locator("#palette-status")).to_have_text(re.compile(r"\d found"))
    expect(page.locator(FIELD)).to_have_attribute("aria-expanded", "true")
    assert active_is_described(page)
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text(name)


def test_arrows_choose_escape_closes_and_the_focus_goes_back(
    stack: RunningStack, new_page: NewPage, sign_in: SignIn
) -> None:
    page = new_page()
    sign_in(page, "energy", opens=False)
    page.goto(stack.url("energy", "/en/energy/clients"))
    row = page.locator("[data-row-id] th a").first
    row.focus()
    page.keyboard.press("Control+k")
    first = page.locator(ACTIVE).get_attribute("id")
    page.keyboard.press("ArrowDown")
    assert page.locator(ACTIVE).get_attribute("id") != first
    assert active_is_described(page)
    page.keyboard.press("ArrowUp")
    assert page.locator(ACTIVE).get_attribute("id") == first
    page.keyboard.press("ArrowUp")
    assert page.locator(ACTIVE).get_attribute("id") == page.locator("#palette [role=option]").last.get_attribute("id")
    page.keyboard.press("Escape")
    expect(palette(page)).to_be_hidden()
    expect(row).to_be_focused()


def test_pages_of_the_menu_are_found_without_the_server(
    stack: RunningStack, new_page: NewPage, sign_in: SignIn
) -> None:
    page = new_page()
    sign_in(page, "energy", opens=False)
    page.goto(stack.url("energy", "/en/energy"))
    page.route("**/search?**", lambda route: route.fulfill(status=503, body=""))
    page.keyboard.press("Control+k")
    page.locator(FIELD).fill("new cl")
    expect(page.locator(ACTIVE)).to_have_text("New client")
    expect(page.locator("#palette-status")).to_contain_text("does not answer")
    page.keyboard.press("Enter")
    expect(page).to_have_url(stack.url("energy", "/en/energy/clients/new"))


def test_what_was_found_for_another_text_is_not_opened(stack: RunningStack, new_page: NewPage, sign_in: SignIn) -> None:
    page = new_page()
    sign_in(page, "energy", opens=False)
    page.goto(stack.url("energy", "/en/energy/clients"))
    name = page.locator("[data-row-id] th a").first.inner_text()
    page.keyboard.press("Control+k")
    page.locator(FIELD).fill(name)
    expect(found(page).first).to_contain_text(name)
    page.route("**/search?q=zzzz**", lambda route: None if "HX-Request" in route.request.headers else route.continue_())
    page.locator(FIELD).fill("zzzz")
    assert page.locator(ACTIVE).count() == 0
    page.unroute("**/search?q=zzzz**")
    page.keyboard.press("Enter")
    expect(page).to_have_url(stack.url("energy", "/en/search?q=zzzz"))
    expect(page.get_by_role("heading", name="Nothing found")).to_be_visible()


def test_records_of_another_platform_open_there(stack: RunningStack, new_page: NewPage, sign_in: SignIn) -> None:
    page = new_page()
    sign_in(page, "all", opens=False)
    page.goto(stack.url("finance", "/en/finance/invoices"))
    number = page.locator("[data-row-id] th a").first.inner_text()
    page.goto(stack.url("operations", "/en/operations"))
    page.keyboard.press("Control+k")
    page.locator(FIELD).fill(number)
    expect(found(page).first).to_contain_text(number)
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(re.escape(stack.url("finance", "/en/finance/invoices/"))))
    expect(page.locator("h1")).to_have_text(number)


def test_without_scripts_the_search_is_a_page(stack: RunningStack, new_page: NewPage, sign_in: SignIn) -> None:
    page = new_page(java_script_enabled=False)
    sign_in(page, "all", opens=False)
    page.goto(stack.url("finance", "/en/finance/invoices"))
    number = page.locator("[data-row-id] th a").first.inner_text()
    page.locator("#sidebar").get_by_role("link", name="Search").click()
    page.locator("main input[name=q]").fill(number)
    page.locator("main").get_by_role("button", name="Search").click()
    expect(page.locator("main .found-row").first).to_contain_text(number)
    page.locator("main .found-row").first.click()
    expect(page.locator("h1")).to_have_text(number)


def test_the_page_finds_while_one_types_and_makes_no_history(
    stack: RunningStack, new_page: NewPage, sign_in: SignIn
) -> None:
    page = new_page()
    sign_in(page, "energy", opens=False)
    page.goto(stack.url("energy", "/en/energy/clients"))
    name = page.locator("[data-row-id] th a").first.inner_text()
    page.goto(stack.url("energy", "/en/search"))
    page.locator("#search").press_sequentially(name, delay=5)
    expect(page.locator("main .found-row").first).to_contain_text(name)
    expect(page).to_have_url(re.compile(r"/en/search\?q="))
    page.go_back()
    expect(page).to_have_url(stack.url("energy", "/en/energy/clients"))


def test_without_what_fills_it_the_palette_is_a_form_that_searches(
    stack: RunningStack, new_page: NewPage, sign_in: SignIn
) -> None:
    page = new_page()
    sign_in(page, "energy")
    page.route("**/palette*.js", lambda route: route.abort())
    page.goto(stack.url("energy", "/en/energy"))
    page.keyboard.press("Control+k")
    page.keyboard.type("berlin")
    page.keyboard.press("Enter")
    page.wait_for_url("**/en/search?q=berlin")


def test_on_a_small_screen_the_palette_takes_the_place_of_the_menu(
    stack: RunningStack, new_page: NewPage, sign_in: SignIn
) -> None:
    page = new_page(viewport={"width": 320, "height": 640})
    sign_in(page, "energy", opens=False)
    page.goto(stack.url("energy", "/en/energy/clients"))
    page.get_by_role("button", name="Menu", exact=True).click()
    page.locator("#sidebar").get_by_role("link", name="Search").click()
    expect(page.locator("#sidebar")).to_be_hidden()
    expect(page.locator(FIELD)).to_be_focused()
    box = palette(page).bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 320


def test_firefox_finds_with_the_keyboard_too(stack: RunningStack, tmp_path: Path) -> None:
    press = """document.body.dispatchEvent(
        new KeyboardEvent("keydown", {key: "k", code: "KeyK", ctrlKey: true, bubbles: true, cancelable: true}))"""
    with firefox(require_tool("firefox-esr", "firefox"), folder=tmp_path) as tab:
        tab.open(stack.url("auth_app", "/en/login"))
        tab.type("input[name=email]", "energy@example.com")
        tab.type("input[name=password]", "demo")
        tab.click("form:has(input[name=email]) button")
        tab.wait_until("return location.pathname == '/en/energy' && document.readyState == 'complete'")
        tab.open(stack.url("energy", "/en/energy/clients"))
        name = tab.run("return document.querySelector('[data-row-id] th a').textContent")
        tab.run(press)
        tab.wait_until("return document.activeElement.id == 'palette-q'")
        tab.type("#palette-q", str(name))
        tab.wait_until(
            "return document.querySelector('#palette-found [role=option]')?.textContent.includes(arguments[0])", name
        )
        tab.wait_until(
            "return document.getElementById('palette-q').getAttribute('aria-activedescendant')"
            " === document.querySelector('#palette [aria-selected=true]')?.id"
        )
        tab.run("document.querySelector('#palette [aria-selected=true]').click()")
        tab.wait_until("return document.querySelector('h1')?.textContent == arguments[0]", name)
