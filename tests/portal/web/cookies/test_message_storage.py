"""Each app keeps its messages in a cookie of its own: ports share cookies on localhost."""

from __future__ import annotations

import dataclasses
import secrets
from typing import Any

import pytest
from django.conf import settings
from django.contrib import messages
from django.contrib.messages.storage import default_storage
from django.contrib.messages.storage.base import BaseStorage
from django.core.signing import get_cookie_signer
from django.http import HttpResponse
from django.test import RequestFactory, override_settings

from portal.api import TokenPair, TokenStore
from portal.config.projects import PROJECT_BY_APP
from portal.edge import EdgeUser
from portal.identity import user_from_claims
from tests.support.refresh_world import jwt

APPS = ["auth_app", "energy", "operations", "finance"]


def with_app(app: str, *, gateway: str = "http://localhost:8000") -> override_settings:
    origins = {**settings.PORTAL.origins, "auth_app": gateway}
    config = dataclasses.replace(settings.PORTAL, project=PROJECT_BY_APP[app], origins=origins)
    return override_settings(PORTAL=config, SESSION_COOKIE_SECURE=config.secure)


def said(text: str) -> HttpResponse:
    storage = default_storage(RequestFactory().get("/"))
    storage.add(messages.SUCCESS, text)
    response = HttpResponse()
    storage.update(response)
    return response


@pytest.mark.parametrize("app", APPS)
def test_an_app_reads_its_own_messages_and_leaves_the_others_alone(app: str) -> None:
    request = RequestFactory().get("/")
    for other in APPS:
        with with_app(other):
            (cookie,) = said(f"from {other}").cookies.values()
        request.COOKIES[cookie.key] = cookie.value
    assert len(request.COOKIES) == len(APPS)
    with with_app(app):
        storage = default_storage(request)
        assert [str(message) for message in storage] == [f"from {app}"]
        response = HttpResponse()
        storage.update(response)
    assert list(response.cookies) == [f"messages_{app}"]
    assert response.cookies[f"messages_{app}"]["max-age"] == 0


def test_under_https_the_browser_keeps_other_hosts_from_setting_it() -> None:
    with with_app("energy", gateway="https://auth.example.com"):
        (cookie,) = said("hello").cookies.values()
    assert cookie.key == "__Host-messages_energy"
    assert (cookie["secure"], cookie["path"], cookie["domain"], cookie["httponly"]) == (True, "/", "", True)


class Browser:
    """The cookies that all tabs of one browser share."""

    def __init__(self) -> None:
        self.cookies: dict[str, str] = {}

    def request(self) -> BaseStorage:
        """A request that has left, with the cookies of now."""
        request = RequestFactory().get("/")
        request.COOKIES.update(self.cookies)
        return default_storage(request)

    def receive(self, storage: BaseStorage) -> HttpResponse:
        response = HttpResponse()
        storage.update(response)
        for cookie in response.cookies.values():
            self.cookies[cookie.key] = cookie.value
            if cookie["max-age"] == 0:
                del self.cookies[cookie.key]
        return response

    def add(self, text: str) -> None:
        """A form that leads to another page."""
        storage = self.request()
        storage.add(messages.SUCCESS, text)
        self.receive(storage)

    def show(self) -> list[str]:
        """A page that shows the messages."""
        storage = self.request()
        shown = [str(message) for message in storage]
        self.receive(storage)
        return shown


def test_a_message_is_shown_once() -> None:
    browser = Browser()
    browser.add("saved")
    assert [browser.show(), browser.show()] == [["saved"], []]
    assert not browser.cookies


def test_a_page_that_shows_none_keeps_them_for_the_next() -> None:
    browser = Browser()
    browser.add("saved")
    for ask in (bool, len, lambda storage: None):
        storage = browser.request()
        ask(storage)
        assert not browser.receive(storage).cookies
    assert browser.show() == ["saved"]


def test_the_page_that_adds_a_message_may_show_it_itself() -> None:
    browser = Browser()
    storage = browser.request()
    storage.add(messages.SUCCESS, "saved")
    assert [str(message) for message in storage] == ["saved"]
    browser.receive(storage)
    assert browser.show() == []


def test_what_is_added_after_the_messages_were_shown_is_kept() -> None:
    browser = Browser()
    browser.add("first")
    storage = browser.request()
    assert [str(message) for message in storage] == ["first"]
    storage.add(messages.SUCCESS, "second")
    browser.receive(storage)
    assert browser.show() == ["second"]


def test_the_messages_of_two_tabs_stand_side_by_side_on_the_next_page() -> None:
    browser = Browser()
    browser.add("of the first tab")
    browser.add("of the second tab")
    assert browser.show() == ["of the first tab", "of the second tab"]
    assert browser.show() == []


def test_a_page_that_shows_messages_sends_no_cookie_if_there_were_none() -> None:
    browser = Browser()
    storage = browser.request()
    assert list(storage) == []
    assert not browser.receive(storage).cookies


def test_a_cookie_that_was_changed_shows_nothing_and_is_removed() -> None:
    browser = Browser()
    browser.add("saved")
    for name, value in browser.cookies.items():
        browser.cookies[name] = f"{value}x"
    assert browser.show() == []
    assert not browser.cookies


class AccountBrowser(Browser):
    """A browser in which somebody is signed in.

    :ivar subject: of the access token; None if nobody is signed in.
    :ivar refreshed: a request without an access token, to which the backend gives a new one.
    """

    def __init__(self, subject: str | None) -> None:
        super().__init__()
        self.subject = subject
        self.refreshed = False

    def request(self) -> BaseStorage:
        request: Any = RequestFactory().get("/")
        request.COOKIES.update(self.cookies)
        user = None if self.subject is None or self.refreshed else user_from_claims({"sub": self.subject})
        request.edge_user = EdgeUser(
            signed_in=self.subject is not None, user=user, platforms=(), primary=None, locale="en", home_url="/"
        )
        request.token_store = TokenStore(TokenPair(access=None, refresh="first"))
        # The storage keeps no request alive, so the test does.
        self.last = request
        storage = default_storage(request)
        if self.refreshed and self.subject is not None:
            access = jwt(sub=self.subject)
            request.token_store.rotate(TokenPair(access=access, refresh="second"), replaced="first")
        return storage


def test_a_message_of_one_account_is_never_shown_to_the_next_one() -> None:
    browser = AccountBrowser("ada")
    browser.add("Ada’s invoice was paid.")
    browser.subject = "ida"
    assert browser.show() == []
    assert not browser.cookies
    browser.subject = "ada"
    assert browser.show() == []


def test_what_the_next_account_does_leaves_nothing_of_the_one_before() -> None:
    browser = AccountBrowser("ada")
    browser.add("of Ada")
    browser.subject = "ida"
    browser.add("of Ida")
    assert browser.show() == ["of Ida"]


def test_a_message_waits_while_nobody_is_signed_in() -> None:
    browser = AccountBrowser("ada")
    browser.add("saved")
    browser.subject = None
    assert browser.show() == []
    browser.subject = "ada"
    assert browser.show() == ["saved"]


def test_what_was_said_to_nobody_in_particular_is_shown_to_anybody() -> None:
    browser = AccountBrowser(None)
    browser.add("Your password was changed.")
    assert browser.show() == ["Your password was changed."]
    browser.add("Your password was changed.")
    browser.subject = "ada"
    assert browser.show() == ["Your password was changed."]


@pytest.mark.parametrize("reader", ["ada", "ida"])
def test_an_account_that_only_a_refresh_names_counts(reader: str) -> None:
    browser = AccountBrowser("ada")
    browser.refreshed = True
    browser.add("saved")
    browser.subject = reader
    assert browser.show() == (["saved"] if reader == "ada" else [])
    assert not browser.cookies


def test_a_browser_that_brings_too_many_messages_keeps_the_latest() -> None:
    browser = AccountBrowser("ada")
    for number in range(60):
        browser.add(f"{number} {secrets.token_hex(24)}")
    shown = browser.show()
    assert shown[-1].startswith("59 ")
    assert 1 < len(shown) < 60


ODD = [
    5,
    {},
    "text",
    [None, 5],
    [None, "text", ["a", "b"]],
    [None, ["__json_message"]],
    [None, ["__json_message", 0, 20]],
]


@pytest.mark.parametrize("value", ODD, ids=repr)
def test_what_another_release_signed_is_dropped_and_the_page_goes_on(value: Any) -> None:
    browser = Browser()
    browser.add("saved")
    [name] = browser.cookies
    browser.cookies[name] = get_cookie_signer(salt="django.contrib.messages").sign_object(value)
    assert browser.show() == []
    browser.add("saved")
    assert browser.show() == ["saved"]
