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
    stops = page.locator("main a:not([tabindex='-1'])")
    named = page.locator(".in-need a:not(.badge)")
    assert named.count() > 1
    assert page.locator("svg.map a").count() > named.count()
    assert stops.count() < page.locator("svg.map a").count()
    # The worst is above the others, and has the pointer.
    last = page.locator("svg.map a").last
    name = last.locator("title").text_content()
    assert name is not None
    last.click()
    expect(page.locator("h1")).to_have_text(name.removesuffix(": Fault"))
    page.go_back()
    page.get_by_role("link", name="Fault", exact=True).first.click()
    expect(page).to_have_url(re.compile(r"/stations\?health=fault$"))
    expect(page.locator("#rows .badge.bad").first).to_be_visible()
