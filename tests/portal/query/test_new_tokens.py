"""New access tokens: one that a sign-in has received is bound by the `/me` of the sign-in, any other by its first page."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypedDict

import pytest

from portal.api.tokens import TokenStore
from portal.config.contract_names import AUTH_LOGIN_PATH
from portal.query import MutationGroup, QueryClient, mutation_endpoint
from portal.services.auth import AuthMutations
from portal.services.user import UserQueries
from tests.portal.query.clients import client_of, clients, listed, me, no_profile, once
from tests.portal.query.fakes import PAST_ITS_LIFE_S, FakeBackend
from tests.portal.query.world import User, World

PROFILE = UserQueries.use_get_me_query.spec()


class NameReq(TypedDict):
    name: str


class OwnProfileMutations(MutationGroup, domain="tests_profile"):
    use_rename_mutation = mutation_endpoint(
        data=dict[str, Any], body=NameReq, url="/me/name", method="PUT"
    ).invalidates(query_key="user.get_me")


@dataclass
class NamedBackend(FakeBackend):
    """Its users have names, which they may change."""

    names: dict[str, str] = field(default_factory=lambda: {"ada": "Ada"})

    def _do(self, token: str | None, method: str, path: str, params: dict[str, Any], body: Any) -> Any:
        if path == "/me/name":
            self.names[self.users[token or ""]] = body["name"]
            return {}
        answer = super()._do(token, method, path, params, body)
        return {**answer, "name": self.names.get(answer["id"], "")} if path == "/me" else answer


@pytest.fixture
def world(world: World) -> World:
    world.backend = NamedBackend(rows=world.backend.rows)
    return world


def rename_oneself(who: Any) -> None:
    OwnProfileMutations.use_rename_mutation(client_of(who)).mutate(body={"name": "Countess"}).unwrap()


def own_name(who: Any) -> str:
    return me(who).unwrap()["name"]


def open_page(user: User) -> int:
    """What a page of a list reads; gives the number of its backend calls."""
    before, client = len(user.backend.calls), user.request()
    assert (own_name(client), listed(client)) == ("Ada", ["c5", "c4"])
    return len(user.backend.calls) - before


def sign_in(ada: User) -> tuple[QueryClient, User]:
    """The request that signs ada in, and her pages after it."""
    pages, tokens = ada.signed_in(), TokenStore()
    client, pair = ada.process.request_with(tokens), pages.tokens.current
    ada.backend.open_paths[AUTH_LOGIN_PATH] = {"accessToken": pair.access, "refreshToken": "r"}
    AuthMutations.use_login_mutation(client).mutate(body={"email": "ada@example.com", "password": "x"}).unwrap()
    tokens.sign_in(pair)
    return client, pages


class TestTheProfileOfASignIn:
    """It binds the token, and its answer is kept: its version stamp was taken before it left."""

    def test_is_there_for_the_pages_after_it_and_leaves_what_other_browsers_have(self, ada: User) -> None:
        assert [open_page(ada) for _ in range(4)] == [2, 1, 0, 0], "another token may have written before"
        client, pages = sign_in(ada)
        own_name(client)
        assert [open_page(user) for user in (pages.elsewhere(), ada)] == [0, 0]

    def test_is_not_kept_if_the_user_is_purged_meanwhile(self, ada: User) -> None:
        own_name(ada)
        client, pages = sign_in(ada)
        pending = [ada.elsewhere().request().purge]
        ada.backend.inside = lambda _method, path: pending.pop()() if path == "/me" and pending else None
        own_name(client)
        ada.backend.names["ada"] = "Countess"
        assert own_name(pages) == "Countess"

    def test_begins_a_generation_if_a_write_left_before_it(self, ada: User) -> None:
        open_page(ada)
        open_page(ada)
        client, _ = sign_in(ada)
        ada.backend.before = no_profile
        rename_oneself(client)
        ada.backend.before = None
        assert own_name(client) == "Countess"
        with ada.reads(1):
            clients(ada)


class TestAPageThatBeginsTheProfileFirst:
    """Nothing is fetched beside the `/me` that binds a token: until then nobody knows whose page it is."""

    def test_asks_again_after_a_purge_within_the_request(self, ada: User) -> None:
        client, phone = ada.request(), ada.elsewhere().signed_in()
        client.start(PROFILE)
        clients(client)
        own_name(phone)
        phone.elsewhere().request().purge()
        ada.backend.names["ada"] = "Countess"
        clients(client, {"q": "5"})
        assert own_name(client) == "Countess"
        with ada.reads(0):  # the token is bound again
            clients(ada, {"q": "5"})

    def test_shows_a_write_that_it_makes_while_an_expired_profile_is_fetched(self, ada: User) -> None:
        own_name(ada)
        ada.passes(PAST_ITS_LIFE_S)
        clients(ada)
        ada.process.runtime.cache.clear(endpoint="user.get_me")
        client, answered = ada.request(), threading.Event()
        ada.backend.inside = lambda _method, path: answered.set() if path == "/me" else None
        assert client.start(PROFILE)
        answered.wait(10)
        rename_oneself(client)
        assert own_name(client) == "Countess"


def clients_without_a_log(phone: User) -> None:
    clients(phone)
    for key in [key for key in phone.store.values if key.endswith(":user.get_me:log")]:
        del phone.store.values[key]


def run_within(ada: User, outer: Callable[[], object], path: str, step: int, inner: Callable[[], object]) -> None:
    """Run `inner` during `outer`: before its store operation of this number after the backend answered this path."""
    left = iter(range(step))

    def before(_name: str) -> None:
        if next(left, None) is None:
            ada.store.before_each = None
            inner()

    ada.backend.inside = once(lambda: setattr(ada.store, "before_each", before), method=METHODS[path], path=path)
    outer()
    ada.store.before_each = ada.backend.inside = None


METHODS = {"/me": "GET", "/me/name": "PUT"}


@pytest.mark.parametrize("prepare", [own_name, clients_without_a_log])
@pytest.mark.parametrize("path", METHODS)
def test_write_during_a_sign_in_shows(ada: User, prepare: Any, path: str) -> None:
    """A write of another process within the first `/me`, and that `/me` within the write, at each store operation."""
    for step in range(14):
        phone = ada.elsewhere().signed_in()
        ada.backend.names["ada"] = "Ada"
        prepare(phone)
        client, pages = sign_in(ada)
        outer, inner = partial(own_name, client), partial(rename_oneself, phone)
        run_within(ada, *((outer, path, step, inner) if path == "/me" else (inner, path, step, outer)))
        if ada.backend.names["ada"] == "Countess":
            assert {own_name(pages), own_name(replace(pages, process=phone.process))} == {"Countess"}
        pages.request().purge()
