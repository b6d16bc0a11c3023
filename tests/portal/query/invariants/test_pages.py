"""Pages of lists: cursors, duplicates, and how old they may be."""

from __future__ import annotations

from typing import TYPE_CHECKING

from portal.errors import ApiUnavailableError
from tests.portal.query.fakes import PAST_ITS_LIFE_S, unavailable
from tests.portal.query.invariants.clients_list import delete, listed
from tests.support.client_endpoints import ClientQueries

if TYPE_CHECKING:
    from portal.api.tokens import TokenStore
    from tests.portal.query.fakes import Process, World


class TestI7PageNPlus1ComesFromPageNsServerCursor:
    def test_also_when_rows_were_removed(self, world: World, process: Process, ada: TokenStore) -> None:
        cursor = ClientQueries.use_get_clients_query(process.request(ada)).data.next_cursor
        delete(process.request(ada), "c4")
        assert listed(process.request(ada), pages=2) == ["c5", "c3", "c2"]
        assert world.backend.calls[-1][2]["cursor"] == cursor, "the server's word, though the row is gone"

    def test_a_second_page_that_no_longer_follows_the_first_is_not_used(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        assert listed(process.request(ada), pages=2) == ["c5", "c4", "c3", "c2"]
        world.backend.rows.insert(0, {"id": "c6", "name": "new"})
        ClientQueries.use_get_clients_query(process.request(ada), pages=1).refetch()
        assert listed(process.request(ada), pages=2) == ["c6", "c5", "c4", "c3"]


class TestI8RowsAreUniqueTheFirstWins:
    def test_a_row_that_moved_to_the_next_page_comes_once(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        first = ClientQueries.use_get_clients_query(process.request(ada))
        ranks = world.backend.ranks
        ranks["c4"], ranks["c3"] = ranks["c3"], ranks["c4"] - 1
        world.backend.rows[1]["name"] = "moved"
        both = first.fetch_next_page()
        assert [row["id"] for row in both.data.raw_res[1]["items"]] == ["c4", "c2"]
        assert [row["id"] for row in both.data.items] == ["c5", "c4", "c2"]
        assert next(row["name"] for row in both.data.items if row["id"] == "c4") == "client 4"

    def test_unique_by_false_keeps_all(self, world: World, process: Process, ada: TokenStore) -> None:
        from tests.portal.query.moving import ThingQueries

        page = {"items": [{"id": "a"}, {"id": "a"}], "hasNext": False, "nextCursor": None}
        world.backend.open_paths = {"/things": page, "/things/all": page}
        assert len(ThingQueries.use_get_things_query(process.request(ada)).data.items) == 1
        assert len(ThingQueries.use_get_all_things_query(process.request(ada)).data.items) == 2


class TestI9LoadMoreIsIdempotentPerCursor:
    def test_two_requests_for_one_cursor_are_one_call(self, world: World, process: Process, ada: TokenStore) -> None:
        for _ in range(2):
            cursor = ClientQueries.use_get_clients_query(process.request(ada)).data.next_cursor
            assert listed(process.request(ada), cursor=cursor) == ["c3", "c2"]
        assert world.backend.reads() == 2


class TestI10NothingStaleIsReturnedAsFresh:
    def test_an_age_equal_to_the_stale_time_is_stale(self, world: World, process: Process, ada: TokenStore) -> None:
        listed(process.request(ada))
        world.clock.now += 299.999
        listed(process.request(ada))
        assert world.backend.reads() == 1
        world.clock.now += 0.001
        result = ClientQueries.use_get_clients_query(process.request(ada))
        assert result.is_stale
        world.background.run()
        assert world.backend.reads() == 2
        assert not ClientQueries.use_get_clients_query(process.request(ada)).is_stale

    def test_an_error_keeps_the_data_and_says_so(self, world: World, process: Process, ada: TokenStore) -> None:
        listed(process.request(ada), pages=2)
        world.clock.now += PAST_ITS_LIFE_S
        world.backend.failures = [unavailable()] * 3
        result = ClientQueries.use_get_clients_query(process.request(ada), pages=2)
        assert [row["id"] for row in result.data.items] == ["c5", "c4", "c3", "c2"]
        assert isinstance(result.error, ApiUnavailableError)
        assert result.is_stale

    def test_a_failed_next_page_keeps_the_pages(self, world: World, process: Process, ada: TokenStore) -> None:
        first = ClientQueries.use_get_clients_query(process.request(ada))
        world.backend.failures = [unavailable()] * 3
        failed = first.fetch_next_page()
        assert failed.error is not None
        assert failed.data.items == first.data.items
        assert failed.data.has_next
        assert not failed.has_next_page, "so that a loop ends"
        assert len(failed.fetch_next_page().data.items) == 4, "and can be tried again"

    def test_a_loop_over_the_pages_ends_at_the_fiftieth(self, world: World, process: Process, ada: TokenStore) -> None:
        world.backend.page_size = 1
        world.backend.rows = [{"id": f"c{number}", "name": "x"} for number in range(52, 0, -1)]
        result = ClientQueries.use_get_clients_query(process.request(ada))
        while result.has_next_page:
            result = result.fetch_next_page()
        assert (result.pages, result.error, result.data.has_next) == (50, None, True)
        assert result.fetch_next_page() is result
        more = ClientQueries.use_get_clients_query(process.request(ada), pages=50, cursor=result.data.next_cursor)
        assert [row["id"] for row in more.data.items] == ["c2", "c1"]

    def test_only_the_pages_that_are_asked_for_are_refetched(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        listed(process.request(ada), pages=3)
        world.clock.now += PAST_ITS_LIFE_S
        listed(process.request(ada), pages=2)
        cursors = [params.get("cursor") for _, path, params in world.backend.calls if path != "/me"]
        assert cursors == [None, cursors[1], cursors[2], None, cursors[1]]
        assert len(set(cursors)) == 3
