"""The map of the stations: for the pointer a picture with links, for the keyboard the names beside it."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visit

pytestmark = pytest.mark.browser


def test_the_map_leads_to_those_that_are_out_of_order_by_pointer_and_by_keyboard(visit: Visit) -> None:
    page = visit("energy", "/en/energy/stations")
    page.get_by_role("link", name="Map").click()
    expect(page.get_by_role("img", name=re.compile(r"^Map with \d+ stations$"))).to_be_visible()
    marks, named = page.locator("svg.map a"), page.locator(".in-need a:not(.badge)")
    assert min(named.count(), marks.count()) > 1
    expect(page.locator("svg.map a:not([tabindex='-1'])")).to_have_count(0)
    # The worst is above the others, and has the pointer.
    expect(marks.last.locator("use")).to_have_class("mark fault")
    address = marks.last.get_attribute("href") or ""
    marks.last.click()
    expect(page).to_have_url(re.compile(f"{re.escape(address)}$"))
    page.go_back()
    page.get_by_role("link", name="Fault", exact=True).first.click()
    expect(page).to_have_url(re.compile(r"/stations\?health=fault$"))
    expect(page.locator("#rows .badge.bad").first).to_be_visible()
