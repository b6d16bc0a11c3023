"""Writes that leave before their token is bound, or while the store is down (query-cache, I1)."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import pytest

from portal.api.tokens import TokenPair, TokenStore
from portal.errors import StoreUnavailableError
from portal.query import create_query_client
from portal.query.partition.pending_purges import MAX_PENDING
from tests.portal.query.fakes import make_token, unavailable
from tests.portal.query.invariants.clients_list import create, delete, listed, names, once
from tests.support.client_endpoints import ClientMutations, ClientQueries

if TYPE_CHECKING:
    from tests.portal.query.fakes import Process, World


@pytest.fixture
def other(world: World, process: Process, ada: TokenStore) -> Process:
    """Another process, in which ada's list is cached."""
    made = world.process(single_flight=process.runtime.single_flight)
    assert listed(made.request(ada)) == ["c5", "c4"]
    return made


def lose_bindings(world: World) -> None:
    world.store.values = {key: value for key, value in world.store.values.items() if not key.startswith("binding:")}


def store_is_down(world: World, *, down: bool) -> None:
    world.store.down = down


class TestTheProfileIsUnavailable:
    """The token can't be bound before its write leaves, and the write leaves nevertheless."""

    @pytest.fixture(autouse=True)
    def no_profile(self, world: World, other: Process) -> None:
        def refuse(_method: str, path: str) -> None:
            if path == "/me":
                raise unavailable()

        world.backend.before = refuse

    @pytest.fixture
    def laptop(self, world: World) -> TokenStore:
        """Another sign-in of ada's, which no process knows yet."""
        return world.backend.sign_in("ada")

    def test_the_write_shows_to_its_token_in_a_process_where_an_older_list_is_cached(
        self, world: World, process: Process, other: Process, laptop: TokenStore
    ) -> None:
        delete(process.request(laptop), "c5")
        assert listed(process.request(laptop)) == ["c4", "c3"]
        world.backend.before = None
        assert listed(other.request(laptop)) == ["c4", "c3"]

    def test_an_invalidation_as_well(self, world: World, process: Process, other: Process, laptop: TokenStore) -> None:
        world.backend.rows.pop(0)
        ClientQueries.use_get_clients_query.invalidate(process.request(laptop))
        world.backend.before = None
        assert listed(other.request(laptop)) == ["c4", "c3"]

    def test_and_to_the_users_other_tokens_from_then_on(
        self, world: World, process: Process, other: Process, laptop: TokenStore, ada: TokenStore
    ) -> None:
        delete(process.request(laptop), "c5")
        world.backend.before = None
        listed(other.request(laptop), params={"q": "1"})
        assert listed(other.request(ada)) == ["c4", "c3"]

    def test_where_another_process_proves_the_token_while_the_write_is_under_way(
        self, world: World, process: Process, other: Process, laptop: TokenStore
    ) -> None:
        def prove_and_read(method: str, path: str) -> None:
            if method == "DELETE":
                world.backend.before = None
                assert listed(other.request(laptop)) == ["c5", "c4"]
            elif path == "/me":
                raise unavailable()

        world.backend.before = prove_and_read
        delete(process.request(laptop), "c5")
        assert listed(other.request(laptop)) == ["c4", "c3"]

    def test_where_the_store_has_lost_the_binding_that_another_process_has_in_memory(
        self, world: World, process: Process, other: Process, ada: TokenStore
    ) -> None:
        lose_bindings(world)
        delete(process.request(ada), "c5")
        assert listed(other.request(ada)) == ["c4", "c3"], "without the profile: from the backend"
        world.backend.before = None
        assert listed(other.request(ada)) == ["c4", "c3"]

    def test_nor_does_a_refresh_use_a_binding_that_the_store_has_lost(
        self, world: World, process: Process, other: Process, ada: TokenStore
    ) -> None:
        lose_bindings(world)
        delete(process.request(ada), "c5")
        world.backend.before = None
        renewed = refreshed(world, other, ada)
        assert listed(other.request(renewed)) == ["c4", "c3"]
        assert listed(process.request(renewed)) == ["c4", "c3"]

    def test_the_next_token_of_the_sign_in_begins_anew_too(
        self, world: World, process: Process, other: Process, laptop: TokenStore
    ) -> None:
        delete(process.request(laptop), "c5")
        renewed = refreshed(world, process, laptop)
        world.backend.before = None
        assert listed(other.request(renewed)) == ["c4", "c3"]


def refreshed(world: World, process: Process, old: TokenStore) -> TokenStore:
    """The tokens after a refresh in that process."""
    pair = TokenPair(access=make_token("ada"), refresh="next")
    world.backend.users[pair.access or ""] = "ada"

    def refresh(tokens: TokenStore) -> None:
        if tokens.current.access == old.current.access:
            tokens.rotate(pair, replaced=old.current.refresh or "")

    world.backend.refresh = refresh
    ClientQueries.use_get_clients_query(process.request(old), {"q": "nothing"})
    world.backend.refresh = None
    return TokenStore(pair)


class TestTheStoreIsDown:
    """Nothing can be written then: the process that made the write tells of it as soon as it reaches the store."""

    @pytest.mark.parametrize("profile_fails", [True, False])
    def test_a_write_of_a_token_that_this_process_does_not_know(
        self, world: World, process: Process, other: Process, ada: TokenStore, profile_fails: bool
    ) -> None:
        store_is_down(world, down=True)
        world.backend.failures = [unavailable()] * 3 if profile_fails else []
        delete(process.request(ada), "c5")
        store_is_down(world, down=False)
        listed(process.request(world.backend.sign_in("ben")))
        assert listed(other.request(ada)) == ["c4", "c3"]

    def test_a_write_into_a_namespace_that_was_made_meanwhile(
        self, world: World, process: Process, other: Process, ada: TokenStore
    ) -> None:
        listed(process.request(ada))

        def purge_and_read_and_fail() -> None:
            world.backend.before = None
            other.request(ada).purge()
            assert listed(other.request(ada)) == ["c5", "c4"]
            store_is_down(world, down=True)

        world.backend.before = once(purge_and_read_and_fail, method="DELETE", path="/energy/clients/c5")
        delete(process.request(ada), "c5")
        store_is_down(world, down=False)
        listed(process.request(world.backend.sign_in("ben")))
        assert listed(other.request(ada)) == ["c4", "c3"]

    def test_a_purge(self, world: World, process: Process, other: Process, ada: TokenStore) -> None:
        listed(process.request(ada))
        store_is_down(world, down=True)
        process.request(ada).purge()
        store_is_down(world, down=False)
        listed(process.request(world.backend.sign_in("ben")))
        reads = world.backend.reads()
        listed(other.request(ada))
        assert world.backend.reads() == reads + 1

    def test_pending_purges_are_bounded_and_become_all_that_is_cached(
        self, world: World, process: Process, other: Process, ada: TokenStore
    ) -> None:
        store_is_down(world, down=True)
        delete(process.request(ada), "c5")
        for number in range(MAX_PENDING + 1):
            with contextlib.suppress(StoreUnavailableError):
                process.runtime.namespaces.purge_token(f"token {number}")
        store_is_down(world, down=False)
        ben = world.backend.sign_in("ben")
        listed(process.request(ben))
        assert listed(other.request(ada)) == ["c4", "c3"]
        reads = world.backend.reads()
        listed(process.request(ben))
        listed(other.request(ada))
        assert world.backend.reads() == reads, "and that once"


class TestANewBinding:
    def test_begins_a_generation_so_nothing_older_than_itself_is_shown_to_it(
        self, world: World, process: Process, other: Process
    ) -> None:
        world.backend.rows.pop(0)
        assert listed(process.request(world.backend.sign_in("ada"))) == ["c4", "c3"]

    def test_but_the_profile_asked_once_more_does_not(self, world: World, process: Process, ada: TokenStore) -> None:
        from portal.services.user import UserQueries

        listed(process.request(ada))
        UserQueries.use_get_me_query(process.request(ada)).refetch()
        listed(process.request(ada))
        assert world.backend.reads() == 1


class TestAnotherUsersTokensOnTheWay:
    def test_a_write_that_may_be_either_users_shows_no_row_to_one_of_them(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        """A browser may hold ada's access token, which the backend refuses, and ben's refresh token."""
        ben = world.backend.sign_in("ben")
        for tokens in (ada, ben):
            listed(process.request(tokens))
        tokens = TokenStore(ada.current)
        client = create_query_client(tokens=tokens, api=world.backend, runtime=process.runtime, clock=world.clock)
        world.backend.before = once(
            lambda: tokens.rotate(TokenPair(access=ben.current.access, refresh="r"), replaced="refresh of ada"),
            method="POST",
        )
        made = create(client)
        world.backend.rows = [row for row in world.backend.rows if row["id"] != made]
        reads = world.backend.reads()
        for each in (ada, ben):
            assert made not in names(process.request(each))
        assert world.backend.reads() == reads + 2

    def test_a_sign_in_that_ends_during_a_write_is_still_told(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        tokens = TokenStore(ada.current)
        client = create_query_client(tokens=tokens, api=world.backend, runtime=process.runtime, clock=world.clock)
        listed(process.request(ada))
        world.backend.inside = once(tokens.clear, method="DELETE", path="/energy/clients/c5")
        result = ClientMutations.use_delete_client_mutation(client).mutate(params={"id": "c5"})
        assert result.is_success
        assert "c5" not in listed(process.request(ada))
