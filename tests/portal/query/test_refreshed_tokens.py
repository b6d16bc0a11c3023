"""Tokens that change on the way: a refresh binds the new token, for the same user only."""

from __future__ import annotations

from typing import Any

import pytest

from portal.api.tokens import TokenPair, TokenStore
from portal.config.limits import EXPIRY_LEEWAY_S
from portal.errors import ApiUnauthorizedError, ApiUnavailableError
from portal.query.cache.page_cache import PAGE_LIFETIME_S
from portal.query.partition.namespaces import BINDING_LIFETIME_S, USED_TOKEN_KEPT_S, Namespaces
from tests.portal.query.fakes import Process, World, make_token
from tests.support.client_endpoints import ClientMutations, ClientQueries, ids

clients = ClientQueries.use_get_clients_query


def renew(world: World, to: str, token: str = "") -> None:
    """The next look at the token's end finds it expired, and refreshes."""
    new = token or make_token(to)
    world.backend.users[new] = to

    def refresh(tokens: TokenStore) -> None:
        if tokens.current.access not in {new, None}:
            tokens.rotate(TokenPair(access=new, refresh="next"), replaced=tokens.current.refresh or "")

    world.backend.refresh = refresh


def test_an_expired_token_is_refreshed_before_the_first_read_also_when_all_is_cached(
    world: World, process: Process, ada: TokenStore
) -> None:
    clients(process.request(ada))
    renew(world, "ada")
    tokens = TokenStore(ada.current)
    assert ids(clients(process.request_with(tokens))) == ["c5", "c4"]
    assert tokens.changed
    assert len(world.backend.calls) == 2, "the new token is bound: nothing is asked again"


def test_a_token_that_names_no_subject_is_not_bound_by_a_refresh(
    world: World, process: Process, ada: TokenStore
) -> None:
    clients(process.request(ada))
    renew(world, "ada", token="opaque")
    clients(process.request(ada))
    assert world.backend.counted()["GET", "/me"] == 2, "the new token is bound by the profile alone"


def test_a_refresh_that_can_not_be_had_now_is_an_error_without_data(
    world: World, process: Process, ada: TokenStore
) -> None:
    clients(process.request(ada))

    def fail(_tokens: TokenStore) -> None:
        raise ApiUnavailableError("busy")

    world.backend.refresh = fail
    result = clients(process.request(ada))
    assert isinstance(result.error, ApiUnavailableError)
    assert result.data.items == ()
    write = ClientMutations.use_delete_client_mutation(process.request(ada)).mutate(params={"id": "c5"})
    assert isinstance(write.error, ApiUnavailableError)


def test_a_refresh_to_another_subject_hands_nothing_on(world: World, process: Process, ada: TokenStore) -> None:
    """A browser may hold ada's access token and ben's refresh token."""
    clients(process.request(ada))
    renew(world, "ben")
    world.backend.rows.insert(0, {"id": "for ben", "name": ""})
    assert ids(clients(process.request(ada))) == ["for ben", "c5"]
    world.backend.refresh = None
    assert ids(clients(process.request(ada))) == ["c5", "c4"], "ada's are as they were"


def test_an_answer_that_came_under_another_users_token_is_neither_stored_nor_shown(
    world: World, process: Process, ada: TokenStore
) -> None:
    clients(process.request(ada), {"q": "5"})
    bens, tokens = world.backend.sign_in("ben").current, TokenStore(ada.current)
    world.backend.before = lambda *_: tokens.rotate(bens, replaced="refresh of ada")
    result = clients(process.request_with(tokens))
    assert isinstance(result.error, ApiUnauthorizedError)
    assert result.data.items == ()
    world.backend.before = None
    world.backend.rows.clear()
    assert ids(clients(process.request(ada))) == []


def test_an_opaque_token_works_without_being_shared(world: World, process: Process) -> None:
    world.backend.users = {"opaque": "ada", "opaque too": "ada"}
    tokens = TokenStore(TokenPair(access="opaque", refresh="r"))
    clients(process.request(tokens))
    world.backend.inside = lambda *_: tokens.rotate(TokenPair(access="opaque too", refresh="s"), replaced="r")
    assert ids(clients(process.request_with(tokens), {"q": "5"})) == ["c5"]


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
    world: World, monkeypatch: pytest.MonkeyPatch, exp_in: int | None, kept_s: float
) -> None:
    kept: list[tuple[list[str], float | None]] = []
    set_many = world.store.set_many

    def noting(values: Any, *, lifetime_s: float | None) -> None:
        kept.append(([key.partition(":")[0] for key in values], lifetime_s))
        set_many(values, lifetime_s=lifetime_s)

    monkeypatch.setattr(world.store, "set_many", noting)
    namespaces, old = Namespaces(store=world.store, clock=world.clock), make_token("ada")
    assert namespaces.rebind(old=old, new=make_token("ada")) is None, "nothing is known of the old one"
    namespaces.bind(old, {"id": "ada"})
    assert ("binding" in kept[-1][0], kept[-1][1]) == (True, BINDING_LIFETIME_S)
    new = make_token("ada", exp=None if exp_in is None else world.clock.now + exp_in)
    assert namespaces.rebind(old=old, new=new) is not None
    assert kept[-1] == (["binding"], pytest.approx(kept_s))
    assert USED_TOKEN_KEPT_S > PAGE_LIFETIME_S
