"""A backend that hangs over a write: the page says that nobody knows whether it was done, and sends it again safely."""

from __future__ import annotations

import secrets
from collections.abc import Callable

import pytest
import requests
from playwright.sync_api import Page, expect

from tests.browser.conftest import PATIENCE_MS, NewPage
from tests.support.backend_proxy import BackendProxy
from tests.support.harness import PATIENCE_S, RunningStack

pytestmark = pytest.mark.browser

SignIn = Callable[..., None]

UNKNOWN = "We don’t know whether it was done"
CLIENTS = "/energy/clients"


def clients_named(stack: RunningStack, name: str) -> int:
    """How many the backend itself has."""
    headers = {"Authorization": f"Bearer {stack.tokens('energy@example.com')['accessToken']}"}
    found = requests.get(f"{stack.backend}{CLIENTS}", params={"q": name}, headers=headers, timeout=PATIENCE_S)
    return int(found.json()["total"])


def send_again(page: Page) -> None:
    """Press the button until the backend is asked: it is left alone for a second after it was silent."""
    status = 503
    while status == 503:
        expect(page.get_by_role("alert").filter(has_text=UNKNOWN)).to_be_visible()
        with page.expect_response(lambda response: response.request.method == "POST") as answered:
            page.get_by_role("button", name="Send again").click()
        status = answered.value.status


@pytest.fixture(params=[True, False], ids=["with scripts", "without scripts"])
def page(request: pytest.FixtureRequest, new_page: NewPage, sign_in: SignIn) -> Page:
    made = new_page(java_script_enabled=request.param)
    sign_in(made, "energy")
    return made


@pytest.mark.parametrize("is_done", [True, False], ids=["whose answer is lost", "that comes late"])
def test_a_create_is_done_once(stack: RunningStack, proxy: BackendProxy, page: Page, is_done: bool) -> None:
    name = f"hanging{secrets.token_hex(6)}"
    page.goto(stack.url("energy", "/en/energy/clients/new"))
    page.locator("main [name=name]").fill(name)
    page.locator("main [name=email]").fill("hanging@example.com")
    held = None if is_done else proxy.hold(CLIENTS, method="POST")
    if is_done:
        proxy.losing.add(CLIENTS)
    page.locator("main form button[type=submit]").click(timeout=2 * PATIENCE_MS)
    notice = page.get_by_role("alert").filter(has_text=UNKNOWN)
    expect(notice).to_be_visible()
    expect(page.locator("main [name=name]")).to_have_value(name)
    expect(notice.get_by_role("link", name="Look whether it was done")).to_have_attribute("href", "/en/energy/clients")
    assert clients_named(stack, name) == is_done
    proxy.losing.clear()
    proxy.before_each = None
    send_again(page)
    expect(page).to_have_url(stack.url("energy", "/en/energy/clients"))
    # What hung reaches the backend now, under the same key.
    if held is not None:
        held.goes_on.set()
    expect(page.get_by_role("row").filter(has_text=name)).to_have_count(1)
    keys = [key for address, key in proxy.keys if address == CLIENTS]
    assert len(keys) >= 2
    assert len(set(keys)) == 1
    assert clients_named(stack, name) == 1
