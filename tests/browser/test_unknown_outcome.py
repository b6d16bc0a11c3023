"""A backend that hangs over a write: the page says that nobody knows whether it was done, and sends it again safely."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Iterator

import pytest
import requests
from playwright.sync_api import Page, expect

from portal.config.projects import BACKEND_PORT_OFFSET
from tests.browser.conftest import PATIENCE_MS, NewPage
from tests.support.backend_proxy import BackendProxy, backend_proxy
from tests.support.harness import RunningStack, running_stack
from tests.support.ports import free_port_base

pytestmark = pytest.mark.browser

SignIn = Callable[..., None]

PATIENCE_S = 60
UNKNOWN = "We don’t know whether it was done"
CLIENTS = "/energy/clients"


class Hanging:
    """Holds each new client until the test lets it go on."""

    def __init__(self) -> None:
        self.goes_on = threading.Event()

    def __call__(self, method: str, address: str) -> None:
        if (method, address) == ("POST", CLIENTS):
            assert self.goes_on.wait(PATIENCE_S)


@pytest.fixture(scope="module")
def backend_and_stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[BackendProxy, RunningStack]]:
    base = free_port_base()
    with (
        backend_proxy(backend_port=base + BACKEND_PORT_OFFSET) as backend,
        running_stack(
            tmp_path_factory.mktemp("hanging"),
            without=("operations", "finance"),
            port_base=base,
            APP_PUBLIC_API_BASE_URL=backend.url,
        ) as stack,
    ):
        yield backend, stack


@pytest.fixture
def stack(backend_and_stack: tuple[BackendProxy, RunningStack]) -> RunningStack:
    return backend_and_stack[1]


@pytest.fixture
def backend(backend_and_stack: tuple[BackendProxy, RunningStack]) -> Iterator[BackendProxy]:
    proxy = backend_and_stack[0]
    proxy.keys.clear()
    yield proxy
    proxy.before_each = None
    proxy.losing.clear()


def clients_named(stack: RunningStack, name: str) -> int:
    """How many the backend itself has."""
    credentials = {"email": "energy@example.com", "password": "demo"}
    pair = requests.post(f"{stack.backend}/auth/login", json=credentials, timeout=PATIENCE_S).json()
    headers = {"Authorization": f"Bearer {pair['accessToken']}"}
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


@pytest.fixture
def hanging(backend: BackendProxy) -> Iterator[Hanging]:
    made = Hanging()
    yield made
    made.goes_on.set()


@pytest.mark.parametrize("is_done", [True, False], ids=["whose answer is lost", "that comes late"])
def test_a_create_is_done_once(
    stack: RunningStack, backend: BackendProxy, hanging: Hanging, page: Page, is_done: bool
) -> None:
    name = f"hanging{secrets.token_hex(6)}"
    page.goto(stack.url("energy", "/en/energy/clients/new"))
    page.locator("main [name=name]").fill(name)
    page.locator("main [name=email]").fill("hanging@example.com")
    if is_done:
        backend.losing.add(CLIENTS)
    else:
        backend.before_each = hanging
    page.locator("main form button[type=submit]").click(timeout=2 * PATIENCE_MS)
    notice = page.get_by_role("alert").filter(has_text=UNKNOWN)
    expect(notice).to_be_visible()
    expect(page.locator("main [name=name]")).to_have_value(name)
    expect(notice.get_by_role("link", name="Look whether it was done")).to_have_attribute("href", "/en/energy/clients")
    assert clients_named(stack, name) == is_done
    backend.losing.clear()
    backend.before_each = None
    send_again(page)
    expect(page).to_have_url(stack.url("energy", "/en/energy/clients"))
    # What hung reaches the backend now, under the same key.
    hanging.goes_on.set()
    expect(page.get_by_role("row").filter(has_text=name)).to_have_count(1)
    keys = [key for address, key in backend.keys if address == CLIENTS]
    assert len(keys) >= 2
    assert len(set(keys)) == 1
    assert clients_named(stack, name) == 1
