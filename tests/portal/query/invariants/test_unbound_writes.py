"""Writes that leave before their token is bound, or while the store is down (query-cache, I1).

`test_model_outages` looks for more of them; these are those that were once missed.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import pytest

from portal.api.tokens import TokenPair, TokenStore
from portal.errors import StoreUnavailableError
from portal.query.partition.generations import MAX_PENDING
from tests.portal.query.fakes import make_token, unavailable
from tests.portal.query.invariants.clients_list import create, delete, listed, names, once
from tests.support.client_endpoints import ClientQueries

if TYPE_CHECKING:
    from tests.portal.query.fakes import Process, World

BEFORE, AFTER = ["c5", "c4"], ["c4", "c3"]


@pytest.fixture
def other(world: World, process: Process, ada: TokenStore) -> Process:
    """Another process, in which ada's list is cached."""
    made = world.process(single_flight=process.runtime.single_flight)
    assert listed(made.request(ada)) == BEFORE
    return made


def no_profile(_method: str, path: str) -> None:
    if path == "/me":
        raise unavailable()


def invalidate_after_a_change_by_others(world: World, client: Any) -> None:
    world.backend.rows.pop(0)
    ClientQueries.use_get_clients_query.invalidate(client)


class TestTheProfileIsUnavailable:
    """The token can't be bound before its write leaves, and the write leaves nevertheless."""

    @pytest.mark.parametrize("write", [lambda _, client: delete(client, "c5"), invalidate_after_a_change_by_others])
    def test_the_write_of_a_new_token_shows_in_a_process_where_an_older_list_is_cached(
        self, world: World, process: Process, other: Process, write: Any
    ) -> None:
        laptop = world.backend.sign_in("ada")
        world.backend.before = no_profile
        write(world, process.request(laptop))
        assert listed(process.request(laptop)) == AFTER
        world.backend.before = None
        assert listed(other.request(laptop)) == AFTER

    def test_the_write_shows_where_another_process_proves_the_token_while_it_is_under_way(
        self, world: World, process: Process, other: Process
    ) -> None:
        laptop = world.backend.sign_in("ada")

        def prove_and_read(method: str, path: str) -> None:
            if method == "DELETE":
                world.backend.before = None
                assert listed(other.request(laptop)) == BEFORE
            no_profile(method, path)

        world.backend.before = prove_and_read
        delete(process.request(laptop), "c5")
        assert listed(other.request(laptop)) == AFTER

    @pytest.mark.parametrize("refreshes", [False, True])
    def test_the_write_shows_where_the_store_has_lost_the_binding_that_another_process_has_in_memory(
        self, world: World, process: Process, other: Process, ada: TokenStore, refreshes: bool
    ) -> None:
        for key in [key for key in world.store.values if key.startswith("binding:")]:
            del world.store.values[key]
        world.backend.before = no_profile
        delete(process.request(ada), "c5")
        if not refreshes:
            assert listed(other.request(ada)) == AFTER, "without the profile: from the backend"
        world.backend.before = None
        tokens = refreshed(world, other, ada) if refreshes else ada
        for at in (other, process):
            assert listed(at.request(tokens)) == AFTER


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

    def back(self, world: World, process: Process) -> None:
        """The store is back, and this process reads something."""
        world.store.down = False
        listed(process.request(world.backend.sign_in("ben")))

    @pytest.mark.parametrize("profile_fails", [True, False])
    def test_a_write_of_a_token_that_this_process_does_not_know_shows_in_the_other(
        self, world: World, process: Process, other: Process, ada: TokenStore, profile_fails: bool
    ) -> None:
        world.store.down = True
        world.backend.failures = [unavailable()] * 3 if profile_fails else []
        delete(process.request(ada), "c5")
        self.back(world, process)
        assert listed(other.request(ada)) == AFTER

    def test_a_write_into_a_namespace_that_was_made_meanwhile_shows_in_the_other(
        self, world: World, process: Process, other: Process, ada: TokenStore
    ) -> None:
        listed(process.request(ada))

        def purge_and_read_and_fail() -> None:
            other.request(ada).purge()
            assert listed(other.request(ada)) == BEFORE
            world.store.down = True

        world.backend.before = once(purge_and_read_and_fail, method="DELETE", path="/energy/clients/c5")
        delete(process.request(ada), "c5")
        self.back(world, process)
        assert listed(other.request(ada)) == AFTER

    def test_a_purge_is_done_later(self, world: World, process: Process, other: Process, ada: TokenStore) -> None:
        listed(process.request(ada))
        world.store.down = True
        process.request(ada).purge()
        self.back(world, process)
        reads = world.backend.reads()
        listed(other.request(ada))
        assert world.backend.reads() == reads + 1

    def test_pending_purges_are_bounded_and_become_all_that_is_cached(
        self, world: World, process: Process, other: Process, ada: TokenStore
    ) -> None:
        world.store.down = True
        delete(process.request(ada), "c5")
        for number in range(MAX_PENDING + 1):
            with contextlib.suppress(StoreUnavailableError):
                process.runtime.namespaces.purge_token(f"token {number}")
        self.back(world, process)
        for reads in (1, 0):
            before = world.backend.reads()
            assert listed(other.request(ada)) == AFTER
            assert world.backend.reads() == before + reads, "and that once"


def test_a_new_binding_begins_a_generation_so_nothing_older_than_itself_is_shown_to_it(
    world: World, process: Process, other: Process
) -> None:
    world.backend.rows.pop(0)
    assert listed(process.request(world.backend.sign_in("ada"))) == AFTER


def test_a_write_that_may_be_either_users_shows_no_row_to_one_of_them(
    world: World, process: Process, ada: TokenStore
) -> None:
    """A browser may hold ada's access token, which the backend refuses, and ben's refresh token."""
    ben, tokens = world.backend.sign_in("ben"), TokenStore(ada.current)
    for each in (ada, ben):
        listed(process.request(each))
    world.backend.before = once(lambda: tokens.rotate(ben.current, replaced="refresh of ada"), method="POST")
    made = create(process.request_with(tokens))
    world.backend.rows = [row for row in world.backend.rows if row["id"] != made]
    reads = world.backend.reads()
    for each in (ada, ben):
        assert made not in names(process.request(each))
    assert world.backend.reads() == reads + 2


def test_a_write_during_which_the_sign_in_ends_still_shows(world: World, process: Process, ada: TokenStore) -> None:
    listed(process.request(ada))
    tokens = TokenStore(ada.current)
    world.backend.inside = once(tokens.clear, method="DELETE", path="/energy/clients/c5")
    delete(process.request_with(tokens), "c5")
    assert "c5" not in listed(process.request(ada))
