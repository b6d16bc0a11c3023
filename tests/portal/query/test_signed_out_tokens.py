"""A valid access token that was signed out: the backend may still accept it, the portal does not."""

from __future__ import annotations

import pytest

from portal.api.tokens import TokenPair, TokenStore
from portal.errors import SignInEndedError
from portal.services.user import UserQueries
from tests.portal.query.fakes import Process, World, make_token
from tests.portal.query.invariants.clients_list import delete, listed


def check_nothing_is_given(world: World, process: Process, ada: TokenStore) -> None:
    """In any process, to reads and writes, and without a call."""
    calls = len(world.backend.calls)
    for at in (process, world.process()):
        for use in (listed, UserQueries.use_get_me_query, lambda client: delete(client, "c5")):
            with pytest.raises(SignInEndedError):
                use(at.request(ada))
    assert len(world.backend.calls) == calls


def sign_out(world: World, process: Process, ada: TokenStore) -> None:
    world.backend.signed_out.add(ada.current.access)
    process.request(ada).purge()


def test_the_next_requests_with_them_are_given_nothing(world: World, process: Process, ada: TokenStore) -> None:
    listed(process.request(ada))
    sign_out(world, process, ada)
    check_nothing_is_given(world, process, ada)
    listed(process.request(world.backend.sign_in("ada")))
    check_nothing_is_given(world, process, ada)


def test_a_sign_out_while_the_profile_is_on_its_way_leaves_no_binding_that_opens_anything(
    world: World, process: Process, ada: TokenStore
) -> None:
    def sign_out_meanwhile(_method: str, _path: str) -> None:
        world.backend.inside = None
        sign_out(world, process, ada)

    world.backend.inside = sign_out_meanwhile
    with pytest.raises(SignInEndedError):
        listed(process.request(ada))
    check_nothing_is_given(world, process, ada)


@pytest.mark.parametrize("is_known", [True, False])
def test_the_request_ends_so_that_its_cookies_go_unless_nobody_knows_of_the_sign_out(
    world: World, process: Process, ada: TokenStore, is_known: bool
) -> None:
    world.backend.signed_out.add(ada.current.access)
    world.backend.tombstones_unreadable = not is_known
    client = process.request_with(ada)
    if is_known:
        with pytest.raises(SignInEndedError):
            listed(client)
    else:
        assert listed(client) == ["c5", "c4"]
    assert (ada.ended, ada.cleared, ada.lost) == (is_known, is_known, False)


def test_a_bound_token_is_not_asked_about_again(world: World, process: Process, ada: TokenStore) -> None:
    listed(process.request(ada))
    asked = world.backend.tombstones_asked
    listed(process.request(ada))
    listed(world.process().request(ada))
    assert world.backend.tombstones_asked == asked


def test_a_sign_out_with_older_tokens_drops_what_the_newer_ones_cached(
    world: World, process: Process, ada: TokenStore
) -> None:
    older = TokenStore(TokenPair(access=make_token("ada"), refresh="refresh of ada"))
    listed(process.request(ada))
    process.request(older).purge(also=[ada.current.access])
    reads = world.backend.reads()
    listed(process.request(ada))
    assert world.backend.reads() == reads + 1
