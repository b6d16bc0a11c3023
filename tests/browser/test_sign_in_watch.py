"""One sign-in on real subdomains: shared by all applications, and watched by every tab."""

import re
from collections.abc import Iterator
from urllib.parse import quote, urlsplit

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.browser.conftest import NewPage, answers_held, making_pages, sign_out
from tests.browser.subdomains import DOMAIN, Site, running_below_one_domain
from tests.conftest import CHROMIUM_FLAGS
from tests.support.command_line import run_command
from tests.support.harness import require_tool
from tests.support.open_pages import submit_login
from tests.support.ports import free_port_base

pytestmark = pytest.mark.browser

COVER = "#signed-out-elsewhere"
COVERS_WITHIN_MS = 2_000


class WatchedSite(Site):
    def sign_in(self, page: Page, account: str) -> None:
        page.goto(self.url("auth_app", "/en/login"))
        submit_login(page, account)
        expect(page.locator("#essentials")).to_contain_text(f"{account}@example.com")


@pytest.fixture(scope="module")
def windows(browser: Browser) -> Iterator[Browser]:
    """A browser whose tabs gain and lose the focus, and stay as they are behind the next page.

    The headless shell has neither, and Playwright turns the back-forward cache off.
    """
    launched = browser.browser_type.launch(
        executable_path=require_tool("chromium", "chromium-browser", "google-chrome"),
        args=[*CHROMIUM_FLAGS, "--headless=new"],
        ignore_default_args=["--disable-back-forward-cache"],
    )
    yield launched
    launched.close()


@pytest.fixture
def windowed_page(windows: Browser) -> Iterator[Page]:
    """A page with the focus and a back-forward cache. It costs twice the processor of the headless shell's."""
    with making_pages(windows) as make:
        yield make()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WatchedSite]:
    folder = tmp_path_factory.mktemp("site")
    with running_below_one_domain(folder, port_base=free_port_base(), through_proxy=True) as stack:
        yield WatchedSite(stack)


def another_tab(page: Page, url: str) -> Page:
    tab = page.context.new_page()
    tab.goto(url)
    return tab


def focus(page: Page) -> None:
    """A person comes back to the tab from another one; the browser itself says so to the page."""
    # Playwright pretends that every page has the focus, which then never comes back.
    page.context.new_cdp_session(page).send("Emulation.setFocusEmulationEnabled", {"enabled": False})
    other = page.context.new_page()
    other.bring_to_front()
    page.bring_to_front()
    other.close()


def test_tabs_of_other_applications_follow_a_sign_out(site: WatchedSite, windowed_page: Page) -> None:
    page = windowed_page
    site.sign_in(page, "all")
    shared = [cookie for cookie in page.context.cookies() if cookie["name"].startswith("VAR_")]
    assert {cookie["domain"] for cookie in shared} == {f".{DOMAIN}"}
    others = [
        (another_tab(page, site.url(app, path)), title)
        for app, path, title in (
            ("energy", "/en/energy/clients", "You are signed out"),
            ("operations", "/en/operations", "You are signed out"),
            ("finance", "/de/finance", re.compile("abgemeldet")),
        )
    ]
    for tab, _title in others:
        expect(tab.locator("#essentials")).to_contain_text("all@example.com")
    page.goto(site.url("auth_app", "/en/profile"))
    sign_out(page)
    for tab, _title in others:
        expect(tab.locator("[data-sign-out]").first).to_be_attached()
    for tab, title in others:
        with tab.expect_navigation(url=f"**/login?next={quote(tab.url, safe='')}"):
            focus(tab)
            expect(tab.locator(COVER)).to_be_visible(timeout=COVERS_WITHIN_MS)
            expect(tab.locator("h1")).to_have_text(title)
            assert "example.com" not in tab.content()


def test_tab_notices_another_account(site: WatchedSite, windowed_page: Page) -> None:
    old_tab = windowed_page
    site.sign_in(old_tab, "energy")
    tab = another_tab(old_tab, site.url("auth_app", "/en/profile"))
    sign_out(tab)
    site.sign_in(tab, "finance")
    with old_tab.expect_navigation(url=site.url("finance", "/en/finance")):
        focus(old_tab)
        expect(old_tab.locator(COVER)).to_be_visible(timeout=COVERS_WITHIN_MS)
        expect(old_tab.locator("h1")).to_have_text("Somebody else is signed in now")
        assert "energy@example.com" not in old_tab.content()
    expect(old_tab.locator("#essentials")).to_contain_text("finance@example.com")


def test_visible_tab_asks_every_minute(site: WatchedSite, new_page: NewPage) -> None:
    page = new_page()
    page.clock.install()
    site.sign_in(page, "energy")
    # An overview updates itself, and would learn of the end by that.
    page.goto(site.url("energy", "/en/energy/clients"))
    page.wait_for_load_state("networkidle")
    page.context.clear_cookies()
    # The clock goes on by itself too, on a busy machine for some seconds.
    page.clock.fast_forward(30_000)
    assert page.locator(COVER).count() == 0
    with page.expect_request("**/sign-in-state"):
        page.clock.fast_forward(31_000)
    page.wait_for_url("**/login?next=*")


def test_focus_asks_for_the_sign_in_alone(site: WatchedSite, windowed_page: Page) -> None:
    page = windowed_page
    site.sign_in(page, "energy")
    page.goto(site.url("energy", "/en/energy/clients"))
    page.wait_for_load_state("networkidle")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    with page.expect_response("**/sign-in-state"):
        focus(page)
    # A headless Chromium hides no tab, so this event is made up; the real one is in the test of pages that come back.
    with page.expect_response("**/sign-in-state"):
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    page.wait_for_load_state("networkidle")
    # Without an answer nobody is signed out.
    for broken in (
        lambda route: route.abort(),
        lambda route: route.fulfill(status=503, body=""),
        lambda route: route.fulfill(status=200, body="<html>", content_type="text/html"),
    ):
        page.route("**/sign-in-state", broken)
        with page.expect_event("request", lambda request: request.url.endswith("/sign-in-state")):
            focus(page)
        page.unroute("**/sign-in-state")
        with page.expect_response("**/sign-in-state"):
            focus(page)
        assert page.locator(COVER).count() == 0
    assert set(asked) == {site.url("energy", "/sign-in-state")}
    expect(page.locator("[data-row-id]").first).to_be_visible()


def let_it_be_kept(route: Route) -> None:
    """Chromium drops a page that says `no-store` once a cookie has changed; not every browser does."""
    asked = urlsplit(route.request.url)
    # Outside of the browser nobody knows names below `localhost`.
    url = asked._replace(netloc=f"127.0.0.1:{asked.port}").geturl()
    answer = route.fetch(url=url, headers={**route.request.all_headers(), "host": asked.netloc})
    kept = {name: value for name, value in answer.headers.items() if name.lower() != "cache-control"}
    route.fulfill(response=answer, headers=kept)


def test_restored_page_asks_before_it_is_seen(site: WatchedSite, windowed_page: Page) -> None:
    page = windowed_page
    site.sign_in(page, "energy")
    page.route("**/energy/clients", let_it_be_kept)
    page.goto(site.url("energy", "/en/energy/clients"))
    page.wait_for_load_state("networkidle")
    page.evaluate("window.broughtBack = true")
    for signed_out_meanwhile in (False, True):
        page.goto(site.url("energy", "/en/energy/stations"))
        if signed_out_meanwhile:
            # As on another application: the sign-out of this one would have Chromium drop the page (`Clear-Site-Data`).
            page.context.clear_cookies()
        with answers_held(page, "**/sign-in-state"):
            page.evaluate("history.back()")
            page.wait_for_function("window.broughtBack")
            expect(page.locator("#content")).not_to_be_visible()
        if not signed_out_meanwhile:
            expect(page.locator("#content")).to_be_visible()
            assert page.evaluate("window.broughtBack"), "the page itself, not a new one"
    expect(page.locator(COVER)).to_be_visible()
    assert page.locator("[data-row-id]").count() == 0


def test_browser_fills_in_what_the_server_missed(site: WatchedSite, new_page: NewPage) -> None:
    page = new_page()
    site.sign_in(page, "energy")
    # As five minutes would do.
    assert run_command("clear_query_cache", **site.stack.variables).status == 0
    site.stack.proxy.failing.add("/me")

    def recover_first(route: Route) -> None:
        assert page.locator("#essentials[data-placeholder]").count() == 1
        site.stack.proxy.failing.clear()
        route.continue_()

    try:
        page.route("**/essentials", recover_first)
        page.goto(site.url("energy", "/en/energy/clients"))
        expect(page.locator("[data-row-id]").first).to_be_visible()
        expect(page.locator("#essentials")).to_contain_text("energy@example.com")
        expect(page.locator("[data-placeholder]")).to_have_count(0)
    finally:
        site.stack.proxy.failing.clear()
