"""Overviews: needs lead to their rows, periods are compared, charts are read, the state updates itself."""

from __future__ import annotations

import csv
import io
import itertools
import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Request, Route, expect

from tests.support.harness import RunningStack

pytestmark = pytest.mark.browser

SignIn = Callable[..., None]
NewPage = Callable[..., Page]
TICK_MS = 30_000
HIDE = "Object.defineProperty(document, 'visibilityState', {configurable: true, get: () => 'hidden'})"
SHOW = "delete document.visibilityState; document.dispatchEvent(new Event('visibilitychange'))"


def number_in(text: str) -> int:
    return int("".join(re.findall(r"\d", text)))


@pytest.mark.parametrize("has_scripts", [True, False])
@pytest.mark.parametrize(
    "need",
    [
        ("energy", "faulted chargers"),
        ("energy", "offline meters"),
        ("operations", "late work orders"),
        ("finance", "overdue invoices"),
    ],
)
def test_what_needs_somebody_leads_to_a_list_of_as_many_rows(
    stack: RunningStack, new_page: NewPage, sign_in: SignIn, need: tuple[str, str], has_scripts: bool
) -> None:
    app, label = need
    page = new_page(java_script_enabled=has_scripts, timezone_id="UTC")
    sign_in(page, app, opens=False)
    page.goto(stack.url(app, f"/en/{app}"))
    link = page.get_by_role("link", name=label)
    wanted = number_in(link.locator("strong").inner_text())
    link.click()
    expect(page.locator(".more-facts").first).to_contain_text(re.compile(rf"\b{wanted} entr"))


def test_each_age_of_what_is_overdue_leads_to_its_own_invoices(
    stack: RunningStack, new_page: NewPage, sign_in: SignIn
) -> None:
    page = new_page(timezone_id="UTC")
    sign_in(page, "finance")
    rows = page.locator(".need-links li")
    counts = [number_in(text.partition("·")[0]) for text in rows.locator(".amount").all_inner_texts()]
    assert counts
    for place, count in enumerate(counts):
        page.goto(stack.url("finance", "/en/finance"))
        rows.nth(place).get_by_role("link").click()
        expect(page.locator(".more-facts").first).to_contain_text(re.compile(rf"\b{count} entr"))


@pytest.mark.parametrize("has_scripts", [True, False])
def test_the_period_is_chosen_by_links_and_by_a_form_and_stands_in_the_address(
    stack: RunningStack, new_page: NewPage, sign_in: SignIn, has_scripts: bool
) -> None:
    page = new_page(java_script_enabled=has_scripts, timezone_id="UTC")
    sign_in(page, "energy")
    page.get_by_role("link", name="7 days").click()
    expect(page).to_have_url(re.compile(r"\?period=7d$"))
    expect(page.get_by_role("link", name="7 days")).to_have_attribute("aria-current", "true")
    expect(page.locator(".chart").first.locator(".bar")).to_have_count(7)
    sessions = page.locator("a.figure", has_text="Charging sessions").first
    number = number_in(sessions.locator(".figure-value").inner_text())
    sessions.click()
    expect(page.locator(".more-facts").first).to_contain_text(re.compile(rf"{number:,} entr"))
    page.goto(stack.url("energy", "/en/energy"))
    page.get_by_label("From").fill("2026-01-01")
    page.get_by_label("To", exact=True).fill("2026-01-31")
    page.get_by_role("button", name="Show").click()
    expect(page).to_have_url(re.compile(r"\?from=2026-01-01&to=2026-01-31$"))


def test_a_chart_is_one_stop_of_the_keyboard_and_its_bars_are_read_by_arrows_and_by_touch(
    stack: RunningStack, new_page: NewPage, sign_in: SignIn
) -> None:
    page = new_page(has_touch=True)
    sign_in(page, "energy")
    chart = page.locator("[data-chart]").first
    reading = page.locator("[data-chart-reading]").first
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
    expect(reading).to_contain_text("arrow keys")
    box = chart.bounding_box()
    assert box is not None
    # Where the chart has come to rest: the page scrolls smoothly to what gets the focus.
    chart.tap(position={"x": 5, "y": box["height"] / 2})
    expect(reading).to_have_text(first)
    page.keyboard.press("Tab")
    expect(page.locator(".bar-slot.is-read")).to_have_count(0)


def test_the_state_updates_itself_while_it_is_seen_and_never_on_coming_back(
    stack: RunningStack, new_page: NewPage, sign_in: SignIn
) -> None:
    page = new_page()
    page.clock.install()
    asked: list[str] = []

    def note(request: Request) -> None:
        if request.url.endswith("/energy/now"):
            asked.append(request.headers.get("x-made-for", ""))

    page.on("request", note)
    sign_in(page, "energy")

    def tick(times: int = 1) -> int:
        """How often the part was asked for after so many ticks of the clock."""
        before = len(asked)
        for _ in range(times):
            page.clock.run_for(TICK_MS)
            expect(page.locator("#live.htmx-request")).to_have_count(0)
        return len(asked) - before

    expect(page.locator("[data-live]")).to_be_visible()
    assert tick() == 1
    assert all(asked), "each says for whom the page was made"
    page.evaluate(HIDE)
    assert tick(3) == 0, "nobody sees it"
    page.evaluate(SHOW)
    page.evaluate("window.dispatchEvent(new Event('focus'))")
    assert tick(0) == 0, "coming back fetches nothing"
    assert tick() == 1, "the next tick does"
    page.locator("[data-live-pause]").click()
    assert tick(2) == 0
    page.locator("[data-live-pause]").click()
    assert tick() == 1
    page.locator("#live a").first.focus()
    assert tick() == 0, "nothing moves under one's hands"


def test_new_states_come_into_the_page(stack: RunningStack, new_page: NewPage, sign_in: SignIn) -> None:
    page = new_page()
    page.clock.install()
    sign_in(page, "energy")

    def all_is_well(route: Route) -> None:
        route.fulfill(body="<p>All is well now</p>", content_type="text/html")

    page.route("**/energy/now", all_is_well)
    page.clock.run_for(TICK_MS)
    expect(page.locator("#live")).to_have_text("All is well now")


def test_a_failure_is_silent_and_the_next_ticks_are_missed(
    stack: RunningStack, new_page: NewPage, sign_in: SignIn
) -> None:
    page = new_page()
    page.clock.install()
    asked: list[int] = []

    def fail(route: Route) -> None:
        asked.append(1)
        route.fulfill(status=503, body='{"title": "down"}', content_type="application/problem+json")

    page.route("**/energy/now", fail)
    sign_in(page, "energy")
    shown = page.locator("#live").inner_text()
    counts = []
    for _ in range(7):
        page.clock.run_for(TICK_MS)
        expect(page.locator("#live.htmx-request")).to_have_count(0)
        counts.append(len(asked))
    assert counts == [1, 1, 2, 2, 2, 2, 3]
    expect(page.locator(".toast")).to_have_count(0)
    assert page.locator("#live").inner_text() == shown


def test_who_is_signed_out_elsewhere_is_asked_no_more(stack: RunningStack, new_page: NewPage, sign_in: SignIn) -> None:
    page = new_page()
    page.clock.install()
    sign_in(page, "energy")
    page.context.clear_cookies()
    page.clock.run_for(TICK_MS)
    expect(page.get_by_role("heading", name="You are signed out")).to_be_visible()


@pytest.mark.parametrize("zone", ["Europe/Istanbul", "America/Los_Angeles"])
def test_each_figure_of_a_period_is_that_of_the_list_to_which_it_leads(
    stack: RunningStack, new_page: NewPage, sign_in: SignIn, zone: str
) -> None:
    page = new_page(timezone_id=zone)
    sign_in(page, "all")
    for period, (app, label, column) in itertools.product(
        ("30d", "12m"),
        (
            ("energy", "Charging sessions", None),
            ("energy", "Energy", "Energy, kWh"),
            ("energy", "Revenue", "Cost"),
            ("operations", "Created", None),
            ("operations", "Finished", None),
            ("finance", "Invoiced", "Amount"),
            ("finance", "Paid", "Amount"),
        ),
    ):
        if (app, period) == ("energy", "12m") and column is not None:
            # The file of a year is a matter of its own.
            continue
        page.goto(stack.url(app, f"/en/{app}?period={period}"))
        tile = page.locator("a.figure").filter(has=page.get_by_text(label, exact=True)).first
        figure = number_in(tile.locator(".figure-value").inner_text())
        tile.click()
        if column is None:
            expect(page.locator(".more-facts").first).to_contain_text(re.compile(rf"\b{figure:,} entr"))
            continue
        path, _, query = page.url.partition("?")
        file = page.request.get(f"{path}/export?{query}").text()
        rows = list(csv.DictReader(io.StringIO(file.removeprefix("\ufeff"))))
        total = sum(float(row[column] or 0) for row in rows)
        assert figure > 0
        assert abs(total - figure) < 1, f"{label} of {app}"


def test_on_the_narrowest_screen_a_number_and_its_unit_stay_on_one_line_and_years_do_not_touch(
    stack: RunningStack, new_page: NewPage, sign_in: SignIn
) -> None:
    page = new_page(viewport={"width": 320, "height": 800})
    sign_in(page, "all")
    for app, locale, period in itertools.product(
        ("energy", "finance", "operations"), ("en", "de", "tr"), ("30d", "12m")
    ):
        page.goto(stack.url(app, f"/{locale}/{app}?period={period}"))
        for value in page.locator(".figure-value").all():
            lines, is_inside = value.evaluate(
                """(value) => {
                    const range = document.createRange();
                    range.selectNodeContents(value);
                    const tile = value.closest(".figure").getBoundingClientRect();
                    const text = range.getBoundingClientRect();
                    return [range.getClientRects().length, text.right <= tile.right && tile.right <= innerWidth];
                }"""
            )
            assert (lines, is_inside) == (1, True), value.inner_text()
        if (app, period) == ("finance", "12m"):
            years = page.locator(".chart-labels").first.locator(".chart-group:visible")
            left, right = (box for box in (year.bounding_box() for year in years.all()) if box is not None)
            assert left["x"] + left["width"] + 4 <= right["x"]
            first, second = (page.locator("a.figure").nth(place).bounding_box() for place in (0, 1))
            assert first is not None
            assert second is not None
            assert first["y"] == second["y"]
