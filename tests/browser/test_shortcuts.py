"""Keyboard shortcuts: rows, buttons and pages have keys, and single keys can be switched off."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.palette import palette
from tests.support.harness import RunningStack

pytestmark = pytest.mark.browser

SignIn = Callable[..., None]
NewPage = Callable[..., Page]


def test_rows_are_walked_by_keys_and_the_page_s_own_buttons_have_keys(
    stack: RunningStack, new_page: NewPage, sign_in: SignIn
) -> None:
    page = new_page()
    sign_in(page, "energy", opens=False)
    page.goto(stack.url("energy", "/en/energy/clients"))
    rows = page.locator("[data-row-id] th a")
    page.keyboard.press("j")
    expect(rows.nth(0)).to_be_focused()
    page.keyboard.press("j")
    expect(rows.nth(1)).to_be_focused()
    page.keyboard.press("k")
    expect(rows.nth(0)).to_be_focused()
    name = rows.nth(0).inner_text()
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text(name)
    page.keyboard.press("e")
    expect(page).to_have_url(re.compile("/edit$"))
    page.locator("main [name=name]").focus()
    page.keyboard.type("jkeug/?c")
    assert "jkeug/?c" in page.locator("main [name=name]").input_value()
    expect(page.locator("dialog[open]")).to_have_count(0)


def test_a_pair_of_keys_goes_to_a_page(stack: RunningStack, new_page: NewPage, sign_in: SignIn) -> None:
    page = new_page()
    sign_in(page, "energy", opens=False)
    page.goto(stack.url("energy", "/en/energy/clients"))
    page.keyboard.press("g")
    page.keyboard.press("m")
    expect(page).to_have_url(stack.url("energy", "/en/energy/meters"))
    page.keyboard.press("g")
    page.keyboard.press("c")
    expect(page).to_have_url(stack.url("energy", "/en/energy/clients"))
    page.keyboard.press("c")
    expect(page).to_have_url(stack.url("energy", "/en/energy/clients/new"))


def test_keys_of_another_alphabet_count_by_their_place(stack: RunningStack, new_page: NewPage, sign_in: SignIn) -> None:
    page = new_page()
    sign_in(page, "energy", opens=False)
    page.goto(stack.url("energy", "/en/energy/clients"))
    press = (
        "init => document.body.dispatchEvent(new KeyboardEvent('keydown', {bubbles: true, cancelable: true, ...init}))"
    )
    page.evaluate(press, {"key": "\N{CYRILLIC SMALL LETTER O}", "code": "KeyJ"})
    expect(page.locator("[data-row-id] th a").first).to_be_focused()
    page.evaluate(press, {"key": "\N{CYRILLIC SMALL LETTER EL}", "code": "KeyK", "ctrlKey": True})
    expect(palette(page)).to_be_visible()


def test_single_keys_can_be_switched_off(stack: RunningStack, new_page: NewPage, sign_in: SignIn) -> None:
    page = new_page()
    sign_in(page, "energy", opens=False)
    page.goto(stack.url("energy", "/en/energy/clients"))
    page.keyboard.press("?")
    keys = page.locator("dialog#shortcuts")
    expect(keys).to_contain_text("Next row")
    expect(keys.locator("dd", has_text="Meters")).to_be_visible()
    keys.get_by_role("checkbox").uncheck()
    page.keyboard.press("Escape")
    for key in ("/", "?", "c"):
        page.keyboard.press(key)
    page.reload()
    for key in ("/", "?", "j"):
        page.keyboard.press(key)
    expect(page.locator("dialog[open]")).to_have_count(0)
    expect(page.locator("[data-row-id] :focus")).to_have_count(0)
    expect(page).to_have_url(stack.url("energy", "/en/energy/clients"))
    page.keyboard.press("Control+k")
    expect(palette(page)).to_be_visible()
    page.keyboard.press("Escape")
    page.locator("#sidebar").get_by_role("link", name="Help").click()
    page.get_by_role("checkbox").check()
    page.keyboard.press("/")
    expect(palette(page)).to_be_visible()
