"""Forms and buttons of a record, as scripts send them: focus, choices, another account."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visit, become, submit_form

pytestmark = pytest.mark.browser

NEW_CLIENT, NEW_ORDER = "/en/energy/clients/new", "/en/operations/work-orders/new"


def test_forms_move_the_focus_without_a_new_page(visit: Visit) -> None:
    page = visit("energy", NEW_CLIENT)
    page.get_by_role("button", name="Create").click()
    field = page.locator("[name=name]")
    expect(field).to_be_focused()
    assert page.title().startswith("Error: New client")
    region = page.locator("#toasts").element_handle()
    submit_form(page, name="Kay Board", email="kay@example.com")
    expect(page.get_by_role("heading", name="Kay Board")).to_be_focused()
    expect(page).to_have_url(re.compile(r"/en/energy/clients/cli_\w+$"))
    assert region.evaluate("region => region.isConnected && region.textContent").strip() == "Kay Board was created."
    page.get_by_role("link", name="Edit").click()
    submit_form(page, city="Ulm")
    expect(page.get_by_text("Your changes were saved.").first).to_be_visible()
    expect(page.locator("script[src*=records]")).to_have_count(1)
    scripts = page.evaluate("[...document.scripts].map(script => script.src)")
    assert len(scripts) == len(set(scripts))


def test_page_of_another_account_covers_itself(visit: Visit) -> None:
    page, other = visit("operations", NEW_ORDER), visit("all", "/en/operations")
    # The watch asks at most when a tab gets the focus; here somebody types in a page that had it all along.
    become(page, other)
    with page.expect_response("**?choices=*") as answered:
        page.locator("main [name=stationId-text]").press_sequentially("os")
    assert answered.value.status == 409
    expect(page.get_by_role("heading", name="Somebody else is signed in now")).to_be_visible()


def test_order_is_made_started_and_undone_by_keys(visit: Visit) -> None:
    page = visit("operations", NEW_ORDER)
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
    page.wait_for_url("**/work-orders/wor_*")
    expect(page.locator("dl.facts").first).to_contain_text(name)
    for button, status in (("Start", "In progress"), ("Undo", "Open")):
        page.get_by_role("button", name=button).click()
        expect(page.locator("main .badge").first).to_have_text(status)
        expect(page.locator("h1")).to_be_focused()
    expect(page.locator("#said")).to_have_text("Undone.")
    page.get_by_role("button", name="Start").click()
    expect(page.locator("h1")).to_be_focused()
    page.keyboard.press("z")
    expect(page.locator("main .badge").first).to_have_text("Open")


def test_small_form_closes_unless_something_was_typed(visit: Visit) -> None:
    page = visit("operations", "/en/operations/work-orders?status=open")
    page.locator("#rows th a").first.click()
    page.wait_for_url("**/work-orders/wor_*")
    details = page.locator("details[name=change]").filter(has=page.locator("[data-row-choice]"))
    person = details.get_by_role("combobox")
    details.locator("summary").click()
    expect(person).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(person).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("Escape")
    expect(person).to_have_attribute("aria-expanded", "false")
    expect(person).to_be_visible()
    page.keyboard.press("Escape")
    expect(person).to_be_hidden()
    expect(details.locator("summary")).to_be_focused()
    page.keyboard.press("Enter")
    details.locator("label").click()
    expect(person).to_be_visible()
    page.locator("dl.facts dt").first.click()
    expect(person).to_be_hidden()
    details.locator("summary").click()
    person.fill("somebody")
    page.locator("dl.facts dt").first.click()
    expect(person).to_have_value("somebody")
    expect(person).to_be_visible()


def test_cookie_of_another_application_is_expired(visit: Visit) -> None:
    """The server reads no cookie beside one with such letters."""
    page = visit("energy", "/en/energy")
    page.evaluate("document.cookie = 'other=\u00e9; path=/'; document.cookie = '\u00fc; path=/en'")
    page.goto("/en/energy/clients")
    expect(page.locator("#essentials")).to_contain_text("energy@example.com")
    expect(page).to_have_url(re.compile("/en/energy/clients$"))
    assert page.evaluate("document.cookie").isascii()
