"""A backend that does not know the `Idempotency-Key`, and a portal with its default settings: answers are lost, and
nothing is done twice (contract, section 8).
"""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import parse_qs, quote, urlsplit

import pytest

from portal.config.cookies import VAR_ACCESS_TOKEN, VAR_PERMITTED_PLATFORMS, VAR_REFRESH_TOKEN
from tests.support.harness import RunningStack, running_stack
from tests.support.http_browser import HttpBrowser

CLIENTS = "/en/energy/clients"
MADE_TWICE = "it may be done a second time"


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningStack]:
    with running_stack(
        tmp_path_factory.mktemp("keyless"),
        without=("operations", "finance"),
        through_proxy=True,
        SANDBOX_HONOUR_IDEMPOTENCY_KEY="off",
        APP_API_HONOURS_IDEMPOTENCY_KEY=None,
        APP_API_FORWARD_BROWSER=None,
    ) as stack:
        yield stack


@pytest.fixture
def keyless(servers: RunningStack) -> Iterator[RunningStack]:
    servers.proxy.let_through()
    yield servers
    servers.proxy.let_through()


@pytest.fixture
def person(keyless: RunningStack) -> Iterator[HttpBrowser]:
    with HttpBrowser() as browser:
        assert browser.sign_in(keyless.url("auth_app"), email="energy@example.com").status_code == 303
        yield browser


def test_a_create_whose_answer_was_lost_leaves_one_row_and_the_form_says_that_nobody_knows(
    keyless: RunningStack, person: HttpBrowser
) -> None:
    address = keyless.url("energy", CLIENTS)
    form = person.get(f"{address}/new")
    keyless.proxy.losing.add("/energy/clients")
    typed = {"name": "Only Once Ltd", "email": "once@example.com"}
    lost = person.submit(form, "/clients/new", follow=False, **typed)
    keyless.proxy.losing.clear()
    assert lost.status_code == 503
    assert "We don’t know whether it was done" in lost.text
    assert MADE_TWICE in lost.text, "to send it again is no safe offer here"
    assert "done only once" not in lost.text
    assert 'value="Only Once Ltd"' in lost.text, "what was typed is kept"
    assert keyless.proxy.calls.count(("POST", "/energy/clients")) == 1
    found = person.get(f"{address}?q=Only+Once")
    assert found.text.count("data-row-id=") == 1


def test_a_refresh_whose_answer_was_lost_is_never_presented_again_and_leads_to_the_sign_in_page(
    keyless: RunningStack, person: HttpBrowser
) -> None:
    page = keyless.url("energy", f"{CLIENTS}?q=a")
    cookie = next(each for each in person.http.cookies if each.name == VAR_ACCESS_TOKEN)
    person.http.cookies.clear(cookie.domain, cookie.path, cookie.name)
    spent = person.cookie(VAR_REFRESH_TOKEN)
    keyless.proxy.losing.add("/refresh")
    answers = [person.get(page, follow=False)]
    keyless.proxy.losing.clear()
    with HttpBrowser() as other:
        platforms = quote('["ENERGY"]')
        other.http.headers["Cookie"] = f"{VAR_REFRESH_TOKEN}={spent}; {VAR_PERMITTED_PLATFORMS}={platforms}"
        answers.append(other.get(page, follow=False))
    assert keyless.proxy.calls.count(("POST", "/refresh")) == 1
    for answer in answers:
        assert answer.status_code == 302
        target = urlsplit(answer.headers["Location"])
        assert target.path == "/en/login"
        assert parse_qs(target.query) == {"next": [page], "reason": ["refresh-lost"]}
    said = person.get(answers[0].headers["Location"])
    assert said.status_code == 200
    assert f'name="next" value="{page}"' in said.text
