"""Answers about the token that asks: two browsers of one user never see each other's."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest

from portal.errors import ApiUnavailableError, SignInEndedError
from portal.query import QueryGroup, query_endpoint
from portal.query.endpoints.registry import Registry
from portal.services.iam.sign_ins import SignInMutations, SignInQueries
from portal.services.user import UserQueries
from tests.portal.query.fakes import FakeBackend, Process, World, unavailable

if TYPE_CHECKING:
    from portal.api.tokens import TokenStore

SIGN_INS = "/iam/auth/sessions"
sign_ins = SignInQueries.use_get_sign_ins_query


class SignInsBackend(FakeBackend):
    """Each token is a sign-in; `current` marks the one that asks. Two to a page would hide it: one page has all."""

    def _do(self, token: str | None, method: str, path: str, params: dict[str, Any], body: Any) -> Any:
        if path == "/asker":
            return {"id": token}
        if path.startswith(f"{SIGN_INS}/"):
            return None
        if path != SIGN_INS:
            return super()._do(token, method, path, params, body)
        rows = [{"id": known, "current": known == token} for known in self.users]
        if "cursor" in params:
            return {"items": rows[1:], "hasNext": False}
        return {"items": rows[:1], "hasNext": True, "nextCursor": "second"}


class Queries(QueryGroup, domain="uncached", registry=Registry()):
    use_get_asker_query = query_endpoint(data=dict, url="/asker", cache=False)


@pytest.fixture
def world() -> World:
    return World(backend=SignInsBackend())


@pytest.fixture
def laptop(world: World, process: Process) -> TokenStore:
    return bound(world, process)


@pytest.fixture
def phone(world: World, process: Process) -> TokenStore:
    return bound(world, process)


def bound(world: World, process: Process) -> TokenStore:
    tokens = world.backend.sign_in("ada")
    UserQueries.use_get_me_query(process.request(tokens))
    return tokens


def current(result: Any) -> list[str]:
    return [row.id for row in result.data.items if row.current]


def test_every_request_asks_for_itself(world: World, process: Process, laptop: TokenStore, phone: TokenStore) -> None:
    for tokens in (laptop, phone, laptop):
        client = process.request(tokens)
        for _ in range(2):
            assert current(sign_ins(client, pages=2)) == [tokens.current.access]
        assert Queries.use_get_asker_query(client).unwrap() == {"id": tokens.current.access}
    assert world.backend.counted()["GET", SIGN_INS] == 6
    assert world.backend.counted()["GET", "/asker"] == 3


def test_a_failed_fetch_shows_nothing_that_another_token_was_told(
    world: World, process: Process, laptop: TokenStore, phone: TokenStore
) -> None:
    sign_ins(process.request(laptop), pages=2)
    Queries.use_get_asker_query(process.request(laptop))
    world.backend.failures = [unavailable()] * 6
    client = process.request(phone)
    result = sign_ins(client, pages=2)
    assert result.data.items == ()
    assert isinstance(result.error, ApiUnavailableError)
    assert Queries.use_get_asker_query(client).data is None


def test_nobody_waits_for_the_other_tokens_fetch(
    world: World, process: Process, laptop: TokenStore, phone: TokenStore
) -> None:
    seen: list[list[str]] = []

    def ask_with_the_phone(_method: str, _path: str) -> None:
        world.backend.inside = None
        other = threading.Thread(target=lambda: seen.append(current(sign_ins(process.request(phone), pages=2))))
        other.start()
        other.join(5)

    world.backend.inside = ask_with_the_phone
    assert current(sign_ins(process.request(laptop), pages=2)) == [laptop.current.access]
    assert seen == [[phone.current.access]], "while the laptop's fetch was still under way"


def test_nothing_of_it_lies_in_the_store(world: World, process: Process, laptop: TokenStore) -> None:
    sign_ins(process.request(laptop), pages=2)
    Queries.use_get_asker_query(process.request(laptop))
    assert not any("current" in value or laptop.current.access in value for value in world.store.values.values())


def test_a_write_has_it_fetched_anew_within_the_request(world: World, process: Process, laptop: TokenStore) -> None:
    client = process.request(laptop)
    sign_ins(client)
    SignInMutations.use_end_sign_in_mutation(client).mutate(params={"id": "x"}).unwrap()
    sign_ins(client)
    assert world.backend.counted()["GET", SIGN_INS] == 2


def test_a_token_that_was_signed_out_is_told_nothing(world: World, process: Process, laptop: TokenStore) -> None:
    process.request(laptop).purge()
    world.backend.signed_out.add(laptop.current.access)
    with pytest.raises(SignInEndedError):
        sign_ins(process.request(laptop))
    assert world.backend.counted()["GET", SIGN_INS] == 0
