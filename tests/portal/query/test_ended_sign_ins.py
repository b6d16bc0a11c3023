"""A refused refresh ends a sign-in: what is cached for its user is dropped, whatever call meets it first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from portal.errors import SignInEndedError
from tests.portal.query.invariants.clients_list import create, listed
from tests.support.client_endpoints import ClientQueries

if TYPE_CHECKING:
    from collections.abc import Callable

    from portal.api.tokens import TokenStore
    from portal.query import QueryClient
    from tests.portal.query.fakes import Process, World


@pytest.mark.parametrize("call", [listed, create, ClientQueries.use_get_clients_query.invalidate])
def test_a_refused_refresh_purges(
    world: World, process: Process, ada: TokenStore, call: Callable[[QueryClient], object]
) -> None:
    other, tokens = world.process(), world.backend.sign_in("ada")
    listed(process.request(ada))
    listed(other.request(tokens))

    def refuse(asked: TokenStore) -> None:
        if asked.current.access == ada.current.access:
            asked.end(rejected=asked.current.refresh)
            raise SignInEndedError("over")

    world.backend.refresh = refuse
    sent = len(world.backend.calls)
    with pytest.raises(SignInEndedError):
        call(process.request(ada))
    assert len(world.backend.calls) == sent, "the access token had expired: nothing was sent"
    reads = world.backend.reads()
    listed(other.request(tokens))
    assert world.backend.reads() == reads + 1


@pytest.mark.parametrize(
    ("call", "method"),
    [(lambda client: listed(client, params={"q": "c"}), "GET"), (create, "POST")],
    ids=["list", "create"],
)
def test_so_does_one_behind_a_call_that_was_sent(
    world: World, process: Process, ada: TokenStore, call: Callable[[QueryClient], object], method: str
) -> None:
    """The backend answers 401, and refuses the refresh that follows."""
    other, tokens = world.process(), world.backend.sign_in("ada")
    listed(process.request(ada))
    listed(other.request(tokens))
    world.backend.failures = [SignInEndedError("over")]
    sent = len(world.backend.calls)
    with pytest.raises(SignInEndedError):
        call(process.request(ada))
    assert [made[:2] for made in world.backend.calls[sent:]] == [(method, "/energy/clients")]
    reads = world.backend.reads()
    listed(other.request(tokens))
    assert world.backend.reads() == reads + 1
