"""Fixtures that every test may use; servers and browsers stand in `tests.support.harness`."""

from __future__ import annotations

import gc
import os
import secrets
from collections.abc import Callable, Generator, Iterator
from functools import cache, partial
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest
from django.utils import translation
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling

import portal_oidc
from portal.api.jwks import JwksKeys
from portal.process import circuit_breaker
from portal.process.circuit_breaker import call_circuits, store_circuits
from portal.store.shared_store import SharedStore
from portal.web.sign_in import rate_limit
from tests.support.backend_proxy import BackendProxy
from tests.support.caches import close_connections
from tests.support.harness import ROOT, RunningStack, create_account, require_tool, running_stack
from tests.support.platforms import MISSING, OF_THE_EXAMPLES
from tests.support.private_folder import GIVEN_FOLDER, RUN_FOLDER, private_folder
from tests.support.whole_runs import IS_WHOLE, number_of

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytest_plugins = ["portal.testing", "tests.support.skipped_tests"]

#: Where one of the examples was removed, its own tests are gone with it, and so is what they are tested by together.
collect_ignore = list(OF_THE_EXAMPLES) if MISSING else []

CHROMIUM_FLAGS = ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync"]


def pytest_configure(config: pytest.Config) -> None:
    """Give the processes of a run one folder, for the sandbox's data and for what servers prepare.

    A run that a test starts in a copy of the checkout has a folder of its own, with what was changed there.
    """
    gc.disable()  # until the tests are collected
    if hasattr(config, "workerinput"):
        return
    os.environ.pop(RUN_FOLDER, None)
    given = os.environ.pop(GIVEN_FOLDER, "")
    if given or config.getoption("numprocesses", None):
        os.environ[RUN_FOLDER] = given or str(private_folder("portal-test-run-"))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Let each process of a run begin at another place: what one has compiled, the others find when they get there."""
    report = yield
    if isinstance(collector, pytest.Directory) and (worker := getattr(collector.config, "workerinput", None)):
        first = len(report.result) * int(worker["workerid"].removeprefix("gw")) // worker["workercount"]
        report.result = [*report.result[first:], *report.result[:first]]
    return report


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests that a whole run alone has, and begin with those that stay in one process."""
    left_out = {item for item in items if not IS_WHOLE and item.get_closest_marker("whole")}
    config.hook.pytest_deselected(items=list(left_out))
    # By their files: each process has collected these in another order.
    items[:] = sorted((item for item in items if item not in left_out), key=lambda item: place_of(item.nodeid))


def pytest_collection_finish() -> None:
    """Leave what was collected to no garbage collection: thousands of tests would be looked through each time."""
    gc.enable()
    gc.freeze()


class OneStack(LoadFileScheduling):
    """Keep the tests of a file in one process, and all that use the stack or the browser in the first one.

    Their servers and the browser are started once in a run. A short run of a benchmark takes as long as many files.
    """

    def _split_scope(self, nodeid: str) -> str:
        if "::test_short_run_ends[" in nodeid:
            return nodeid
        return "stack" if needs_stack(nodeid) else nodeid.partition("::")[0]


def place_of(nodeid: str) -> tuple[bool, str]:
    return not needs_stack(nodeid), nodeid.partition("::")[0]


def needs_stack(nodeid: str) -> bool:
    """Return whether the file of the test uses the fixture `stack` of this module, or its browser."""
    file = nodeid.partition("::")[0]
    return file.startswith("tests/browser/") or uses_stack(file)


@cache
def uses_stack(file: str) -> bool:
    text = (ROOT / file).read_text()
    return "stack: RunningStack" in text and "def stack(" not in text


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> OneStack:
    return OneStack(config, log)


def pytest_pycollect_makemodule(module_path: Path) -> None:
    """Before a module that uses Hypothesis is imported. Without one, a run of a few tests is a fifth shorter."""
    if "hypothesis" in module_path.read_text():
        load_profile()


@cache
def load_profile() -> None:
    """How long an example takes says how busy the machine is. All else stays as Hypothesis has it, in CI as it has it there."""
    from hypothesis import settings

    settings.register_profile("portal", settings(), deadline=None, max_examples=number_of(100))
    settings.load_profile("portal")


@pytest.fixture(autouse=True)
def _no_language_of_the_test_before() -> Iterator[None]:
    """A request leaves its language to the thread; the next request has its own, the next test may have none."""
    yield
    translation.deactivate()


@pytest.fixture(autouse=True)
def _no_open_circuit_of_the_test_before() -> Iterator[None]:
    """A circuit goes by an address, and the next test's server may get the port of one that did not answer."""
    yield
    call_circuits.clear()
    store_circuits.clear()
    # A server has few addresses, which the metrics of circuits have a limit for. Tests have more.
    for numbers in (circuit_breaker._open_gauge, circuit_breaker._opened_counters, circuit_breaker._refused_counters):
        numbers._seen.clear()
        numbers._numbers.clear()


@pytest.fixture(scope="session", autouse=True)
def _closed_connections_of_the_stores_of_the_test_before() -> Iterator[None]:
    """redis-py's clients are parts of cycles. Left open, they are an error of the test in which they are collected."""
    reset = SharedStore.reset

    def closing(store: SharedStore) -> None:
        close_connections(getattr(store, "_backend", None))
        reset(store)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(SharedStore, "reset", closing)
        yield


@pytest.fixture(autouse=True)
def _no_later_key_fetch(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The thread of keys that come over HTTP goes on, and must not call into the next tests' backends and logs."""
    started: list[JwksKeys] = []
    start = JwksKeys.start

    def noted(source: JwksKeys) -> None:
        started.append(source)
        start(source)

    monkeypatch.setattr(JwksKeys, "start", noted)
    yield
    for source in started:
        source._fetch = partial(getattr, source._set, "source")


@pytest.fixture(scope="session", autouse=True)
def _one_window_of_sign_ins() -> Iterator[None]:
    """The clock's next window would begin within a test, and its counts anew."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(rate_limit, "time", SimpleNamespace(time=lambda: 0.0))
        yield


@pytest.fixture(scope="session", autouse=True)
def _openid_registered() -> None:
    """As at a start with a provider: tests configure one for single requests."""
    portal_oidc.register()


@pytest.fixture(scope="session")
def stack(tmp_path_factory: pytest.TempPathFactory) -> RunningStack:
    """The sandbox backend and all four projects, each in its own process, with seeded data."""
    with running_stack(tmp_path_factory.mktemp("stack"), through_proxy=True) as running:
        yield running


@pytest.fixture
def proxy(stack: RunningStack) -> Iterator[BackendProxy]:
    """What stands between the projects and the sandbox. After the test everything goes through again."""
    stack.proxy.let_through()
    yield stack.proxy
    stack.proxy.let_through()
    stack.wait_until_the_backend_is_asked_again()


@pytest.fixture(scope="session")
def new_account(stack: RunningStack) -> Callable[..., str]:
    """Adds an account that no other test uses, with the password of all; gives its name before `@example.com`."""

    def add(*permissions: str) -> str:
        name = f"account-{secrets.token_hex(6)}"
        create_account(stack.local.environment, f"{name}@example.com", *permissions)
        return name

    return add


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Return the Chromium of this process: a second one is impossible, since Playwright runs one loop in a process.

    The headless shell is the same browser without its own windows: it takes half the time of a processor.
    """
    from playwright.sync_api import sync_playwright

    path = require_tool("chromium-headless-shell", "chromium", "google-chrome")
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=path, args=CHROMIUM_FLAGS)
        yield launched
        launched.close()
