"""A backend that has the required calls alone: no platform without pages is anybody's home, and no way ends."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import requests

from tests.support.harness import RunningStack, running_stack
from tests.support.http_browser import HttpBrowser


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[RunningStack, requests.Response]]:
    """The servers, and the very first page that they showed after a sign-in."""
    folder = tmp_path_factory.mktemp("document")
    with running_stack(folder, without=("finance", "operations"), SANDBOX_PROFILE="document") as stack:
        with HttpBrowser() as browser:
            # What an app has looked for before anybody was signed in must not stand for what is known then.
            browser.get(stack.url("energy", "/en/energy/clients"))
            answer = browser.sign_in(stack.url("auth_app"), email="all@example.com")
            first = browser.get(stack.url("auth_app", answer.headers["Location"]))
        yield stack, first


def test_the_very_first_page_after_a_sign_in_offers_nothing_that_is_not_there(
    fresh: tuple[RunningStack, requests.Response],
) -> None:
    stack, first = fresh
    assert (first.status_code, first.url) == (200, stack.url("energy", "/en/energy"))
    for absent in ("/operations", "/finance", "/energy/stations", "/energy/meters"):
        assert f'{absent}"' not in first.text
    assert 'href="/en/energy/clients"' in first.text
    with HttpBrowser() as browser:
        answer = browser.sign_in(stack.url("auth_app"), email="operations@example.com")
        home = browser.get(stack.url("auth_app", answer.headers["Location"]))
        assert (home.status_code, home.url) == (200, stack.url("auth_app", "/en/profile"))


def test_an_edit_is_refused_with_what_was_typed_and_nothing_offers_it_any_more(
    fresh: tuple[RunningStack, requests.Response],
) -> None:
    stack, _ = fresh
    address = stack.url("energy", "/en/energy/clients")
    with HttpBrowser() as browser:
        browser.sign_in(stack.url("auth_app"), email="energy@example.com")
        form, typed = browser.get(f"{address}/new"), {"name": "Ada Byron", "email": "ada.byron@example.com"}
        made = browser.submit(form, "/clients/new", **typed)
        assert made.url.startswith(f"{address}/")
        assert "Ada Byron" in made.text
        row = made.url.rpartition("/")[2]
        refused = browser.submit(browser.get(f"{address}/{row}/edit"), f"/{row}/edit", name="Ada Lovelace")
        assert refused.status_code == 422
        assert "This can’t be changed: the service does not offer it." in refused.text
        assert "Ada Lovelace" in refused.text
        assert "deleted" not in refused.text
        assert f"/{row}/edit" not in browser.get(f"{address}/{row}").text
