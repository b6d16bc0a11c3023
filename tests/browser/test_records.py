"""Records as places: what belongs to a record, and work orders that one works with, with scripts and without."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.support.harness import RunningStack

pytestmark = pytest.mark.browser

SignIn = Callable[..., None]
NewPage = Callable[..., Page]
SCRIPTS = pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
SHORT = 5


def new_order(page: Page, stack: RunningStack, title: str) -> None:
    """Create a work order, and open it."""
    page.goto(stack.url("operations", "/en/operations/work-orders/new"))
    page.get_by_label("Title").fill(title)
    page.get_by_role("button", name="Create work order").click()
    page.wait_for_url("**/work-orders")
    page.locator("main").get_by_role("link", name=title).first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text(title)


def badge(page: Page) -> Locator:
    """The status of the work order that is shown."""
    return page.locator("main .badge").first


@SCRIPTS
def test_a_station_shows_what_belongs_to_it_and_leads_to_all_of_it(
    stack: RunningStack, new_page: NewPage, sign_in: SignIn, scripts: bool
) -> None:
    page = new_page(java_script_enabled=scripts)
    sign_in(page, "energy", opens=False)
    page.goto(stack.url("energy", "/en/energy/stations"))
    page.locator("[data-row-id] th a").first.click()
    sessions = page.locator("#sessions")
    expect(sessions.locator("[data-row-id]")).to_have_count(SHORT)
    expect(page.locator("#work-orders")).to_have_count(0)
    sessions.get_by_role("link", name="Show all").click()
    expect(page).to_have_url(re.compile(r"/en/energy/sessions\?stationId=sta_"))


@SCRIPTS
def test_a_work_order_is_started_and_finished_and_each_is_undone(
    stack: RunningStack, new_page: NewPage, sign_in: SignIn, scripts: bool
) -> None:
    page = new_page(java_script_enabled=scripts)
    sign_in(page, "operations")
    new_order(page, stack, f"Undo me, scripts {scripts}")
    status = badge(page)
    page.get_by_role("button", name="Start").click()
    expect(status).to_have_text("In progress")
    page.get_by_role("button", name="Undo").click()
    expect(status).to_have_text("Open")
    expect(page.locator(".toast").get_by_text("Undone.")).to_be_visible()
    page.get_by_role("button", name="Mark as done").click()
    expect(status).to_have_text("Done")
    page.get_by_role("button", name="Reopen").click()
    expect(status).to_have_text("Open")


@SCRIPTS
def test_a_reopened_work_order_is_done_again_at_its_former_time_by_an_undo(
    stack: RunningStack, new_page: NewPage, sign_in: SignIn, scripts: bool
) -> None:
    page = new_page(java_script_enabled=scripts)
    sign_in(page, "operations", opens=False)
    page.goto(stack.url("operations", "/en/operations/work-orders?status=done&sort=createdAt"))
    page.locator("[data-row-id] th a").first.click()
    done = page.locator("dl > div", has=page.get_by_text("Done", exact=True)).locator("time")
    long_ago = done.get_attribute("datetime")
    assert long_ago
    page.get_by_role("button", name="Reopen").click()
    expect(badge(page)).to_have_text("Open")
    expect(done).to_have_count(0)
    page.get_by_role("button", name="Undo").click()
    expect(badge(page)).to_have_text("Done")
    expect(done).to_have_attribute("datetime", long_ago)


@SCRIPTS
def test_an_undo_leaves_what_somebody_else_has_done_since(
    stack: RunningStack, new_page: NewPage, sign_in: SignIn, scripts: bool
) -> None:
    one, two = (new_page(java_script_enabled=scripts) for _ in range(2))
    sign_in(one, "operations")
    sign_in(two, "all")
    new_order(one, stack, f"Two users, scripts {scripts}")
    one.get_by_role("button", name="Start").click()
    expect(badge(one)).to_have_text("In progress")
    two.goto(one.url)
    two.get_by_role("button", name="Mark as done").click()
    expect(badge(two)).to_have_text("Done")
    one.get_by_role("button", name="Undo").click()
    expect(one.locator(".toast").get_by_text("Somebody has changed this since, so nothing was undone.")).to_be_visible()
    expect(badge(one)).to_have_text("Done")
    two.reload()
    expect(badge(two)).to_have_text("Done")


@SCRIPTS
def test_a_button_of_a_page_from_before_an_undo_writes_nothing_and_the_page_is_new(
    stack: RunningStack, new_page: NewPage, sign_in: SignIn, scripts: bool
) -> None:
    one, two = (new_page(java_script_enabled=scripts) for _ in range(2))
    sign_in(one, "operations")
    sign_in(two, "all")
    new_order(one, stack, f"Undone under you, scripts {scripts}")
    one.get_by_role("button", name="Start").click()
    expect(badge(one)).to_have_text("In progress")
    two.goto(one.url)
    one.get_by_role("button", name="Undo").click()
    expect(badge(one)).to_have_text("Open")
    two.get_by_role("button", name="Mark as done").click()
    expect(
        two.locator(".toast").get_by_text("Somebody else has changed this meanwhile. Nothing was written.")
    ).to_be_visible()
    expect(badge(two)).to_have_text("Open")
    two.get_by_role("button", name="Mark as done").click()
    expect(badge(two)).to_have_text("Done")


@SCRIPTS
def test_a_work_order_is_assigned_by_a_small_form(
    stack: RunningStack, new_page: NewPage, sign_in: SignIn, scripts: bool
) -> None:
    page = new_page(java_script_enabled=scripts)
    sign_in(page, "operations")
    new_order(page, stack, f"Assign me, scripts {scripts}")
    page.get_by_role("button", name="Assign to me").click()
    expect(page.locator("dl")).to_contain_text("Ole Nordahl")
    page.locator("summary", has_text="Assign").click()
    page.get_by_label("Assigned to").fill("Somebody New")
    page.get_by_role("button", name="Save").first.click()
    expect(page.locator("dl")).to_contain_text("Somebody New")
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("dl")).to_contain_text("Ole Nordahl")


def test_a_station_is_chosen_with_the_keyboard(stack: RunningStack, new_page: NewPage, sign_in: SignIn) -> None:
    page = new_page()
    sign_in(page, "operations", opens=False)
    page.goto(stack.url("operations", "/en/operations/work-orders/new"))
    page.get_by_label("Title").fill("By keyboard")
    station = page.get_by_role("combobox", name="Station")
    station.fill("oslo")
    matches = page.get_by_role("listbox", name="Matches").get_by_role("option")
    expect(matches.first).to_be_visible()
    expect(station).to_have_attribute("aria-expanded", "true")
    station.press("ArrowDown")
    name = matches.first.get_attribute("data-text")
    assert name
    station.press("Enter")
    expect(station).to_have_value(name)
    expect(station).to_have_attribute("aria-expanded", "false")
    page.get_by_role("button", name="Create work order").click()
    page.wait_for_url("**/work-orders")
    page.locator("main").get_by_role("link", name="By keyboard").first.click()
    expect(page.locator("dl")).to_contain_text(name)


def test_a_station_is_searched_and_chosen_without_scripts(
    stack: RunningStack, new_page: NewPage, sign_in: SignIn
) -> None:
    page = new_page(java_script_enabled=False)
    sign_in(page, "operations", opens=False)
    page.goto(stack.url("operations", "/en/operations/work-orders/new"))
    page.get_by_label("Title").fill("Without scripts")
    page.get_by_label("Station").fill("oslo")
    page.get_by_role("button", name="Create work order").click()
    expect(page.get_by_text("Choose one.")).to_be_visible()
    page.get_by_label("Choose one").select_option(index=1)
    page.get_by_role("button", name="Create work order").click()
    expect(page).to_have_url(re.compile("/work-orders$"))


def test_an_id_is_copied_and_the_page_says_so(stack: RunningStack, new_page: NewPage, sign_in: SignIn) -> None:
    page = new_page(permissions=["clipboard-read", "clipboard-write"])
    sign_in(page, "energy", opens=False)
    page.goto(stack.url("energy", "/en/energy/clients"))
    page.locator("[data-row-id] th a").first.click()
    page.get_by_role("button", name="Copy: ID").click()
    expect(page.locator("#said")).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()") == page.locator("dl code").inner_text()
