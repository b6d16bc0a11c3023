"""A backend that is half down while twenty people work: afterwards all is as before, by itself, for everybody."""

import re
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest

from portal.config.cookies import VAR_REFRESH_TOKEN
from tests.support.backend_proxy import BackendProxy
from tests.support.harness import RunningStack
from tests.support.html_forms import Page
from tests.support.http_browser import PAGE_HEADERS, HttpBrowser
from tests.support.processes import until
from tests.support.serving import Call, Reply
from tests.support.whole_runs import IS_WHOLE

TODAY = datetime.now(UTC).date()
pytestmark = pytest.mark.timeout(300)
USERS = 20
#: Accounts, with the apps that they may open.
ACCOUNTS = {"all": ("energy", "operations", "finance"), "energy": ("energy",), "finance": ("finance",)}
LISTS = {
    "energy": ("/en/energy/clients", "/en/energy/stations"),
    "operations": ("/en/operations/work-orders",),
    "finance": ("/en/finance/invoices",),
}
OTHERS = {"energy": ("/en/energy/clients/new",), "operations": ("/en/operations/work-orders/new",)}
#: A gateway's page, under each of these.
STATUSES = (404, 403, 200, 503)
#: As often does each user open each page under each of them.
ROUNDS = 3 if IS_WHOLE else 1
#: Tokens of forms, and times.
VARYING = re.compile(
    r'<time\b.*?</time>|<input type="hidden" name="(csrfmiddlewaretoken|submissionKey)"[^>]*>', re.DOTALL
)
#: Status, address, and the page without what varies.
Shown = tuple[int, str, str]
#: Asks for what the page shows anew.
RELOAD = PAGE_HEADERS | {"Cache-Control": "max-age=0"}


def addresses(stack: RunningStack, browser: HttpBrowser, apps: tuple[str, ...]) -> list[str]:
    """Return homes, lists, a record of each, searches and forms of a user, in order.

    A home shows a period that is over, since the figures of one that is not change from minute to minute.
    """
    found: list[str] = []
    for app in apps:
        home = f"/en/{app}?from={TODAY - timedelta(60)}&to={TODAY - timedelta(31)}"
        found += [stack.url(app, path) for path in (home, "/en/search?q=oslo", *OTHERS.get(app, ()))]
        for path in LISTS[app]:
            first = Page(browser.get(stack.url(app, path)).text).rows[0]
            found += [stack.url(app, end) for end in (path, f"{path}?q=oslo", f"{path}/{first}")]
    return found


def shown(browser: HttpBrowser, pages: list[str]) -> dict[str, Shown]:
    """Return what each page offers and says, wherever it led."""
    answers = {url: browser.get(url) for url in pages}
    return {url: (each.status_code, each.url, VARYING.sub("", each.text)) for url, each in answers.items()}


def changed_since(was: dict[str, Shown], browser: HttpBrowser, pages: list[str]) -> dict[str, object]:
    """Return the lines that a page has now or had before alone, else its status and address, by the page."""
    now = shown(browser, pages)
    lines = {url: {*was[url][2].splitlines()} ^ {*now[url][2].splitlines()} for url in was}
    return {url: lines[url] or now[url][:2] for url in was if now[url] != was[url]}


def wait_until_as_before(was: dict[str, Shown], browser: HttpBrowser, pages: list[str]) -> None:
    differences = partial(changed_since, was, browser, pages)
    until(lambda: not differences(), what=differences)


def half_down(status: int, spares_me: bool, call: Call) -> Reply | None:
    if call.path.startswith(("/refresh", "/auth/")) or (spares_me and call.path == "/me"):
        return None
    return Reply(status, b"<!doctype html><h1>Gateway</h1>", [("Content-Type", "text/html")])


def test_half_down_backend_leaves_nothing_behind(stack: RunningStack, proxy: BackendProxy) -> None:
    with ExitStack() as opened, ThreadPoolExecutor(USERS) as pool:
        users = [opened.enter_context(HttpBrowser()) for _ in range(USERS)]
        kinds = [list(ACCOUNTS)[number % len(ACCOUNTS)] for number in range(USERS)]
        for browser, kind in zip(users, kinds, strict=True):
            assert browser.sign_in(stack.url("auth_app"), email=f"{kind}@example.com").status_code == 303
        pages = [addresses(stack, browser, ACCOUNTS[kind]) for browser, kind in zip(users, kinds, strict=True)]
        before = list(map(shown, users, pages))
        assert {status for each in before for status, _, _ in each.values()} == {200}

        def work(browser: HttpBrowser, own: list[str]) -> set[int]:
            return {browser.http.get(url, headers=RELOAD, timeout=60).status_code for url in own}

        seen: set[int] = set()
        for spares_me in (True, False) if IS_WHOLE else (False,):
            for status in STATUSES:
                proxy.instead = partial(half_down, status, spares_me)
                for _ in range(ROUNDS):
                    seen.update(*pool.map(work, users, pages))
        proxy.instead = None
        assert seen <= {200, 403, 404, 503}
        stack.wait_until_the_backend_is_asked_again()

        for browser, own, was in zip(users, pages, before, strict=True):
            wait_until_as_before(was, browser, own)
        assert all(browser.cookie(VAR_REFRESH_TOKEN) for browser in users)
