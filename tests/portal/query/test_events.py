"""What a request's `QueryClient` tells of each query and mutation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.portal.query.fakes import Process, World
from tests.support.client_endpoints import ClientMutations, ClientQueries

if TYPE_CHECKING:
    from portal.api.tokens import TokenStore

clients = ClientQueries.use_get_clients_query
client_of_id = ClientQueries.use_get_client_query


class TestEvents:
    def test_each_query_says_what_it_came_to(self, world: World, process: Process, ada: TokenStore) -> None:
        clients(process.request(ada))
        ClientMutations.use_delete_client_mutation(process.request(ada)).mutate(params={"id": "c5"})
        client = process.request(ada)
        clients(client)
        clients(client)
        clients(client, pages=2)
        client_of_id(client, {"id": "nobody"})
        assert [(event.endpoint, event.cache_status, event.pages, event.patches) for event in client.events] == [
            ("energy.get_clients", "hit", 1, 1),
            ("energy.get_clients", "memoized", 1, 1),
            ("energy.get_clients", "partial", 2, 0),
            ("energy.get_client", "error", 0, 0),
        ]
        assert client.events[-1].error == "ApiNotFoundError"
        assert client.events[0].key == ("energy.get_clients", {}, "paginated", 20, "limit")

    def test_each_mutation_says_what_it_came_to(self, process: Process, ada: TokenStore) -> None:
        client = process.request(ada)
        delete = ClientMutations.use_delete_client_mutation(client)
        delete.mutate(params={"id": "c5"})
        delete.mutate(params={"id": "nobody"})
        assert [(event.write.endpoint, event.error) for event in client.mutations] == [
            ("energy.delete_client", ""),
            ("energy.delete_client", "ApiNotFoundError"),
        ]
        assert client.events == []
        assert all(event.began_s > 0 <= event.duration_s for event in client.mutations)

    def test_data_that_is_revalidated_behind_the_request_is_called_stale_without_an_error(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        clients(process.request(ada))
        world.clock.now += 400
        client = process.request(ada)
        clients(client)
        assert client.events[-1].cache_status == "stale"
        assert client.events[-1].age_s == 400
        assert client.events[-1].error == ""
