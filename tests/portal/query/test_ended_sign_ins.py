"""A refused refresh ends a sign-in: what is cached for its user is dropped, whatever call meets it first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from portal.errors import SignInEndedError
from tests.portal.query.invariants.clients_list import create, listed
from tests.support.client_endpoints import ClientQueries

if TYPE_CHECKING:
    from portal.api.tokens import TokenStore
    from tests.portal.query.fakes import Process, World


def search(client: Any) -> None:
    """A list that is not cached."""
    listed(client, params={"q": "c"})


@pytest.mark.parametrize(
    ("call", "sent"),
    [
        *((listed, []), (create, []), (ClientQueries.use_get_clients_query.invalidate, [])),
        *((search, ["GET"]), (create, ["POST"])),
    ],
    ids=["list", "create", "invalidate", "list after a 401", "create after a 401"],
)
def test_a_refused_refresh_purges(world: World, process: Process, ada: TokenStore, call: Any, sent: list[str]) -> None:
    """Before the call leaves, where the access token has expired; else after the backend has answered 401."""
    other, elsewhere = world.process(), world.backend.sign_in("ada")
    listed(process.request(ada))
    listed(other.request(elsewhere))

    def refuse(asked: TokenStore) -> None:
        if asked.current.access == ada.current.access:
            asked.end(rejected=asked.current.refresh)
            raise SignInEndedError("over")

    if sent:
        world.backend.failures = [SignInEndedError("over")]
    else:
        world.backend.refresh = refuse
    before = len(world.backend.calls)
    with pytest.raises(SignInEndedError):
        call(process.request(ada))
    assert [method for method, _, _ in world.backend.calls[before:]] == sent
    reads = world.backend.reads()
    listed(other.request(elsewhere))
    assert world.backend.reads() == reads + 1
