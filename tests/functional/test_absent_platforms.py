"""A backend that has the required calls alone: no platform without pages is anybody's home, and no way ends."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.harness import RunningStack, running_stack
from tests.support.http_browser import HttpBrowser

SIGNED_IN = {"operations@example.com": "/en/profile", "energy@example.com": "/en/energy"}


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningStack]:
    with running_stack(
        tmp_path_factory.mktemp("document"), without=("finance",), SANDBOX_PROFILE="document"
    ) as running:
        yield running


@pytest.mark.parametrize(("email", "home"), SIGNED_IN.items())
def test_a_sign_in_ends_on_a_page(stack: RunningStack, email: str, home: str) -> None:
    for _ in range(2):
        with HttpBrowser() as browser:
            answer = browser.sign_in(stack.url("auth_app"), email=email)
            page = browser.get(stack.url("auth_app", answer.headers["Location"]))
            assert page.status_code == 200
            assert page.url.endswith(home)


@pytest.mark.parametrize(
    ("email", "home"), [("all@example.com", "/en/energy"), ("operations@example.com", "/en/profile")]
)
def test_the_very_first_page_after_a_sign_in_offers_nothing_that_is_not_there(
    tmp_path: Path, email: str, home: str
) -> None:
    with running_stack(tmp_path, without=("finance", "operations"), SANDBOX_PROFILE="document") as fresh:
        with HttpBrowser() as browser:
            # What an app has looked for before anybody was signed in must not stand for what is known then.
            browser.get(fresh.url("energy", "/en/energy/clients"))
            answer = browser.sign_in(fresh.url("auth_app"), email=email)
            page = browser.get(fresh.url("auth_app", answer.headers["Location"]))
        assert page.url.endswith(home)
        assert page.status_code == 200
        for absent in ("/operations", "/finance", "/energy/stations", "/energy/meters"):
            assert f'{absent}"' not in page.text
        assert ('href="/en/energy/clients"' in page.text) is (home == "/en/energy")


def test_an_edit_is_refused_with_what_was_typed_and_nothing_offers_it_any_more(stack: RunningStack) -> None:
    address = stack.url("energy", "/en/energy/clients")
    with HttpBrowser() as browser:
        browser.sign_in(stack.url("auth_app"), email="energy@example.com")
        made = browser.submit(
            browser.get(f"{address}/new"), "/clients/new", name="Ada Byron", email="ada.byron@example.com"
        )
        assert made.status_code == 200
        row = next(part for part in made.text.split('data-row-id="')[1:] if "Ada Byron" in part).partition('"')[0]
        form = browser.get(f"{address}/{row}/edit")
        refused = browser.submit(form, f"/{row}/edit", name="Ada Lovelace")
        assert refused.status_code == 422
        assert "This can’t be changed: the service does not offer it." in refused.text
        assert "Ada Lovelace" in refused.text
        assert "deleted" not in refused.text
        assert f"/{row}/edit" not in browser.get(f"{address}/{row}").text
