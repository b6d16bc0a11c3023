"""The developer's panel of a page's queries, in a browser, under the pages' own content security policy."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
import requests
from playwright.sync_api import Page, expect

from tests.browser.conftest import NewPage, submit_login
from tests.support.harness import RunningStack, running_stack

pytestmark = pytest.mark.browser

PAGE = "/en/energy/clients?sort=name&menu=city"
NAMES = ("user.get_me", "energy.get_clients", "energy.get_clients_counts")


@pytest.fixture(scope="module")
def energy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningStack]:
    """The gateway and the energy app, with the toolbar."""
    folder = tmp_path_factory.mktemp("panel")
    with running_stack(folder, without=("operations", "finance"), APP_DEBUG_TOOLBAR="on") as stack:
        yield stack


def open_panel(page: Page) -> dict[str, str]:
    """Open the panel as a developer does; gives endpoint to where its answer came from."""
    if not page.locator("#djDebug #djDebugToolbar").is_visible():
        page.locator("#djShowToolBarButton").click()
    page.locator("#djDebugToolbar a.QueriesPanel").click()
    rows = page.locator("#QueriesPanel .portal-queries tbody tr")
    expect(rows).to_have_count(3)
    return {
        row.locator("td").nth(0).inner_text().split('"')[1]: row.locator("td").nth(1).inner_text() for row in rows.all()
    }


def rename_first_client(stack: RunningStack, *, name: str) -> None:
    """Change the row behind the portal's back, so that what is cached is out of date and looks fresh."""
    bearer = {"Authorization": f"Bearer {stack.tokens('energy@example.com')['accessToken']}"}
    listed = requests.get(f"{stack.backend}/energy/clients?sort=name", headers=bearer, timeout=10).json()
    row = f"{stack.backend}/energy/clients/{listed['items'][0]['id']}"
    assert requests.patch(row, json={"name": name}, headers=bearer, timeout=10).status_code == 200


def test_its_buttons_refetch_one_query_and_clear_all_and_it_shows_a_form_that_led_here(
    energy: RunningStack, new_page: NewPage
) -> None:
    page = new_page(base_url=energy.url("energy"))
    page.goto(energy.url("auth_app", "/en/login"))
    submit_login(page, "energy")
    for _ in range(3):
        page.goto(PAGE)
    first = page.locator("[data-row-id]").first
    assert open_panel(page) == dict.fromkeys(NAMES, "hit")
    rename_first_client(energy, name="AA changed")
    page.goto(PAGE)  # a reload would fetch it
    expect(first).not_to_contain_text("AA changed")
    open_panel(page)
    row = page.locator("#QueriesPanel .portal-queries tr", has_text=re.compile(r"\bget_clients\b"))
    with page.expect_navigation():
        row.get_by_role("button", name="Refetch").click()
    expect(page).to_have_url(PAGE)
    expect(first).to_contain_text("AA changed")
    assert open_panel(page) == dict.fromkeys(NAMES, "hit")
    rename_first_client(energy, name="AA changed again")
    with page.expect_navigation():
        page.locator("#QueriesPanel").get_by_role("button", name="Clear what is cached").click()
    expect(page).to_have_url(PAGE)
    expect(first).to_contain_text("AA changed again")
    assert open_panel(page) == dict.fromkeys(NAMES, "miss")

    page.goto("/en/energy/clients/new")
    page.locator("#djHideToolBarButton").click()
    page.locator("input[name=name]").fill("Made in the panel's test")
    page.locator("input[name=email]").fill("panel@example.com")
    with page.expect_response("**/__debug__/history_sidebar/**"):
        page.locator("#content form button[type=submit]").click()
    page.locator("#djShowToolBarButton").click()
    page.locator("#djDebugToolbar a.QueriesPanel").click()
    panel = page.locator("#QueriesPanel")
    expect(panel.get_by_role("heading", name="Before this request: POST /en/energy/clients/new, 303")).to_be_visible()
    expect(panel.locator("tr.portal-mutation td").first).to_have_text("energy.create_client")
    bar = panel.locator("tr.portal-mutation rect").bounding_box()
    assert bar["width"] > 1, "no inline style is needed, which the pages' content security policy refuses"
    page.locator("#djDebugToolbar a.HistoryPanel").click()
    # The toolbar loads what its buttons do when it shows them: before that, they do nothing.
    page.locator("script[src$='/history.js']").first.evaluate("script => import(script.src).then(() => true)")
    sent = page.locator("#djdtHistoryRequests tr", has_text="POST").first
    expect(sent).not_to_contain_text("panel@example.com")
    with page.expect_response("**/__debug__/history_sidebar/**"):
        sent.get_by_role("button", name="Switch").click()
    page.locator("#djDebugToolbar a.QueriesPanel").click()
    expect(panel.locator("tr.portal-mutation td").first).to_have_text("energy.create_client")
