"""Which token opens which namespace (docs/explanation/query-cache.md, "Whose data")."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import pytest
from django.conf import settings
from django.test import override_settings

from portal.api.tokens import TokenPair, TokenStore
from portal.config.limits import BINDING_BUDGET_S
from portal.errors import ApiTimeoutError, ApiUnavailableError
from portal.process.deadline import Deadline
from portal.query import QueryClient
from portal.query.partition.namespaces import Namespaces
from portal.query.partition.token_bindings import (
    Subject,
    TokenBinding,
    principal_of,
    principal_of_sign_in,
    principal_of_token,
    principal_of_user,
)
from portal.query.process_state import _Process
from portal.query.request_cache import MEMOIZED_FOR_S
from tests.portal.query.clients import clients, delete, listed, me
from tests.portal.query.fakes import make_token
from tests.portal.query.world import Process, User, World
from tests.support.fake_clock import FakeClock


def bindings(world: World) -> int:
    return sum(key.startswith("binding:") for key in world.store.values)


def test_with_the_profile_failing_a_query_goes_on_without_the_cache(ada: User) -> None:
    ada.backend.failures = [ApiUnavailableError(status=503)] * 3
    client = ada.request()
    assert listed(client) == ["c5", "c4"]
    assert isinstance(me(client).error, ApiUnavailableError)
    assert ada.backend.counted()["GET", "/me"] == 3, "tried once, with its retries, by whoever asks"
    assert not any("cli" in key for key in ada.store.values)
    assert bindings(ada.world) == 0


@pytest.mark.parametrize("answer", [None, [], "ada"])
def test_an_answer_that_is_no_profile_binds_nothing(ada: User, answer: object) -> None:
    ada.backend.open_paths = {"/me": answer}
    clients(ada)
    assert bindings(ada.world) == 0


def test_pages_of_another_address_are_not_read(ada: User, monkeypatch: pytest.MonkeyPatch) -> None:
    """A sign-out and a write reach them all the same: the apps may name one backend by several addresses."""
    monkeypatch.setattr("portal.query.process_state.query_store", lambda: ada.store)

    def at(address: str) -> User:
        with override_settings(PORTAL=replace(settings.PORTAL, api_base_url=address)):
            return replace(ada, process=Process(world=ada.world, runtime=_Process().runtime()))

    users = [at("http://one.test"), at("http://other.test")]
    for user in users:
        with ada.reads(1):
            assert listed(user) == listed(user) == ["c5", "c4"]
    delete(users[0], "c5")
    assert [listed(user)[0] for user in users] == ["c4", "c4"]
    users[0].request().purge()
    for user in users:
        with ada.reads(1):
            listed(user)


def named(profile: dict[str, Any]) -> str | None:
    return principal_of(profile, subject=Subject("ada", None))


@pytest.mark.parametrize("profile", [{}, {"id": ""}, {"id": None}, {"id": True}, {"id": ["ada"]}])
def test_only_a_string_or_a_number_is_an_id(profile: dict[str, Any]) -> None:
    assert named(profile) == principal_of_user(None, Subject("ada", None))
    assert named({"id": 7}) == named({"id": "7"}) == principal_of_user("7", Subject("ada", None))


def test_an_id_a_subject_a_sign_in_and_a_token_of_one_text_are_four_principals() -> None:
    of_id, of_subject = principal_of_user("x", None), principal_of_user(None, Subject("x", None))
    assert len({of_id, of_subject, principal_of_sign_in("x"), principal_of_token("x")}) == 4


def test_a_token_that_has_expired_since_opens_nothing(ada: User) -> None:
    """Without a refresh token nothing renews it: the backend has the word."""
    token = make_token("ada", exp=int(time.time()) - 15)
    ada.backend.users[token] = "ada"
    ada.tokens = TokenStore(TokenPair(access=token))
    with ada.reads(1):  # within the leeway
        assert listed(ada) == listed(ada)
    late = Namespaces(store=ada.store, clock=lambda: time.time() + 31)
    assert late.partition_of(token) is None
    assert Namespaces(store=ada.store).partition_of(token) is not None


def test_a_process_that_is_late_to_see_a_purge_takes_no_binding_of_after_it(world: World) -> None:
    token, late, other = make_token("ada"), Namespaces(store=world.store), Namespaces(store=world.store)
    purged: Any = late.bind(token, {"id": "ada"})
    other.purge(purged.principal)
    bound = other.bind(token, {"id": "ada"})
    late.unbind(token, purged)
    assert Namespaces(store=world.store).partition_of(token) == bound


@pytest.mark.parametrize("stored", [None, "x", [], ["p"], ["p", "n"], ["p", "n", "x"], [1, "n", None]])
def test_a_value_that_is_not_a_binding_opens_nothing(world: World, stored: object) -> None:
    token = make_token("ada")
    Namespaces(store=world.store).bind(token, {"id": "ada"})
    [name] = [key for key in world.store.values if key.startswith("binding:")]
    world.store.set(name, stored, lifetime_s=None)
    assert Namespaces(store=world.store).partition_of(token) is None


def test_an_announced_binding_names_its_user_to_a_writer_and_no_namespace_to_a_reader(world: World) -> None:
    token = make_token("ada")
    bound: Any = Namespaces(store=world.store).bind(token, {"id": "ada"})
    announced = TokenBinding(partition=bound, expires_at=None).announced()
    world.store.set(bound.binding, announced.stored(), lifetime_s=None)
    other = Namespaces(store=world.store)
    assert other.partition_of(token) is None
    assert other.principal_of(token) == bound.principal


# --- a `/me` that hangs may take a part of the time only, where it only binds a token ---

LONG_S = 5


@pytest.fixture
def client(ada: User) -> QueryClient:
    """Her client, while `/me` answers after `LONG_S` seconds."""
    clock = FakeClock()

    def hang(_method: str, path: str) -> None:
        left_s = ada.backend.sent[-1]["deadline"].remaining()
        if path == "/me" and left_s <= LONG_S:
            clock.advance(left_s)
            raise ApiTimeoutError

    ada.backend.before = hang
    return ada.request(deadline=Deadline(10, clock=clock))


def test_write_and_read_go_on_without_a_binding(ada: User, client: QueryClient) -> None:
    delete(client, "c5")
    for word in ("1", "2", "5"):
        assert listed(client, {"q": word}) == [f"c{word}"][: word != "5"]
    assert ada.backend.counted()["GET", "/me"] == 1
    assert ada.backend.sent[-1]["deadline"].remaining() == 10 - BINDING_BUDGET_S


def test_longer_living_client_tries_to_bind_again(ada: User, client: QueryClient) -> None:
    clients(client, {"q": "1"})
    ada.backend.before = None
    ada.passes(MEMOIZED_FOR_S)
    clients(client, {"q": "2"})
    assert client.is_bound


def test_reader_of_the_profile_waits_for_it(client: QueryClient) -> None:
    clients(client)
    assert me(client).unwrap()["id"] == "ada"
