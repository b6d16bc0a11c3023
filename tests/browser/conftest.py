"""A real Chromium against real servers. Every page that a test opens may log nothing to the console."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urljoin

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, expect

from tests.support.harness import RunningStack

#: A browser reports every failed navigation itself, and htmx every refusal; what the page did is asserted by the tests.
OWN_REPORTS = ("Failed to load resource", "Response Status Error Code")

#: How long a busy machine may take for a page, and for what a page does. Who is there at once waits for nothing.
PATIENCE_MS = 20_000
expect.set_options(timeout=PATIENCE_MS)

NewPage = Callable[..., Page]


@pytest.fixture
def new_page(browser: Browser) -> Iterator[NewPage]:
    """Makes pages of browsers that share nothing; fails the test if a page broke a script or its CSP."""
    contexts: list[BrowserContext] = []
    complaints: list[str] = []

    def note(message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"} and not message.text.startswith(OWN_REPORTS):
            complaints.append(message.text)

    def make(**options: Any) -> Page:
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        context.set_default_timeout(PATIENCE_MS)
        contexts.append(context)
        page = context.new_page()
        page.on("console", note)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        return page

    yield make
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.fixture
def sign_in(stack: RunningStack) -> Callable[..., None]:
    """Send the gateway's form as a browser does, and open where it leads. Other tests fill it in by hand.

    `opens=False`: the test opens a page itself.
    """

    def do(page: Page, account: str, *, locale: str = "en", password: str = "demo", opens: bool = True) -> None:
        url = stack.url("auth_app", f"/{locale}/login")
        token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page.request.get(url).text())
        fields = {"email": f"{account}@example.com", "password": password, "csrfmiddlewaretoken": token[1]}
        answer = page.request.post(url, form=fields, headers={"Origin": stack.url("auth_app", "")}, max_redirects=0)
        assert answer.status == 303, answer.text()
        if opens:
            page.goto(urljoin(url, answer.headers["location"]))

    return do


def submit_login(page: Page, *, email: str, password: str) -> None:
    page.locator("input[name=email]").fill(email)
    page.locator("input[name=password]").fill(password)
    page.locator("form:has(input[name=email]) button").click()
    page.wait_for_load_state()
