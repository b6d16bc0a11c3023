"""Pages of lists: cursors, duplicates, and how old they may be."""

from portal.errors import ApiUnavailableError
from tests.portal.query.clients import clients, listed
from tests.portal.query.fakes import PAST_ITS_LIFE_S, unavailable
from tests.portal.query.world import User
from tests.support.client_endpoints import ids


class TestI7PageNPlus1ComesFromPageNsServerCursor:
    def test_a_second_page_that_no_longer_follows_the_first_is_not_used(self, ada: User) -> None:
        assert listed(ada, pages=2) == ["c5", "c4", "c3", "c2"]
        ada.backend.rows.insert(0, {"id": "c6", "name": "new"})
        clients(ada).refetch()
        assert listed(ada, pages=2) == ["c6", "c5", "c4", "c3"]


class TestI8RowsAreUniqueTheFirstWins:
    def test_a_row_that_moved_to_the_next_page_comes_once(self, ada: User) -> None:
        first = clients(ada)
        ranks = ada.backend.ranks
        ranks["c4"], ranks["c3"] = ranks["c3"], ranks["c4"] - 1
        ada.backend.rows[1]["name"] = "moved"
        both = first.fetch_next_page()
        assert [row["id"] for row in both.data.raw_res[1]["items"]] == ["c4", "c2"]
        assert [row["name"] for row in both.data.items] == ["client 5", "client 4", "client 2"]


class TestI9LoadMoreIsIdempotentPerCursor:
    def test_two_requests_for_one_cursor_are_one_call(self, ada: User) -> None:
        with ada.reads(2):
            for _ in range(2):
                assert listed(ada, cursor=clients(ada).data.next_cursor) == ["c3", "c2"]


class TestI10NothingStaleIsReturnedAsFresh:
    def test_an_age_equal_to_the_stale_time_is_stale(self, ada: User) -> None:
        listed(ada)
        ada.passes(299.999)
        assert not clients(ada).is_stale
        ada.passes(0.001)
        assert clients(ada).is_stale
        with ada.reads(1):
            ada.world.background.run()
        assert not clients(ada).is_stale

    def test_an_error_keeps_the_data_and_says_so(self, ada: User) -> None:
        listed(ada, pages=2)
        ada.passes(PAST_ITS_LIFE_S)
        ada.backend.failures = [unavailable()] * 3
        result = clients(ada, pages=2)
        assert (ids(result), result.is_stale) == (["c5", "c4", "c3", "c2"], True)
        assert isinstance(result.error, ApiUnavailableError)

    def test_a_failed_next_page_keeps_the_pages(self, ada: User) -> None:
        first = clients(ada)
        ada.backend.failures = [unavailable()] * 3
        failed = first.fetch_next_page()
        assert failed.error is not None
        assert failed.data.items == first.data.items
        assert (failed.data.has_next, failed.has_next_page) == (True, False), "so that a loop ends"
        assert len(failed.fetch_next_page().data.items) == 4, "and can be tried again"

    def test_a_loop_over_the_pages_ends_at_the_fiftieth(self, ada: User) -> None:
        ada.backend.page_size = 1
        ada.backend.rows = [{"id": f"c{number}", "name": "x"} for number in range(52, 0, -1)]
        result = clients(ada)
        while result.has_next_page:
            result = result.fetch_next_page()
        assert (result.pages, result.error, result.data.has_next) == (50, None, True)
        assert result.fetch_next_page() is result
        assert listed(ada, pages=50, cursor=result.data.next_cursor) == ["c2", "c1"]

    def test_only_the_pages_that_are_asked_for_are_refetched(self, ada: User) -> None:
        listed(ada, pages=3)
        ada.passes(PAST_ITS_LIFE_S)
        listed(ada, pages=2)
        cursors = [params.get("cursor") for _, path, params in ada.backend.calls if path != "/me"]
        assert cursors == [None, cursors[1], cursors[2], None, cursors[1]]
