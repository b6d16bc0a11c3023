"""A request by which the user reloads a page: what it shows is what the backend says now."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from portal.errors import ApiForbiddenError, ApiNotFoundError
from portal.process.deadline import Deadline
from tests.portal.query.fakes import Process, World, unavailable
from tests.portal.query.invariants.clients_list import delete, listed, names
from tests.support.client_endpoints import ClientQueries, EnergySummaryQueries

if TYPE_CHECKING:
    from portal.api.tokens import TokenStore

clients = ClientQueries.use_get_clients_query
client_of_id = ClientQueries.use_get_client_query
summary = EnergySummaryQueries.use_get_summary_query


class TestAReload:
    def test_fetches_what_is_cached_and_fresh(self, world: World, process: Process, ada: TokenStore) -> None:
        names(process.request(ada))
        world.backend.rows[0]["name"] = "by someone else"
        assert names(process.request(ada))["c5"] == "client 5"
        assert names(process.request(ada, reload=True))["c5"] == "by someone else"

    def test_fetches_an_answer_that_is_no_list(self, world: World, process: Process, ada: TokenStore) -> None:
        summary(process.request(ada))
        world.backend.rows.pop()
        assert summary(process.request(ada, reload=True)).unwrap()["counts"] == {"clients": 4}

    def test_fetches_each_query_once(self, world: World, process: Process, ada: TokenStore) -> None:
        listed(process.request(ada))
        client = process.request(ada, reload=True)
        reads = world.backend.reads()
        for _ in range(3):
            listed(client)
            summary(client)
        assert world.backend.reads() == reads + 2

    def test_fetches_all_pages_that_are_shown(self, world: World, process: Process, ada: TokenStore) -> None:
        listed(process.request(ada), pages=3)
        for row in world.backend.rows:
            row["name"] = "changed"
        client = process.request(ada, reload=True)
        assert set(names(client, pages=2).values()) == {"changed"}
        result = clients(client, pages=2).fetch_next_page()
        assert {row["name"] for row in result.data.items} == {"changed"}

    def test_is_seen_by_the_requests_after_it(self, world: World, process: Process, ada: TokenStore) -> None:
        listed(process.request(ada))
        world.backend.rows[0]["name"] = "by someone else"
        names(process.request(ada, reload=True))
        reads = world.backend.reads()
        assert names(world.process().request(ada))["c5"] == "by someone else"
        assert world.backend.reads() == reads

    def test_shows_what_is_known_beside_the_error(self, world: World, process: Process, ada: TokenStore) -> None:
        listed(process.request(ada))
        client = process.request(ada, reload=True)
        world.backend.failures = [unavailable()] * 3
        result = clients(client)
        assert [row["id"] for row in result.unwrap().items] == ["c5", "c4"]
        assert result.error is not None

    @pytest.mark.parametrize("failure", [ApiNotFoundError(status=404), ApiForbiddenError(status=403)])
    def test_that_meets_a_definite_no_leaves_nothing_older_to_show(
        self, world: World, process: Process, ada: TokenStore, failure: Exception
    ) -> None:
        client_of_id(process.request(ada), {"id": "c5"})
        world.backend.failures = [failure]
        assert type(client_of_id(process.request(ada, reload=True), {"id": "c5"}).error) is type(failure)
        world.backend.failures = [failure]
        result = client_of_id(process.request(ada), {"id": "c5"})
        assert (type(result.error), result.data) == (type(failure), None)

    def test_does_not_show_what_a_write_removed_from_what_is_known(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        listed(process.request(ada))
        delete(process.request(ada), "c5")
        client = process.request(ada, reload=True)
        world.backend.failures = [unavailable()] * 3
        assert [row["id"] for row in clients(client).data.items] == ["c4"]


class TestAReloadDuringTheFetchOfAnotherRequest:
    def test_does_not_wait_for_one_that_left_before_it_began(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        listed(process.request(ada), params={"q": "5"})  # so that the token is bound
        reads = world.backend.reads()
        seen = self._read_within_a_fetch(world, lambda: process.request(ada, reload=True))
        listed(process.request(ada))
        assert seen == [["c5", "c4"]]
        assert world.backend.reads() == reads + 2

    def test_waits_for_one_that_left_after_it_began(self, world: World, process: Process, ada: TokenStore) -> None:
        listed(process.request(ada), params={"q": "5"})
        reads = world.backend.reads()
        asks = threading.Event()

        class Watched(Deadline):
            def remaining(self) -> float:
                asks.set()  # a follower asks how long it may wait
                return super().remaining()

        client = process.request(ada, reload=True, deadline=Watched(10))
        follower: list[list[str]] = []
        thread = threading.Thread(target=lambda: follower.append(listed(client)))

        def hold(method: str, path: str) -> None:
            thread.start()
            assert asks.wait(5)

        world.backend.before = hold
        listed(process.request(ada))
        thread.join(5)
        assert follower == [["c5", "c4"]]
        assert world.backend.reads() == reads + 1

    def _read_within_a_fetch(self, world: World, client: Any) -> list[list[str]]:
        seen: list[list[str]] = []

        def read(method: str, path: str) -> None:
            world.backend.inside = None
            thread = threading.Thread(target=lambda: seen.append(listed(client())))
            thread.start()
            thread.join(5)

        world.backend.inside = read
        return seen


class TestHowOldAnAnswerIs:
    def test_says_when_it_left_the_backend(self, world: World, process: Process, ada: TokenStore) -> None:
        began = datetime.fromtimestamp(world.clock.now, tz=UTC)
        assert summary(process.request(ada)).as_of == began
        world.clock.now += 60
        assert summary(process.request(ada)).as_of == began
        assert summary(process.request(ada, reload=True)).as_of == began + timedelta(seconds=60)

    def test_says_it_of_the_oldest_page_of_a_list(self, world: World, process: Process, ada: TokenStore) -> None:
        began = datetime.fromtimestamp(world.clock.now, tz=UTC)
        listed(process.request(ada))
        world.clock.now += 60
        assert clients(process.request(ada), pages=2).as_of == began

    def test_says_nothing_of_what_could_not_be_had(self, world: World, process: Process, ada: TokenStore) -> None:
        world.backend.failures = [unavailable()] * 9
        client = process.request(ada)
        assert clients(client).as_of is None
        assert summary(client).as_of is None
