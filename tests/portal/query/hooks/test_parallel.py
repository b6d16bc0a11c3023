"""`use_queries`: queries of one page, fetched at the same time."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import threading
from typing import TYPE_CHECKING, Any

import pytest

from portal.api.session import make_session
from portal.api.tokens import TokenPair, TokenStore
from portal.config.current import portal_config
from portal.errors import ApiNotFoundError, ApiUnavailableError, SignInEndedError, UsageError
from portal.process.deadline import Deadline
from portal.process.thread_pool import Pool
from portal.query import QueryGroup, create_query_client, query_endpoint, use_queries
from portal.query.endpoints.registry import Registry
from portal.query.process_state import runtime_for
from portal.services.user import UserQueries
from tests.portal.query.fakes import FakeStore, Process, World, make_token, unavailable
from tests.support.client_endpoints import ClientQueries, EnergySummaryQueries
from tests.support.http_server import Received, reply, scripted_server

if TYPE_CHECKING:
    import socket
    from collections.abc import Iterator

    from portal.api.session import ApiSession

WAIT_S = 20

clients = ClientQueries.use_get_clients_query
client_of_id = ClientQueries.use_get_client_query
summary = EnergySummaryQueries.use_get_summary_query
me = UserQueries.use_get_me_query


class FiveQueries(QueryGroup, domain="five", registry=Registry()):
    use_get_one_query = query_endpoint(data=dict, url="/one")
    use_get_two_query = query_endpoint(data=dict, url="/two")
    use_get_three_query = query_endpoint(data=dict, url="/three")
    use_get_four_query = query_endpoint(data=dict, url="/four")
    use_get_five_query = query_endpoint(data=dict, url="/five")


FIVE = [
    FiveQueries.use_get_one_query,
    FiveQueries.use_get_two_query,
    FiveQueries.use_get_three_query,
    FiveQueries.use_get_four_query,
    FiveQueries.use_get_five_query,
]


@contextlib.contextmanager
def backend_session(url: str) -> Iterator[ApiSession]:
    """A session with real connections to a backend."""
    api = make_session(dataclasses.replace(portal_config(), api_base_url=url))
    try:
        yield api
    finally:
        api.close()


class TestOverARealConnection:
    def test_five_calls_are_at_the_backend_at_the_same_time(self) -> None:
        # All five calls must be at the backend before the first response; a call that waits for another breaks it.
        barrier = threading.Barrier(len(FIVE), timeout=WAIT_S)

        def answer(request: Received, connection: socket.socket) -> None:
            path = request.line.split()[1]
            if path != "/me":
                barrier.wait()
            connection.sendall(reply(json.dumps({"id": "ada", "path": path}).encode()))

        with scripted_server(answer) as server, backend_session(server.url) as api:
            client = create_query_client(
                tokens=TokenStore(TokenPair(access=make_token("ada"))),
                api=api,
                runtime=runtime_for(FakeStore()),  # type: ignore[arg-type]  # it has a store's methods
                deadline=Deadline(WAIT_S),
            )
            results = use_queries(client, [read.spec() for read in FIVE])
        assert [result.unwrap()["path"] for result in results] == ["/one", "/two", "/three", "/four", "/five"]
        assert [request.line.split()[1] for request in server.received].count("/me") == 1


@pytest.fixture
def held(world: World) -> Iterator[threading.Event]:
    may_answer = threading.Event()
    yield may_answer
    may_answer.set()


class TestResults:
    def test_have_the_order_of_the_queries(self, process: Process, ada: TokenStore) -> None:
        listed, counted, profile = use_queries(process.request(ada), clients.spec(pages=2), summary.spec(), me.spec())
        assert [row["id"] for row in listed.data.items] == ["c5", "c4", "c3", "c2"]
        assert counted.unwrap()["counts"] == {"clients": 5}
        assert profile.unwrap()["id"] == "ada"

    def test_are_a_list_for_a_list(self, process: Process, ada: TokenStore) -> None:
        words = ["1", "2", "3"]
        results = use_queries(process.request(ada), [clients.spec({"q": word}) for word in words])
        assert [result.data.items[0]["id"] for result in results] == ["c1", "c2", "c3"]
        assert use_queries(process.request(ada), []) == []

    def test_equal_the_results_of_the_hooks(self, process: Process, ada: TokenStore) -> None:
        client = process.request(ada)
        listed, one = use_queries(client, clients.spec(), client_of_id.spec({"id": "c3"}))
        assert listed.data == clients(client).data
        assert one.data == client_of_id(client, {"id": "c3"}).data
        assert [row["id"] for row in listed.fetch_next_page().data.items] == ["c5", "c4", "c3", "c2"]

    def test_hold_the_error_of_each_query_that_failed(self, world: World, process: Process, ada: TokenStore) -> None:
        client_of_id(process.request(ada), {"id": "c3"})
        client = process.request(ada)
        gone, listed = use_queries(client, client_of_id.spec({"id": "nobody"}), clients.spec())
        assert isinstance(gone.error, ApiNotFoundError)
        assert listed.is_success

    def test_are_memoized_by_the_request(self, world: World, process: Process, ada: TokenStore) -> None:
        client = process.request(ada)
        use_queries(client, clients.spec(), summary.spec())
        reads = world.backend.reads()
        clients(client)
        summary(client)
        use_queries(client, summary.spec(), clients.spec())
        assert world.backend.reads() == reads

    def test_are_one_event_each_in_the_panel(self, process: Process, ada: TokenStore) -> None:
        client = process.request(ada)
        use_queries(client, clients.spec(), summary.spec())
        assert [(event.endpoint, event.cache_status) for event in client.events] == [
            ("energy.get_clients", "miss"),
            ("energy.get_summary", "miss"),
        ]


class TestOnce:
    def test_the_same_query_twice_is_one_call(self, world: World, process: Process, ada: TokenStore) -> None:
        one, two, three = use_queries(process.request(ada), summary.spec(), summary.spec(), summary.spec())
        assert one.data == two.data == three.data
        assert world.backend.reads() == 1

    def test_fewer_pages_are_taken_from_more(self, world: World, process: Process, ada: TokenStore) -> None:
        one, two = use_queries(process.request(ada), clients.spec(), clients.spec(pages=2))
        assert (one.pages, two.pages) == (1, 2)
        assert [row["id"] for row in two.data.items] == ["c5", "c4", "c3", "c2"]
        assert world.backend.reads() == 2

    def test_the_profile_is_fetched_to_bind_the_token(self, world: World, process: Process, ada: TokenStore) -> None:
        use_queries(process.request(ada), [clients.spec({"q": word}) for word in "12345"])
        assert world.backend.counted()["GET", "/me"] == 1

    def test_the_token_is_refreshed(self, world: World, process: Process) -> None:
        old, new = make_token("ada"), make_token("ada")
        world.backend.users[new] = "ada"
        refreshed: list[TokenStore] = []

        def refresh(tokens: TokenStore) -> None:
            refreshed.append(tokens)
            tokens.rotate(TokenPair(access=new, refresh="s"), replaced="r")

        world.backend.refresh = refresh
        tokens = TokenStore(TokenPair(access=old, refresh="r"))
        results = use_queries(process.request(tokens), [clients.spec({"q": word}) for word in "12345"])
        assert all(result.is_success for result in results)
        assert len(refreshed) == 1

    def test_an_ended_sign_in_is_raised_and_its_data_dropped(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        clients(process.request(ada))

        def refuse(_method: str, path: str) -> None:
            if path != "/me":
                raise SignInEndedError("over")

        world.backend.before = refuse
        with pytest.raises(SignInEndedError):
            use_queries(process.request(ada), [clients.spec({"q": word}) for word in "123"])
        assert not [key for key in world.store.values if key.startswith("ns:")]


class TestThreads:
    def test_are_the_process_pools_and_no_more(self, world: World, ada: TokenStore) -> None:
        process = world.process(fetch_pool=Pool(name="two", threads=2, queue=9))
        threads: set[int] = set()
        world.backend.before = lambda _method, _path: threads.add(threading.get_ident())
        results = use_queries(process.request(ada), [clients.spec({"q": str(number)}) for number in range(9)])
        assert all(result.is_success for result in results)
        assert len(threads) <= 3, "two, and the request's own"

    def test_that_are_all_busy_are_not_waited_for(self, world: World, ada: TokenStore, held: threading.Event) -> None:
        pool = Pool(name="taken", threads=1, queue=9)
        begun = threading.Event()
        pool.submit(lambda: (begun.set(), held.wait(WAIT_S)))
        assert begun.wait(WAIT_S)
        process = world.process(fetch_pool=pool)
        results = use_queries(process.request(ada), [clients.spec({"q": word}) for word in "123"])
        assert [result.data.items[0]["id"] for result in results] == ["c1", "c2", "c3"]

    def test_that_cannot_be_started_are_not_needed(self, world: World, ada: TokenStore) -> None:
        process = world.process(fetch_pool=Pool(name="none", threads=0, queue=0))
        results = use_queries(process.request(ada), [clients.spec({"q": word}) for word in "123"])
        assert [result.data.items[0]["id"] for result in results] == ["c1", "c2", "c3"]

    def test_of_eight_requests_do_not_block_each_other(self, world: World, ada: TokenStore) -> None:
        process = world.process(fetch_pool=Pool(name="shared", threads=3, queue=9))
        seen: list[list[str]] = []

        def page() -> None:
            client = process.request(ada, deadline=Deadline(WAIT_S), reload=True)
            results = use_queries(client, [clients.spec({"q": word}) for word in "12345"])
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
            use_queries(client, summary.spec(), clients.spec({"q": "5"}))
        assert [row["id"] for row in clients(client, {"q": "5"}).data.items] == ["c5"]
        assert world.backend.counted()["GET", "/energy/clients"] == 2


class TestDeadline:
    def test_of_the_request_is_shared_by_all_queries(self, world: World, process: Process, ada: TokenStore) -> None:
        clients(process.request(ada))
        now = [0.0]
        deadline = Deadline(10, clock=lambda: now[0])
        asked: list[Deadline | None] = []
        call = world.backend.call

        def noting(**options: Any) -> Any:
            asked.append(options["deadline"])
            return call(**options)

        world.backend.call = noting  # type: ignore[method-assign]  # looks at what each call is given
        use_queries(process.request(ada, deadline=deadline), [clients.spec({"q": word}) for word in "123"])
        assert asked == [deadline] * 3


class TestWrongUse:
    @pytest.mark.parametrize("wrong", [clients, None, "energy.get_clients", {"q": "x"}])
    def test_says_what_to_write(self, process: Process, ada: TokenStore, wrong: Any) -> None:
        with pytest.raises(UsageError, match=r"query 2 should be a hook's spec\(…\), .*use_get_clients_query\.spec"):
            use_queries(process.request(ada), summary.spec(), wrong)

    def test_of_a_result_in_place_of_a_call_is_named(self, process: Process, ada: TokenStore) -> None:
        client = process.request(ada)
        with pytest.raises(UsageError, match="not a PaginatedResult"):
            use_queries(client, [clients(client)])  # type: ignore[list-item]  # the mistake that this is about

    def test_of_pages_is_named(self, process: Process, ada: TokenStore) -> None:
        with pytest.raises(UsageError, match="pages should be from 1 to 50"):
            use_queries(process.request(ada), summary.spec(), clients.spec(pages=0))

    def test_without_a_user_is_refused(self) -> None:
        with pytest.raises(UsageError, match="data always belongs to someone"):
            use_queries(None, [clients.spec()])  # type: ignore[call-overload]  # the same


def test_a_failed_profile_does_not_stop_the_queries(world: World, process: Process, ada: TokenStore) -> None:
    world.backend.failures = [unavailable()] * 3
    one, two = use_queries(process.request(ada), summary.spec(), clients.spec())
    assert one.is_success
    assert two.is_success
    assert not isinstance(one.error, ApiUnavailableError)
