"""Stale-while-revalidate: whose token fetches anew behind a request, and what a sign-out leaves of it."""

from __future__ import annotations

import pytest

from portal.api.tokens import TokenPair, TokenStore
from portal.errors import ApiUnauthorizedError
from tests.portal.query.fakes import Process, World, make_token
from tests.portal.query.invariants.clients_list import listed, names, once

STALE_S = 301


@pytest.fixture
def stale(world: World, process: Process, ada: TokenStore) -> TokenStore:
    """Ada's tokens, as of a request that has shown a list past its stale time. It will be fetched anew behind it."""
    listed(process.request(ada))
    world.clock.now += STALE_S
    tokens = TokenStore(ada.current)
    listed(process.request_with(tokens))
    return tokens


@pytest.mark.usefixtures("stale")
def test_the_token_is_not_refreshed(world: World) -> None:
    asked: list[TokenStore] = []
    world.backend.refresh = asked.append
    world.backend.failures = [ApiUnauthorizedError(status=401)]
    world.background.run()
    assert asked == []


@pytest.mark.parametrize(("left_s", "reads"), [(-1, 0), (4, 0), (60, 1)])
def test_the_token_has_to_last_for_the_call(world: World, process: Process, left_s: int, reads: int) -> None:
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


@pytest.mark.usefixtures("stale")
def test_a_purge_before_a_revalidation_begins_leaves_nothing_to_fetch(
    world: World, process: Process, ada: TokenStore
) -> None:
    process.request(ada).purge()
    calls = len(world.backend.calls)
    world.background.run()
    assert len(world.backend.calls) == calls


@pytest.mark.usefixtures("stale")
def test_a_purge_while_a_revalidation_is_under_way_leaves_nothing_of_it(world: World, ada: TokenStore) -> None:
    kept = dict(world.store.values)
    world.backend.inside = once(lambda: world.process().request(ada).purge())
    world.background.run()
    written = {key for key, value in world.store.values.items() if kept.get(key) != value}
    assert not [key for key in written if ":lease:" not in key]


@pytest.mark.usefixtures("stale")
def test_a_revalidation_of_before_a_sign_out_is_not_shown_after_the_next_sign_in(
    world: World, process: Process, ada: TokenStore
) -> None:
    again = world.backend.sign_in("ada")

    def sign_out_and_in() -> None:
        process.request(ada).purge()
        listed(world.process().request(again), params={"q": "5"})

    world.backend.inside = once(sign_out_and_in)
    world.background.run()
    world.backend.rows[0]["name"] = "by someone else"
    assert names(process.request(again))["c5"] == "by someone else"


def test_a_revalidation_is_made_with_the_token_of_its_user_whoever_has_signed_in_since(
    world: World, process: Process, ada: TokenStore, stale: TokenStore
) -> None:
    ben = world.backend.sign_in("ben")
    listed(process.request(ben))
    stale.sign_in(ben.current)
    world.backend.rows[0]["name"] = "adas alone"
    calls = len(world.backend.calls)
    world.background.run()
    assert world.backend.bearers[calls:] == [ada.current.access]
    world.backend.rows[0]["name"] = "of both"
    assert names(process.request(ben))["c5"] == "client 5"
