"""Tokens that change on the way: a refresh binds the new token, for the same user only."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from portal.api.tokens import TokenPair, TokenStore
from portal.config.limits import EXPIRY_LEEWAY_S
from portal.errors import ApiUnauthorizedError, ApiUnavailableError, SignInEndedError
from portal.query import create_query_client
from portal.query.cache.page_cache import PAGE_LIFETIME_S
from portal.query.partition.namespaces import BINDING_LIFETIME_S, USED_TOKEN_KEPT_S, Namespaces
from tests.portal.query.fakes import FakeStore, Process, World, make_token
from tests.support.client_endpoints import ClientMutations, ClientQueries, ids


def renew(world: World, to: str) -> None:
    """The next look at the token's end finds it expired, and refreshes."""
    new = make_token(to)
    world.backend.users[new] = to

    def refresh(tokens: TokenStore) -> None:
        if tokens.current.access not in {new, None}:
            tokens.rotate(TokenPair(access=new, refresh="next"), replaced=tokens.current.refresh or "")

    world.backend.refresh = refresh


def test_an_expired_token_is_refreshed_before_the_first_read_also_when_all_is_cached(
    world: World, process: Process, ada: TokenStore
) -> None:
    ClientQueries.use_get_clients_query(process.request(ada))
    renew(world, "ada")
    tokens = TokenStore(ada.current)
    client = create_query_client(tokens=tokens, api=world.backend, runtime=process.runtime, clock=world.clock)
    assert ids(ClientQueries.use_get_clients_query(client)) == ["c5", "c4"]
    assert tokens.changed
    assert len(world.backend.calls) == 2, "the new token is bound: nothing is asked again"


def test_a_refresh_that_cant_be_had_now_is_an_error_without_data(
    world: World, process: Process, ada: TokenStore
) -> None:
    ClientQueries.use_get_clients_query(process.request(ada))

    def fail(tokens: TokenStore) -> None:
        raise ApiUnavailableError("busy")

    world.backend.refresh = fail
    result = ClientQueries.use_get_clients_query(process.request(ada))
    assert isinstance(result.error, ApiUnavailableError)
    assert result.data.items == ()
    write = ClientMutations.use_delete_client_mutation(process.request(ada)).mutate(params={"id": "c5"})
    assert isinstance(write.error, ApiUnavailableError)


def test_a_sign_in_that_ended_is_raised_and_purges(world: World, process: Process, ada: TokenStore) -> None:
    ClientQueries.use_get_clients_query(process.request(ada))

    def end(tokens: TokenStore) -> None:
        tokens.end(rejected=tokens.current.refresh or "")
        raise SignInEndedError("over")

    world.backend.refresh = end
    client = process.request(ada)
    with pytest.raises(SignInEndedError):
        ClientQueries.use_get_clients_query(client)
    with pytest.raises(SignInEndedError):
        ClientMutations.use_delete_client_mutation(client).mutate(params={"id": "c5"})
    world.backend.refresh = None
    reads = world.backend.reads()
    ClientQueries.use_get_clients_query(process.request(ada))
    assert world.backend.reads() == reads + 1


def test_a_refresh_to_another_subject_hands_nothing_on(world: World, process: Process, ada: TokenStore) -> None:
    """A browser may hold ada's access token and ben's refresh token."""
    ClientQueries.use_get_clients_query(process.request(ada))
    renew(world, "ben")
    world.backend.rows.insert(0, {"id": "for ben", "name": ""})
    assert ids(ClientQueries.use_get_clients_query(process.request(ada))) == ["for ben", "c5"]
    world.backend.refresh = None
    assert ids(ClientQueries.use_get_clients_query(process.request(ada))) == ["c5", "c4"], "ada's are as they were"


def test_an_answer_that_came_under_another_users_token_is_neither_stored_nor_shown(
    world: World, process: Process, ada: TokenStore
) -> None:
    ClientQueries.use_get_clients_query(process.request(ada), {"q": "5"})
    bens = make_token("ben")
    world.backend.users[bens] = "ben"
    tokens = TokenStore(ada.current)
    client = create_query_client(tokens=tokens, api=world.backend, runtime=process.runtime, clock=world.clock)
    world.backend.before = lambda *_: tokens.rotate(TokenPair(access=bens, refresh="r"), replaced="refresh of ada")
    result = ClientQueries.use_get_clients_query(client)
    assert isinstance(result.error, ApiUnauthorizedError)
    assert result.data.items == ()
    world.backend.before = None
    world.backend.rows.clear()
    assert ids(ClientQueries.use_get_clients_query(process.request(ada))) == []


def test_a_token_that_names_no_subject_is_not_bound_by_a_refresh(
    world: World, process: Process, ada: TokenStore
) -> None:
    ClientQueries.use_get_clients_query(process.request(ada))
    world.backend.users["opaque"] = "ada"
    world.backend.refresh = lambda tokens: tokens.rotate(
        TokenPair(access="opaque", refresh="next"), replaced="refresh of ada"
    )
    ClientQueries.use_get_clients_query(process.request(ada))
    assert world.backend.counted()["GET", "/me"] == 2, "the new token is bound by the profile alone"


def test_a_token_that_was_not_bound_hands_nothing_on() -> None:
    assert Namespaces(store=FakeStore()).rebind(old="unbound", new=make_token("ada")) is None


def test_an_opaque_token_works_without_being_shared(world: World, process: Process) -> None:
    world.backend.users = {"opaque": "ada", "opaque too": "ada"}
    tokens = TokenStore(TokenPair(access="opaque", refresh="r"))
    ClientQueries.use_get_clients_query(process.request(tokens))
    client = create_query_client(tokens=tokens, api=world.backend, runtime=process.runtime, clock=world.clock)
    world.backend.inside = lambda *_: tokens.rotate(TokenPair(access="opaque too", refresh="s"), replaced="r")
    assert ids(ClientQueries.use_get_clients_query(client, {"q": "5"})) == ["c5"]


@pytest.mark.parametrize(
    ("exp_in", "kept_s"),
    [
        (300, 300 + EXPIRY_LEEWAY_S + USED_TOKEN_KEPT_S),
        (-100, USED_TOKEN_KEPT_S),
        (10 * BINDING_LIFETIME_S, BINDING_LIFETIME_S),
        (None, BINDING_LIFETIME_S),
    ],
)
def test_the_binding_of_a_refreshed_token_ends_soon_after_the_token(
    world: World,
    process: Process,
    ada: TokenStore,
    *,
    monkeypatch: pytest.MonkeyPatch,
    exp_in: int | None,
    kept_s: float,
) -> None:
    kept: dict[str, float | None] = {}
    set_many = world.store.set_many

    def noting(values: Mapping[str, object], *, lifetime_s: float | None) -> None:
        kept.update(dict.fromkeys(values, lifetime_s))
        set_many(values, lifetime_s=lifetime_s)

    monkeypatch.setattr(world.store, "set_many", noting)
    ClientQueries.use_get_clients_query(process.request(ada))
    first = set(kept)
    new = make_token("ada", exp=None if exp_in is None else world.clock.now + exp_in)
    namespaces = Namespaces(store=world.store, clock=world.clock)
    assert namespaces.rebind(old=str(ada.current.access), new=new) is not None
    [name] = set(kept) - first
    assert kept[name] == pytest.approx(kept_s)
    assert {kept[key] for key in first if key.startswith("binding:")} == {BINDING_LIFETIME_S}
    assert USED_TOKEN_KEPT_S > PAGE_LIFETIME_S
