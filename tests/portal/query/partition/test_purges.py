"""Purges: what drops all that is cached for a user."""

from __future__ import annotations

import pytest

from portal.api.tokens import TokenStore
from portal.errors import ApiForbiddenError, ApiUnauthorizedError
from portal.query import create_query_client
from portal.query.partition import principal_of_id
from portal.services.auth import AuthMutations
from portal.services.user import UserQueries
from tests.portal.query.fakes import PAST_ITS_LIFE_S, Process, World
from tests.support.client_endpoints import ClientMutations, ClientQueries, ids


def test_a_401_past_a_refresh_purges(world: World, process: Process, ada: TokenStore) -> None:
    ClientQueries.use_get_clients_query(process.request(ada))
    user = world.backend.users.pop(ada.current.access or "")
    assert isinstance(
        ClientQueries.use_get_client_query(process.request(ada), {"id": "c5"}).error, ApiUnauthorizedError
    )
    world.backend.users[ada.current.access or ""] = user
    ClientQueries.use_get_clients_query(process.request(ada))
    assert world.backend.counted()["GET", "/energy/clients"] == 2


def test_a_wrong_password_purges_nothing(world: World, process: Process, ada: TokenStore) -> None:
    ClientQueries.use_get_clients_query(process.request(ada))
    world.backend.failures = [ApiUnauthorizedError(status=401)]
    body = {"email": "ada@example.com", "password": "wrong"}
    assert AuthMutations.use_login_mutation(process.request(ada)).mutate(body=body).error is not None
    ClientQueries.use_get_clients_query(process.request(ada))
    assert world.backend.reads() == 1


def test_a_403_asks_for_the_profile_once_and_keeps_what_is_cached_if_nothing_changed(
    world: World, process: Process, ada: TokenStore
) -> None:
    ClientQueries.use_get_clients_query(process.request(ada))
    UserQueries.use_get_me_query(process.request(ada))
    world.backend.calls.clear()
    world.backend.failures = [ApiForbiddenError(status=403), None, ApiForbiddenError(status=403)]
    client = process.request(ada)
    assert isinstance(ClientQueries.use_get_client_query(client, {"id": "c5"}).error, ApiForbiddenError)
    assert isinstance(ClientQueries.use_get_client_query(client, {"id": "c4"}).error, ApiForbiddenError)
    assert world.backend.counted()["GET", "/me"] == 1
    ClientQueries.use_get_clients_query(process.request(ada))
    assert world.backend.counted()["GET", "/energy/clients"] == 0


@pytest.mark.parametrize("write", [False, True])
def test_a_403_purges_if_the_permissions_changed(world: World, process: Process, ada: TokenStore, write: bool) -> None:
    ClientQueries.use_get_clients_query(process.request(ada))
    world.backend.permissions["ada"] = ["FINANCE_APP"]
    if write:
        client = process.request(ada)
        ClientMutations.use_delete_client_mutation(client).mutate(params={"id": "c5"})
    else:
        ClientQueries.use_get_client_query(process.request(ada), {"id": "c5"})
    result = ClientQueries.use_get_clients_query(world.process().request(ada))
    assert isinstance(result.error, ApiForbiddenError)
    assert result.data.items == ()


def test_a_profile_with_other_permissions_purges(world: World, process: Process, ada: TokenStore) -> None:
    ClientQueries.use_get_clients_query(process.request(ada))
    world.backend.permissions["ada"] = ["FINANCE_APP"]
    UserQueries.use_get_me_query(process.request(ada)).refetch()
    result = ClientQueries.use_get_clients_query(process.request(ada))
    assert isinstance(result.error, ApiForbiddenError)


def test_the_order_of_permissions_changes_nothing(world: World, process: Process, ada: TokenStore) -> None:
    world.backend.permissions["ada"] = ["ENERGY_APP", "FINANCE_APP"]
    ClientQueries.use_get_clients_query(process.request(ada))
    world.backend.permissions["ada"] = ["FINANCE_APP", "ENERGY_APP"]
    UserQueries.use_get_me_query(process.request(ada)).refetch()
    ClientQueries.use_get_clients_query(process.request(ada))
    assert world.backend.reads() == 1


def test_a_request_that_purges_shows_nothing_that_it_has_memoized(
    world: World, process: Process, ada: TokenStore
) -> None:
    client = process.request(ada)
    ClientQueries.use_get_clients_query(client)
    client.purge()
    world.backend.rows.clear()
    assert ids(ClientQueries.use_get_clients_query(client)) == []


def test_a_write_under_way_during_a_purge_shows_in_what_is_cached_after_it(
    world: World, process: Process, ada: TokenStore
) -> None:
    ClientQueries.use_get_clients_query(process.request(ada))

    def purge_and_read(method: str, path: str) -> None:
        if method == "PATCH":
            world.backend.before = None
            process.request(ada).purge()
            ClientQueries.use_get_clients_query(process.request(ada))

    world.backend.before = purge_and_read
    mutation = ClientMutations.use_update_client_mutation(process.request(ada))
    mutation.mutate(body={"name": "renamed"}, params={"id": "c5"}).unwrap()
    shown = ClientQueries.use_get_clients_query(process.request(ada)).data.items
    assert shown[0]["name"] == "renamed"


def test_a_sign_in_as_another_user_within_a_request_forgets_what_it_read(
    world: World, process: Process, ada: TokenStore
) -> None:
    tokens = TokenStore(ada.current)
    client = create_query_client(tokens=tokens, api=world.backend, runtime=process.runtime, clock=world.clock)
    assert UserQueries.use_get_me_query(client).unwrap()["id"] == "ada"
    tokens.sign_in(world.backend.sign_in("ben").current)
    assert UserQueries.use_get_me_query(client).unwrap()["id"] == "ben"
    tokens.clear()
    assert isinstance(UserQueries.use_get_me_query(client).error, ApiUnauthorizedError)


def test_a_sign_in_during_a_read_leaves_nothing_of_the_user_before_in_the_requests_memory(
    world: World, process: Process, ada: TokenStore
) -> None:
    ClientQueries.use_get_clients_query(process.request(ada))
    world.clock.now += PAST_ITS_LIFE_S
    tokens = TokenStore(ada.current)
    client = create_query_client(tokens=tokens, api=world.backend, runtime=process.runtime, clock=world.clock)
    bens = world.backend.sign_in("ben").current
    world.backend.inside = lambda _method, _path: tokens.sign_in(bens)
    assert isinstance(ClientQueries.use_get_clients_query(client).error, ApiUnauthorizedError)
    world.backend.inside = None
    world.backend.rows = [{"id": "b1", "name": "ben's"}]
    result = ClientQueries.use_get_clients_query(client)
    assert result.error is None
    assert ids(result) == ["b1"]


def test_a_sign_in_between_look_up_and_call_stores_nothing_for_the_user_before(
    world: World, process: Process, ada: TokenStore
) -> None:
    ClientQueries.use_get_clients_query(process.request(ada), {"q": "5"})
    tokens = TokenStore(ada.current)
    client = create_query_client(tokens=tokens, api=world.backend, runtime=process.runtime, clock=world.clock)
    bens = world.backend.sign_in("ben").current
    looked: list[str] = []

    def sign_in(operation: str) -> None:
        looked.append(operation)
        if operation == "get_many":
            world.store.before_each = None
            tokens.sign_in(bens)

    world.store.before_each = sign_in
    ClientQueries.use_get_clients_query(client)
    world.backend.rows.clear()
    assert ids(ClientQueries.use_get_clients_query(process.request(ada))) == []


def test_a_purge_that_is_asked_for_while_another_one_is_done_is_done_after_it(
    world: World, process: Process, ada: TokenStore
) -> None:
    ClientQueries.use_get_clients_query(process.request(ada))
    purges = process.runtime.namespaces.pending_purges

    def ask_again(operation: str) -> None:
        if operation == "delete_many":
            world.store.before_each = None
            purges.enqueue(principal_of_id("ada"))

    world.store.before_each = ask_again
    purges.enqueue(principal_of_id("ada"))
    purges.flush()
    assert len(purges.queue) == 1
    purges.flush()
    assert not purges.queue
