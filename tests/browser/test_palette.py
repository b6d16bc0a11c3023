"""The palette finds records and pages by the keyboard, offers what was opened last, and single keys are shortcuts."""

import json
import re

import pytest
from playwright.sync_api import Locator, Page, expect

from portal.config.cookies import SIGN_IN_NAME
from tests.browser.conftest import NewAccount, Visit, become, sign_out
from tests.support.open_pages import submit_login

pytestmark = pytest.mark.browser

CLIENTS = "/en/energy/clients"
FIELD = "#palette-q"
ACTIVE = "#palette [role=option][aria-selected=true]"
STORED = "JSON.stringify(localStorage)"


def palette(page: Page) -> Locator:
    return page.locator("dialog#palette")


def found(page: Page) -> Locator:
    return page.locator("#palette-found [role=option]")


def recent(page: Page) -> Locator:
    return page.locator("#palette-own [role=option]")


def names(page: Page) -> Locator:
    return page.locator("[data-row-id] th a")


def active_is_described(page: Page) -> bool:
    """Whether the field names the option that Enter would open, as a screen reader needs it."""
    return page.locator(FIELD).get_attribute("aria-activedescendant") == page.locator(ACTIVE).get_attribute("id")


def open_client(page: Page, place: int = 0) -> str:
    """Open a client of the list, by its place; its name, once its page is loaded and has kept it."""
    page.goto(CLIENTS)
    names(page).nth(place).click()
    page.wait_for_url("**/clients/cli_*")
    return page.locator("h1").inner_text()


# ── What it finds ───────────────────────────────────────────────────────────────────────────────────────────────────


def test_keys_open_the_search_and_choose_in_it(visit: Visit) -> None:
    page = visit("all", CLIENTS)
    name = names(page).first.inner_text()
    names(page).first.focus()
    for keys in ("Meta+k", "/", "Control+k"):
        page.keyboard.press(keys)
        expect(page.locator(FIELD)).to_be_focused()
        first = page.locator(ACTIVE).get_attribute("id")
        page.keyboard.press("ArrowDown")
        assert page.locator(ACTIVE).get_attribute("id") != first
        assert active_is_described(page)
        for place in ("first", "last"):
            page.keyboard.press("ArrowUp")
            option = getattr(page.locator("#palette [role=option]"), place)
            assert page.locator(ACTIVE).get_attribute("id") == option.get_attribute("id")
        page.keyboard.press("Escape")
        expect(palette(page)).to_be_hidden()
        expect(names(page).first).to_be_focused()
    # On a small screen the palette takes the place of the menu.
    page.set_viewport_size({"width": 320, "height": 640})
    page.get_by_role("button", name="Menu", exact=True).click()
    page.locator("#sidebar").get_by_role("link", name="Search").click()
    expect(page.locator("#sidebar")).to_be_hidden()
    expect(page.locator(FIELD)).to_be_focused()
    box = palette(page).bounding_box()
    assert 0 <= box["x"] <= box["x"] + box["width"] <= 320
    page.locator(FIELD).fill(name)
    expect(found(page).first).to_contain_text(name)
    expect(page.locator("#palette-status")).to_have_text(re.compile(r"\d found"))
    expect(page.locator(FIELD)).to_have_attribute("aria-expanded", "true")
    assert active_is_described(page)
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text(name)


def test_palette_works_without_the_server_or_its_script(visit: Visit) -> None:
    page = visit("energy", "/en/energy")
    page.route("**/search?**", lambda route: route.fulfill(status=503, body=""))
    page.keyboard.press("Control+k")
    # An option that begins with the text stands first.
    for words, first in (("s", "Go to Stations"), ("ch", "Go to Chargers"), ("new cl", "New client")):
        page.locator(FIELD).fill(words)
        expect(page.locator(ACTIVE)).to_have_text(first)
    expect(page.locator("#palette-status")).to_contain_text("does not answer")
    page.keyboard.press("Enter")
    expect(page).to_have_url(f"{CLIENTS}/new")
    page.unroute("**/search?**")
    page.route("**/palette*.js", lambda route: route.abort())
    page.goto("/en/energy")
    page.keyboard.press("Control+k")
    page.keyboard.type("berlin")
    page.keyboard.press("Enter")
    page.wait_for_url("**/en/search?q=berlin")


def test_palette_presses_buttons_of_the_page(visit: Visit, new_account: NewAccount) -> None:
    page = visit(new_account("ENERGY_APP"), CLIENTS)

    def choose(words: str, option: str) -> None:
        page.keyboard.press("Control+k")
        page.locator(FIELD).fill(words)
        expect(page.locator(ACTIVE)).to_have_text(option)
        page.keyboard.press("Enter")

    choose("faulted", "Chargers: Faulted")
    page.wait_for_url("**/chargers?status=faulted")  # with its scripts
    choose("dark", "Dark colours")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    open_client(page)
    choose("del", "Delete")
    expect(page.locator("dialog#delete")).to_be_visible()
    page.keyboard.press("Escape")
    choose("sign o", "Sign out")
    page.wait_for_url(re.compile("/signed-out|/login"))


def test_results_of_another_text_are_not_opened(visit: Visit) -> None:
    page = visit("energy", CLIENTS)
    name = names(page).first.inner_text()
    page.keyboard.press("Control+k")
    page.locator(FIELD).fill(name)
    expect(found(page).first).to_contain_text(name)
    page.route("**/search?q=zzzz**", lambda route: None if "HX-Request" in route.request.headers else route.continue_())
    page.locator(FIELD).fill("zzzz")
    assert page.locator(ACTIVE).count() == 0
    page.unroute("**/search?q=zzzz**")
    page.keyboard.press("Enter")
    page.wait_for_url("/en/search?q=zzzz")
    expect(page.get_by_role("heading", name="Nothing found")).to_be_visible()
    # The page finds while one types, and makes no history.
    page.locator("#search").fill(name)
    expect(page.locator("main .found-row").first).to_contain_text(name)
    page.go_back()
    expect(page).to_have_url(CLIENTS)


# ── What was opened last ────────────────────────────────────────────────────────────────────────────────────────────


def test_recent_records_are_offered_whatever_is_stored(visit: Visit) -> None:
    page = visit("energy", "/en/energy")
    opened = [open_client(page, place) for place in (0, 1)]
    page.goto("/en/search")
    expect(page.locator("main [data-recent] a").first).to_contain_text(opened[1])
    page.goto("/de/energy")
    page.keyboard.press("Control+k")
    expect(recent(page).locator(".found-detail").first).to_have_text("Kunden")
    expect(recent(page).nth(0)).to_contain_text(opened[1])
    expect(recent(page).nth(1)).to_contain_text(opened[0])
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text(opened[1])
    expect(page).to_have_url(re.compile("/de/energy/clients/cli_"))
    # Odd contents of the storage break nothing.
    page.goto("/en/energy")
    account = page.locator("#sign-in-cover").get_attribute("data-account")
    [name] = [each["value"] for each in page.context.cookies() if each["name"] == SIGN_IN_NAME]
    hostile = [{"path": "//evil.test", "title": "x", "kind": "y"}, {"path": "javascript:1"}, 7, None]
    hostile.append({"path": "/energy/clients/a", "title": "<img src=x onerror=alert(1)>", "kind": "<b>"})
    written = [json.dumps({"owner": f"{account} {name}", "records": records}) for records in (7, hostile)]
    for kept in ("{", "null", "[]", '"x"', *written):
        page.evaluate("kept => localStorage.setItem('portal.recent-records', kept)", kept)
        page.reload()
        page.keyboard.press("Control+k")
        expect(palette(page)).to_be_visible()
        page.keyboard.press("Escape")
    page.keyboard.press("Control+k")
    expect(recent(page).first).to_contain_text("<img")
    assert page.locator("#palette-own img").count() == 0


def test_recent_records_go_with_the_account(visit: Visit) -> None:
    page = visit("energy", "/en/energy")
    name = open_client(page)
    # Another account comes without a sign-out that this page could see.
    become(page, visit("all", "/en/energy"))
    page.goto("/en/energy")
    assert name not in page.evaluate(STORED)
    name = open_client(page)
    assert name in page.evaluate(STORED)
    sign_out(page)
    page.goto("/robots.txt")
    assert name not in page.evaluate(STORED)


def test_recent_records_end_with_a_sign_out_elsewhere(visit: Visit, new_account: NewAccount) -> None:
    account = new_account("ENERGY_APP")
    page = visit(account, "/en/energy")
    name = open_client(page)
    # The page stays as it is: this browser is not told.
    page.goto("about:blank")
    device = visit(account, "/en/profile")
    device.get_by_role("button", name="Sign out everywhere").click()
    device.wait_for_url("**/signed-out?everywhere")
    page.goto(f"{CLIENTS}/new")
    page.wait_for_url("**/login**")
    submit_login(page, account)
    page.goto("/en/energy")
    assert name not in page.evaluate(STORED)
    page.keyboard.press("Control+k")
    expect(recent(page).first).to_contain_text("Go to")


# ── Shortcuts ───────────────────────────────────────────────────────────────────────────────────────────────────────


def test_keys_walk_rows_and_go_to_pages(visit: Visit) -> None:
    page = visit("energy", CLIENTS)
    # Keys of another alphabet count by their place.
    press = (
        "init => document.body.dispatchEvent(new KeyboardEvent('keydown', {bubbles: true, cancelable: true, ...init}))"
    )
    page.evaluate(press, {"key": "\N{CYRILLIC SMALL LETTER O}", "code": "KeyJ"})
    expect(names(page).first).to_be_focused()
    page.evaluate(press, {"key": "\N{CYRILLIC SMALL LETTER EL}", "code": "KeyK", "ctrlKey": True})
    expect(palette(page)).to_be_visible()
    page.keyboard.press("Escape")
    for keys, path in (("gm", "/en/energy/meters"), ("gc", CLIENTS)):
        for key in keys:
            page.keyboard.press(key)
        page.wait_for_url(path)
    for key, place in (("j", 0), ("j", 1), ("k", 0)):
        page.keyboard.press(key)
        expect(names(page).nth(place)).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url("**/clients/cli_*")
    page.keyboard.press("e")
    page.wait_for_url("**/edit")
    page.locator("main [name=name]").focus()
    page.keyboard.type("jkeug/?c")
    assert "jkeug/?c" in page.locator("main [name=name]").input_value()
    expect(page.locator("dialog[open]")).to_have_count(0)


def test_single_keys_can_be_switched_off(visit: Visit) -> None:
    page = visit("energy", CLIENTS)
    page.keyboard.press("?")
    keys = page.locator("dialog#shortcuts")
    expect(keys.locator("dd", has_text="Meters")).to_be_visible()
    keys.get_by_role("checkbox").uncheck()
    page.keyboard.press("Escape")
    page.reload()
    for key in ("/", "?", "j", "c"):
        page.keyboard.press(key)
    expect(page.locator("dialog[open]")).to_have_count(0)
    expect(page.locator("[data-row-id] :focus")).to_have_count(0)
    expect(page).to_have_url(CLIENTS)
    page.keyboard.press("Control+k")
    page.keyboard.press("Escape")
    page.locator("#sidebar").get_by_role("link", name="Help").click()
    expect(page.get_by_role("checkbox")).not_to_be_checked()  # once its script is there
    page.get_by_role("checkbox").check()
    page.keyboard.press("/")
    expect(palette(page)).to_be_visible()
