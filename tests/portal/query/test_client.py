"""Memory, invalidation, prefetch, refetch, events and versions of a request's `QueryClient`.

A command's client may live for hours: what it memoizes is bounded, in number and in time.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from django.test import override_settings

from portal.api import Backend
from portal.api.tokens import TokenStore
from portal.config.current import portal_config
from portal.config.limits import REQUEST_BUDGET_S
from portal.errors import ApiForbiddenError, ApiNotFoundError
from portal.process.deadline import Deadline
from portal.query import process_state, versions_of
from portal.query.cache import MAX_CLOCK_SKEW_S
from portal.query.events import MAX_EVENTS
from portal.query.request_sign_in import MAX_MEMOIZED, MEMOIZED_FOR_S
from tests.portal.query.clients import clients, delete, invalidate, listed, me, names, once, one, rename
from tests.portal.query.fakes import unavailable
from tests.portal.query.world import User
from tests.support.client_endpoints import PATH, ClientMutations, ids


class TestOneRequest:
    def test_each_query_runs_at_most_once(self, ada: User) -> None:
        ada.store.down = True
        client = ada.request()
        for _ in range(3):
            clients(client)
            me(client)
            assert isinstance(one(client, "nobody").error, ApiNotFoundError)
        assert len(ada.backend.calls) == 3

    def test_changed_data_reaches_nobody_else(self, ada: User) -> None:
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
    def test_write_during_a_read_shows_next(self, ada: User, path: str, read: Any) -> None:
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


@pytest.mark.parametrize(
    ("which", "fetched"),
    [
        ({}, 3),
        ({"params": {}}, 1),
        ({"params": {"q": "5"}}, 1),
        ({"params": {"q": None}}, 1),
        ({"matching": {"q": "5"}}, 2),
        ({"matching": {"q": "other"}}, 0),
    ],
)
def test_invalidate_has_the_named_queries_fetched(ada: User, which: Any, fetched: int) -> None:
    def read(client: Any) -> None:
        for params in (None, {"q": "5"}, {"q": "5", "sort": "name"}):
            clients(client, params)
        one(client)

    client = ada.request()
    read(client)
    invalidate(client, **which)
    with ada.reads(fetched):
        read(client)
        read(ada)


@pytest.mark.parametrize("params", [None, {"q": "c"}], ids=["a query", "a variant"])
def test_pages_of_another_address_are_misses(ada: User, params: Any) -> None:
    listed(ada, params)
    with ada.reads(1):
        listed(ada.elsewhere(backend_url="https://other.example"), params)


@pytest.mark.parametrize(("settle_s", "lag_s"), [(5.0, 5.0 + MAX_CLOCK_SKEW_S), (0.0, 0.0)])
def test_process_has_its_backends_address_and_lag(
    ada: User, settle_s: float, lag_s: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process_state, "_made", [])
    address, backend = "https://own.example", type("Slow", (Backend,), {"settle_s": settle_s})()
    with override_settings(PORTAL=replace(portal_config(), api_base_url=address, backend=backend)):
        cache = process_state.process_runtime().cache
    expected = ada.elsewhere(backend_url=address).process.runtime.cache
    assert (cache._backend, cache._read_lag_s) == (expected._backend, lag_s)


class TestEvents:
    def test_each_query_says_what_it_came_to(self, ada: User) -> None:
        clients(ada)
        ada.passes(1)
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
        assert (stale.cache_status, stale.age_s, stale.error) == ("stale", 401, ""), "revalidated behind the request"

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
    def test_memoizes_a_bounded_number(self, ada: User) -> None:
        ada.store.down = True  # nothing but the client's own memory answers
        client = ada.request()
        for number in range(MAX_MEMOIZED + 10):
            listed(client, {"q": f"number {number}"})
            assert len(client.reads._memo._results) <= MAX_MEMOIZED
        with ada.reads(1):
            listed(client, {"q": "number 0"})  # forgotten
            listed(client, {"q": f"number {number}"})
        for _ in range(MAX_EVENTS):
            listed(client, {"q": "5"})
        one(client)
        assert (len(client.events), client.events[-1].query.endpoint) == (MAX_EVENTS, "energy.get_client")

    def test_asks_the_cache_again_after_a_minute(self, ada: User) -> None:
        client = ada.request()
        clients(client).fetch_next_page()
        ada.backend.rows.pop(0)
        invalidate(ada)
        ada.passes(MEMOIZED_FOR_S - 1)
        assert listed(client) == ["c5", "c4"], "one request sees one state"
        ada.passes(1)
        assert listed(client) == ["c4", "c3"]

    def test_asks_for_permissions_once_at_403s(self, ada: User) -> None:
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
    def test_gives_each_call_a_requests_time(self, ada: User, given: bool) -> None:
        me(ada)
        client = ada.request(**({"deadline": Deadline(REQUEST_BUDGET_S)} if given else {}))
        for word in ("1", "2", "3"):
            listed(client, {"q": word})
        deadlines = ada.backend.last("deadline", 3)
        assert all(0 < each.remaining() <= REQUEST_BUDGET_S for each in deadlines)
        assert len({id(each) for each in deadlines}) == (1 if given else 3)


def test_repeated_read_has_one_version_in_all_processes(ada: User) -> None:
    reads: list[Callable[[User], Any]] = [clients, one, me, lambda who: clients(who, pages=3)]
    for read in reads:
        assert None is not read(ada).version == read(ada).version == read(ada.elsewhere()).version


def test_patched_rows_or_total_have_no_version(ada: User) -> None:
    first, last = clients(ada), clients(ada, pages=3)
    ada.passes(22)
    delete(ada, "c1")
    shorter = clients(ada)
    assert (first.data.total, shorter.data.total, shorter.data.items) == (5, 4, first.data.items)
    assert None not in {first.version, last.version}
    assert (shorter.version, clients(ada, pages=3).version) == (None, None)
    request = ada.request()
    assert clients(request).fetch_next_page().version is None


def test_failure_and_missing_store_have_no_version(ada: User) -> None:
    clients(ada)
    ada.backend.failures = [unavailable()] * 9
    assert clients(ada.request(reload=True)).version is None
    assert clients(ada, {"q": "client"}).version is None
    ada.backend.failures = []
    ada.store.down = True
    assert clients(ada).version is None


def test_several_reads_have_one_version_together(ada: User) -> None:
    both = versions_of(clients(ada), one(ada))
    assert None is not both == versions_of(clients(ada), one(ada)) != versions_of(one(ada), clients(ada))
    without = versions_of(clients(ada), one(ada, "gone"))
    assert None is not without == versions_of(clients(ada), one(ada, "gone")) != both
    ada.backend.failures = [unavailable()] * 9
    assert versions_of(clients(ada), one(ada, "c4")) is None
