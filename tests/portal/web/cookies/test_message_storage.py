"""Each app keeps its messages in a cookie of its own: ports share cookies on localhost."""

import dataclasses
from typing import Any

import pytest
from django.conf import settings
from django.contrib import messages
from django.contrib.messages.storage import default_storage
from django.contrib.messages.storage.base import BaseStorage
from django.core.signing import get_cookie_signer
from django.http import HttpResponse
from django.test import RequestFactory, override_settings
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from portal.api import TokenPair, TokenStore
from portal.config.projects import PROJECT_BY_APP
from portal.edge import EdgeUser
from portal.identity import user_from_claims
from tests.support.refresh_world import jwt


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


def test_an_app_reads_its_own_messages_and_leaves_the_others_alone() -> None:
    request, response = RequestFactory().get("/"), HttpResponse()
    for app in ("auth_app", "energy"):
        with with_app(app):
            (cookie,) = said(f"from {app}").cookies.values()
        request.COOKIES[cookie.key] = cookie.value
    with with_app("energy"):
        storage = default_storage(request)
        assert [str(message) for message in storage] == ["from energy"]
        storage.update(response)
    assert {name: morsel["max-age"] for name, morsel in response.cookies.items()} == {"messages_energy": 0}


def test_under_https_the_browser_keeps_other_hosts_from_setting_it() -> None:
    with with_app("energy", gateway="https://auth.example.com"):
        (cookie,) = said("hello").cookies.values()
    assert cookie.key == "__Host-messages_energy"
    assert (cookie["secure"], cookie["path"], cookie["domain"], cookie["httponly"]) == (True, "/", "", True)


ODD = [5, "text", [None, "text", ["a", "b"]], *([None, ["__json_message", *rest]] for rest in ([], [0, 20]))]


@pytest.mark.parametrize("value", ["changed", *ODD], ids=repr)
def test_a_cookie_that_was_changed_shows_nothing_and_is_removed(value: Any) -> None:
    """So is one that another release has signed."""
    (cookie,) = said("saved").cookies.values()
    request, response = RequestFactory().get("/"), HttpResponse()
    signer = get_cookie_signer(salt="django.contrib.messages")
    request.COOKIES[cookie.key] = f"{cookie.value}x" if value == "changed" else signer.sign_object(value)
    storage = default_storage(request)
    assert list(storage) == []
    storage.update(response)
    assert value != "changed" or response.cookies[cookie.key]["max-age"] == 0


class MessagesOfABrowser(RuleBasedStateMachine):
    """Each message is shown once, on the next page that shows any, and only to the account for which it is.

    Another account drops what waits for the one before. While nobody is signed in it waits. What was said while nobody
    was signed in is for whoever comes next.

    :ivar subject: of the access token; None if nobody is signed in.
    :ivar refreshed: a request without an access token, to which the backend gives a new one.
    """

    def __init__(self) -> None:
        super().__init__()
        self.cookies: dict[str, str] = {}
        self.subject: str | None = None
        self.owner: str | None = None
        self.refreshed, self.number = False, 0
        self.waiting: list[str] = []

    def request(self) -> BaseStorage:
        """A request that has left, with the cookies of now."""
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

    @rule(subject=st.sampled_from([None, "ada", "ida"]), refreshed=st.booleans())
    def somebody_comes(self, subject: str | None, refreshed: bool) -> None:
        self.subject, self.refreshed = subject, refreshed

    @rule(steps=st.lists(st.sampled_from(["add", "show", "count"]), max_size=4))
    def a_page_is_asked_for(self, steps: list[str]) -> None:
        account, storage, response = self.subject, self.request(), HttpResponse()
        is_theirs = self.owner in {None, account}
        shown_or_seen, unseen, shows = list(self.waiting) if is_theirs else [], [], False
        for step in steps:
            if step == "add":
                self.number += 1
                unseen.append(f"message {self.number}")
                storage.add(messages.SUCCESS, unseen[-1])
            elif step == "count":
                assert (len(storage), bool(storage)) == (len(shown_or_seen + unseen), bool(shown_or_seen + unseen))
            elif is_theirs or account:
                shows, shown_or_seen, unseen = True, shown_or_seen + unseen, []
                assert [str(message) for message in storage] == shown_or_seen
            elif "add" not in steps:
                assert list(storage) == [], "nobody is signed in, and they are somebody's"
        storage.update(response)
        self.cookies |= {name: cookie.value for name, cookie in response.cookies.items()}
        self.cookies = {name: value for name, value in self.cookies.items() if value}
        if shows or (not is_theirs and account and "count" in steps):
            self.waiting, self.owner = unseen, account
        elif "add" in steps:
            self.waiting, self.owner = shown_or_seen + unseen, account
        else:
            assert not response.cookies, "a page that shows none keeps them for the next"
        if not self.waiting:
            self.owner = None

    @invariant()
    def a_cookie_is_there_only_for_messages(self) -> None:
        assert bool(self.cookies) == bool(self.waiting)


TestMessagesOfABrowser = MessagesOfABrowser.TestCase
TestMessagesOfABrowser.settings = hypothesis_settings(max_examples=50, stateful_step_count=20)


def test_messages_wait_while_nobody_is_signed_in() -> None:
    browser = MessagesOfABrowser()
    for subject, step in (("ada", "add"), (None, "show"), ("ada", "show")):
        browser.somebody_comes(subject, refreshed=False)
        browser.a_page_is_asked_for([step])
