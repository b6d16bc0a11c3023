"""A list of 21,000 rows as a file, with the real server and the sandbox: whole, cancelled, broken, and refreshed."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import requests

from portal.config.cookies import VAR_ACCESS_TOKEN, VAR_REFRESH_TOKEN
from portal.config.projects import BACKEND_PORT_OFFSET
from tests.support.backend_proxy import BackendProxy, backend_proxy
from tests.support.harness import RunningStack, running_stack
from tests.support.ports import free_port_base

PATIENCE_S = 60
SESSIONS = "/energy/sessions"
EXPORT = "/en/energy/sessions/export"
END_MARK = b"\x04"


class Held:
    """Holds each page of the list but the first ones, until the test lets it go on."""

    def __init__(self, *, free: int) -> None:
        self.free = free
        self.pages = 0
        self.waits = threading.Event()
        self.goes_on = threading.Event()

    def __call__(self, _method: str, address: str) -> None:
        if urlsplit(address).path != SESSIONS:
            return
        self.pages += 1
        if self.pages > self.free:
            self.waits.set()
            assert self.goes_on.wait(PATIENCE_S)


@pytest.fixture(scope="module")
def backend_and_stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[BackendProxy, RunningStack]]:
    base = free_port_base()
    with (
        backend_proxy(backend_port=base + BACKEND_PORT_OFFSET) as backend,
        running_stack(
            tmp_path_factory.mktemp("exports"),
            without=("auth_app", "operations", "finance"),
            port_base=base,
            APP_PUBLIC_API_BASE_URL=backend.url,
            SANDBOX_ACCESS_TOKEN_LIFETIME_S="3",
        ) as stack,
    ):
        yield backend, stack


@pytest.fixture
def stack(backend_and_stack: tuple[BackendProxy, RunningStack]) -> RunningStack:
    return backend_and_stack[1]


@pytest.fixture
def backend(backend_and_stack: tuple[BackendProxy, RunningStack]) -> Iterator[BackendProxy]:
    proxy = backend_and_stack[0]
    proxy.calls.clear()
    yield proxy
    proxy.failing.clear()
    proxy.before_each = None


@pytest.fixture
def browser(stack: RunningStack) -> Iterator[requests.Session]:
    credentials = {"email": "energy@example.com", "password": "demo"}
    pair = requests.post(f"{stack.backend}/auth/login", json=credentials, timeout=PATIENCE_S).json()
    with requests.Session() as session:
        session.trust_env = False
        for name, value in ((VAR_ACCESS_TOKEN, pair["accessToken"]), (VAR_REFRESH_TOKEN, pair["refreshToken"])):
            session.cookies.set(name, value, domain="localhost.local")
        yield session


def pages(backend: BackendProxy) -> int:
    return sum(urlsplit(address).path == SESSIONS for _, address in backend.calls)


def refreshes(backend: BackendProxy) -> int:
    return sum(address == "/refresh" for _, address in backend.calls)


def lines(stack: RunningStack, wanted: str) -> list[str]:
    return [line for line in Path(stack.log).read_text().splitlines() if wanted in line]


def wait_for_line(stack: RunningStack, wanted: str, *, more_than: int) -> None:
    """Until the server has logged one more."""
    waiting = threading.Event()
    for _ in range(PATIENCE_S * 20):
        if len(lines(stack, wanted)) > more_than:
            return
        waiting.wait(0.05)
    raise AssertionError(f"no further line with {wanted!r}")


def test_all_rows_come_also_where_tokens_end_in_the_middle(
    stack: RunningStack, backend: BackendProxy, browser: requests.Session
) -> None:
    response = browser.get(
        stack.url("energy", EXPORT), headers={"Portal-Export": "watched"}, stream=True, timeout=PATIENCE_S
    )
    assert response.status_code == 200
    content = response.content
    assert content.endswith(b"\r\n" + END_MARK)
    assert content.count(b"\n") == 1 + 21_000
    # A list of 210 pages takes longer than 3 s, for which a token lives.
    assert refreshes(backend) >= 1
    # A page whose token ended on the way is asked for once more, with the next one.
    assert 210 <= pages(backend) <= 210 + refreshes(backend)
    # The browser has never seen the tokens of the middle. It is signed in all the same.
    page = browser.get(stack.url("energy", "/en/energy/clients"), timeout=PATIENCE_S)
    assert page.status_code == 200
    assert 'data-row-id="' in page.text


def test_a_browser_that_is_gone_ends_the_reading_and_leaves_nothing(
    stack: RunningStack, backend: BackendProxy, browser: requests.Session
) -> None:
    held = Held(free=3)
    backend.before_each = held
    cancelled = len(lines(stack, "export of energy.get_charging_sessions cancelled"))
    where = urlsplit(stack.url("energy", EXPORT))
    cookies = "; ".join(f"{cookie.name}={cookie.value}" for cookie in browser.cookies)
    connection = socket.create_connection(("127.0.0.1", int(where.port or 0)), timeout=PATIENCE_S)
    head = f"GET {where.path} HTTP/1.1\r\nHost: {where.netloc}\r\nAccept: text/html\r\nCookie: {cookies}\r\n\r\n"
    connection.sendall(head.encode())
    assert connection.recv(12) == b"HTTP/1.1 200"
    assert held.waits.wait(PATIENCE_S)
    connection.close()
    held.goes_on.set()
    wait_for_line(stack, "export of energy.get_charging_sessions cancelled", more_than=cancelled)
    # The page that was on its way, and the one that the server had begun before it saw that nobody reads.
    assert held.pages <= 6
    # Its place is free: the user may have two at a time, and begins two.
    backend.before_each = None
    for _ in range(2):
        with browser.get(stack.url("energy", f"{EXPORT}?status=failed"), timeout=PATIENCE_S) as response:
            assert response.status_code == 200


def test_a_backend_that_fails_in_the_middle_makes_no_file_that_looks_whole(
    stack: RunningStack, backend: BackendProxy, browser: requests.Session
) -> None:
    held = Held(free=2)
    backend.before_each = held
    with browser.get(
        stack.url("energy", EXPORT), headers={"Portal-Export": "watched"}, stream=True, timeout=PATIENCE_S
    ) as response:
        assert response.status_code == 200
        assert held.waits.wait(PATIENCE_S)
        backend.failing.add(SESSIONS)
        held.goes_on.set()
        content = b"".join(response.iter_content(65_536))
    assert not content.endswith(END_MARK)
    assert content.decode().splitlines()[-1].startswith("This file is not whole")
    assert lines(stack, "export of energy.get_charging_sessions failed after 200 rows")


def test_a_sign_in_that_ends_in_the_middle_ends_the_file(
    stack: RunningStack, backend: BackendProxy, browser: requests.Session
) -> None:
    tracebacks = lines(stack, "Traceback")
    held = Held(free=2)
    backend.before_each = held
    with browser.get(stack.url("energy", EXPORT), stream=True, timeout=PATIENCE_S) as response:
        assert held.waits.wait(PATIENCE_S)
        refresh = next(cookie.value for cookie in browser.cookies if cookie.name == VAR_REFRESH_TOKEN)
        requests.post(f"{stack.backend}/auth/logout", json={"refreshToken": refresh}, timeout=PATIENCE_S)
        held.goes_on.set()
        content = b"".join(response.iter_content(65_536))
    assert content.count(b"\n") <= 1 + 300 + 1
    assert content.decode().splitlines()[-1].startswith("This file is not whole: your sign-in has ended.")
    assert lines(stack, "Traceback") == tracebacks


def test_a_third_file_at_the_same_time_is_refused_with_a_page(
    stack: RunningStack, backend: BackendProxy, browser: requests.Session
) -> None:
    held = Held(free=4)
    backend.before_each = held
    address = stack.url("energy", EXPORT)
    with (
        browser.get(address, stream=True, timeout=PATIENCE_S),
        browser.get(address, stream=True, timeout=PATIENCE_S),
    ):
        refused = browser.get(address, timeout=PATIENCE_S)
        assert refused.status_code == 429
        assert "Your other exports are still running" in refused.text
        held.goes_on.set()
