"""Stale-while-revalidate: an answer past its stale time is shown as it is known, and fetched anew behind the request."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest

from portal.errors import ApiForbiddenError, ApiNotFoundError, ApiTimeoutError, ApiUnauthorizedError
from portal.process.thread_pool import Pool
from portal.query import QueryGroup, paginated_query_endpoint
from portal.query.endpoints.registry import Registry
from portal.services.user import UserQueries
from tests.portal.query.fakes import PAST_ITS_LIFE_S, Process, World, unavailable
from tests.portal.query.invariants.clients_list import listed, names, once
from tests.support.client_endpoints import ClientQueries, ids

if TYPE_CHECKING:
    from portal.api.tokens import TokenStore

PATIENCE_S = 20
STALE_S = 301

clients = ClientQueries.use_get_clients_query
client_of_id = ClientQueries.use_get_client_query
me = UserQueries.use_get_me_query


class OtherQueries(QueryGroup, domain="other", registry=Registry()):
    use_get_clients_query = paginated_query_endpoint(item=dict, url="/energy/clients", stale_while_revalidate=False)


@pytest.fixture(autouse=True)
def stale(world: World, process: Process, ada: TokenStore) -> None:
    """What is cached is, and the first row was changed by someone else since."""
    for read in (clients, OtherQueries.use_get_clients_query):
        read(process.request(ada), pages=2)
    client_of_id(process.request(ada), {"id": "c5"})
    me(process.request(ada))
    world.backend.rows[0]["name"] = "by someone else"
    world.clock.now += STALE_S
    world.backend.calls.clear()


class TestAnAnswerPastItsStaleTime:
    def test_is_shown_at_once_and_fetched_behind_the_request(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        result = clients(process.request(ada))
        assert result.data.items[0]["name"] == "client 5"
        assert (result.is_stale, result.error, world.backend.reads()) == (True, None, 0)
        assert result.as_of is not None
        assert result.as_of.timestamp() == world.clock.now - STALE_S
        assert world.background.run() == 1
        assert world.backend.reads() == 1
        following = clients(process.request(ada))
        assert (following.data.items[0]["name"], following.is_stale) == ("by someone else", False)

    def test_of_several_pages_is_fetched_page_by_page_with_fresh_cursors(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        world.backend.rows.insert(0, {"id": "new", "name": "by someone else"})
        assert listed(process.request(ada), pages=2) == ["c5", "c4", "c3", "c2"]
        world.background.run()
        assert listed(process.request(ada), pages=2) == ["new", "c5", "c4", "c3"]
        assert world.backend.reads() == 2

    def test_is_gone_on_from_where_it_ends(self, process: Process, ada: TokenStore) -> None:
        third = clients(process.request(ada), pages=2).fetch_next_page()
        assert (ids(third), third.is_stale, third.error) == (["c5", "c4", "c3", "c2", "c1"], True, None)

    @pytest.mark.parametrize(
        ("seconds", "read", "options"),
        [
            (PAST_ITS_LIFE_S, clients, {}),
            (-STALE_S - 60, clients, {}),
            (0, lambda client: clients(client, pages=3), {}),
            (0, OtherQueries.use_get_clients_query, {}),
            (0, lambda client: clients.invalidate(client) or clients(client), {}),
            (0, clients, {"reload": True}),
        ],
        ids=["past its life", "a clock that is ahead", "a page is missing", "its endpoint", "invalidated", "a reload"],
    )
    def test_is_fetched_first_where_it_may_not_be_shown(
        self, world: World, process: Process, ada: TokenStore, *, seconds: float, read: Any, options: Any
    ) -> None:
        world.clock.now += seconds
        result = read(process.request(ada, **options))
        assert (result.data.items[0]["name"], result.is_stale) == ("by someone else", False)
        assert world.background.run() == 0

    def test_is_fetched_first_if_it_decides_on_access(self, world: World, process: Process, ada: TokenStore) -> None:
        world.backend.permissions["ada"] = ["FINANCE_APP"]
        assert me(process.request(ada)).unwrap()["permissions"] == ["FINANCE_APP"]


class TestARevalidationIsMadeOnce:
    def test_for_all_requests_and_processes(self, world: World, process: Process, ada: TokenStore) -> None:
        for _ in range(3):
            listed(process.request(ada))
        assert len(world.background.waiting) == 1
        other = world.process()
        listed(world.process().request(ada))

        def meanwhile() -> None:
            listed(other.request(ada))
            assert world.background.run() >= 1

        world.backend.before = once(meanwhile)
        world.background.run()
        assert world.backend.reads() == 1
        assert clients(other.request(ada)).is_stale is False

    def test_unless_somebody_has_fetched_the_query_meanwhile(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        listed(process.request(ada))
        listed(world.process().request(ada, reload=True))
        world.background.run()
        assert world.backend.reads() == 1

    def test_and_again_when_it_is_stale_again(self, world: World, process: Process, ada: TokenStore) -> None:
        for reads in (1, 2):
            listed(process.request(ada))
            world.background.run()
            assert world.backend.reads() == reads
            world.clock.now += STALE_S


class TestABackendThatFailsBehindTheRequest:
    @pytest.mark.parametrize(
        "failure",
        [unavailable(), unavailable(None), ApiTimeoutError(), ApiUnauthorizedError(status=401)],
        ids=lambda failure: f"{type(failure).__name__} {failure.status}",
    )
    def test_leaves_what_is_known_and_is_asked_once(
        self, world: World, process: Process, ada: TokenStore, failure: Exception
    ) -> None:
        world.backend.failures = [failure]
        for _ in range(3):
            assert listed(process.request(ada)) == ["c5", "c4"]
            world.background.run()
        assert world.backend.reads() == 1, "and not again while the lease lasts"
        assert world.waits == []
        assert process.runtime.revalidations.counts()["failed"] == 1

    @pytest.mark.parametrize("failure", [ApiNotFoundError(status=404), ApiForbiddenError(status=403)])
    def test_with_a_definite_no_is_met_by_the_next_page(
        self, world: World, process: Process, ada: TokenStore, failure: Exception
    ) -> None:
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
        world.backend.failures = [None, ApiNotFoundError(status=404)]
        world.background.run()
        assert names(process.request(ada))["c5"] == "by someone else"
        assert world.backend.reads() == 2

    def test_is_not_asked_without_a_store(self, world: World, process: Process, ada: TokenStore) -> None:
        listed(process.request(ada))
        world.store.down = True
        world.background.run()
        assert world.backend.reads() == 0
        assert process.runtime.revalidations.counts()["skipped"] == 1


def test_a_process_with_much_to_do_drops_what_is_too_much_and_takes_it_up_later(world: World, ada: TokenStore) -> None:
    may_end, begun = threading.Event(), threading.Event()
    pool = Pool(name="busy", threads=1, queue=2)

    def hold() -> None:
        begun.set()
        assert may_end.wait(PATIENCE_S)

    pool.submit(hold)
    assert begun.wait(PATIENCE_S)
    process = world.process(background_pool=pool)
    words: list[Any] = [{"sort": word} for word in ("a", "b", "c", "d")]
    for params in words:
        listed(process.request(ada), params=params)
    world.clock.now += STALE_S
    for params in words:
        assert listed(process.request(ada), params=params) == ["c5", "c4"]
    assert process.runtime.revalidations.counts()["dropped"] == 2
    may_end.set()
    process.runtime.revalidations._pool = world.background
    listed(process.request(ada), params=words[-1])
    assert world.background.run() == 1
