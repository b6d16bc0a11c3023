"""A backend that hangs on one address alone: the page comes with all the rest, and says what it lacks."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from tests.support.backend_proxy import BackendProxy
from tests.support.harness import RunningStack
from tests.support.http_browser import HttpBrowser


@pytest.fixture
def browser(stack: RunningStack) -> Iterator[HttpBrowser]:
    """A browser of its own sign-in: what another test has read is not cached for it."""
    with HttpBrowser() as made:
        yield made.take(stack.tokens("energy@example.com"))


def test_a_list_comes_without_the_numbers_of_its_filters(
    stack: RunningStack, browser: HttpBrowser, proxy: BackendProxy
) -> None:
    counts = proxy.hold("/energy/chargers/counts")
    response = browser.get(stack.url("energy", "/en/energy/chargers"))
    assert counts.waits.is_set()
    assert response.status_code == 200
    assert response.text.count("data-row-id=") == 20
    assert "The filters could not be loaded completely." in response.text
    assert re.search(r'name="status"\s+value="faulted"', response.text)
    assert "chip-count" not in response.text


def test_a_record_comes_without_the_one_list_that_hangs(
    stack: RunningStack, browser: HttpBrowser, proxy: BackendProxy
) -> None:
    stations = browser.get(stack.url("energy", "/en/energy/stations")).text
    address = re.findall(r'href="(/en/energy/stations/sta_\w+)"', stations)[0]
    sessions = proxy.hold("/energy/sessions")
    response = browser.get(stack.url("energy", address))
    assert sessions.waits.is_set()
    assert response.status_code == 200
    parts = dict(re.findall(r'<section class="card" id="([\w-]+)".*?>(.*?)</section>', response.text, re.DOTALL))
    failed = {name: "This could not be loaded." in part for name, part in parts.items()}
    assert failed == {"chargers": False, "sessions": True, "meters": False}
    assert "data-row-id=" in parts["chargers"]
