"""From a charger that is faulted to a work order that somebody has: three clicks, the rest is typed."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visit

pytestmark = pytest.mark.browser


def test_a_fault_becomes_an_assigned_work_order_in_three_clicks(visit: Visit) -> None:
    page = visit("all", "/en/energy")
    named = page.locator(".need-links li").first
    expect(named).not_to_contain_text("in hand")
    charger = named.locator("a").inner_text()
    named.locator("a").click()
    expect(page.locator("h1")).to_have_text(charger)
    page.get_by_role("link", name="New work order").first.click()
    expect(page.locator("[name=title]")).to_have_value(f"Fault: {charger}")
    expect(page.locator("[name=priority]")).to_have_value("high")
    page.get_by_label("Assigned to").click()
    page.keyboard.type("ros")
    page.get_by_role("option", name="Rosa").first.wait_for()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    person = page.get_by_label("Assigned to").input_value()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/en/operations/work-orders/wor_"))
    expect(page.locator("h1")).to_have_text(f"Fault: {charger}")
    facts = page.locator("dl.facts").first
    expect(facts).to_contain_text(charger)
    expect(facts).to_contain_text(person)
