"""A backend that hangs on one address alone: the page comes with all the rest, and says what it lacks."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

import pytest
import requests

from portal.config.cookies import VAR_ACCESS_TOKEN, VAR_REFRESH_TOKEN
from portal.config.projects import BACKEND_PORT_OFFSET
from tests.support.backend_proxy import BackendProxy, backend_proxy
from tests.support.harness import RunningStack, running_stack
from tests.support.ports import free_port_base

PATIENCE_S = 60


class Hanging:
    """Holds every call of one address until the test is over."""

    def __init__(self, *, path: str) -> None:
        self.path = path
        self.is_over = threading.Event()
        self.held = 0

    def __call__(self, _method: str, address: str) -> None:
        if urlsplit(address).path == self.path:
            self.held += 1
            # Longer than anybody waits for the page.
            self.is_over.wait(2 * PATIENCE_S)


@pytest.fixture(scope="module")
def backend_and_stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[BackendProxy, RunningStack]]:
    base = free_port_base()
    with (
        backend_proxy(backend_port=base + BACKEND_PORT_OFFSET) as backend,
        running_stack(
            tmp_path_factory.mktemp("hanging"),
            without=("auth_app", "operations", "finance"),
            port_base=base,
            APP_PUBLIC_API_BASE_URL=backend.url,
        ) as stack,
    ):
        yield backend, stack


@pytest.fixture
def stack(backend_and_stack: tuple[BackendProxy, RunningStack]) -> RunningStack:
    return backend_and_stack[1]


@pytest.fixture
def browser(stack: RunningStack) -> Iterator[requests.Session]:
    """A browser of its own sign-in: what another test has read is not cached for it."""
    credentials = {"email": "energy@example.com", "password": "demo"}
    pair = requests.post(f"{stack.backend}/auth/login", json=credentials, timeout=PATIENCE_S).json()
    with requests.Session() as session:
        session.trust_env = False
        for name, value in ((VAR_ACCESS_TOKEN, pair["accessToken"]), (VAR_REFRESH_TOKEN, pair["refreshToken"])):
            session.cookies.set(name, value, domain="localhost.local")
        session.headers["Accept"] = "text/html"
        yield session


@pytest.fixture
def hangs(backend_and_stack: tuple[BackendProxy, RunningStack]) -> Iterator[Callable[[str], Hanging]]:
    backend = backend_and_stack[0]
    made: list[Hanging] = []

    def hang(path: str) -> Hanging:
        made.append(Hanging(path=path))
        backend.before_each = made[-1]
        return made[-1]

    yield hang
    backend.before_each = None
    for each in made:
        each.is_over.set()


def test_a_list_comes_without_the_numbers_of_its_filters(
    stack: RunningStack, browser: requests.Session, hangs: Callable[[str], Hanging]
) -> None:
    counts = hangs("/energy/chargers/counts")
    response = browser.get(stack.url("energy", "/en/energy/chargers"), timeout=PATIENCE_S)
    assert counts.held
    assert not counts.is_over.is_set()
    assert response.status_code == 200
    assert response.text.count("data-row-id=") == 20
    assert "The filters could not be loaded completely." in response.text
    assert re.search(r'name="status"\s+value="faulted"', response.text)
    assert "chip-count" not in response.text


def test_a_record_comes_without_the_one_list_that_hangs(
    stack: RunningStack, browser: requests.Session, hangs: Callable[[str], Hanging]
) -> None:
    stations = browser.get(stack.url("energy", "/en/energy/stations"), timeout=PATIENCE_S).text
    address = re.findall(r'href="(/en/energy/stations/sta_\w+)"', stations)[0]
    sessions = hangs("/energy/sessions")
    response = browser.get(stack.url("energy", address), timeout=PATIENCE_S)
    assert sessions.held
    assert not sessions.is_over.is_set()
    assert response.status_code == 200
    parts = dict(re.findall(r'<section class="card" id="([\w-]+)".*?>(.*?)</section>', response.text, re.DOTALL))
    failed = {name: "This could not be loaded." in part for name, part in parts.items()}
    assert failed == {"chargers": False, "sessions": True, "meters": False}
    assert "data-row-id=" in parts["chargers"]
