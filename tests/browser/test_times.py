"""Times on pages are those of the reader's own place, or of the zone that the reader has chosen, and name it."""

import re
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.conftest import Visit
from tests.support.harness import RunningStack

pytestmark = pytest.mark.browser

#: Half an hour off the others, and ahead of UTC: its day is another one in the evening.
PLACE = "Asia/Kolkata"
READ_AT = "[data-row-id] time[datetime]"


def moment_of(time: Locator, zone: str) -> datetime:
    return datetime.fromisoformat(time.get_attribute("datetime") or "").astimezone(ZoneInfo(zone))


def test_times_are_those_of_the_readers_zone(stack: RunningStack, visit: Visit) -> None:
    page = visit("energy", "/de/energy/sessions", timezone_id=PLACE)
    time = page.locator(READ_AT).first
    moment = moment_of(time, PLACE)
    shown = f"{moment:%d.%m.%Y, %H:%M}"
    # The first page tells the server the zone: the next one is written in it, and no script has to. "As of" names the
    # zone for all rows.
    for _ in range(2):
        expect(time).to_have_text(shown)
        expect(page.locator("[data-as-of]")).to_contain_text("GMT+5:30")
        page.reload()
        expect(page.locator("html")).to_have_attribute("data-time-zone", re.compile("Asia/(Kolkata|Calcutta)"))
        expect(time).to_have_attribute("data-local", "short_moment")
    # A zone that the reader has chosen comes before the browser's.
    page.context.add_cookies([{"name": "VAR_TIME_ZONE", "value": "Pacific/Chatham", "url": stack.url("energy", "/")}])
    page.goto("/de/energy/sessions")
    page.locator("[data-row-id] th a").first.click()
    time = page.locator("dl time").first
    moment = moment_of(time, "Pacific/Chatham")
    zone = "GMT+13:45" if moment.dst() else "GMT+12:45"
    expect(time).to_have_text(f"{moment:%d.%m.%Y, %H:%M} {zone}")
