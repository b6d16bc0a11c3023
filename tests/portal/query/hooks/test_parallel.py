"""`use_queries`: queries of one page, fetched at the same time."""

from __future__ import annotations

import dataclasses
import json
import threading
from typing import TYPE_CHECKING, Any

import pytest

from portal.api.session import make_session
from portal.api.tokens import TokenPair, TokenStore
from portal.config.current import portal_config
from portal.errors import ApiNotFoundError, SignInEndedError, UsageError
from portal.process.deadline import Deadline
from portal.process.thread_pool import Pool
from portal.query import create_query_client, create_query_group, query_endpoint, use_queries
from portal.query.endpoints.registry import Registry
from portal.query.process_state import runtime_for
from portal.services.user import UserQueries
from tests.portal.query.fakes import FakeStore, Process, World, make_token
from tests.support.client_endpoints import ClientQueries, EnergySummaryQueries, ids
from tests.support.http_server import Received, reply, scripted_server

if TYPE_CHECKING:
    import socket

WAIT_S = 20

clients = ClientQueries.use_get_clients_query
client_of_id = ClientQueries.use_get_client_query
summary = EnergySummaryQueries.use_get_summary_query
me = UserQueries.use_get_me_query

PATHS = ["/one", "/two", "/three", "/four", "/five"]
FIVE: Any = create_query_group(
    {f"get_{path[1:]}": query_endpoint(data=dict, url=path) for path in PATHS}, domain="five", registry=Registry()
)


def searches(words: str) -> list[Any]:
    return [clients.spec({"q": word}) for word in words]


def test_five_calls_are_at_the_backend_at_the_same_time() -> None:
    # All five calls must be at the backend before the first response; a call that waits for another breaks it.
    barrier = threading.Barrier(len(PATHS), timeout=WAIT_S)

    def answer(request: Received, connection: socket.socket) -> None:
        path = request.line.split()[1]
        if path != "/me":
            barrier.wait()
        connection.sendall(reply(json.dumps({"id": "ada", "path": path}).encode()))

    with scripted_server(answer) as server:
        api = make_session(dataclasses.replace(portal_config(), api_base_url=server.url))
        client = create_query_client(
            tokens=TokenStore(TokenPair(access=make_token("ada"))),
            api=api,
            runtime=runtime_for(FakeStore()),  # type: ignore[arg-type]  # it has a store's methods
            deadline=Deadline(WAIT_S),
        )
        results: Any = use_queries(client, [getattr(FIVE, f"use_get_{path[1:]}_query").spec() for path in PATHS])
        api.close()
    assert [result.unwrap()["path"] for result in results] == PATHS
    assert [request.line.split()[1] for request in server.received].count("/me") == 1


class TestResults:
    def test_have_the_order_of_the_queries_and_are_kept_for_the_request(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        client = process.request(ada)
        listed, counted, profile = use_queries(client, clients.spec(pages=2), summary.spec(), me.spec())
        assert ids(listed) == ["c5", "c4", "c3", "c2"]
        assert counted.unwrap()["counts"] == {"clients": 5}
        assert profile.unwrap()["id"] == "ada"
        assert [event.endpoint for event in client.events] == [
            "energy.get_clients",
            "energy.get_summary",
            "user.get_me",
        ]
        reads = world.backend.reads()
        assert [clients(client).data.items[0]["id"], summary(client).data] == ["c5", counted.data]
        assert ids(use_queries(client, [clients.spec()])[0]) == ["c5", "c4"]
        assert world.backend.reads() == reads
        assert use_queries(client, []) == []

    def test_hold_the_error_of_each_query_that_failed(self, process: Process, ada: TokenStore) -> None:
        gone, listed = use_queries(process.request(ada), client_of_id.spec({"id": "nobody"}), clients.spec())
        assert isinstance(gone.error, ApiNotFoundError)
        assert listed.is_success

    def test_of_one_query_come_from_one_call_with_the_most_pages(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        specs = [clients.spec(), clients.spec(pages=2), summary.spec(), summary.spec()]
        one, two, three, four = use_queries(process.request(ada), specs)
        assert (one.pages, two.pages, ids(two)) == (1, 2, ["c5", "c4", "c3", "c2"])
        assert three.data == four.data
        assert world.backend.reads() == 3

    def test_have_one_refresh_of_the_token(self, world: World, process: Process) -> None:
        old, new = make_token("ada"), make_token("ada")
        world.backend.users[new] = "ada"
        refreshed: list[TokenStore] = []

        def refresh(tokens: TokenStore) -> None:
            refreshed.append(tokens)
            tokens.rotate(TokenPair(access=new, refresh="s"), replaced="r")

        world.backend.refresh = refresh
        tokens = TokenStore(TokenPair(access=old, refresh="r"))
        assert all(result.is_success for result in use_queries(process.request(tokens), searches("12345")))
        assert len(refreshed) == 1

    def test_are_none_where_the_sign_in_has_ended_and_its_data_are_dropped(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        clients(process.request(ada))

        def refuse(_method: str, path: str) -> None:
            if path != "/me":
                raise SignInEndedError("over")

        world.backend.before = refuse
        with pytest.raises(SignInEndedError):
            use_queries(process.request(ada), searches("123"))
        assert not [key for key in world.store.values if key.startswith("ns:")]


class TestThreads:
    def test_are_the_process_pools_and_no_more(self, world: World, ada: TokenStore) -> None:
        process = world.process(fetch_pool=Pool(name="two", threads=2, queue=9))
        threads: set[int] = set()
        world.backend.before = lambda _method, _path: threads.add(threading.get_ident())
        results = use_queries(process.request(ada), searches("123456789"))
        assert all(result.is_success for result in results)
        assert len(threads) <= 3, "two, and the request's own"

    @pytest.mark.parametrize("threads", [0, 1], ids=["none can be started", "all are busy"])
    def test_are_not_waited_for(self, world: World, ada: TokenStore, threads: int) -> None:
        pool, may_end = Pool(name="taken", threads=threads, queue=9), threading.Event()
        pool.submit(lambda: may_end.wait(WAIT_S))
        results = use_queries(world.process(fetch_pool=pool).request(ada), searches("123"))
        may_end.set()
        assert [ids(result) for result in results] == [["c1"], ["c2"], ["c3"]]

    def test_of_eight_requests_do_not_block_each_other(self, world: World, ada: TokenStore) -> None:
        process = world.process(fetch_pool=Pool(name="shared", threads=3, queue=9))
        seen: list[list[str]] = []

        def page() -> None:
            client = process.request(ada, deadline=Deadline(WAIT_S), reload=True)
            results = use_queries(client, searches("12345"))
            seen.append([result.unwrap().items[0]["id"] for result in results])

        page()
        pages = [threading.Thread(target=page) for _ in range(8)]
        for each in pages:
            each.start()
        for each in pages:
            each.join(WAIT_S)
        assert seen == [["c1", "c2", "c3", "c4", "c5"]] * 9

    def test_pass_an_unexpected_error_to_the_caller_when_all_have_ended(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        clients(process.request(ada))

        def fail(_method: str, path: str) -> None:
            if path == "/energy/summary":
                raise ZeroDivisionError

        world.backend.before = fail
        client = process.request(ada)
        with pytest.raises(ZeroDivisionError):
            use_queries(client, summary.spec(), *searches("5"))
        assert ids(clients(client, {"q": "5"})) == ["c5"]
        assert world.backend.counted()["GET", "/energy/clients"] == 2

    def test_share_the_deadline_of_the_request(
        self, world: World, process: Process, ada: TokenStore, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        clients(process.request(ada))
        deadline, asked, call = Deadline(10), [], world.backend.call

        def noting(**options: Any) -> Any:
            asked.append(options["deadline"])
            return call(**options)

        monkeypatch.setattr(world.backend, "call", noting)
        use_queries(process.request(ada, deadline=deadline), searches("123"))
        assert asked == [deadline] * 3


@pytest.mark.parametrize(
    ("use", "words"),
    [
        (
            lambda client: (client, summary.spec(), clients),
            r"query 2 should be a hook's spec\(…\), .*clients_query\.sp",
        ),
        (lambda client: (client, summary.spec(), None), "query 2 should be"),
        (lambda client: (client, [summary.spec(), {"q": "x"}]), "query 2 should be"),
        (lambda client: (client, [clients(client)]), "not a PaginatedResult"),
        (lambda _client: (None, [clients.spec()]), "data always belongs to someone"),
    ],
)
def test_what_is_no_query_of_a_user_is_refused(process: Process, ada: TokenStore, use: Any, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        use_queries(*use(process.request(ada)))
