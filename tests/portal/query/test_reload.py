"""A request by which the user reloads a page: what it shows is what the backend says now."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from portal.errors import ApiForbiddenError, ApiNotFoundError
from tests.portal.query.fakes import Process, World, unavailable
from tests.portal.query.followers import WAIT_S, Reader, Watched
from tests.portal.query.invariants.clients_list import listed, names, once
from tests.support.client_endpoints import ClientQueries, EnergySummaryQueries

if TYPE_CHECKING:
    from portal.api.tokens import TokenStore

clients = ClientQueries.use_get_clients_query
client_of_id = ClientQueries.use_get_client_query
summary = EnergySummaryQueries.use_get_summary_query


class TestAReload:
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


class TestAReloadDuringTheFetchOfAnotherRequest:
    @pytest.fixture(autouse=True)
    def bound(self, process: Process, ada: TokenStore) -> None:
        """Ada's token is."""
        listed(process.request(ada), params={"q": "5"})

    def test_does_not_wait_for_one_that_left_before_it_began(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        reader = Reader(lambda: listed(process.request(ada, reload=True)))
        world.backend.inside = once(reader.run)
        listed(process.request(ada))
        assert reader.seen == [["c5", "c4"]]
        assert world.backend.reads() == 1 + 2

    def test_waits_for_one_that_left_after_it_began(self, world: World, process: Process, ada: TokenStore) -> None:
        deadline = Watched()
        client = process.request(ada, reload=True, deadline=deadline)
        follower = Reader(lambda: listed(client))

        def hold(_method: str, _path: str) -> None:
            follower.thread.start()
            assert deadline.asked.acquire(timeout=WAIT_S)

        world.backend.before = hold
        listed(process.request(ada))
        follower.thread.join(WAIT_S)
        assert follower.seen == [["c5", "c4"]]
        assert world.backend.reads() == 1 + 1


class TestHowOldAnAnswerIs:
    def test_is_when_its_oldest_page_left_the_backend(self, world: World, process: Process, ada: TokenStore) -> None:
        began = datetime.fromtimestamp(world.clock.now, tz=UTC)
        for _ in range(2):
            assert [summary(process.request(ada)).as_of, clients(process.request(ada)).as_of] == [began] * 2
            world.clock.now += 60
        assert clients(process.request(ada), pages=2).as_of == began
        assert summary(process.request(ada, reload=True)).as_of == began + timedelta(seconds=120)

    def test_is_not_said_of_what_could_not_be_had(self, world: World, process: Process, ada: TokenStore) -> None:
        world.backend.failures = [unavailable()] * 9
        client = process.request(ada)
        assert (clients(client).as_of, summary(client).as_of) == (None, None)
