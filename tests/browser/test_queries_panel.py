"""The developer's panel of a page's queries, in a browser, under the pages' own content security policy."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
import requests
from playwright.sync_api import Page, expect

from tests.browser.conftest import submit_login
from tests.support.harness import RunningStack, running_stack

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = pytest.mark.browser

PAGE = "/en/energy/clients?sort=name"


@pytest.fixture(scope="module")
def energy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningStack]:
    """The gateway and the energy app, with the toolbar."""
    folder = tmp_path_factory.mktemp("panel")
    with running_stack(folder, without=("operations", "finance"), APP_DEBUG_TOOLBAR="on") as stack:
        yield stack


@pytest.fixture
def page(energy: RunningStack, new_page: Callable[..., Page]) -> Page:
    """The clients' page of a signed-in browser, all of whose queries are cached."""
    made = new_page()
    made.goto(energy.url("auth_app", "/en/login"))
    submit_login(made, email="energy@example.com", password="demo")
    for _ in range(3):
        made.goto(energy.url("energy", PAGE))
    return made


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
    login = requests.post(
        f"{stack.backend}/auth/login", json={"email": "energy@example.com", "password": "demo"}, timeout=10
    )
    bearer = {"Authorization": f"Bearer {login.json()['accessToken']}"}
    listed = requests.get(f"{stack.backend}/energy/clients?sort=name", headers=bearer, timeout=10).json()
    row_id = listed["items"][0]["id"]
    answer = requests.patch(f"{stack.backend}/energy/clients/{row_id}", json={"name": name}, headers=bearer, timeout=10)
    assert answer.status_code == 200


def test_its_buttons_refetch_one_query_and_clear_all(energy: RunningStack, page: Page) -> None:
    first = page.locator("[data-row-id]").first
    assert open_panel(page) == {"user.get_me": "hit", "energy.get_clients": "hit", "energy.get_clients_counts": "hit"}
    rename_first_client(energy, name="AA changed")
    page.goto(page.url)  # a reload would fetch it
    expect(first).not_to_contain_text("AA changed")

    open_panel(page)
    with page.expect_navigation():
        page.locator("#QueriesPanel .portal-queries tr", has_text=re.compile(r"\bget_clients\b")).get_by_role(
            "button", name="Refetch"
        ).click()
    expect(page).to_have_url(energy.url("energy", PAGE))
    expect(first).to_contain_text("AA changed")
    assert open_panel(page) == {"user.get_me": "hit", "energy.get_clients": "hit", "energy.get_clients_counts": "hit"}

    rename_first_client(energy, name="AA changed again")
    with page.expect_navigation():
        page.locator("#QueriesPanel").get_by_role("button", name="Clear what is cached").click()
    expect(page).to_have_url(energy.url("energy", PAGE))
    expect(first).to_contain_text("AA changed again")
    assert open_panel(page) == {
        "user.get_me": "miss",
        "energy.get_clients": "miss",
        "energy.get_clients_counts": "miss",
    }


def test_after_a_form_it_shows_the_form_and_the_page_that_followed(energy: RunningStack, page: Page) -> None:
    page.goto(energy.url("energy", "/en/energy/clients/new"))
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


def test_its_history_leads_back_to_the_forms_request(energy: RunningStack, page: Page) -> None:
    page.goto(energy.url("energy", "/en/energy/clients/new"))
    page.locator("#djHideToolBarButton").click()
    page.locator("input[name=name]").fill("Made for the history")
    page.locator("input[name=email]").fill("history@example.com")
    with page.expect_response("**/__debug__/history_sidebar/**"):
        page.locator("#content form button[type=submit]").click()
    page.locator("#djShowToolBarButton").click()
    page.locator("#djDebugToolbar a.HistoryPanel").click()
    sent = page.locator("#djdtHistoryRequests tr", has_text="POST").first
    expect(sent).to_contain_text("/en/energy/clients/new")
    expect(sent).not_to_contain_text("history@example.com")
    with page.expect_response("**/__debug__/history_sidebar/**"):
        sent.get_by_role("button", name="Switch").click()
    page.locator("#djDebugToolbar a.QueriesPanel").click()
    expect(page.locator("#QueriesPanel tr.portal-mutation td").first).to_have_text("energy.create_client")
