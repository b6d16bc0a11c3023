"""Stale-while-revalidate: an answer past its stale time is shown as it is known, and fetched anew behind the request."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest

from portal.api.tokens import TokenStore
from portal.errors import (
    ApiForbiddenError,
    ApiNotFoundError,
    ApiTimeoutError,
    ApiUnauthorizedError,
)
from portal.process.thread_pool import Pool
from portal.query import QueryGroup, paginated_query_endpoint, query_endpoint
from portal.query.cache.pages import READ_LAG_S
from portal.query.endpoints.registry import Registry
from portal.services.user import UserQueries
from tests.portal.query.fakes import PAST_ITS_LIFE_S, Process, World, unavailable
from tests.portal.query.invariants.clients_list import create, delete, listed, names, once, rename
from tests.support.client_endpoints import ClientQueries, EnergySummaryQueries

if TYPE_CHECKING:
    from collections.abc import Callable

PATIENCE_S = 20
STALE_S = 301

clients = ClientQueries.use_get_clients_query
client_of_id = ClientQueries.use_get_client_query
summary = EnergySummaryQueries.use_get_summary_query


class OtherQueries(QueryGroup, domain="other", registry=Registry()):
    use_get_clients_query = paginated_query_endpoint(item=dict, url="/energy/clients", stale_while_revalidate=False)
    use_get_summary_query = query_endpoint(data=dict, url="/energy/summary", stale_while_revalidate=False)


class TestAnAnswerPastItsStaleTime:
    def test_is_shown_at_once_and_fetched_behind_the_request(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        names(process.request(ada))
        world.backend.rows[0]["name"] = "by someone else"
        world.clock.now += STALE_S
        reads = world.backend.reads()
        result = clients(process.request(ada))
        assert result.data.items[0]["name"] == "client 5"
        assert (result.is_stale, result.error, world.backend.reads()) == (True, None, reads)
        assert result.as_of is not None
        assert result.as_of.timestamp() == world.clock.now - STALE_S
        assert world.background.run() == 1
        assert world.backend.reads() == reads + 1
        following = clients(process.request(ada))
        assert following.data.items[0]["name"] == "by someone else"
        assert not following.is_stale

    def test_of_one_record_too(self, world: World, process: Process, ada: TokenStore) -> None:
        summary(process.request(ada))
        world.backend.rows.pop()
        world.clock.now += STALE_S
        assert summary(process.request(ada)).unwrap()["counts"] == {"clients": 5}
        world.background.run()
        assert summary(process.request(ada)).unwrap()["counts"] == {"clients": 4}

    def test_of_several_pages_is_fetched_page_by_page_with_fresh_cursors(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        listed(process.request(ada), pages=3)
        world.backend.rows.insert(0, {"id": "new", "name": "by someone else"})
        world.clock.now += STALE_S
        assert listed(process.request(ada), pages=3) == ["c5", "c4", "c3", "c2", "c1"]
        world.background.run()
        reads = world.backend.reads()
        assert listed(process.request(ada), pages=3) == ["new", "c5", "c4", "c3", "c2", "c1"]
        assert world.backend.reads() == reads

    def test_is_the_same_all_through_the_request(self, world: World, process: Process, ada: TokenStore) -> None:
        listed(process.request(ada))
        world.backend.rows[0]["name"] = "by someone else"
        world.clock.now += STALE_S
        client = process.request(ada)
        assert names(client)["c5"] == "client 5"
        world.background.run()
        assert names(client)["c5"] == "client 5"

    def test_is_gone_on_from_where_it_ends(self, world: World, process: Process, ada: TokenStore) -> None:
        listed(process.request(ada))
        world.clock.now += STALE_S
        first = clients(process.request(ada))
        second = first.fetch_next_page()
        assert [row["id"] for row in second.data.items] == ["c5", "c4", "c3", "c2"]
        assert second.is_stale
        assert second.error is None

    def test_is_not_shown_beyond_the_life_of_a_page(self, world: World, process: Process, ada: TokenStore) -> None:
        names(process.request(ada))
        world.backend.rows[0]["name"] = "by someone else"
        world.clock.now += PAST_ITS_LIFE_S
        assert names(process.request(ada))["c5"] == "by someone else"
        assert world.background.run() == 0

    def test_is_not_shown_from_a_clock_that_is_ahead(self, world: World, process: Process, ada: TokenStore) -> None:
        names(process.request(ada))
        world.backend.rows[0]["name"] = "by someone else"
        world.clock.now -= 60
        assert names(process.request(ada))["c5"] == "by someone else"

    def test_is_fetched_first_where_not_all_pages_are_known(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        names(process.request(ada))
        world.backend.rows[0]["name"] = "by someone else"
        world.clock.now += STALE_S
        assert names(process.request(ada), pages=2)["c5"] == "by someone else"

    @pytest.mark.parametrize("read", [OtherQueries.use_get_clients_query, OtherQueries.use_get_summary_query])
    def test_is_fetched_first_where_its_endpoint_says_so(
        self, world: World, process: Process, ada: TokenStore, read: Any
    ) -> None:
        read(process.request(ada))
        world.clock.now += STALE_S
        reads = world.backend.reads()
        assert not read(process.request(ada)).is_stale
        assert (world.backend.reads(), world.background.run()) == (reads + 1, 0)

    def test_is_fetched_first_if_it_decides_on_access(self, world: World, process: Process, ada: TokenStore) -> None:
        UserQueries.use_get_me_query(process.request(ada))
        world.backend.permissions["ada"] = ["FINANCE_APP"]
        world.clock.now += STALE_S
        assert UserQueries.use_get_me_query(process.request(ada)).unwrap()["permissions"] == ["FINANCE_APP"]

    def test_is_fetched_first_where_the_user_reloads(self, world: World, process: Process, ada: TokenStore) -> None:
        names(process.request(ada))
        world.backend.rows[0]["name"] = "by someone else"
        world.clock.now += STALE_S
        assert names(process.request(ada, reload=True))["c5"] == "by someone else"
        assert world.background.run() == 0


class TestTheUsersOwnWrites:
    def test_are_shown_in_what_is_revalidated(self, world: World, process: Process, ada: TokenStore) -> None:
        listed(process.request(ada))
        world.clock.now += STALE_S
        made = create(process.request(ada))
        delete(process.request(ada), "c5")
        assert listed(process.request(ada)) == [made, "c4"]
        world.background.run()
        assert listed(process.request(ada)) == [made, "c4"]

    def test_that_invalidate_a_list_have_it_fetched_first(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        listed(process.request(ada))
        world.clock.now += STALE_S
        clients.invalidate(process.request(ada))
        world.backend.rows[0]["name"] = "by someone else"
        assert names(process.request(ada))["c5"] == "by someone else"

    def test_that_invalidate_one_record_have_it_fetched_first(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        client_of_id(process.request(ada), {"id": "c3"})
        world.clock.now += STALE_S
        rename(process.request(ada), "c3", "renamed")
        assert client_of_id(process.request(ada), {"id": "c3"}).unwrap()["name"] == "renamed"

    def test_during_a_revalidation_are_not_hidden_by_it(self, world: World, process: Process, ada: TokenStore) -> None:
        listed(process.request(ada))
        world.clock.now += STALE_S
        listed(process.request(ada))
        world.backend.inside = once(lambda: delete(process.request(ada), "c5"))
        world.background.run()  # its answer left the backend with c5 in it
        assert listed(process.request(ada)) == ["c4"]

    def test_before_a_revalidation_that_waited_are_not_applied_to_it_again(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        listed(process.request(ada))
        world.clock.now += STALE_S
        listed(process.request(ada))
        rename(process.request(ada), "c5", "by ada")
        world.backend.rows[0]["name"] = "by someone else"
        # A backend whose reads lag would still say what was before.
        world.clock.now += READ_LAG_S
        world.background.run()
        assert names(process.request(ada))["c5"] == "by someone else"


class TestOnceForAll:
    def test_requests_of_one_process(self, world: World, process: Process, ada: TokenStore) -> None:
        listed(process.request(ada))
        world.clock.now += STALE_S
        for _ in range(3):
            listed(process.request(ada))
        assert len(world.background.waiting) == 1

    def test_processes(self, world: World, process: Process, ada: TokenStore) -> None:
        listed(process.request(ada))
        world.clock.now += STALE_S
        reads = world.backend.reads()
        for each in (process, world.process(), world.process()):
            listed(each.request(ada))
        other = world.process()

        def meanwhile() -> None:
            listed(other.request(ada))
            assert world.background.run() >= 1

        world.backend.before = once(meanwhile)
        world.background.run()
        assert world.backend.reads() == reads + 1
        assert clients(other.request(ada)).is_stale is False

    def test_a_query_that_somebody_has_fetched_meanwhile_is_not_fetched_again(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        listed(process.request(ada))
        world.clock.now += STALE_S
        listed(process.request(ada))
        listed(world.process().request(ada, reload=True))
        reads = world.backend.reads()
        world.background.run()
        assert world.backend.reads() == reads

    def test_each_variant_for_itself(self, world: World, process: Process, ada: TokenStore) -> None:
        variants: list[Any] = [None, {"q": "client"}, {"sort": "name"}]
        for params in variants:
            listed(process.request(ada), params=params)
        world.clock.now += STALE_S
        for params in variants:
            listed(process.request(ada), params=params)
        assert world.background.run() == 3

    def test_again_when_it_is_stale_again(self, world: World, process: Process, ada: TokenStore) -> None:
        listed(process.request(ada))
        for _ in range(2):
            world.clock.now += STALE_S
            reads = world.backend.reads()
            listed(process.request(ada))
            world.background.run()
            assert world.backend.reads() == reads + 1


class TestABackendThatFailsBehindTheRequest:
    @pytest.mark.parametrize(
        "failure",
        [unavailable(), unavailable(None), ApiTimeoutError(), ApiUnauthorizedError(status=401)],
        ids=lambda failure: f"{type(failure).__name__} {failure.status}",
    )
    def test_leaves_what_is_known_and_is_asked_once(
        self, world: World, process: Process, ada: TokenStore, failure: Exception
    ) -> None:
        listed(process.request(ada))
        world.clock.now += STALE_S
        world.backend.failures = [failure]
        reads = world.backend.reads()
        for _ in range(3):
            assert listed(process.request(ada)) == ["c5", "c4"]
            world.background.run()
        assert world.backend.reads() == reads + 1, "and not again while the lease lasts"
        assert world.waits == []
        assert process.runtime.revalidations.counts()["failed"] == 1

    @pytest.mark.parametrize("failure", [ApiNotFoundError(status=404), ApiForbiddenError(status=403)])
    def test_with_a_definite_no_is_met_by_the_next_page(
        self, world: World, process: Process, ada: TokenStore, failure: Exception
    ) -> None:
        client_of_id(process.request(ada), {"id": "c5"})
        world.clock.now += STALE_S
        world.backend.failures = [failure]
        assert client_of_id(process.request(ada), {"id": "c5"}).error is None
        world.background.run()
        world.backend.failures = [failure]
        result = client_of_id(process.request(ada), {"id": "c5"})
        assert (type(result.error), result.data) == (type(failure), None)

    def test_with_a_definite_no_keeps_the_pages_that_it_gave_before(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        listed(process.request(ada), pages=2)
        world.clock.now += STALE_S
        world.backend.rows[0]["name"] = "by someone else"
        listed(process.request(ada), pages=2)
        world.backend.failures = [None, ApiNotFoundError(status=404)]
        world.background.run()
        reads = world.backend.reads()
        assert names(process.request(ada))["c5"] == "by someone else"
        assert world.backend.reads() == reads

    def test_is_asked_again_when_the_lease_is_over(self, world: World, process: Process, ada: TokenStore) -> None:
        listed(process.request(ada))
        world.clock.now += STALE_S
        world.backend.failures = [unavailable()]
        listed(process.request(ada))
        world.background.run()
        for key in [key for key in world.store.values if ":lease:" in key]:
            del world.store.values[key]
        world.backend.rows[0]["name"] = "by someone else"
        listed(process.request(ada))
        world.background.run()
        assert names(process.request(ada))["c5"] == "by someone else"

    def test_is_not_asked_without_a_store(self, world: World, process: Process, ada: TokenStore) -> None:
        listed(process.request(ada))
        world.clock.now += STALE_S
        listed(process.request(ada))
        world.store.down = True
        reads = world.backend.reads()
        world.background.run()
        assert world.backend.reads() == reads
        assert process.runtime.revalidations.counts()["skipped"] == 1


class TestAProcessWithMuchToDo:
    def test_drops_what_is_too_much_and_counts_it(self, world: World, ada: TokenStore) -> None:
        may_end = threading.Event()
        begun = threading.Event()
        pool = Pool(name="busy", threads=1, queue=2)

        def hold() -> None:
            begun.set()
            assert may_end.wait(PATIENCE_S)

        pool.submit(hold)
        assert begun.wait(PATIENCE_S)
        process = world.process(background_pool=pool)
        words: list[Any] = [{"q": word} for word in ("c", "cl", "cli", "clie")]
        for params in words:
            listed(process.request(ada), params=params)
        world.clock.now += STALE_S
        try:
            for params in words:
                assert listed(process.request(ada), params=params) == ["c5", "c4"]
            assert process.runtime.revalidations.counts()["dropped"] == 2
        finally:
            may_end.set()

    def test_takes_up_later_what_was_dropped(self, world: World, ada: TokenStore) -> None:
        process = world.process()
        listed(process.request(ada))
        world.clock.now += STALE_S
        taken = process.runtime.revalidations._pool.submit

        def full(_work: Callable[[], Any]) -> None:
            return None

        process.runtime.revalidations._pool.submit = full  # type: ignore[method-assign]  # a pool that is full, once
        listed(process.request(ada))
        process.runtime.revalidations._pool.submit = taken  # type: ignore[method-assign]
        listed(process.request(ada))
        assert world.background.run() == 1
