"""Finding things: the search over everything, its palette, recent records, keyboard shortcuts, with and without scripts."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from portal.config.cookies import SIGN_IN_NAME
from tests.browser.conftest import submit_login
from tests.browser.firefox import firefox
from tests.support.harness import RunningStack, require_tool

pytestmark = pytest.mark.browser

SignIn = Callable[..., None]
NewPage = Callable[..., Page]
NewAccount = Callable[..., str]
FIELD = "#palette-q"
ACTIVE = "#palette [role=option][aria-selected=true]"


def palette(page: Page) -> Locator:
    return page.locator("dialog#palette")


def found(page: Page) -> Locator:
    return page.locator("#palette-found [role=option]")


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
    sign_in(page, "all")
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
    sign_in(page, "energy")
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
    sign_in(page, "energy")
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
    sign_in(page, "energy")
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
    sign_in(page, "all")
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
    sign_in(page, "all")
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
    sign_in(page, "energy")
    page.goto(stack.url("energy", "/en/energy/clients"))
    name = page.locator("[data-row-id] th a").first.inner_text()
    page.goto(stack.url("energy", "/en/search"))
    page.locator("#search").press_sequentially(name, delay=5)
    expect(page.locator("main .found-row").first).to_contain_text(name)
    expect(page).to_have_url(re.compile(r"/en/search\?q="))
    page.go_back()
    expect(page).to_have_url(stack.url("energy", "/en/energy/clients"))


def test_recent_records_are_offered_in_the_page_s_language(
    stack: RunningStack, new_page: NewPage, sign_in: SignIn
) -> None:
    page = new_page()
    sign_in(page, "energy")
    names = []
    for place in (0, 1):
        page.goto(stack.url("energy", "/en/energy/clients"))
        page.locator("[data-row-id] th a").nth(place).click()
        names.append(page.locator("h1").inner_text())
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
    page.goto(stack.url("energy", "/en/energy/clients"))
    page.locator("[data-row-id] th a").first.click()
    name = page.locator("h1").inner_text()
    kept = "JSON.stringify(localStorage)"
    assert name in page.evaluate(kept)
    # Another account comes without a sign-out that this page could see.
    other = new_page()
    sign_in(other, "all")
    page.context.add_cookies([cookie for cookie in other.context.cookies() if cookie["name"].startswith("VAR_")])
    page.goto(stack.url("energy", "/en/energy"))
    assert name not in page.evaluate(kept)
    page.goto(stack.url("energy", "/en/energy/clients"))
    page.locator("[data-row-id] th a").first.click()
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
    page.goto(stack.url("energy", "/en/energy/clients"))
    page.locator("[data-row-id] th a").first.click()
    name = page.locator("h1").inner_text()
    kept = "JSON.stringify(localStorage)"
    assert name in page.evaluate(kept)
    # The page stays as it is: this browser is not told.
    page.goto("about:blank")
    sign_in(device, account)
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
    page.goto(stack.url("energy", "/en/energy/clients"))
    page.locator("[data-row-id] th a").first.click()
    page.wait_for_url("**/clients/cli_*")
    for locale, kind in (("en", "Clients"), ("de", "Kunden"), ("tr", "Müşteriler")):
        page.goto(stack.url("energy", f"/{locale}/energy"))
        page.keyboard.press("Control+k")
        expect(page.locator("#palette-own [role=option] .found-detail").first).to_have_text(kind)


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


def test_storage_that_holds_anything_at_all_breaks_nothing(
    stack: RunningStack, new_page: NewPage, sign_in: SignIn
) -> None:
    page = new_page()
    sign_in(page, "energy")
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


def test_rows_are_walked_by_keys_and_the_page_s_own_buttons_have_keys(
    stack: RunningStack, new_page: NewPage, sign_in: SignIn
) -> None:
    page = new_page()
    sign_in(page, "energy")
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
    sign_in(page, "energy")
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
    sign_in(page, "energy")
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
    sign_in(page, "energy")
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


def test_on_a_small_screen_the_palette_takes_the_place_of_the_menu(
    stack: RunningStack, new_page: NewPage, sign_in: SignIn
) -> None:
    page = new_page(viewport={"width": 320, "height": 640})
    sign_in(page, "energy")
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
