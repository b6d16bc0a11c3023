"""What a reload shows, in a real Chromium and a real Firefox, and what is no reload: counted at the backend."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Protocol

import pytest
import requests
from playwright.sync_api import Page

from tests.browser.conftest import submit_login
from tests.browser.firefox import Firefox, firefox
from tests.support.harness import RunningStack, require_tool

pytestmark = pytest.mark.browser

NewPage = Callable[..., Page]
LIST = "/energy/clients"


class Tab(Protocol):
    """What a person does with a browser's tab. Each waits for the page."""

    def open(self, url: str) -> object: ...
    def soft_reload(self) -> None: ...
    def hard_reload(self) -> None: ...
    def back(self) -> None: ...
    def forward(self) -> None: ...
    def type(self, selector: str, text: str) -> None: ...
    def click(self, selector: str) -> None: ...
    def run(self, script: str) -> Any: ...
    def wait_until(self, script: str) -> None: ...


class ChromiumTab:
    """Chromium, by Playwright."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def open(self, url: str) -> None:
        self.page.goto(url)

    def soft_reload(self) -> None:
        self.page.reload()

    def hard_reload(self) -> None:
        self.run("window.beforeReload = true")
        self.page.context.new_cdp_session(self.page).send("Page.reload", {"ignoreCache": True})
        self.wait_until("return !window.beforeReload && document.readyState == 'complete'")

    def back(self) -> None:
        self.page.go_back()

    def forward(self) -> None:
        self.page.go_forward()

    def type(self, selector: str, text: str) -> None:
        self.page.locator(selector).first.press_sequentially(text)

    def click(self, selector: str) -> None:
        self.page.locator(selector).first.click()

    def run(self, script: str) -> Any:
        return self.page.evaluate(f"() => {{ {script} }}")

    def wait_until(self, script: str) -> None:
        self.page.wait_for_function(f"() => {{ {script} }}")


class Site:
    """The energy app, the sandbox, and what the app asks it."""

    def __init__(self, stack: RunningStack) -> None:
        self.stack = stack
        self.bearer = {"Authorization": f"Bearer {stack.tokens('all@example.com')['accessToken']}"}

    def url(self, path: str) -> str:
        return self.stack.url("energy", path)

    def created_by_someone_else(self, name: str) -> str:
        """Create a client at the sandbox itself; gives its id."""
        body = {"name": name, "email": "someone@example.com"}
        answer = requests.post(f"{self.stack.backend}{LIST}", json=body, headers=self.bearer, timeout=20)
        made: str = answer.json()["id"]
        return made

    def list_calls(self) -> int:
        """How often the app asked for the list until now."""
        return self.stack.proxy.calls_of(LIST)


@pytest.fixture
def site(stack: RunningStack) -> Site:
    return Site(stack)


@pytest.fixture(scope="module")
def firefox_browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Firefox]:
    with firefox(require_tool("firefox-esr", "firefox"), folder=tmp_path_factory.mktemp("firefox")) as browser:
        yield browser


@pytest.fixture(params=["chromium", "firefox"])
def tab(request: pytest.FixtureRequest, site: Site) -> Tab:
    """A signed-in browser."""
    tab: Tab
    if request.param == "chromium":
        tab = ChromiumTab(request.getfixturevalue("new_page")())
    else:
        tab = request.getfixturevalue("firefox_browser")
        tab.open(site.url("/en/energy"))
        tab.command("WebDriver:DeleteAllCookies")
    tab.open(site.stack.url("auth_app", "/en/login"))
    tab.type("input[name=email]", "energy@example.com")
    tab.type("input[name=password]", "demo")
    tab.click("form:has(input[name=email]) button")
    tab.wait_until("return location.pathname == '/en/energy' && document.readyState == 'complete'")
    return tab


def shows(tab: Tab, row_id: str) -> bool:
    return bool(tab.run(f"return !!document.querySelector('[data-row-id=\"{row_id}\"]')"))


def is_at(tab: Tab, path: str) -> None:
    tab.wait_until(f"return location.pathname == '{path}' && document.readyState == 'complete'")


@pytest.mark.parametrize("way", ["soft_reload", "hard_reload"])
def test_a_reload_shows_what_another_user_created(site: Site, tab: Tab, way: str) -> None:
    tab.open(site.url("/en/energy/clients"))
    created = site.created_by_someone_else("By someone else")
    tab.open(site.url("/en/energy"))
    tab.click("a[href='/en/energy/clients']")
    is_at(tab, "/en/energy/clients")
    assert not shows(tab, created), "five minutes are not over"
    getattr(tab, way)()
    assert shows(tab, created)


def test_each_reload_asks_once(site: Site, tab: Tab) -> None:
    tab.open(site.url("/en/energy/clients?q=once"))
    for asked in (1, 2, 3):
        before = site.list_calls()
        tab.soft_reload()
        assert site.list_calls() == before + 1, f"reload {asked}"


def test_back_and_forward_ask_nothing(site: Site, tab: Tab) -> None:
    tab.open(site.url("/en/energy/clients"))
    tab.soft_reload()
    tab.click("[data-row-id] th a")
    tab.wait_until("return location.pathname != '/en/energy/clients' && document.readyState == 'complete'")
    before = site.list_calls()
    for _ in range(2):
        tab.back()
        is_at(tab, "/en/energy/clients")
        tab.forward()
        tab.wait_until("return location.pathname != '/en/energy/clients' && document.readyState == 'complete'")
    assert site.list_calls() == before


def test_back_from_a_search_asks_nothing(site: Site, tab: Tab) -> None:
    """htmx changed the address, and loads the page anew when the user goes back to one that it does not keep."""
    tab.open(site.url("/en/energy/clients"))
    tab.type("#search", "zzz")
    tab.wait_until("return location.search == '?q=zzz' && !document.querySelector('[data-row-id]')")
    before = site.list_calls()
    tab.run("history.back()")
    loaded = "document.readyState == 'complete' && document.querySelector('[data-row-id]')"
    tab.wait_until(f"return location.search == '' && {loaded}")
    assert site.list_calls() == before
    tab.soft_reload()
    assert site.list_calls() == before + 1


def test_the_page_after_a_form_asks_nothing_and_a_reload_of_it_does(site: Site, tab: Tab) -> None:
    tab.open(site.url("/en/energy/clients"))
    tab.open(site.url("/en/energy/clients/new"))
    tab.type("main [name=name]", "Formed")
    tab.type("main [name=email]", "formed@example.com")
    before = site.list_calls()
    # Sent as a browser without scripts would: htmx's own request is none in any case.
    tab.run("document.querySelector('main form').submit()")
    is_at(tab, "/en/energy/clients")
    assert site.list_calls() == before
    assert "Formed" in tab.run("return document.querySelector('[data-row-id]').textContent")
    tab.soft_reload()
    assert site.list_calls() == before + 1


def test_htmx_asks_nothing_by_itself(site: Site, tab: Tab) -> None:
    tab.open(site.url("/en/energy/clients"))
    tab.soft_reload()
    before = site.list_calls()
    tab.run("htmx.ajax('GET', location.pathname, {target: '#list', swap: 'outerHTML'}).then(() => window.asked = true)")
    tab.wait_until("return window.asked")
    assert site.list_calls() == before


def test_the_same_address_entered_again_asks_where_it_looks_like_a_reload(site: Site, tab: Tab) -> None:
    """Chromium tells the two apart; for Firefox they are the same request."""
    tab.open(site.url("/en/energy/clients"))
    before = site.list_calls()
    tab.open(site.url("/en/energy/clients"))
    assert site.list_calls() == before + isinstance(tab, Firefox)


def test_chromium_without_scripts_reloads_by_key_and_by_the_pages_own_link(site: Site, new_page: NewPage) -> None:
    page = new_page(java_script_enabled=False)
    page.goto(site.stack.url("auth_app", "/en/login"))
    submit_login(page, email="energy@example.com", password="demo")
    page.goto(site.url("/en/energy/clients"))
    created = site.created_by_someone_else("By someone else")
    page.reload()
    assert page.locator(f"[data-row-id='{created}']").count() == 1
    created = site.created_by_someone_else("By someone else again")
    page.locator("[data-refresh]").click()
    assert page.locator(f"[data-row-id='{created}']").count() == 1
