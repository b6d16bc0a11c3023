"""The energy app as it runs, beside a store that accepts and never answers, and a backend that is stopped."""

import os
import re
import signal
import time
from collections.abc import Iterator

import pytest
import requests

from tests.support.harness import PATIENCE_S, RunningStack, running_stack
from tests.support.http_browser import HttpBrowser
from tests.support.processes import until
from tests.support.redis_server import RedisServer, running_redis, suspended


@pytest.fixture(scope="module")
def redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    with running_redis(tmp_path_factory.mktemp("redis")) as server:
        yield server


@pytest.fixture(scope="module")
def energy(tmp_path_factory: pytest.TempPathFactory, redis: RedisServer) -> Iterator[RunningStack]:
    others = ("auth_app", "operations", "finance")
    options = {"CACHE_URL": redis.url(), "APP_API_READ_TIMEOUT_S": "1"}
    with running_stack(tmp_path_factory.mktemp("hung"), without=others, **options) as stack:
        yield stack


@pytest.fixture(scope="module")
def browser(energy: RunningStack) -> Iterator[HttpBrowser]:
    with HttpBrowser() as made:
        yield made.take(energy.tokens("energy@example.com"))


def open_page(energy: RunningStack, browser: HttpBrowser, path: str = "/en/energy/clients") -> requests.Response:
    return browser.get(energy.url("energy", path))


def metric(energy: RunningStack, name: str) -> float:
    text = requests.get(energy.url("energy", "/metrics"), timeout=PATIENCE_S).text
    return sum(float(value) for value in re.findall(rf"^{re.escape(name)}\{{[^\n]*\}} (\S+)$", text, re.MULTILINE))


def test_a_hung_store_costs_one_operation_a_second_and_pages_are_served(energy, browser, redis):
    with redis.client() as client:
        before, began = client.info("stats")["total_connections_received"], time.monotonic()
    with suspended(redis):
        for number in range(10):
            assert open_page(energy, browser, f"/en/energy/clients?q=word{number}").status_code == 200
        took_s = time.monotonic() - began
        assert metric(energy, "portal_circuit_open") == 1
        assert len(energy.lines(f"circuit store {redis.url().removesuffix('/0')}: open")) == 1
    with redis.client() as client:
        # One each second, one that began before, one that finds out, and this client.
        assert client.info("stats")["total_connections_received"] - before <= took_s + 3


def test_a_hung_backend_is_a_503_at_once_and_is_back_when_it_is_back(energy, browser):
    backend = energy.group.pid("sandbox_api")
    os.killpg(backend, signal.SIGSTOP)
    try:
        first = open_page(energy, browser)
        assert first.status_code == 503
        refused = metric(energy, "portal_circuit_refused_total")
        for _ in range(5):
            page = open_page(energy, browser)
            assert page.status_code == 503
            assert page.headers["Retry-After"]
        assert metric(energy, "portal_circuit_refused_total") > refused
        assert energy.lines(f"circuit backend {energy.backend} energy.get_clients: open: ApiTimeoutError")
        assert any(" CircuitOpenError" in line for line in energy.lines("portal.api.calls"))
    finally:
        os.killpg(backend, signal.SIGCONT)
    until(lambda: open_page(energy, browser).status_code == 200, what="pages are back")
    assert energy.lines(f"circuit backend {energy.backend} energy.get_clients: closed")
