"""A backend that has the required calls alone, and no `Idempotency-Key`; a portal with its default settings.

No platform without pages is anybody's home, and no way ends. Answers are lost, and nothing is done twice (contract,
section 8).
"""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import parse_qs, quote, urlsplit

import pytest
import requests

from portal.config.cookies import VAR_ACCESS_TOKEN, VAR_PERMITTED_PLATFORMS, VAR_REFRESH_TOKEN
from tests.support.harness import RunningStack, running_stack
from tests.support.http_browser import TIMEOUT_S, HttpBrowser

CLIENTS = "/en/energy/clients"
MADE_TWICE = "it may be done a second time"


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[RunningStack, requests.Response]]:
    """The servers, and the very first page that they showed after a sign-in."""
    with running_stack(
        tmp_path_factory.mktemp("document"),
        without=("finance", "operations"),
        through_proxy=True,
        SANDBOX_PROFILE="document",
        APP_API_HONOURS_IDEMPOTENCY_KEY=None,
        APP_API_FORWARD_BROWSER=None,
    ) as stack:
        with HttpBrowser() as browser:
            # What an app has looked for before anybody was signed in must not stand for what is known then.
            browser.get(stack.url("energy", CLIENTS))
            answer = browser.sign_in(stack.url("auth_app"), email="all@example.com")
            first = browser.get(stack.url("auth_app", answer.headers["Location"]))
        yield stack, first


@pytest.fixture
def servers(fresh: tuple[RunningStack, requests.Response]) -> Iterator[RunningStack]:
    stack, _ = fresh
    stack.proxy.let_through()
    yield stack
    stack.proxy.let_through()


@pytest.fixture
def person(servers: RunningStack) -> Iterator[HttpBrowser]:
    with HttpBrowser() as browser:
        assert browser.sign_in(servers.url("auth_app"), email="energy@example.com").status_code == 303
        yield browser


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
    servers: RunningStack, person: HttpBrowser
) -> None:
    address = servers.url("energy", CLIENTS)
    form, typed = person.get(f"{address}/new"), {"name": "Ada Byron", "email": "ada.byron@example.com"}
    made = person.submit(form, "/clients/new", **typed)
    assert made.url.startswith(f"{address}/")
    assert "Ada Byron" in made.text
    row = made.url.rpartition("/")[2]
    refused = person.submit(person.get(f"{address}/{row}/edit"), f"/{row}/edit", name="Ada Lovelace")
    assert refused.status_code == 422
    assert "This can’t be changed: the service does not offer it." in refused.text
    assert "Ada Lovelace" in refused.text
    assert "deleted" not in refused.text
    assert f"/{row}/edit" not in person.get(f"{address}/{row}").text


def test_a_create_whose_answer_was_lost_leaves_one_row_and_the_form_says_that_nobody_knows(
    servers: RunningStack, person: HttpBrowser
) -> None:
    address = servers.url("energy", CLIENTS)
    form = person.get(f"{address}/new")
    servers.proxy.losing.add("/energy/clients")
    typed = {"name": "Only Once Ltd", "email": "once@example.com"}
    lost = person.submit(form, "/clients/new", follow=False, **typed)
    servers.proxy.losing.clear()
    assert lost.status_code == 503
    assert "We don’t know whether it was done" in lost.text
    assert MADE_TWICE in lost.text, "to send it again is no safe offer here"
    assert "done only once" not in lost.text
    assert 'value="Only Once Ltd"' in lost.text, "what was typed is kept"
    assert servers.proxy.calls.count(("POST", "/energy/clients")) == 1
    bearer = {"Authorization": f"Bearer {person.cookie(VAR_ACCESS_TOKEN)}"}
    latest = requests.get(f"{servers.backend}/energy/clients", headers=bearer, timeout=TIMEOUT_S).json()["items"]
    assert [row["name"] for row in latest].count("Only Once Ltd") == 1


def test_a_refresh_whose_answer_was_lost_is_never_presented_again_and_leads_to_the_sign_in_page(
    servers: RunningStack, person: HttpBrowser
) -> None:
    page = servers.url("energy", f"{CLIENTS}?q=a")
    cookie = next(each for each in person.http.cookies if each.name == VAR_ACCESS_TOKEN)
    person.http.cookies.clear(cookie.domain, cookie.path, cookie.name)
    spent = person.cookie(VAR_REFRESH_TOKEN)
    servers.proxy.losing.add("/refresh")
    answers = [person.get(page, follow=False)]
    servers.proxy.losing.clear()
    with HttpBrowser() as other:
        platforms = quote('["ENERGY"]')
        other.http.headers["Cookie"] = f"{VAR_REFRESH_TOKEN}={spent}; {VAR_PERMITTED_PLATFORMS}={platforms}"
        answers.append(other.get(page, follow=False))
    assert servers.proxy.calls.count(("POST", "/refresh")) == 1
    for answer in answers:
        assert answer.status_code == 302
        target = urlsplit(answer.headers["Location"])
        assert target.path == "/en/login"
        assert parse_qs(target.query) == {"next": [page], "reason": ["refresh-lost"]}
    said = person.get(answers[0].headers["Location"])
    assert said.status_code == 200
    assert f'name="next" value="{page}"' in said.text
