"""`use_queries`: queries of one page, fetched at the same time."""

import threading
from typing import Any

import pytest

from portal.api.tokens import TokenStore
from portal.errors import UsageError
from portal.process.deadline import Deadline
from portal.process.thread_pool import Pool
from portal.query import create_query_group, query_endpoint, use_queries
from portal.query.endpoints.registry import Registry
from portal.services.user import UserQueries
from tests.portal.query.clients import before_operation, listed, rename
from tests.portal.query.world import User
from tests.support.client_endpoints import ClientQueries, EnergySummaryQueries, ids

WAIT_S = 20

clients = ClientQueries.use_get_clients_query
summary = EnergySummaryQueries.use_get_summary_query

PATHS = ["/one", "/two", "/three", "/four", "/five"]
FIVE: Any = create_query_group(
    {f"get_{path[1:]}": query_endpoint(data=dict, url=path) for path in PATHS}, domain="five", registry=Registry()
)


def searches(words: str) -> list[Any]:
    return [clients.spec({"q": word}) for word in words]


def test_five_calls_are_at_the_backend_together(ada: User) -> None:
    # A call that waits for another one breaks the barrier.
    barrier = threading.Barrier(len(PATHS), timeout=WAIT_S)
    ada.backend.open_paths |= {path: {"path": path} for path in PATHS}
    ada.backend.before = lambda *_: barrier.wait()
    client = ada.elsewhere(pool=Pool(name="five", threads=5, queue=9)).request(deadline=Deadline(WAIT_S))
    results: Any = use_queries(client, [getattr(FIVE, f"use_get_{path[1:]}_query").spec() for path in PATHS])
    assert [result.unwrap()["path"] for result in results] == PATHS


@pytest.mark.parametrize("number", [0, 1, 2])
def test_write_during_a_read_shows_in_the_next(ada: User, number: int) -> None:
    """Before each of the read's operations of the store."""
    row = ClientQueries.use_get_client_query
    specs = [clients.spec(), row.spec({"id": "c5"})]
    use_queries(ada.request(), specs)
    rename(ada, "c5", "cached")
    client = ada.request()
    before_operation(ada, number, lambda: rename(client, "c5", "new"))
    use_queries(client, specs)
    assert ada.store.before_each is None, "it was written during the read"
    assert row(client, {"id": "c5"}).data["name"] == "new"
    assert clients(client).data.items[0] == {**ada.backend.rows[0], "name": "new"}


@pytest.mark.parametrize("number", [0, 2])
def test_write_during_a_reopened_read_shows_next(ada: User, number: int) -> None:
    """The pages that the request has read before are not memoized again."""
    client = ada.request()
    listed(client)
    ada.request().purge()
    before_operation(ada, number, lambda: rename(client, "c5", "new"))
    clients(client, pages=2)
    assert clients(client).data.items[0] == {**ada.backend.rows[0], "name": "new"}


def test_equal_texts_are_one_unchangeable_query() -> None:
    one, same, other = (clients.spec({"q": word}).query for word in ("1", "1", "2"))
    assert (one is same, one is clients.spec(q="1").query, one.key == other.key) == (True, False, False)
    assert one.key == clients.spec(q="1").query.key
    with pytest.raises(TypeError):
        one.key.params["q"] = "2"  # type: ignore[index]  # what a type checker says too


def test_results_have_the_queries_order_and_are_memoized(ada: User) -> None:
    client = ada.request()
    specs = (clients.spec(), clients.spec(pages=2), summary.spec(), UserQueries.use_get_me_query.spec())
    with ada.reads(3):  # one call of the list, with the most pages
        one, two, counted, profile = use_queries(client, *specs)
    assert (one.pages, ids(one), two.pages, ids(two)) == (1, ["c5", "c4"], 2, ["c5", "c4", "c3", "c2"])
    assert counted.unwrap()["counts"] == {"clients": 5}
    assert profile.unwrap()["id"] == "ada"
    assert [event.query.endpoint for event in client.events][-2:] == ["energy.get_summary", "user.get_me"]
    with ada.reads(0):
        assert [listed(client), summary(client).data] == [["c5", "c4"], counted.data]
        assert ids(use_queries(client, [clients.spec()])[0]) == ["c5", "c4"]
    assert use_queries(client, []) == []


def test_queries_have_one_refresh_and_one_deadline(ada: User) -> None:
    new, refreshed, deadline = ada.signed_in().tokens.current, [], Deadline(10)

    def refresh(tokens: TokenStore) -> None:
        refreshed.append(tokens)
        tokens.rotate(new, replaced="refresh of ada")

    ada.backend.refresh = refresh
    results = use_queries(ada.request(deadline=deadline), searches("12345"))
    assert all(result.is_success for result in results)
    assert (len(refreshed), ada.backend.last("deadline", 5)) == (1, [deadline] * 5)


@pytest.mark.parametrize("threads", [0, 1], ids=["none can be started", "all are busy"])
def test_busy_threads_are_not_waited_for(ada: User, threads: int) -> None:
    pool, may_end = Pool(name="taken", threads=threads, queue=9), threading.Event()
    held = pool.submit(lambda: may_end.wait(WAIT_S))
    results = use_queries(ada.elsewhere(pool=pool).request(), searches("123"))
    assert not (held and held.done())
    may_end.set()
    assert [ids(result) for result in results] == [["c1"], ["c2"], ["c3"]]


def test_unexpected_error_comes_when_all_have_ended(ada: User) -> None:
    listed(ada)

    def fail(_method: str, path: str) -> None:
        if path == "/energy/summary":
            raise ZeroDivisionError

    ada.backend.before = fail
    client = ada.request()
    with pytest.raises(ZeroDivisionError):
        use_queries(client, summary.spec(), *searches("5"))
    with ada.reads(0):
        assert listed(client, {"q": "5"}) == ["c5"]


@pytest.mark.parametrize(
    ("use", "words"),
    [
        (lambda client: (client, summary.spec(), clients), r"query 2 should be a hook's spec\(…\), .*ts_query\.sp"),
        (lambda client: (client, summary.spec(), None), "query 2 should be"),
        (lambda client: (client, [summary.spec(), {"q": "x"}]), "query 2 should be"),
        (lambda client: (client, [clients(client)]), "not a PaginatedResult"),
        (lambda _client: (None, [clients.spec()]), "data always belongs to someone"),
    ],
)
def test_foreign_query_is_refused(ada: User, use: Any, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        use_queries(*use(ada.request()))
