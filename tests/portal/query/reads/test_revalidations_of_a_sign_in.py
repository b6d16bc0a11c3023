"""Stale-while-revalidate: whose token fetches anew behind a request, and what a sign-out leaves of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from portal.api.tokens import TokenPair, TokenStore
from portal.errors import (
    ApiUnauthorizedError,
    ApiUnavailableError,
    SignInEndedError,
)
from portal.query import create_query_client
from tests.portal.query.fakes import Process, World, make_token, unavailable
from tests.portal.query.invariants.clients_list import listed, names, once
from tests.support.client_endpoints import ClientQueries

if TYPE_CHECKING:
    pass

PATIENCE_S = 20
STALE_S = 301

clients = ClientQueries.use_get_clients_query


class TestTheTokenOfARevalidation:
    def test_is_the_one_that_proved_whose_the_data_are(self, world: World, process: Process, ada: TokenStore) -> None:
        listed(process.request(ada))
        world.clock.now += STALE_S
        listed(process.request(ada))
        world.background.run()
        assert world.backend.bearers[-1] == ada.current.access

    def test_is_not_refreshed(self, world: World, process: Process, ada: TokenStore) -> None:
        listed(process.request(ada))
        world.clock.now += STALE_S
        listed(process.request(ada))
        asked: list[TokenStore] = []
        world.backend.refresh = asked.append
        world.backend.failures = [ApiUnauthorizedError(status=401)]
        world.background.run()
        assert asked == []

    @pytest.mark.parametrize(("left_s", "reads"), [(-1, 0), (4, 0), (60, 1)])
    def test_has_to_last_for_the_call(self, world: World, process: Process, left_s: int, reads: int) -> None:
        token = make_token("ada", exp=world.clock.now + STALE_S + left_s)
        world.backend.users[token] = "ada"
        tokens = TokenStore(TokenPair(access=token, refresh="r"))
        listed(process.request(tokens))
        world.clock.now += STALE_S
        before = world.backend.reads()
        assert listed(process.request(tokens)) == ["c5", "c4"]
        world.background.run()
        assert world.backend.reads() == before + reads
        assert process.runtime.revalidations.counts()["skipped"] == 1 - reads


class TestASignOut:
    def test_before_a_revalidation_begins_leaves_nothing_to_fetch(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        listed(process.request(ada))
        world.clock.now += STALE_S
        listed(process.request(ada))
        process.request(ada).purge()
        calls = len(world.backend.calls)
        world.background.run()
        assert len(world.backend.calls) == calls

    def test_while_it_is_under_way_leaves_nothing_of_it(self, world: World, process: Process, ada: TokenStore) -> None:
        listed(process.request(ada))
        world.clock.now += STALE_S
        listed(process.request(ada))
        kept = dict(world.store.values)
        world.backend.inside = once(lambda: world.process().request(ada).purge())
        world.background.run()
        written = {key for key, value in world.store.values.items() if kept.get(key) != value}
        assert not [key for key in written if ":lease:" not in key]
        assert not [
            value for value in world.store.values.values() if "client 4" in value and value not in kept.values()
        ]

    def test_and_another_sign_in_of_the_user_see_nothing_of_it(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        listed(process.request(ada))
        world.clock.now += STALE_S
        listed(process.request(ada))
        again = world.backend.sign_in("ada")

        def sign_out_and_in() -> None:
            process.request(ada).purge()
            listed(world.process().request(again), params={"q": "5"})

        world.backend.inside = once(sign_out_and_in)
        world.background.run()
        world.backend.rows[0]["name"] = "by someone else"
        assert names(process.request(again))["c5"] == "by someone else"

    def test_of_the_request_itself_leaves_nothing_of_it(self, world: World, process: Process, ada: TokenStore) -> None:
        listed(process.request(ada))
        world.clock.now += STALE_S
        tokens = TokenStore(ada.current)
        client = create_query_client(tokens=tokens, api=world.backend, runtime=process.runtime, clock=world.clock)
        listed(client)
        pages = [key for key, value in world.store.values.items() if "client 4" in value]
        before = {key: world.store.values[key] for key in pages}
        tokens.clear()
        world.background.run()
        assert {key: world.store.values[key] for key in pages} == before

    def test_and_somebody_elses_sign_in_get_nothing_of_it(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        ben = world.backend.sign_in("ben")
        world.backend.permissions["ben"] = ["ENERGY_APP"]
        listed(process.request(ada))
        listed(process.request(ben))
        world.clock.now += STALE_S
        tokens = TokenStore(ada.current)
        listed(create_query_client(tokens=tokens, api=world.backend, runtime=process.runtime, clock=world.clock))
        tokens.sign_in(ben.current)
        world.backend.rows[0]["name"] = "adas alone"
        calls = len(world.backend.calls)
        world.background.run()
        assert set(world.backend.bearers[calls:]) <= {ada.current.access}
        world.backend.rows[0]["name"] = "of both"
        assert names(process.request(ben))["c5"] == "client 5"


def test_an_end_of_the_sign_in_still_ends_a_request_that_shows_old_data(
    world: World, process: Process, ada: TokenStore
) -> None:
    listed(process.request(ada))
    world.clock.now += STALE_S

    def refuse(_tokens: TokenStore) -> None:
        raise SignInEndedError("over")

    world.backend.refresh = refuse
    with pytest.raises(SignInEndedError):
        listed(process.request(ada))


def test_a_refresh_that_can_not_be_had_is_an_error_and_no_old_data(
    world: World, process: Process, ada: TokenStore
) -> None:
    listed(process.request(ada))
    world.clock.now += STALE_S

    def fail(_tokens: TokenStore) -> None:
        raise unavailable()

    world.backend.refresh = fail
    result = clients(process.request(ada))
    assert isinstance(result.error, ApiUnavailableError)
    assert result.data.items == ()
