"""Lists as tools: what is chosen stands in the address, and whoever comes back finds the list as it was."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.firefox import Firefox, firefox
from tests.support.harness import RunningStack, require_tool

pytestmark = pytest.mark.browser

SignIn = Callable[..., None]
NewPage = Callable[..., Page]
ROWS = "#rows > [data-row-id]"
#: What htmx has put into the page answers to a click only when these marks are gone; a link is a plain one until then.
SETTLED = "!document.querySelector('.htmx-request, .htmx-swapping, .htmx-added, .htmx-settling')"


@pytest.fixture
def open_list(
    stack: RunningStack, new_page: NewPage, sign_in: SignIn, new_account: Callable[..., str]
) -> Callable[..., Page]:
    """A list of the energy app, as a user sees it who comes from the overview, and has created nothing before."""
    account = new_account("ENERGY_APP")

    def do(path: str, **options: Any) -> Page:
        page = new_page(**options)
        sign_in(page, account, opens=False)
        page.goto(stack.url("energy", path))
        return page

    return do


def address(page: Page) -> str:
    return page.evaluate("location.pathname + location.search")


def entries(page: Page) -> int:
    return int(page.evaluate("history.length"))


def test_chips_narrow_the_list_and_stand_in_the_address(open_list: Callable[..., Page]) -> None:
    page = open_list("/en/energy/chargers")
    faulted = page.get_by_role("checkbox", name=re.compile("^Faulted"))
    faulted.check()
    expect(page).to_have_url(re.compile(r"/chargers\?status=faulted$"))
    expect(faulted).to_be_focused()
    page.get_by_role("checkbox", name=re.compile("^Unavailable")).check()
    expect(page).to_have_url(re.compile(r"\?status=faulted&status=unavailable$"))
    states = set(page.locator(f"{ROWS} .badge").all_text_contents())
    assert states <= {"Faulted", "Unavailable"}
    count = int(page.locator("label:has([value=faulted]) .chip-count").inner_text())
    page.get_by_role("checkbox", name=re.compile("^Unavailable")).uncheck()
    expect(page.locator("#more")).to_contain_text(f"{count} entries in all")
    page.get_by_role("link", name="Clear all filters").click()
    expect(page).to_have_url(re.compile(r"/chargers$"))


def test_a_chosen_chip_has_an_edge_of_its_own_in_forced_colours(open_list: Callable[..., Page]) -> None:
    page = open_list("/en/energy/chargers?status=faulted", forced_colors="active")
    chips = page.locator(".chip")
    expect(chips.filter(has_text="Faulted")).to_have_css("outline-style", "solid")
    expect(chips.filter(has_text="Charging")).to_have_css("outline-style", "none")


def test_a_long_choice_is_searched_and_several_are_chosen_in_one_go(open_list: Callable[..., Page]) -> None:
    page = open_list("/en/energy/stations")
    page.locator("#menu-city > summary").click()
    page.get_by_role("searchbox", name="Search the choices of City").fill("koln")
    page.get_by_role("checkbox", name=re.compile("^Köln")).check()
    expect(page).to_have_url(re.compile(r"\?city=K%C3%B6ln$"))
    words = page.get_by_role("searchbox", name="Search the choices of City")
    expect(words).to_have_value("koln")
    words.fill("")
    page.get_by_role("checkbox", name=re.compile("^Berlin")).check()
    expect(page).to_have_url(re.compile(r"city=Berlin&city=K%C3%B6ln$|city=K%C3%B6ln&city=Berlin$"))
    page.keyboard.press("Escape")
    expect(page.locator("#menu-city")).not_to_have_attribute("open", "")
    expect(page.locator("#menu-city > summary")).to_be_focused()
    page.get_by_role("link", name=re.compile("City: Köln")).click()
    expect(page).to_have_url(re.compile(r"\?city=Berlin$"))


@pytest.mark.parametrize("has_scripts", [True, False])
def test_a_badge_shows_only_the_rows_that_have_it_and_is_no_stop_of_the_keyboard(
    open_list: Callable[..., Page], has_scripts: bool
) -> None:
    page = open_list("/en/energy/chargers?q=berlin&sort=name", java_script_enabled=has_scripts)
    badge = page.locator(f"{ROWS} .badge").first
    word = badge.inner_text()
    expect(badge).to_have_accessible_name(f"Show only: {word}")
    badge.click()
    expect(page).to_have_url(re.compile(r"/chargers\?q=berlin&status=\w+&sort=name$"))
    assert set(page.locator(f"{ROWS} .badge").all_text_contents()) == {word}
    page.locator(f"{ROWS} th a").first.focus()
    page.keyboard.press("Tab")
    expect(page.locator(f"{ROWS} th a").nth(1)).to_be_focused()
    page.locator(f"{ROWS} th a").first.press("Enter")
    on_record = page.get_by_role("link", name=f"Show only: {word}")
    on_record.focus()
    expect(on_record).to_be_focused()
    on_record.press("Enter")
    expect(page).to_have_url(re.compile(r"/chargers\?status=\w+$"))
    expect(page.locator("label.chosen")).to_contain_text(word)


def test_a_badge_is_large_enough_for_a_finger_and_leaves_the_row_its_own_place(
    open_list: Callable[..., Page],
) -> None:
    page = open_list("/en/energy/chargers", has_touch=True, is_mobile=True, viewport={"width": 320, "height": 800})
    badge = page.locator(f"{ROWS} .badge").first
    box = badge.bounding_box()
    assert box is not None
    hit = "([x, y]) => document.elementFromPoint(x, y)?.closest('a')?.className ?? ''"
    middle = box["x"] + box["width"] / 2
    for distance in (-8, box["height"] / 2, box["height"] + 8):
        assert "badge" in page.evaluate(hit, [middle, box["y"] + distance])
    name = page.locator(f"{ROWS} th a").first.bounding_box()
    assert name is not None
    assert "badge" not in page.evaluate(hit, [name["x"] + 5, name["y"] + name["height"] / 2])


@pytest.mark.parametrize("has_scripts", [True, False])
def test_on_a_phone_the_chips_of_a_filter_are_one_line_that_the_keyboard_scrolls(
    open_list: Callable[..., Page], has_scripts: bool
) -> None:
    page = open_list("/en/energy/chargers", java_script_enabled=has_scripts, viewport={"width": 320, "height": 800})
    chips = page.locator("fieldset.chips").first.locator(".chip")
    tops = [box["y"] for box in map(Locator.bounding_box, chips.all()) if box]
    assert len(tops) > 2
    assert len(set(tops)) == 1
    expect(chips.last).not_to_be_in_viewport(ratio=1)
    chips.first.locator("input").focus()
    for key, there in (("Tab", chips.last), ("Shift+Tab", chips.first)):
        for _ in tops[1:]:
            page.keyboard.press(key)
        expect(there.locator("input")).to_be_focused()
        expect(there).to_be_in_viewport(ratio=1)
    assert page.evaluate("document.documentElement.scrollWidth") == 320


def test_on_a_phone_a_chip_that_is_chosen_is_seen(open_list: Callable[..., Page]) -> None:
    page = open_list("/en/energy/chargers", has_touch=True, viewport={"width": 320, "height": 800})
    chip = page.locator("fieldset.chips").first.locator(".chip").last
    chip.tap()
    expect(page.locator("fieldset.chips .chip.chosen")).to_be_in_viewport(ratio=1)
    expect(page.locator("#search")).to_be_in_viewport()


@pytest.mark.parametrize(("locale", "name"), [("en", "Export"), ("de", "Exportieren")])
def test_on_a_phone_the_export_stands_beside_the_button_that_creates(
    open_list: Callable[..., Page], locale: str, name: str
) -> None:
    page = open_list(f"/{locale}/energy/clients", viewport={"width": 320, "height": 800})
    export, create = page.locator("#list-export"), page.locator(".head .button.primary")
    expect(export).to_have_accessible_name(name)
    boxes = export.bounding_box(), create.bounding_box()
    assert boxes[0]
    assert boxes[1]
    assert boxes[0]["y"] == boxes[1]["y"]


def test_headings_sort_and_say_so(open_list: Callable[..., Page]) -> None:
    page = open_list("/en/energy/sessions")
    cost = page.get_by_role("columnheader", name="Cost")
    cost.get_by_role("link").click()
    expect(page).to_have_url(re.compile(r"\?sort=-cost$"))
    expect(cost).to_have_attribute("aria-sort", "descending")
    expect(cost.get_by_role("link")).to_be_focused()
    expect(page.locator("#sort")).to_have_value("-cost")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"\?sort=cost$"))
    expect(cost).to_have_attribute("aria-sort", "ascending")


def test_a_range_is_chosen_by_a_preset_and_wrong_days_say_so(open_list: Callable[..., Page]) -> None:
    page = open_list("/en/energy/sessions")
    page.locator("#menu-startedAt > summary").click()
    page.get_by_role("link", name="Last 7 days").click()
    expect(page).to_have_url(re.compile(r"\?startedAtFrom=[\d-]+&startedAtTo=[\d-]+$"))
    expect(page.locator(ROWS).first).to_be_visible()
    page.goto(page.url.partition("?")[0] + "?startedAtFrom=2026-02-02&startedAtTo=2026-02-01")
    expect(page.locator("#error-startedAtFrom")).to_have_text("The first day is after the last.")
    expect(page.locator("#startedAtFrom")).to_have_attribute("aria-invalid", "true")


def test_a_search_is_one_entry_of_the_history(open_list: Callable[..., Page]) -> None:
    page = open_list("/en/energy/clients")
    before = entries(page)
    page.locator("#search").focus()
    for letters in ("mu", "ll", "er"):
        page.keyboard.type(letters)
        typed = page.locator("#search").input_value()
        expect(page).to_have_url(re.compile(rf"\?q={typed}$"))
    assert entries(page) == before + 1
    page.go_back()
    expect(page).to_have_url(re.compile(r"/clients$"))
    expect(page.locator("#search")).to_have_value("")


def test_the_language_switch_keeps_the_address_of_now(open_list: Callable[..., Page]) -> None:
    page = open_list("/en/energy/clients")
    page.locator("#search").fill("berlin")
    expect(page).to_have_url(re.compile(r"\?q=berlin$"))
    page.get_by_role("button", name="Deutsch").click()
    expect(page).to_have_url(re.compile(r"/de/energy/clients\?q=berlin$"))


def test_after_a_form_the_language_switch_leads_to_the_page_that_is_seen(open_list: Callable[..., Page]) -> None:
    page = open_list("/en/energy/clients/new")
    for name, value in {"name": "Lingua", "email": "lingua@example.com"}.items():
        page.locator(f"main [name={name}]").fill(value)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Clients")).to_be_visible()
    page.get_by_role("button", name="Deutsch").click()
    expect(page.get_by_role("heading", name="Kunden")).to_be_visible()


def load_pages(page: Page, pages: int) -> None:
    for shown in range(2, pages + 1):
        page.locator("#load-more").click()
        expect(page.locator(ROWS)).to_have_count(20 * shown)


def test_back_restores_the_rows_the_place_and_the_focus(open_list: Callable[..., Page]) -> None:
    page = open_list("/en/energy/clients?sort=name")
    load_pages(page, 4)
    link = page.locator(ROWS).nth(69).locator("th a")
    name = link.inner_text()
    link.click()
    expect(page.get_by_role("heading", name=name, exact=True)).to_be_visible()
    page.go_back()
    expect(page.locator(ROWS)).to_have_count(80)
    row = page.locator(ROWS).nth(69)
    expect(row.locator("th a")).to_be_focused()
    expect(row).to_be_in_viewport()


def test_the_link_back_leads_to_the_search_also_after_an_edit(open_list: Callable[..., Page]) -> None:
    page = open_list("/en/energy/clients?q=berlin&sort=name")
    load_pages(page, 2)
    seen = address(page)
    page.locator(ROWS).nth(30).locator("th a").click()
    page.get_by_role("link", name="Edit").click()
    page.get_by_role("button", name="Save changes").click()
    page.locator("main").get_by_role("link", name="Clients").click()
    expect(page.locator(ROWS)).to_have_count(40)
    assert address(page) == seen
    expect(page.locator(ROWS).nth(30)).to_be_in_viewport()


@pytest.mark.parametrize("width", [320, 1280])
def test_an_open_menu_stays_in_the_window(open_list: Callable[..., Page], width: int) -> None:
    page = open_list("/en/energy/stations", viewport={"width": width, "height": 800})
    for name in ("country", "city"):
        page.locator(f"#menu-{name} > summary").click()
        box = page.locator(f"#menu-{name} .filter-sheet").bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
        page.keyboard.press("Escape")


def test_without_scripts_all_of_it_is_a_form_and_links(open_list: Callable[..., Page]) -> None:
    page = open_list("/en/energy/chargers", java_script_enabled=False)
    page.locator("[name=status][value=faulted]").check()
    page.get_by_role("button", name="Apply").first.click()
    assert "status=faulted" in page.url
    assert set(page.locator(f"{ROWS} .badge").all_text_contents()) == {"Faulted"}
    page.get_by_role("columnheader", name="Power").get_by_role("link").click()
    assert page.url.endswith("?status=faulted&sort=-maxPowerKw")
    page.locator(ROWS).first.locator("th a").click()
    page.locator("a.back").click()
    assert page.url.endswith("?status=faulted&sort=-maxPowerKw")
    page.get_by_role("link", name="Clear all filters").click()
    assert page.url.endswith("/chargers?sort=-maxPowerKw")


def test_a_stale_place_leads_to_the_beginning(open_list: Callable[..., Page]) -> None:
    page = open_list("/en/energy/clients?cursor=stale")
    expect(page.get_by_text("This is the list’s beginning.")).to_be_visible()
    expect(page.locator(ROWS)).to_have_count(20)


@pytest.fixture
def firefox_browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Firefox]:
    with firefox(require_tool("firefox-esr", "firefox"), folder=tmp_path_factory.mktemp("firefox")) as browser:
        yield browser


def test_firefox_narrows_loads_more_and_comes_back(stack: RunningStack, firefox_browser: Firefox) -> None:
    tab = firefox_browser
    tab.open(stack.url("auth_app", "/en/login"))
    tab.type("input[name=email]", "energy@example.com")
    tab.type("input[name=password]", "demo")
    tab.click("form:has(input[name=email]) button")
    tab.wait_until("return location.pathname == '/en/energy' && document.readyState == 'complete'")
    tab.open(stack.url("energy", "/en/energy/chargers"))
    tab.click("label:has([value=available])")
    tab.wait_until("return location.search == '?status=available'")
    tab.type("#search", "h")
    tab.type("#search", "a")
    tab.wait_until(f"return location.search == '?q=ha&status=available' && {SETTLED}")
    tab.click("#load-more")
    tab.wait_until("return location.search == '?q=ha&status=available&pages=2'")
    tab.wait_until("return document.querySelectorAll('#rows > tr').length == 40")
    opened = tab.run("return document.querySelectorAll('#rows > tr')[35].dataset.rowId")
    tab.run("document.querySelectorAll('#rows > tr')[35].querySelector('a').click()")
    tab.wait_until("return document.querySelector('a.back') && document.readyState == 'complete'")
    tab.back()
    tab.wait_until("return document.querySelectorAll('#rows > tr').length == 40")
    tab.wait_until("return document.activeElement.closest('tr')?.dataset.rowId == arguments[0]", opened)
    tab.run("history.back()")
    tab.wait_until("return location.search == '?status=available' && document.readyState == 'complete'")
