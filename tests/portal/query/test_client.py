"""What a request's `QueryClient` does beside the invariants: memory, invalidate, prefetch, refetch, round trips, start."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from portal.errors import ApiNotFoundError, ApiUnavailableError
from portal.process.deadline import Deadline
from portal.query import QueryResult
from portal.services.user import UserQueries
from tests.portal.query.fakes import PAST_ITS_LIFE_S, Process, World, unavailable
from tests.support.client_endpoints import ClientMutations, ClientQueries, ids

if TYPE_CHECKING:
    from portal.api.tokens import TokenStore

clients = ClientQueries.use_get_clients_query
client_of_id = ClientQueries.use_get_client_query


class TestOneRequest:
    def test_each_query_runs_at_most_once(self, world: World, process: Process, ada: TokenStore) -> None:
        world.store.down = True
        client = process.request(ada)
        for _ in range(3):
            clients(client)
            UserQueries.use_get_me_query(client)
        assert len(world.backend.calls) == 2

    def test_a_failure_too(self, world: World, process: Process, ada: TokenStore) -> None:
        client = process.request(ada)
        for _ in range(2):
            assert isinstance(client_of_id(client, {"id": "nobody"}).error, ApiNotFoundError)
        assert world.backend.reads() == 1

    def test_what_a_view_does_to_its_data_reaches_nobody_else(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        client = process.request(ada)
        clients(client).data.items[0]["name"] = "changed by a view"
        clients(client).data.raw_res[0]["items"].clear()
        assert clients(client).data.items[0]["name"] == "client 5"
        assert len(clients(client).data.raw_res[0]["items"]) == 2
        UserQueries.use_get_me_query(client).unwrap()["permissions"].clear()
        assert UserQueries.use_get_me_query(client).unwrap()["permissions"] == ["ENERGY_APP"]

    def test_raw_res_holds_the_servers_own_pages(self, world: World, process: Process, ada: TokenStore) -> None:
        clients(process.request(ada), pages=2)
        ClientMutations.use_delete_client_mutation(process.request(ada)).mutate(params={"id": "c5"})
        result = clients(process.request(ada), pages=2)
        assert ids(result) == ["c4", "c3", "c2"]
        assert [[row["id"] for row in page["items"]] for page in result.data.raw_res] == [["c5", "c4"], ["c3", "c2"]]
        assert result.data.raw_res[0]["total"] == 5

    def test_the_error_of_a_page_behind_them_is_not_that_of_fewer_pages(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        client = process.request(ada)
        world.backend.failures = [None, None, ApiNotFoundError(status=404)]
        assert isinstance(clients(client, pages=2).error, ApiNotFoundError)
        first = clients(client, pages=1)
        assert first.error is None
        assert ids(first) == ["c5", "c4"]

    def test_no_more_pages_than_there_are(self, world: World, process: Process, ada: TokenStore) -> None:
        result = clients(process.request(ada), pages=50)
        assert (result.pages, result.has_next_page, result.data.next_cursor) == (3, False, None)
        assert result.fetch_next_page() is result
        assert not result.is_loading
        assert not result.is_loading_more

    def test_the_time_budget_of_a_request_bounds_all_its_tries(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        clients(process.request(ada))
        world.backend.failures = [unavailable()] * 9
        result = client_of_id(process.request(ada, deadline=Deadline(0.05)), {"id": "c5"})
        assert result.error is not None
        assert world.waits == []

    @pytest.mark.parametrize("one_shot", [False, True])
    def test_a_write_of_one_thread_while_another_reads_shows_in_the_next_read(
        self, world: World, process: Process, ada: TokenStore, one_shot: bool
    ) -> None:
        client = process.request(ada)
        UserQueries.use_get_me_query(client)

        def read() -> Any:
            if one_shot:
                return client_of_id(client, {"id": "c5"}).unwrap()["name"]
            return clients(client).data.items[0]["name"]

        def write(method: str, _path: str) -> None:
            if method == "GET":
                world.backend.inside = None
                mutation = ClientMutations.use_update_client_mutation(client)
                mutation.mutate(body={"name": "renamed"}, params={"id": "c5"}).unwrap()

        world.backend.inside = write
        read()
        assert read() == "renamed"


class TestRefetch:
    def test_it_asks_however_fresh_the_data_is(self, world: World, process: Process, ada: TokenStore) -> None:
        first = clients(process.request(ada), pages=2)
        world.backend.rows[0]["name"] = "changed"
        again = first.refetch()
        assert again.data.items[0]["name"] == "changed"
        assert first.data.items[0]["name"] == "client 5", "a new result"
        assert ids(clients(process.request(ada), pages=2)) == ids(again)
        assert world.backend.reads() == 4

    def test_pages_that_were_fresh_stay_when_a_refetch_fails_midway(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        result = clients(process.request(ada), pages=2)
        world.backend.failures = [None, *[unavailable()] * 3]
        failed = result.refetch()
        assert ids(failed) == ids(result)
        assert failed.is_stale
        assert isinstance(failed.error, ApiUnavailableError)

    def test_unwrap_gives_older_data_through_an_outage_but_not_past_a_definite_no(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        result = client_of_id(process.request(ada), {"id": "c5"})
        world.backend.failures = [unavailable()] * 3
        assert result.refetch().unwrap()["id"] == "c5"
        world.backend.rows.clear()
        gone = result.refetch()
        assert gone.data is not None
        with pytest.raises(ApiNotFoundError):
            gone.unwrap()


class TestInvalidate:
    @pytest.fixture(autouse=True)
    def cached(self, process: Process, ada: TokenStore) -> None:
        for params in (None, {"q": "5"}, {"q": "5", "sort": "name"}):
            clients(process.request(ada), params)
        client_of_id(process.request(ada), {"id": "c5"})

    @pytest.mark.parametrize(
        ("which", "fetched"),
        [
            ({}, 3),
            ({"params": {}}, 1),
            ({"params": {"q": "5"}}, 1),
            ({"params": {"q": None}}, 1),
            ({"matching": {"q": "5"}}, 2),
            ({"matching": {"q": "other"}}, 0),
            ({"matching": {"query": "5"}}, 3),
        ],
    )
    def test_one_query_or_one_endpoint_or_by_parameters(
        self,
        world: World,
        process: Process,
        ada: TokenStore,
        *,
        caplog: pytest.LogCaptureFixture,
        which: Any,
        fetched: int,
    ) -> None:
        clients.invalidate(world.process().request(ada), **which)
        world.backend.calls.clear()
        for params in (None, {"q": "5"}, {"q": "5", "sort": "name"}):
            clients(process.request(ada), params)
        client_of_id(process.request(ada), {"id": "c5"})
        assert len(world.backend.calls) == fetched
        assert ("query is no parameter of it; it knows" in caplog.text) is (which == {"matching": {"query": "5"}})

    def test_within_the_request(self, world: World, process: Process, ada: TokenStore) -> None:
        client = process.request(ada)
        clients(client)
        world.backend.rows[0]["name"] = "changed"
        clients.invalidate(client)
        assert clients(client).data.items[0]["name"] == "changed"

    def test_during_the_first_load_it_is_kept(self, world: World, process: Process, ada: TokenStore) -> None:
        def invalidate(method: str, path: str) -> None:
            world.backend.inside = None
            clients.invalidate(process.request(ada), params={"q": "4"})

        world.backend.inside = invalidate
        clients(process.request(ada), {"q": "4"})
        reads = world.backend.reads()
        clients(process.request(ada), {"q": "4"})
        assert world.backend.reads() == reads + 1


class TestPrefetch:
    def test_a_later_read_finds_it(self, world: World, process: Process, ada: TokenStore) -> None:
        clients.prefetch(process.request(ada), {"q": "client"}, pages=2)
        client_of_id.prefetch(process.request(ada), {"id": "c5"})
        reads = world.backend.reads()
        assert len(clients(process.request(ada), {"q": "client"}, pages=2).data.items) == 4
        assert client_of_id(process.request(ada), {"id": "c5"}).is_success
        assert world.backend.reads() == reads


class TestRoundTrips:
    def test_a_hot_read_is_one_and_with_writes_two(self, world: World, process: Process, ada: TokenStore) -> None:
        clients(process.request(ada), pages=2)
        before = world.store.trips
        clients(process.request(ada), pages=2)
        assert world.store.trips - before == 1
        ClientMutations.use_delete_client_mutation(process.request(ada)).mutate(params={"id": "c5"})
        before = world.store.trips
        clients(process.request(ada), pages=2)
        assert world.store.trips - before == 2


class TestStart:
    """A page begins GET `/me` before its view runs."""

    SPEC = UserQueries.use_get_me_query.spec()

    def test_gives_a_result_that_needs_no_fetch(self, process: Process, ada: TokenStore) -> None:
        for _ in range(2):
            UserQueries.use_get_me_query(process.request(ada))
        client = process.request(ada)
        started = client.start(self.SPEC)
        assert isinstance(started, QueryResult)
        assert started.unwrap()["id"] == "ada"
        assert [event.cache_status for event in client.events] == ["hit"]

    def test_else_the_hook_waits_for_what_is_under_way(self, world: World, process: Process, ada: TokenStore) -> None:
        UserQueries.use_get_me_query(process.request(ada))
        world.clock.now += PAST_ITS_LIFE_S
        client = process.request(ada)
        assert client.start(self.SPEC) is True
        assert UserQueries.use_get_me_query(client).unwrap()["id"] == "ada"
        assert [event.cache_status for event in client.events] == ["miss"]
        assert world.backend.counted()["GET", "/me"] == 2
