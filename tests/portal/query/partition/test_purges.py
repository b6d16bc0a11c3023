"""Purges: what drops all that is cached for a user."""

from __future__ import annotations

from typing import Any

import pytest

from portal.api.tokens import TokenStore
from portal.errors import ApiForbiddenError, ApiUnauthorizedError
from portal.query.partition import principal_of_id
from portal.services.auth import AuthMutations
from portal.services.user import UserQueries
from tests.portal.query.fakes import PAST_ITS_LIFE_S, Process, World
from tests.portal.query.invariants.clients_list import names, once, rename
from tests.support.client_endpoints import ClientMutations, ClientQueries, ids

clients = ClientQueries.use_get_clients_query
client_of_id = ClientQueries.use_get_client_query
me = UserQueries.use_get_me_query


@pytest.fixture(autouse=True)
def cached(world: World, process: Process, ada: TokenStore) -> None:
    """Ada's list and profile are."""
    world.backend.permissions["ada"] = ["ENERGY_APP", "FINANCE_APP"]
    clients(process.request(ada))
    me(process.request(ada))
    world.backend.calls.clear()


def test_a_401_past_a_refresh_purges(world: World, process: Process, ada: TokenStore) -> None:
    user = world.backend.users.pop(ada.current.access or "")
    assert isinstance(client_of_id(process.request(ada), {"id": "c5"}).error, ApiUnauthorizedError)
    world.backend.users[ada.current.access or ""] = user
    clients(process.request(ada))
    assert world.backend.counted()["GET", "/energy/clients"] == 1


def test_a_wrong_password_purges_nothing(world: World, process: Process, ada: TokenStore) -> None:
    world.backend.failures = [ApiUnauthorizedError(status=401)]
    body = {"email": "ada@example.com", "password": "wrong"}
    assert AuthMutations.use_login_mutation(process.request(ada)).mutate(body=body).error is not None
    clients(process.request(ada))
    assert world.backend.reads() == 0


def test_a_403_asks_for_the_profile_once_and_keeps_what_is_cached_if_nothing_changed(
    world: World, process: Process, ada: TokenStore
) -> None:
    world.backend.failures = [ApiForbiddenError(status=403), None, ApiForbiddenError(status=403)]
    world.backend.permissions["ada"].reverse()
    client = process.request(ada)
    for row_id in ("c5", "c4"):
        assert isinstance(client_of_id(client, {"id": row_id}).error, ApiForbiddenError)
    assert world.backend.counted()["GET", "/me"] == 1
    clients(process.request(ada))
    assert world.backend.counted()["GET", "/energy/clients"] == 0


@pytest.mark.parametrize(
    "use",
    [
        lambda client: client_of_id(client, {"id": "c5"}),
        lambda client: ClientMutations.use_delete_client_mutation(client).mutate(params={"id": "c5"}),
    ],
    ids=["read", "write"],
)
def test_a_403_purges_if_the_permissions_changed(world: World, process: Process, ada: TokenStore, use: Any) -> None:
    world.backend.permissions["ada"] = ["FINANCE_APP"]
    use(process.request(ada))
    result = clients(world.process().request(ada))
    assert isinstance(result.error, ApiForbiddenError)
    assert result.data.items == ()


def test_a_request_that_purges_shows_nothing_that_it_has_memoized(
    world: World, process: Process, ada: TokenStore
) -> None:
    client = process.request(ada)
    clients(client)
    client.purge()
    world.backend.rows.clear()
    assert ids(clients(client)) == []


def test_a_write_under_way_during_a_purge_shows_in_what_is_cached_after_it(
    world: World, process: Process, ada: TokenStore
) -> None:
    def purge_and_read() -> None:
        process.request(ada).purge()
        clients(process.request(ada))

    world.backend.before = once(purge_and_read, method="PATCH", path="/energy/clients/c5")
    rename(process.request(ada), "c5", "renamed")
    assert names(process.request(ada))["c5"] == "renamed"


def test_a_sign_in_as_another_user_within_a_request_forgets_what_it_read(
    world: World, process: Process, ada: TokenStore
) -> None:
    tokens = TokenStore(ada.current)
    client = process.request_with(tokens)
    assert me(client).unwrap()["id"] == "ada"
    tokens.sign_in(world.backend.sign_in("ben").current)
    assert me(client).unwrap()["id"] == "ben"
    tokens.clear()
    assert isinstance(me(client).error, ApiUnauthorizedError)


def test_a_sign_in_during_a_read_leaves_nothing_of_the_user_before_in_the_requests_memory(
    world: World, process: Process, ada: TokenStore
) -> None:
    world.clock.now += PAST_ITS_LIFE_S
    bens, tokens = world.backend.sign_in("ben").current, TokenStore(ada.current)
    client = process.request_with(tokens)
    world.backend.inside = lambda _method, _path: tokens.sign_in(bens)
    assert isinstance(clients(client).error, ApiUnauthorizedError)
    world.backend.inside = None
    world.backend.rows = [{"id": "b1", "name": "ben's"}]
    result = clients(client)
    assert result.error is None
    assert ids(result) == ["b1"]


def test_a_sign_in_between_look_up_and_call_stores_nothing_for_the_user_before(
    world: World, process: Process, ada: TokenStore
) -> None:
    bens, tokens = world.backend.sign_in("ben").current, TokenStore(ada.current)

    def sign_in(operation: str) -> None:
        if operation == "get_many":
            world.store.before_each = None
            tokens.sign_in(bens)

    world.store.before_each = sign_in
    clients(process.request_with(tokens), {"q": "c"})
    world.backend.rows.clear()
    assert ids(clients(process.request(ada), {"q": "c"})) == []


def test_a_purge_that_is_asked_for_while_another_one_is_done_is_done_after_it(world: World, process: Process) -> None:
    purges = process.runtime.namespaces.pending_purges

    def ask_again(operation: str) -> None:
        if operation == "delete_many":
            world.store.before_each = None
            purges.enqueue(principal_of_id("ada"))

    world.store.before_each = ask_again
    purges.enqueue(principal_of_id("ada"))
    for left in (1, 0):
        purges.flush()
        assert len(purges.queue) == left
