"""Threads that want the same page share one fetch, and nothing depends on it."""

from __future__ import annotations

import threading

from portal.api.tokens import TokenPair, TokenStore
from portal.errors import ApiNotFoundError
from portal.process.deadline import Deadline
from portal.query import create_query_client
from portal.services.user import UserQueries
from tests.portal.query.fakes import PAST_ITS_LIFE_S, Process, World
from tests.portal.query.invariants.clients_list import delete, listed
from tests.support.client_endpoints import ClientQueries, ids

clients = ClientQueries.use_get_clients_query
client_of_id = ClientQueries.use_get_client_query


class TestSingleFlight:
    def test_threads_that_want_the_same_page_fetch_it_once(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        clients(process.request(ada), {"q": "5"})
        entered, waiting = threading.Event(), threading.Semaphore(0)

        class Watched(Deadline):
            def remaining(self) -> float:
                waiting.release()  # a follower asks how long it may wait
                return super().remaining()

        def hold(method: str, path: str) -> None:
            entered.set()
            for _ in range(7):
                assert waiting.acquire(timeout=60)

        world.backend.before = hold
        results: list[list[str]] = []
        threads = [
            threading.Thread(target=lambda: results.append(ids(clients(process.request(ada, deadline=Watched(10))))))
            for _ in range(8)
        ]
        threads[0].start()
        assert entered.wait(5)
        for thread in threads[1:]:
            thread.start()
        for thread in threads:
            thread.join(5)
        assert results == [["c5", "c4"]] * 8
        assert world.backend.reads() == 2

    def test_a_fetch_that_began_before_a_write_is_not_joined_by_a_read_that_knows_the_write(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        listed(process.request(ada))
        seen: list[list[str]] = []

        def write_and_read(_method: str, path: str) -> None:
            world.backend.inside = None
            other = threading.Thread(target=lambda: seen.append(listed(process.request(ada))))
            delete(process.request(ada), "c5")
            other.start()
            other.join(5)

        clients.invalidate(process.request(ada))
        world.backend.inside = write_and_read
        listed(process.request(ada))
        assert seen == [["c4", "c3"]]
        assert world.backend.reads() == 3

    def test_a_fetch_of_before_the_cache_was_cleared_is_not_joined_after_it(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        seen: list[list[str]] = []
        other = threading.Thread(target=lambda: seen.append(listed(process.request(ada))))

        def clear_and_read(_method: str, _path: str) -> None:
            world.backend.inside = None
            world.backend.rows.pop(0)
            process.runtime.cache.clear()
            other.start()
            other.join(1)

        UserQueries.use_get_me_query(process.request(ada))
        world.backend.inside = clear_and_read
        listed(process.request(ada))
        other.join(5)
        assert seen == [["c4", "c3"]]
        assert world.backend.reads() == 2

    def test_a_refetch_joins_no_fetch_that_is_under_way(self, world: World, process: Process, ada: TokenStore) -> None:
        known, seen = clients(process.request(ada)), []
        other = threading.Thread(target=lambda: seen.append(ids(known.refetch())))

        def refetch(_method: str, _path: str) -> None:
            world.backend.inside = None
            world.backend.rows.pop(0)
            other.start()
            other.join(1)

        world.clock.now += PAST_ITS_LIFE_S
        world.backend.inside = refetch
        listed(process.request(ada))
        other.join(5)
        assert seen == [["c4", "c3"]]
        assert world.backend.reads() == 3

    def test_an_answer_to_the_tokens_of_another_user_is_not_shared(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        UserQueries.use_get_me_query(process.request(ada))
        own, joined = world.backend.rows, threading.Event()
        mixed, seen = TokenStore(ada.current), []
        world.backend.users["opaque"] = "ben"

        class Watched(Deadline):
            def remaining(self) -> float:
                joined.set()
                return super().remaining()

        def refresh_to_another_user(_method: str, _path: str) -> None:
            world.backend.before = None
            follower.start()
            assert joined.wait(5)
            world.backend.rows = [{"id": "b1", "name": "ben's"}]
            mixed.rotate(TokenPair(access="opaque"), replaced=str(ada.current.refresh))

        follower = threading.Thread(target=lambda: seen.append(listed(process.request(ada, deadline=Watched(10)))))
        world.backend.before = refresh_to_another_user
        world.backend.inside = lambda _method, _path: setattr(world.backend, "rows", own)
        leader = create_query_client(tokens=mixed, api=world.backend, runtime=process.runtime, clock=world.clock)
        assert ids(clients(leader)) == ["b1"]
        follower.join(5)
        assert seen == [["c5", "c4"]]

    def test_a_failure_is_not_shared(self, world: World, process: Process, ada: TokenStore) -> None:
        clients(process.request(ada), {"q": "5"})
        joined = threading.Event()
        seen: list[list[str]] = []

        class Watched(Deadline):
            def remaining(self) -> float:
                joined.set()
                return super().remaining()

        def fail_when_joined(_method: str, _path: str) -> None:
            world.backend.before = None
            follower.start()
            assert joined.wait(5)
            raise ApiNotFoundError(status=404)

        follower = threading.Thread(target=lambda: seen.append(listed(process.request(ada, deadline=Watched(10)))))
        world.backend.before = fail_when_joined
        assert isinstance(clients(process.request(ada)).error, ApiNotFoundError)
        follower.join(5)
        assert seen == [["c5", "c4"]]
