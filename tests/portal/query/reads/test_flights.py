"""Threads that want the same page share one fetch, and nothing depends on it."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest

from portal.errors import ApiTimeoutError
from portal.process.deadline import Deadline
from portal.query.cache.pages import Page, VersionStamp
from portal.query.reads.flights import ANY_FLIGHT, Flights
from portal.services.energy.clients import ClientQueries
from tests.portal.query.fakes import Process, World

if TYPE_CHECKING:
    from portal.api.tokens import TokenStore

clients = ClientQueries.use_get_clients_query
client_of_id = ClientQueries.use_get_client_query


def ids(result: Any) -> list[str]:
    return [row["id"] for row in result.data.items]


class TestFlights:
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

    def test_a_flight_that_left_earlier_than_what_a_read_knows_is_not_joined(self) -> None:
        flights, old, new = (
            Flights(),
            VersionStamp(position=2**33, generation="/"),
            VersionStamp(position=2**33 + 1, generation="/"),
        )

        def page(stamp: VersionStamp) -> Page:
            return Page(stamp=stamp, at=0, cursor=None, body={})

        seen: list[Page] = []

        def lead() -> Page:
            other = threading.Thread(
                target=lambda: seen.append(
                    flights.fetch("name", lambda: page(new), stamp=new, budget=Deadline(5), left_from=ANY_FLIGHT)
                )
            )
            other.start()
            other.join(5)
            return page(old)

        flights.fetch("name", lead, stamp=old, budget=Deadline(5), left_from=ANY_FLIGHT)
        assert seen == [page(new)]

    def test_a_failure_is_not_shared(self) -> None:
        flights, stamp = Flights(), VersionStamp(position=2**33, generation="/")
        joined = threading.Event()
        page = Page(stamp=stamp, at=0, cursor=None, body={})
        seen: list[Page] = []

        class Budget:
            def remaining(self) -> float:
                joined.set()
                return 5

        follower = threading.Thread(
            target=lambda: seen.append(
                flights.fetch("name", lambda: page, stamp=stamp, budget=Budget(), left_from=ANY_FLIGHT)
            )
        )

        def fail() -> Page:
            follower.start()
            assert joined.wait(5)
            raise ApiTimeoutError

        with pytest.raises(ApiTimeoutError):
            flights.fetch("name", fail, stamp=stamp, budget=Deadline(5), left_from=ANY_FLIGHT)
        follower.join(5)
        assert seen == [page]
