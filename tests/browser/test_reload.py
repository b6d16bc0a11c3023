"""What a reload shows, in a real Chromium, and what is no reload: counted at the backend."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit, created_by_someone_else
from tests.support.harness import RunningStack

pytestmark = pytest.mark.browser

CLIENTS, LIST = "/en/energy/clients", "/energy/clients"


def hard_reload(page: Page) -> None:
    with page.expect_event("load"):
        page.context.new_cdp_session(page).send("Page.reload", {"ignoreCache": True})


def fresh_list(visit: Visit) -> Page:
    """The list, read at this moment: another test of the account may have read it five minutes ago."""
    page = visit("energy", CLIENTS)
    page.reload()
    return page


def test_reload_asks_once_and_shows_new_rows(stack: RunningStack, visit: Visit) -> None:
    page = fresh_list(visit)
    for reload in (Page.reload, hard_reload, lambda page: page.locator("[data-refresh]").click()):
        row = page.locator(f"[data-row-id='{created_by_someone_else(stack)}']")
        page.goto("/en/energy")
        page.locator(f"a[href='{CLIENTS}']").first.click()
        page.wait_for_url(CLIENTS)
        assert row.count() == 0, "five minutes are not over"
        before = stack.proxy.calls_of(LIST)
        reload(page)
        expect(row).to_have_count(1)
        expect(page).to_have_url(CLIENTS)
        assert stack.proxy.calls_of(LIST) == before + 1


def test_coming_back_to_a_list_asks_nothing(stack: RunningStack, visit: Visit) -> None:
    page = fresh_list(visit)
    before = stack.proxy.calls_of(LIST)
    page.goto(CLIENTS)
    page.locator("[data-row-id] th a").first.click()
    page.wait_for_url("**/clients/cli_*")
    for _ in range(2):
        page.go_back()
        page.wait_for_url(CLIENTS)
        page.go_forward()
        page.wait_for_url("**/clients/cli_*")
    page.goto(CLIENTS)
    page.evaluate("htmx.ajax('GET', location.pathname, {target: '#list', swap: 'outerHTML'})")
    assert stack.proxy.calls_of(LIST) == before
    # htmx changed the address, and loads the page anew when the user goes back to one that it does not keep.
    # At once: a slow browser would search for each letter, and an older search may be asked for later.
    page.locator("#search").fill("zzz")
    expect(page).to_have_url(f"{CLIENTS}?q=zzz")
    expect(page.locator("[data-row-id]")).to_have_count(0)
    before = stack.proxy.calls_of(LIST)
    page.go_back()
    expect(page.locator("[data-row-id]")).not_to_have_count(0)
    assert stack.proxy.calls_of(LIST) == before
    page.reload()
    assert stack.proxy.calls_of(LIST) == before + 1
