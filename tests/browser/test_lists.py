"""Lists as tools: what is chosen stands in the address, and whoever comes back finds the list as it was."""

import itertools
import re
from functools import partial

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import NewAccount, Visit, answers_held

pytestmark = pytest.mark.browser

ROWS = "#rows > [data-row-id]"
PHONE = {"width": 320, "height": 800}
CLIENTS, STATIONS, CHARGERS, SESSIONS = (
    f"/en/energy/{name}" for name in ("clients", "stations", "chargers", "sessions")
)


@pytest.fixture(scope="module")
def reader(new_account: NewAccount) -> str:
    """An account that has created nothing."""
    return new_account("ENERGY_APP")


@pytest.fixture
def open_list(visit: Visit, reader: str) -> Visit:
    return partial(visit, reader)


def entries(page: Page) -> int:
    return int(page.evaluate("history.length"))


def load_pages(page: Page, pages: int) -> None:
    for shown in range(2, pages + 1):
        page.locator("#load-more").click()
        expect(page.locator(ROWS)).to_have_count(20 * shown)


def test_chosen_chip_has_an_address_and_an_edge(open_list: Visit) -> None:
    page = open_list(CHARGERS)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("checkbox", name=re.compile("^Fau")).check()
    expect(page).to_have_url(f"{CHARGERS}?status=faulted")
    page.get_by_role("button", name="Copy link").click()
    expect(page.locator("#said")).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()") == page.url
    page.emulate_media(forced_colors="active")
    chips = page.locator("label.chip")
    expect(chips.filter(has_text="Faulted")).to_have_css("outline-style", "solid")
    expect(chips.filter(has_text="Charging")).to_have_css("outline-style", "none")


def test_long_choices_are_loaded_once_and_searched(open_list: Visit) -> None:
    page = open_list(f"{STATIONS}?q=a&city=Berlin")
    loaded: list[str] = []
    page.on("request", lambda request: "?" in request.url and loaded.append(request.url.partition("?")[2]))
    menu, choices = page.locator("#menu-city"), page.locator("#menu-city .choice")
    expect(choices).to_have_count(1)
    before = entries(page)
    menu.locator("summary").click()
    expect(choices.nth(1)).to_be_visible()
    expect(menu.locator("summary")).to_be_focused()
    for _ in range(2):
        page.keyboard.press("Enter")
    expect(menu.get_by_role("link")).to_have_count(0)
    assert (loaded, entries(page)) == (["q=a&city=Berlin&menu=city"], before)
    expect(page).to_have_url(f"{STATIONS}?q=a&city=Berlin")
    expect(menu.get_by_role("checkbox", name=re.compile("^Berlin"))).to_be_checked()
    # A change while the choices are loaded counts.
    page.goto(f"{STATIONS}?city=Berlin")
    answers = "**/stations*Berlin*menu=city"
    with page.expect_response(answers), answers_held(page, answers):
        menu.locator("summary").click()
        page.get_by_role("checkbox", name=re.compile("^Berlin")).uncheck()
        expect(page).to_have_url(STATIONS)
    expect(choices.nth(1)).to_be_visible()
    expect(page.get_by_role("checkbox", name=re.compile("^Berlin"))).not_to_be_checked()
    words = page.get_by_role("searchbox", name="Search the choices of City")
    words.fill("koln")
    page.get_by_role("checkbox", name=re.compile("^Köln")).check()
    expect(page).to_have_url(re.compile(r"\?city=K%C3%B6ln$"))
    expect(words).to_have_value("koln")
    page.keyboard.press("Escape")
    expect(menu).not_to_have_attribute("open", "")
    expect(menu.locator("summary")).to_be_focused()
    page.get_by_role("link", name=re.compile("City: Köln")).click()
    expect(page).to_have_url(STATIONS)


def test_chip_is_chosen_by_keys_on_a_phone(open_list: Visit) -> None:
    page = open_list(CHARGERS, viewport=PHONE)
    button, chip = page.locator("#filters-open"), page.locator("fieldset.chips").first.locator(".chip").last
    expect(chip).to_be_hidden()
    button.press("Enter")
    chip.locator("input").press("Space")
    expect(page).to_have_url(re.compile(r"/chargers\?status=\w+$"))
    expect(page.locator("fieldset.chips .chip.chosen")).to_be_in_viewport(ratio=1)
    expect(chip.locator("input")).to_be_focused()
    page.keyboard.press("Escape")
    expect(button).to_be_focused()
    assert page.evaluate("document.documentElement.scrollWidth") == 320


def test_open_menus_stay_in_the_window(open_list: Visit) -> None:
    page = open_list(STATIONS)
    for width, name in itertools.product((1280, 320), ("country", "city")):
        page.set_viewport_size({"width": width, "height": 800})
        if width < 768 and not page.locator("#list-filters").is_visible():
            page.locator("#filters-open").click()
        page.locator(f"#menu-{name} > summary").click()
        expect(page.locator(f"#menu-{name} .choice").first).to_be_visible()
        box = page.locator(f"#menu-{name} .filter-sheet").bounding_box()
        assert 0 <= box["x"] <= box["x"] + box["width"] <= width
        page.keyboard.press("Escape")


def test_headings_sort_and_an_unanswered_order_is_repeated(open_list: Visit) -> None:
    page = open_list(SESSIONS)
    cost = page.get_by_role("columnheader", name="Cost")
    page.route("**/sessions?**", lambda route: route.abort())
    cost.get_by_role("link").click()
    expect(page.locator(".toast")).to_contain_text("The service does not answer.")
    again = page.locator("#list-outdated").get_by_role("button", name="Try again")
    again.click()
    expect(again).to_be_visible()
    expect(page.locator(".toast")).to_have_count(1)
    page.unroute("**/sessions?**")
    again.click()
    expect(page).to_have_url(f"{SESSIONS}?sort=-cost")
    expect(again).to_be_hidden()
    expect(page.locator(".toast")).to_have_count(0)
    expect(page.locator("#sort")).to_have_value("-cost")
    cost.get_by_role("link").press("Enter")
    expect(page).to_have_url(f"{SESSIONS}?sort=cost")
    expect(cost).to_have_attribute("aria-sort", "ascending")
    expect(cost.get_by_role("link")).to_be_focused()


def test_search_is_one_entry_of_the_history(open_list: Visit) -> None:
    page = open_list(CLIENTS)
    before = entries(page)
    page.locator("#search").focus()
    for letters in ("mu", "ll", "er"):
        page.keyboard.type(letters)
        expect(page).to_have_url(f"{CLIENTS}?q={page.locator('#search').input_value()}")
    assert entries(page) == before + 1
    page.go_back()
    expect(page).to_have_url(CLIENTS)
    expect(page.locator("#search")).to_have_value("")
    # A search without an answer is sent again once the browser is online.
    rows, notice, toast = page.locator(ROWS), page.locator("#list-outdated"), page.locator(".toast")
    before_it = rows.first.inner_text()
    page.context.set_offline(True)
    page.locator("#search").fill("berlin")
    expect(toast).to_have_text("You are offline.")
    expect(notice).to_contain_text("The rows below are those from before.")
    assert rows.first.inner_text() == before_it
    page.context.set_offline(False)
    expect(page).to_have_url(f"{CLIENTS}?q=berlin")
    expect(notice).to_be_hidden()
    expect(toast).to_have_count(0)


def test_back_restores_the_rows_the_place_and_the_focus(open_list: Visit) -> None:
    page = open_list(f"{CLIENTS}?sort=name")
    load_pages(page, 4)
    row = page.locator(ROWS).nth(69)
    name = row.locator("th a").inner_text()
    row.locator("th a").click()
    expect(page.get_by_role("heading", name=name, exact=True)).to_be_visible()
    page.go_back()
    expect(page.locator(ROWS)).to_have_count(80)
    expect(row.locator("th a")).to_be_focused()
    expect(row).to_be_in_viewport()


def test_more_rows_are_announced(open_list: Visit) -> None:
    page = open_list(CLIENTS)
    page.locator("#load-more").focus()
    for pages in (2, 3, 4):
        page.keyboard.press("Enter")
        expect(page.locator(ROWS)).to_have_count(pages * 20)
        expect(page.locator("#list-status")).to_have_text(f"20 more, {pages * 20} shown")
        expect(page.locator("#load-more")).to_be_focused()
    expect(page).to_have_url(f"{CLIENTS}?pages=4")


def test_list_has_the_focus_at_its_end(open_list: Visit) -> None:
    page = open_list(f"{STATIONS}?country=DE&pages=4")
    as_of, made_old = page.locator("[data-as-of]"), "2026-01-01T00:00:00+00:00"
    as_of.evaluate("(time, moment) => time.setAttribute('datetime', moment)", made_old)
    page.locator("#load-more").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#load-more")).to_have_count(0)
    expect(page.locator("#more")).to_be_focused()
    expect(as_of).to_have_count(1)
    expect(as_of).to_have_attribute("datetime", made_old)


def test_lists_are_forms_and_links_without_scripts(open_list: Visit) -> None:
    page = open_list(f"{STATIONS}?city=Berlin", java_script_enabled=False)
    menu = page.locator("#menu-city")
    menu.locator("summary").click()
    menu.get_by_role("link", name="Show the choices").click()
    menu.get_by_role("checkbox", name=re.compile("^Köln")).check()
    menu.get_by_role("button", name="Apply").click()
    page.wait_for_url(lambda url: {"city=Berlin", "city=K%C3%B6ln"} < set(url.partition("?")[2].split("&")))
    page.goto(CHARGERS)
    page.locator("[name=status][value=faulted]").check()
    page.get_by_role("button", name="Apply").first.click()
    page.wait_for_url("**/chargers?*status=faulted*")
    assert set(page.locator(f"{ROWS} .badge").all_text_contents()) == {"Faulted"}
    page.get_by_role("columnheader", name="Power").get_by_role("link").click()
    page.wait_for_url("**/chargers?status=faulted&sort=-maxPowerKw")
    # The whole row is the link.
    box = page.locator(ROWS).first.bounding_box()
    page.mouse.click(box["x"] + box["width"] * 0.9, box["y"] + box["height"] / 2)
    page.locator("a.back").click()
    page.wait_for_url("**/chargers?status=faulted&sort=-maxPowerKw")
