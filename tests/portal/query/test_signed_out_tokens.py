"""A valid access token that was signed out: the backend may still accept it, the portal does not."""

from __future__ import annotations

import pytest

from portal.api.tokens import TokenPair, TokenStore
from portal.errors import SignInEndedError
from portal.query import create_query_client
from portal.services.user import UserQueries
from tests.portal.query.fakes import Process, World, make_token
from tests.support.client_endpoints import ClientMutations, ClientQueries


def test_the_next_request_with_them_is_given_nothing(world: World, process: Process, ada: TokenStore) -> None:
    ClientQueries.use_get_clients_query(process.request(ada))
    process.request(ada).purge()
    world.backend.signed_out.add(ada.current.access)
    calls = len(world.backend.calls)
    for replaying in (process, world.process()):
        with pytest.raises(SignInEndedError):
            ClientQueries.use_get_clients_query(replaying.request(ada))
        with pytest.raises(SignInEndedError):
            UserQueries.use_get_me_query(replaying.request(ada))
    assert len(world.backend.calls) == calls


def test_the_request_ends_so_that_its_cookies_go(world: World, process: Process, ada: TokenStore) -> None:
    world.backend.signed_out.add(ada.current.access)
    client = create_query_client(tokens=ada, api=world.backend, runtime=process.runtime, clock=world.clock)
    with pytest.raises(SignInEndedError):
        ClientQueries.use_get_clients_query(client)
    assert ada.ended
    assert not ada.lost


def test_while_nobody_knows_whether_they_were_signed_out_the_request_goes_on(
    world: World, process: Process, ada: TokenStore
) -> None:
    world.backend.signed_out.add(ada.current.access)
    world.backend.tombstones_unreadable = True
    client = create_query_client(tokens=ada, api=world.backend, runtime=process.runtime, clock=world.clock)
    assert ClientQueries.use_get_clients_query(client).unwrap().items
    assert not ada.cleared


def test_another_sign_in_of_the_same_user_does_not_open_the_door_again(
    world: World, process: Process, ada: TokenStore
) -> None:
    ClientQueries.use_get_clients_query(process.request(ada))
    process.request(ada).purge()
    world.backend.signed_out.add(ada.current.access)
    ClientQueries.use_get_clients_query(process.request(world.backend.sign_in("ada")))
    with pytest.raises(SignInEndedError):
        ClientQueries.use_get_clients_query(process.request(ada))


def test_a_sign_out_while_the_profile_is_on_its_way_leaves_no_binding_that_opens_anything(
    world: World, process: Process, ada: TokenStore
) -> None:
    def sign_out(_method: str, _path: str) -> None:
        world.backend.inside = None
        world.backend.signed_out.add(ada.current.access)
        process.request(ada).purge()

    world.backend.inside = sign_out
    with pytest.raises(SignInEndedError):
        ClientQueries.use_get_clients_query(process.request(ada))
    calls = len(world.backend.calls)
    for replaying in (process, world.process()):
        with pytest.raises(SignInEndedError):
            ClientQueries.use_get_clients_query(replaying.request(ada))
    assert len(world.backend.calls) == calls


def test_a_write_with_them_is_not_sent(world: World, process: Process, ada: TokenStore) -> None:
    world.backend.signed_out.add(ada.current.access)
    with pytest.raises(SignInEndedError):
        ClientMutations.use_delete_client_mutation(process.request(ada)).mutate(params={"id": "c5"})
    assert world.backend.counted()["DELETE", "/energy/clients/c5"] == 0


def test_a_bound_token_is_not_asked_about_again(world: World, process: Process, ada: TokenStore) -> None:
    ClientQueries.use_get_clients_query(process.request(ada))
    asked = world.backend.tombstones_asked
    ClientQueries.use_get_clients_query(process.request(ada))
    ClientQueries.use_get_clients_query(world.process().request(ada))
    assert world.backend.tombstones_asked == asked


def test_a_sign_out_with_older_tokens_drops_what_the_newer_ones_cached(
    world: World, process: Process, ada: TokenStore
) -> None:
    older = TokenStore(TokenPair(access=make_token("ada"), refresh="refresh of ada"))
    ClientQueries.use_get_clients_query(process.request(ada))
    process.request(older).purge(also=[ada.current.access])
    reads = world.backend.reads()
    ClientQueries.use_get_clients_query(process.request(ada))
    assert world.backend.reads() == reads + 1
