"""Attempts: how often the backend is asked, and the callbacks called."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.portal.query.fakes import unavailable
from tests.portal.query.invariants.clients_list import listed
from tests.support.client_endpoints import ClientMutations, ClientQueries

if TYPE_CHECKING:
    from portal.api.tokens import TokenStore
    from tests.portal.query.fakes import Process, World


class TestI14Attempts:
    def test_a_query_is_tried_three_times(self, world: World, process: Process, ada: TokenStore) -> None:
        listed(process.request(ada), params={"q": "3"})
        world.backend.calls.clear()
        world.backend.failures = [unavailable()] * 9
        assert ClientQueries.use_get_clients_query(process.request(ada)).error is not None
        assert len(world.backend.calls) == 3
        assert world.waits == [0.1, 0.2]

    def test_a_mutation_twice_with_one_key_and_callbacks_once(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        listed(process.request(ada))
        called: list[Any] = []
        world.backend.calls.clear()
        world.backend.keys.clear()
        world.backend.failures = [unavailable()]
        mutation = ClientMutations.use_create_client_mutation(
            process.request(ada), on_success=called.append, on_error=called.append
        )
        result = mutation.mutate(body={"name": "n", "email": "e"})
        assert called == [result.data]
        assert len(world.backend.calls) == 2
        assert len(set(world.backend.keys)) == 1
        assert world.backend.keys[0]
        world.backend.failures = [unavailable()] * 2
        failed = mutation.mutate(body={"name": "n", "email": "e"})
        assert called == [result.data, failed.error]
        assert len(set(world.backend.keys)) == 2, "another call is another key"
