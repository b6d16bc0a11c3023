"""What a request's `QueryClient` does beside the invariants: memory, invalidate, prefetch, refetch, events, start.

A command's client may live for hours: what it memoizes is bounded, in number and in time.
"""

from __future__ import annotations

from typing import Any

import pytest

from portal.api.tokens import TokenStore
from portal.config.limits import REQUEST_BUDGET_S
from portal.errors import ApiForbiddenError, ApiNotFoundError
from portal.process.deadline import Deadline
from portal.query.events import MAX_EVENTS
from portal.query.request_sign_in import MAX_MEMOIZED, MEMOIZED_FOR_S
from tests.portal.query.clients import clients, delete, invalidate, listed, me, names, once, one, rename
from tests.portal.query.fakes import unavailable
from tests.portal.query.world import User
from tests.support.client_endpoints import PATH, ClientMutations, ClientQueries, ids


class TestOneRequest:
    def test_each_query_runs_at_most_once_also_one_that_fails(self, ada: User) -> None:
        ada.store.down = True
        client = ada.request()
        for _ in range(3):
            clients(client)
            me(client)
            assert isinstance(one(client, "nobody").error, ApiNotFoundError)
        assert len(ada.backend.calls) == 3

    def test_what_a_view_does_to_its_data_reaches_nobody_else(self, ada: User) -> None:
        client = ada.request()
        clients(client).data.items[0]["name"] = "changed by a view"
        clients(client).data.raw_res[0]["items"].clear()
        assert clients(client).data.items[0]["name"] == "client 5"
        assert len(clients(client).data.raw_res[0]["items"]) == 2
        me(client).unwrap()["permissions"].clear()
        assert me(client).unwrap()["permissions"] == ["ENERGY_APP"]

    def test_raw_res_holds_the_servers_own_pages(self, ada: User) -> None:
        clients(ada, pages=2)
        delete(ada, "c5")
        result = clients(ada, pages=2)
        assert ids(result) == ["c4", "c3", "c2"]
        assert [[row["id"] for row in page["items"]] for page in result.data.raw_res] == [["c5", "c4"], ["c3", "c2"]]
        assert result.data.raw_res[0]["total"] == 5

    @pytest.mark.parametrize(
        ("path", "read"),
        [(PATH, lambda client: names(client)["c5"]), (f"{PATH}/c5", lambda client: one(client).data["name"])],
    )
    def test_a_write_of_one_thread_while_another_reads_shows_in_the_next_read(
        self, ada: User, path: str, read: Any
    ) -> None:
        client = ada.request()
        me(client)
        ada.backend.inside = once(lambda: rename(client, "c5", "renamed"), path=path)
        read(client)
        assert read(client) == "renamed"


def test_refetch_gives_older_data_through_an_outage(ada: User) -> None:
    result = one(ada)
    ada.backend.failures = [unavailable()] * 3
    assert result.refetch().unwrap()["id"] == "c5"
    ada.backend.rows.clear()
    gone = result.refetch()
    assert gone.data is None
    with pytest.raises(ApiNotFoundError):
        gone.unwrap()


class TestInvalidate:
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
        self, ada: User, caplog: pytest.LogCaptureFixture, which: Any, fetched: int
    ) -> None:
        def read() -> None:
            for params in (None, {"q": "5"}, {"q": "5", "sort": "name"}):
                clients(ada, params)
            one(ada)

        read()
        invalidate(ada.elsewhere(), **which)
        with ada.reads(fetched):
            read()
        assert ("query is no parameter of it; it knows" in caplog.text) is (which == {"matching": {"query": "5"}})

    def test_within_the_request(self, ada: User) -> None:
        client = ada.request()
        clients(client)
        ada.backend.rows[0]["name"] = "changed"
        invalidate(client)
        assert names(client)["c5"] == "changed"


def test_a_later_read_finds_what_was_prefetched(ada: User) -> None:
    ClientQueries.use_get_clients_query.prefetch(ada.request(), {"q": "client"}, pages=2)
    ClientQueries.use_get_client_query.prefetch(ada.request(), {"id": "c5"})
    with ada.reads(0):
        assert len(listed(ada, {"q": "client"}, pages=2)) == 4
        assert one(ada).is_success


def test_a_hot_read_is_one_round_trip_and_with_writes_two(ada: User) -> None:
    clients(ada, pages=2)
    for trips in (1, 2):
        before = ada.store.trips
        clients(ada, pages=2)
        assert ada.store.trips - before == trips
        rename(ada, "c5", "renamed")


class TestEvents:
    def test_each_query_says_what_it_came_to(self, ada: User) -> None:
        clients(ada)
        delete(ada, "c5")
        client = ada.request()
        clients(client)
        clients(client)
        clients(client, pages=2)
        one(client, "nobody")
        assert [(event.query.endpoint, event.cache_status, event.pages, event.patches) for event in client.events] == [
            ("energy.get_clients", "hit", 1, 1),
            ("energy.get_clients", "memoized", 1, 1),
            ("energy.get_clients", "partial", 2, 0),
            ("energy.get_client", "error", 0, 0),
        ]
        assert client.events[-1].error == "ApiNotFoundError"
        assert tuple(client.events[0].query.parts) == ("energy.get_clients", {}, "paginated", 20, "limit")
        ada.passes(400)
        client = ada.request()
        clients(client)
        stale = client.events[-1]
        assert (stale.cache_status, stale.age_s, stale.error) == ("stale", 400, ""), "revalidated behind the request"

    def test_each_mutation_says_what_it_came_to(self, ada: User) -> None:
        client = ada.request()
        for row_id in ("c5", "nobody"):
            ClientMutations.use_delete_client_mutation(client).mutate(params={"id": row_id})
        assert [(event.write.endpoint, event.error) for event in client.mutations] == [
            ("energy.delete_client", ""),
            ("energy.delete_client", "ApiNotFoundError"),
        ]
        assert client.events == []
        assert all(event.began_s > 0 <= event.duration_s for event in client.mutations)


class TestAClientThatLivesLong:
    def test_memoizes_the_queries_that_it_used_last_and_tells_the_latest(self, ada: User) -> None:
        ada.store.down = True  # nothing but the client's own memory answers
        client = ada.request()
        for number in range(MAX_MEMOIZED + 10):
            listed(client, {"q": "5"})
            listed(client, {"q": f"number {number}"})
        assert len(client.reads._memo._results) == MAX_MEMOIZED
        with ada.reads(1):
            assert listed(client, {"q": "5"}) == ["c5"], "used all the time"
            listed(client, {"q": "number 0"})  # forgotten
        for _ in range(MAX_EVENTS):
            listed(client, {"q": "5"})
        one(client)
        assert (len(client.events), client.events[-1].query.endpoint) == (MAX_EVENTS, "energy.get_client")

    def test_asks_the_cache_again_for_what_it_read_a_minute_ago(self, ada: User) -> None:
        client = ada.request()
        clients(client).fetch_next_page()
        ada.backend.rows.pop(0)
        invalidate(ada)
        ada.passes(MEMOIZED_FOR_S - 1)
        assert listed(client) == ["c5", "c4"], "one request sees one state"
        ada.passes(1)
        assert listed(client) == ["c4", "c3"]

    def test_asks_for_the_permissions_again_at_a_403_after_a_while_or_of_another_sign_in(self, ada: User) -> None:
        tokens = TokenStore(ada.tokens.current)
        client = ada.process.request_with(tokens)

        def asked() -> int:
            """How often a query that is refused asks for the profile."""
            before = ada.backend.counted()["GET", "/me"]
            ada.backend.failures = [ApiForbiddenError(status=403)]
            one(client, f"row {len(ada.backend.calls)}")
            return ada.backend.counted()["GET", "/me"] - before

        me(client)
        assert [asked(), asked()] == [1, 0]
        ada.passes(MEMOIZED_FOR_S)
        me(client)
        assert [asked(), asked()] == [1, 0]
        tokens.sign_in(ada.signed_in().tokens.current)
        me(client)
        assert asked() == 1

    @pytest.mark.parametrize("given", [True, False])
    def test_gives_each_call_a_requests_time_without_a_deadline(self, ada: User, given: bool) -> None:
        me(ada)
        client = ada.request(**({"deadline": Deadline(REQUEST_BUDGET_S)} if given else {}))
        for word in ("1", "2", "3"):
            listed(client, {"q": word})
        deadlines = ada.backend.last("deadline", 3)
        assert all(0 < each.remaining() <= REQUEST_BUDGET_S for each in deadlines)
        assert len({id(each) for each in deadlines}) == (1 if given else 3)
