"""A list as a file, with the real server and the sandbox: whole, refreshed, and cancelled."""

import socket
import time
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
import requests

from portal.config.limits import WALK_PAGE_ROWS
from tests.portal_server.processes import until
from tests.support.harness import PATIENCE_S, RunningStack, running_stack
from tests.support.http_browser import HttpBrowser

SESSIONS = "/energy/sessions"
EXPORT = "/en/energy/sessions/export"
TOKEN_S = 3
#: A list of some hundreds of rows. Their number depends on the time for which the sandbox was filled.
FAILED = f"{EXPORT}?status=failed"
END_MARK = b"\x04"


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningStack]:
    with running_stack(
        tmp_path_factory.mktemp("exports"),
        without=("auth_app", "operations", "finance"),
        through_proxy=True,
        SANDBOX_ACCESS_TOKEN_LIFETIME_S=str(TOKEN_S),
    ) as started:
        yield started


@pytest.fixture
def browser(stack: RunningStack) -> Iterator[requests.Session]:
    with HttpBrowser() as made:
        yield made.take(stack.tokens("energy@example.com")).http


def test_export_outlives_its_tokens(stack: RunningStack, browser: requests.Session) -> None:
    backend = stack.proxy
    backend.let_through()

    def outlive(_: str, address: str) -> None:
        """Hold the second call until its token has ended."""
        if SESSIONS in address and backend.calls_of(SESSIONS) == 2:
            time.sleep(TOKEN_S + 0.2)

    bearer = {"Authorization": f"Bearer {stack.tokens('energy@example.com')['accessToken']}"}
    url = f"{stack.backend}{SESSIONS}?status=failed&limit=1"
    rows = requests.get(url, headers=bearer, timeout=PATIENCE_S).json()["total"]
    backend.before_each = outlive
    answer = browser.get(stack.url("energy", FAILED), headers={"Portal-Export": "watched"}, timeout=PATIENCE_S)
    assert answer.status_code == 200
    assert answer.content.endswith(b"\r\n" + END_MARK)
    assert answer.content.count(b"\n") == 1 + rows > 301
    refreshes = backend.calls_of("/refresh", method="POST")
    assert refreshes >= 1
    # A page whose token ended on the way is asked for once more, with the next one.
    assert 0 <= backend.calls_of(SESSIONS) - -(-rows // WALK_PAGE_ROWS) <= refreshes
    backend.before_each = None
    # The browser has never seen the tokens of the middle. It is signed in all the same.
    page = browser.get(stack.url("energy", "/en/energy/clients"), timeout=PATIENCE_S)
    assert page.status_code == 200
    assert 'data-row-id="' in page.text


def test_gone_browser_ends_the_export(stack: RunningStack, browser: requests.Session) -> None:
    backend = stack.proxy
    held = backend.hold(SESSIONS, free=3)
    cancelled = len(stack.lines("export of energy.get_charging_sessions cancelled"))
    where = urlsplit(stack.url("energy", EXPORT))
    cookies = "; ".join(f"{cookie.name}={cookie.value}" for cookie in browser.cookies)
    connection = socket.create_connection(("127.0.0.1", int(where.port or 0)), timeout=PATIENCE_S)
    head = f"GET {where.path} HTTP/1.1\r\nHost: {where.netloc}\r\nAccept: text/html\r\nCookie: {cookies}\r\n\r\n"
    connection.sendall(head.encode())
    assert connection.recv(12) == b"HTTP/1.1 200"
    assert held.waits.wait(PATIENCE_S)
    connection.close()
    held.goes_on.set()
    line = "export of energy.get_charging_sessions cancelled"
    until(lambda: len(stack.lines(line)) > cancelled, what="the end is logged")
    # The page that was on its way, and the one that the server had begun before it saw that nobody reads.
    assert held.calls <= 6
    # Its place is free: the user may have two at a time, and begins two.
    backend.before_each = None
    for _ in range(2):
        with browser.get(stack.url("energy", FAILED), timeout=PATIENCE_S) as response:
            assert response.status_code == 200
