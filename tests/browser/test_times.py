"""Times on pages are those of the reader's own place, or of the zone that the reader has chosen, and name it."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from playwright.sync_api import Page, expect

from tests.support.harness import RunningStack

pytestmark = pytest.mark.browser

SignIn = Callable[..., None]
NewPage = Callable[..., Page]
#: Half an hour off the others, and ahead of UTC: its day is another one in the evening.
PLACE = "Asia/Kolkata"
READ_AT = "[data-row-id] time[datetime]"


def there(moment: str) -> datetime:
    return datetime.fromisoformat(moment).astimezone(ZoneInfo(PLACE))


@pytest.mark.parametrize(
    ("locale", "pattern"), [("en", "%b {day}, %Y, %H:%M"), ("de", "%d.%m.%Y, %H:%M"), ("tr", r".* %Y %H:%M")]
)
def test_times_are_the_readers_own_in_the_pages_language(
    stack: RunningStack, new_page: NewPage, sign_in: SignIn, locale: str, pattern: str
) -> None:
    page = new_page(timezone_id=PLACE)
    sign_in(page, "energy", opens=False)
    page.goto(stack.url("energy", f"/{locale}/energy/sessions"))
    time = page.locator(READ_AT).first
    moment = there(time.get_attribute("datetime") or "")
    shown = re.compile(f"^{moment.strftime(pattern.format(day=moment.day))}$")
    expect(time).to_have_text(shown)
    expect(time).to_have_attribute("title", re.compile(r" GMT\+5:30$"))
    expect(page.locator("[data-as-of]")).to_contain_text("GMT+5:30")
    # The first page told the server the zone: the next one is written in it, and no script has to.
    page.reload()
    expect(page.locator("html")).to_have_attribute("data-time-zone", re.compile("Asia/(Kolkata|Calcutta)"))
    expect(time).to_have_attribute("data-local", "short_moment")
    expect(time).to_have_text(shown)
    expect(time).to_have_attribute("title", re.compile(r" GMT\+5:30$"))
    expect(page.locator("[data-as-of]")).to_contain_text("GMT+5:30")


def test_rows_that_htmx_brings_have_the_readers_own_times_too(
    stack: RunningStack, new_page: NewPage, sign_in: SignIn
) -> None:
    page = new_page(timezone_id=PLACE)
    sign_in(page, "energy", opens=False)
    page.goto(stack.url("energy", "/en/energy/sessions"))
    page.locator("[data-load-more]").click()
    expect(page.locator("[data-row-id]")).to_have_count(40)
    time = page.locator(READ_AT).last
    expect(time).to_contain_text(there(time.get_attribute("datetime") or "").strftime("%H:%M"))
    expect(page.get_by_text(" UTC")).to_have_count(0)


def test_without_scripts_they_are_utc_and_say_so(stack: RunningStack, new_page: NewPage, sign_in: SignIn) -> None:
    page = new_page(timezone_id=PLACE, java_script_enabled=False)
    sign_in(page, "energy", opens=False)
    page.goto(stack.url("energy", "/en/energy/sessions"))
    time = page.locator(READ_AT).first
    moment = datetime.fromisoformat(time.get_attribute("datetime") or "")
    text = f"{moment:%b} {moment.day}, {moment:%Y, %H:%M}"
    expect(time).to_have_text(text)
    expect(time).to_have_attribute("title", f"{text} UTC")
    expect(page.locator("[data-as-of]")).to_contain_text(" UTC")
    page.locator("[data-row-id] th a").first.click()
    expect(page.locator("dl time").first).to_contain_text(f"{text} UTC")


@pytest.mark.parametrize("scripts", [True, False])
def test_a_chosen_zone_counts_in_every_app_before_the_browsers_own(
    stack: RunningStack, new_page: NewPage, sign_in: SignIn, scripts: bool
) -> None:
    page = new_page(timezone_id=PLACE, java_script_enabled=scripts)
    page.context.add_cookies([{"name": "VAR_TIME_ZONE", "value": "Pacific/Chatham", "url": stack.url("energy", "/")}])
    sign_in(page, "energy", locale="de", opens=False)
    page.goto(stack.url("energy", "/de/energy/sessions"))
    page.locator("[data-row-id] th a").first.click()
    time = page.locator("dl time").first
    moment = datetime.fromisoformat(time.get_attribute("datetime") or "").astimezone(ZoneInfo("Pacific/Chatham"))
    zone = "GMT+13:45" if moment.dst() else "GMT+12:45"
    expect(time).to_have_text(f"{moment:%d.%m.%Y, %H:%M} {zone}")


@pytest.mark.parametrize("name", ["../../etc/passwd", "Europe/Nowhere", "x" * 3000])
def test_a_zone_that_there_is_not_is_as_none(
    stack: RunningStack, new_page: NewPage, sign_in: SignIn, name: str
) -> None:
    page = new_page(timezone_id=PLACE, java_script_enabled=False)
    page.context.add_cookies([{"name": "VAR_TIME_ZONE", "value": name, "url": stack.url("energy", "/")}])
    sign_in(page, "energy", opens=False)
    page.goto(stack.url("energy", "/en/energy/sessions"))
    expect(page.locator("[data-as-of]")).to_contain_text(" UTC")


def test_the_days_of_an_invoice_are_the_same_for_everyone(
    stack: RunningStack, new_page: NewPage, sign_in: SignIn
) -> None:
    page = new_page(timezone_id="Pacific/Kiritimati")
    sign_in(page, "finance", opens=False)
    page.goto(stack.url("finance", "/en/finance/invoices"))
    time = page.locator(READ_AT).first
    moment = datetime.fromisoformat(time.get_attribute("datetime") or "")
    expect(time).to_have_text(f"{moment:%b} {moment.day}, {moment:%Y}")


def test_a_list_is_as_old_as_its_oldest_page(stack: RunningStack, new_page: NewPage, sign_in: SignIn) -> None:
    page = new_page()
    sign_in(page, "energy", opens=False)
    page.goto(stack.url("energy", "/en/energy/stations"))
    as_of = page.locator("[data-as-of]")
    made_old = "2026-01-01T00:00:00+00:00"
    as_of.evaluate("(time, moment) => time.setAttribute('datetime', moment)", made_old)
    page.locator("[data-load-more]").click()
    expect(page.locator("[data-row-id]")).not_to_have_count(20)
    expect(as_of).to_have_count(1)
    expect(as_of).to_have_attribute("datetime", made_old)


def test_the_control_reloads_and_stays_on_the_page(stack: RunningStack, new_page: NewPage, sign_in: SignIn) -> None:
    page = new_page()
    sign_in(page, "energy", opens=False)
    page.goto(stack.url("energy", "/en/energy/stations"))
    page.locator("[data-as-of]").evaluate("time => (window.asOf = time)")
    with page.expect_request(lambda request: request.is_navigation_request()) as asked:
        page.locator("[data-refresh]").click()
    assert asked.value.header_value("cache-control") == "max-age=0"
    expect(page).to_have_url(stack.url("energy", "/en/energy/stations"))
