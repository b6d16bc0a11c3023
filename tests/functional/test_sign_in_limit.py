"""The limits on sign-ins at the gateway itself."""

from __future__ import annotations

import pytest

from portal.config.cookies import VAR_ACCESS_TOKEN
from tests.support.harness import running_stack
from tests.support.http_browser import HttpBrowser

PLATFORM_APPS = ("energy", "operations", "finance")


@pytest.fixture(scope="module")
def gateway(tmp_path_factory):
    # Behind a proxy, so that the tests can come from several addresses.
    with running_stack(tmp_path_factory.mktemp("stack"), without=PLATFORM_APPS, APP_BEHIND_PROXY="on") as stack:
        yield stack.url("auth_app")


@pytest.fixture
def browser():
    with HttpBrowser() as browser:
        yield browser


def come_from(browser: HttpBrowser, address: str) -> None:
    browser.http.headers["X-Forwarded-For"] = address


def test_twenty_wrong_tries_end_in_429_and_the_owner_still_gets_in(gateway, browser):
    come_from(browser, "203.0.113.9")
    answers = [browser.sign_in(gateway, email="all@example.com", password="wrong") for _ in range(20)]
    statuses = [answer.status_code for answer in answers]
    assert statuses == [401] * 10 + [429] * 10
    last = answers[-1]
    assert 0 < int(last.headers["Retry-After"]) <= 15 * 60
    assert "Too many failed tries" in last.text
    assert browser.cookie(VAR_ACCESS_TOKEN) is None
    # Not even with the right password, from there.
    assert browser.sign_in(gateway, email="all@example.com").status_code == 429
    with HttpBrowser() as owner:
        come_from(owner, "198.51.100.7")
        assert owner.sign_in(gateway, email="all@example.com").status_code == 303
        assert owner.cookie(VAR_ACCESS_TOKEN)


def test_an_unknown_account_is_answered_as_a_wrong_password_is(gateway, browser):
    come_from(browser, "203.0.113.10")
    for _ in range(10):
        known = browser.sign_in(gateway, email="energy@example.com", password="wrong")
        unknown = browser.sign_in(gateway, email="nobody@example.com", password="wrong")
        assert (known.status_code, unknown.status_code) == (401, 401)
    known = browser.sign_in(gateway, email="energy@example.com", password="wrong")
    unknown = browser.sign_in(gateway, email="nobody@example.com", password="wrong")
    assert (known.status_code, unknown.status_code) == (429, 429)


def test_a_form_that_another_site_sends_is_refused(gateway, browser):
    come_from(browser, "203.0.113.12")
    page = browser.get(f"{gateway}/en/login")
    assert page.status_code == 200
    fields = {"email": "energy@example.com", "password": "demo"}
    assert browser.post(f"{gateway}/en/login", fields).status_code == 403
    with HttpBrowser() as stranger:
        # The token of somebody else's page, and no cookie of it: what another site could send.
        refused = stranger.submit(page, "/login", **fields)
        assert refused.status_code == 403
        assert stranger.cookie(VAR_ACCESS_TOKEN) is None
    elsewhere = browser.http.post(
        f"{gateway}/en/login",
        data=fields | {"csrfmiddlewaretoken": browser.http.cookies.get("csrf_auth_app") or ""},
        headers={"Origin": "https://evil.example", "Accept": "text/html"},
        timeout=20,
    )
    assert elsewhere.status_code == 403
    assert browser.cookie(VAR_ACCESS_TOKEN) is None
