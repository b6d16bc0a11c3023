"""A real Chromium against real servers. Every page that a test opens may log nothing to the console."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urljoin, urlsplit

import pytest
import requests
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Route, expect

from tests.support.harness import PATIENCE_S, RunningStack

#: A browser reports every failed navigation itself, and htmx every refusal and every request that has no answer; what
#: the page did is asserted by the tests.
OWN_REPORTS = ("Failed to load resource", "Response Status Error Code", "htmx:afterRequest", "htmx:send")

#: How long a busy machine may take for a page, and for what a page does. Who is there at once waits for nothing.
PATIENCE_MS = 20_000
expect.set_options(timeout=PATIENCE_MS)

NewPage = Callable[..., Page]
SignIn = Callable[..., None]
Visit = Callable[..., Page]
NewAccount = Callable[..., str]


@contextmanager
def making_pages(browser: Browser) -> Iterator[NewPage]:
    """Make pages of browsers that share nothing; fail the test if a page broke a script or its CSP."""
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
def new_page(browser: Browser) -> Iterator[NewPage]:
    with making_pages(browser) as make:
        yield make


@pytest.fixture
def sign_in(stack: RunningStack) -> SignIn:
    """Send the gateway's form as a browser does, and open where it leads. Other tests fill it in by hand.

    `opens=False`: the test opens a page itself.
    """

    def do(page: Page, account: str, *, opens: bool = True) -> None:
        url = stack.url("auth_app", "/en/login")
        token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page.request.get(url).text())
        fields = {"email": f"{account}@example.com", "password": "demo", "csrfmiddlewaretoken": token[1]}
        answer = page.request.post(url, form=fields, headers={"Origin": stack.url("auth_app")}, max_redirects=0)
        assert answer.status == 303, answer.text()
        if opens:
            page.goto(urljoin(url, answer.headers["location"]))

    return do


@pytest.fixture
def visit(stack: RunningStack, new_page: NewPage, sign_in: SignIn) -> Visit:
    """Opens a page as an account sees it. Its browser knows the app: later on a path is address enough.

    `clock=True`: time passes in the browser as the test tells it to.
    """

    def do(account: str, path: str, *, clock: bool = False, **options: Any) -> Page:
        app = urlsplit(path).path.split("/")[2]
        origin = stack.url(app if app in {"energy", "operations", "finance"} else "auth_app")
        page = new_page(base_url=origin, **options)
        if clock:
            page.clock.install()
        sign_in(page, account, opens=False)
        page.goto(path)
        return page

    return do


def sign_out(page: Page) -> None:
    page.locator("[data-sign-out] button").first.click()
    page.wait_for_url("**/signed-out")


def submit_form(page: Page, **fields: str) -> None:
    """Fill in the form that is shown, and send it."""
    for name, value in fields.items():
        page.locator(f"main [name={name}]").fill(value)
    page.locator("main form button[type=submit]").click()


def become(page: Page, other: Page) -> None:
    """Somebody else signs in in the same browser, of which this page hears nothing."""
    page.context.add_cookies([each for each in other.context.cookies() if each["name"].startswith("VAR_")])


def created_by_someone_else(stack: RunningStack) -> str:
    """Create a client at the sandbox itself; gives its id."""
    bearer = {"Authorization": f"Bearer {stack.tokens('all@example.com')['accessToken']}"}
    body = {"name": "By someone else", "email": "someone@example.com"}
    answer = requests.post(f"{stack.backend}/energy/clients", json=body, headers=bearer, timeout=PATIENCE_S)
    return str(answer.json()["id"])


@contextmanager
def answers_held(page: Page, pattern: str) -> Iterator[None]:
    """Hold the answers to the addresses that match `pattern` back until the block ends.

    A request that the browser tells of only after the block is let through at once: a page shows that it waits
    before Playwright hears of the request.
    """
    held: list[Route] = []
    is_over = False

    def hold(route: Route) -> None:
        if is_over:
            route.continue_()
        else:
            held.append(route)

    page.route(pattern, hold)
    yield
    is_over = True
    for route in held:
        route.continue_()
