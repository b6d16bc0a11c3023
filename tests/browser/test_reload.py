"""What a reload shows, in a real Chromium, and what is no reload: counted at the backend."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit, created_by_someone_else
from tests.support.harness import RunningStack

pytestmark = pytest.mark.browser

CLIENTS = "/en/energy/clients"


@pytest.fixture
def list_calls(stack: RunningStack) -> Callable[[], int]:
    """How often the app asked for the list since it was last asked for."""
    seen = stack.proxy.calls_of("/energy/clients")

    def more() -> int:
        nonlocal seen
        before, seen = seen, stack.proxy.calls_of("/energy/clients")
        return seen - before

    return more


def hard_reload(page: Page) -> None:
    with page.expect_event("load"):
        page.context.new_cdp_session(page).send("Page.reload", {"ignoreCache": True})


def test_a_reload_shows_what_another_user_created(stack: RunningStack, visit: Visit) -> None:
    page = visit("energy", CLIENTS)
    for reload in (Page.reload, hard_reload, lambda page: page.locator("[data-refresh]").click()):
        row = page.locator(f"[data-row-id='{created_by_someone_else(stack)}']")
        page.goto("/en/energy")
        page.locator(f"a[href='{CLIENTS}']").first.click()
        page.wait_for_url(CLIENTS)
        assert row.count() == 0, "five minutes are not over"
        reload(page)
        expect(row).to_have_count(1)
        expect(page).to_have_url(CLIENTS)


def test_each_reload_asks_once_and_nothing_else_asks(visit: Visit, list_calls: Callable[[], int]) -> None:
    page = visit("energy", CLIENTS)
    list_calls()
    for _ in range(3):
        page.reload()
        assert list_calls() == 1
    page.goto(CLIENTS)
    assert list_calls() == 0, "the same address entered again"
    page.locator("[data-row-id] th a").first.click()
    page.wait_for_url("**/clients/cli_*")
    list_calls()
    for _ in range(2):
        page.go_back()
        page.wait_for_url(CLIENTS)
        page.go_forward()
        page.wait_for_url("**/clients/cli_*")
    assert list_calls() == 0
    page.goto(CLIENTS)
    page.evaluate("htmx.ajax('GET', location.pathname, {target: '#list', swap: 'outerHTML'})")
    assert list_calls() == 0


def test_back_from_a_search_asks_nothing(visit: Visit, list_calls: Callable[[], int]) -> None:
    """htmx changed the address, and loads the page anew when the user goes back to one that it does not keep."""
    page = visit("energy", CLIENTS)
    page.locator("#search").press_sequentially("zzz")
    expect(page).to_have_url(f"{CLIENTS}?q=zzz")
    expect(page.locator("[data-row-id]")).to_have_count(0)
    list_calls()
    page.go_back()
    expect(page.locator("[data-row-id]")).not_to_have_count(0)
    assert list_calls() == 0
    page.reload()
    assert list_calls() == 1
