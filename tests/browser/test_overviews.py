"""Overviews: charts are read, the state updates itself, numbers fit the narrowest screen."""

import itertools
import re

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import Visit
from tests.support.harness import RunningStack

pytestmark = pytest.mark.browser

OVERVIEW = "/en/energy"
TICK_MS = 30_000
HIDE = "Object.defineProperty(document, 'visibilityState', {configurable: true, get: () => 'hidden'})"
SHOW = "delete document.visibilityState; document.dispatchEvent(new Event('visibilitychange'))"
#: How many lines a number has, and whether it stays in its tile and the tile in the window.
LINES_AND_PLACE = """values => values.map(value => {
    const range = document.createRange();
    range.selectNodeContents(value);
    const tile = value.closest(".figure").getBoundingClientRect();
    const text = range.getBoundingClientRect();
    return [range.getClientRects().length, text.right <= tile.right && tile.right <= innerWidth];
})"""

#: Gives an overview so many tiles; then how many each of their rows has, and whether it is full.
ROWS_OF_FIGURES = """(figures, number) => {
    while (figures.children.length > number) figures.lastElementChild.remove();
    while (figures.children.length < number) figures.append(figures.firstElementChild.cloneNode(true));
    const rows = Map.groupBy([...figures.children], tile => tile.offsetTop);
    const end = figures.getBoundingClientRect().right;
    return [...rows.values()].map(row => [row.length, end - row.at(-1).getBoundingClientRect().right < 2]);
}"""


def tick(page: Page) -> None:
    page.clock.run_for(TICK_MS)
    expect(page.locator("#live.htmx-request")).to_have_count(0)


def test_bars_are_read_by_keys_and_touch(visit: Visit) -> None:
    page = visit("energy", OVERVIEW, has_touch=True)
    chart, reading = page.locator("[data-chart]").first, page.locator("[data-chart-reading]").first
    expect(chart).to_have_attribute("role", "slider")
    chart.focus()
    page.keyboard.press("Home")
    first = reading.inner_text()
    assert "kWh" in first
    expect(chart).to_have_attribute("aria-valuetext", first)
    page.keyboard.press("ArrowRight")
    expect(reading).not_to_have_text(first)
    expect(page.locator(".bar-slot.is-read")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(reading).to_contain_text("in all")
    # Where the chart has come to rest: the page scrolls smoothly to what gets the focus.
    chart.tap(position={"x": 5, "y": chart.bounding_box()["height"] / 2})
    expect(reading).to_have_text(first)
    first_day = page.locator(".chart-table a").first.get_attribute("href")
    chart.tap(position={"x": 5, "y": chart.bounding_box()["height"] / 2})
    page.wait_for_url(f"**{first_day}")
    page.go_back()
    chart.focus()
    page.keyboard.press("Home")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**{first_day}")


def test_state_updates_itself_only_while_seen(visit: Visit) -> None:
    page = visit("energy", OVERVIEW, clock=True)
    asked: list[str] = []
    is_now = re.compile("/energy/now$").search
    page.on("request", lambda request: is_now(request.url) and asked.append(request.headers.get("x-made-for", "")))

    def asked_in(ticks: int) -> int:
        """How often the part was asked for after so many ticks of the clock."""
        before = len(asked)
        for _ in range(ticks):
            tick(page)
        return len(asked) - before

    expect(page.locator("[data-live]")).to_be_visible()
    assert asked_in(1) == 1
    assert all(asked), "each says for whom the page was made"
    page.evaluate(HIDE)
    assert asked_in(3) == 0, "nobody sees it"
    page.evaluate(SHOW)
    page.evaluate("window.dispatchEvent(new Event('focus'))")
    assert asked_in(0) == 0, "coming back fetches nothing"
    assert asked_in(1) == 1, "the next tick does"
    page.locator("[data-live-pause]").click()
    assert asked_in(2) == 0
    page.locator("[data-live-pause]").click()
    assert asked_in(1) == 1
    page.locator("#live a").first.focus()
    assert asked_in(1) == 0, "nothing moves under one's hands"
    page.locator("h1").click()
    page.evaluate("document.activeElement.blur()")
    page.route("**/energy/now", lambda route: route.fulfill(body="<p>All is well</p>", content_type="text/html"))
    tick(page)
    expect(page.locator("#live")).to_have_text("All is well")


def test_state_tells_its_time_and_a_missed_tick(visit: Visit) -> None:
    page = visit("energy", OVERVIEW, clock=True, timezone_id="Asia/Kolkata")
    asked: list[int] = []

    def fail(route: Route) -> None:
        asked.append(1)
        route.fulfill(status=503, body='{"title": "down"}', content_type="application/problem+json")

    age, said = page.locator(".live-as-of"), page.locator("#said")
    expect(age).to_have_text(re.compile(r"^\s*As of \d\d:\d\d GMT\+5:30\s*$"), use_inner_text=True)
    since = age.locator("time").first.inner_text()
    page.route("**/energy/now", fail)
    tick(page)
    expect(age).to_have_text(f"No answer since {since}", use_inner_text=True)
    expect(said).to_have_text(f"No answer since {since}")
    said.evaluate("said => said.replaceChildren()")
    for _ in range(3):
        tick(page)
    assert len(asked) == 4, "it is asked for again at each tick"
    expect(said).to_be_empty()
    expect(page.locator(".toast")).to_have_count(0)
    page.unroute("**/energy/now")
    tick(page)
    expect(age).to_have_text(re.compile("As of"), use_inner_text=True)
    # A request that hangs counts as missed at the next tick.
    held: list[Route] = []
    page.route("**/energy/now", lambda route: held.append(route))  # noqa: PLW0108  Playwright takes no built-in
    for told in ("As of", "No answer since"):
        page.clock.run_for(TICK_MS)
        expect(age).to_have_text(re.compile(told), use_inner_text=True)
    page.unroute("**/energy/now")
    tick(page)
    expect(age).to_have_text(re.compile("As of"), use_inner_text=True)
    assert len(held) == 2
    page.context.clear_cookies()
    page.clock.run_for(TICK_MS)
    expect(page.get_by_role("heading", name="You are signed out")).to_be_visible()


def test_numbers_and_tiles_fit_each_width(stack: RunningStack, visit: Visit) -> None:
    page = visit("all", OVERVIEW, viewport={"width": 320, "height": 800})
    for app, locale, period in itertools.product(
        ("energy", "operations", "finance"), ("en", "de", "tr"), ("30d", "12m")
    ):
        page.goto(stack.url(app, f"/{locale}/{app}?period={period}"))
        places = page.locator(".figure-value").evaluate_all(LINES_AND_PLACE)
        assert places
        assert [place for place in places if place != [1, True]] == [], (app, locale, period)
    first, second = (page.locator("a.figure").nth(place).bounding_box() for place in (0, 1))
    assert first["y"] == second["y"]


def test_no_row_of_figures_has_a_hole(visit: Visit) -> None:
    page = visit("finance", "/en/finance")
    for number, width in itertools.product((4, 6, 7, 8), (768, 900, 1024, 1152, 1280, 1440, 1920)):
        page.set_viewport_size({"width": width, "height": 900})
        rows = page.locator(".figures").first.evaluate(ROWS_OF_FIGURES, number)
        assert min(count for count, _is_full in rows) > 1, (number, width)
        assert all(is_full for _count, is_full in rows), (number, width)
