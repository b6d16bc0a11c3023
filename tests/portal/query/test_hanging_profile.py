"""A GET `/me` that hangs: it may take a part of the request's time only, where it only binds a token."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from portal.errors import ApiTimeoutError
from portal.process.deadline import Deadline
from portal.query.request_cache import MEMOIZED_FOR_S
from portal.services.user import UserQueries
from tests.portal.query.fakes import FakeBackend, World
from tests.support.client_endpoints import ClientMutations, ClientQueries

if TYPE_CHECKING:
    from portal.api.tokens import TokenStore
    from portal.query import QueryClient
    from tests.portal.query.fakes import Process


class HangingBackend(FakeBackend):
    """Its `/me` takes this many seconds; all else none."""

    now = 0.0
    takes_s = 60.0

    def call(self, *, deadline: Deadline | None = None, **options: Any) -> Any:
        assert deadline is not None
        if deadline.passed:
            raise ApiTimeoutError("no time", was_sent=False)
        if options["path"] == "/me":
            left = deadline.remaining()
            self.now += min(self.takes_s, left)
            if left <= self.takes_s:
                self.calls.append(("GET", "/me", {}))
                raise ApiTimeoutError
        return super().call(deadline=deadline, **options)


@pytest.fixture
def backend(world: World) -> HangingBackend:
    world.backend = HangingBackend(rows=world.backend.rows, users=world.backend.users)
    return world.backend


@pytest.fixture
def client(backend: HangingBackend, process: Process, ada: TokenStore) -> QueryClient:
    return process.request(ada, deadline=Deadline(10, clock=lambda: backend.now))


def test_the_write_is_sent(backend: HangingBackend, client: QueryClient) -> None:
    assert ClientMutations.use_delete_client_mutation(client).mutate(params={"id": "c5"}).is_success
    assert "c5" not in [row["id"] for row in backend.rows]


def test_the_list_is_read_and_the_binding_not_tried_again(backend: HangingBackend, client: QueryClient) -> None:
    for word in ("1", "2", "3"):
        assert ClientQueries.use_get_clients_query(client, {"q": word}).is_success
    assert backend.counted()["GET", "/me"] == 1
    assert backend.now == 3


def test_a_client_that_lives_longer_tries_to_bind_again(
    world: World, backend: HangingBackend, client: QueryClient
) -> None:
    ClientQueries.use_get_clients_query(client, {"q": "1"})
    backend.takes_s = 0
    world.clock.now += MEMOIZED_FOR_S
    ClientQueries.use_get_clients_query(client, {"q": "2"})
    assert client.is_bound


def test_who_wants_to_see_the_profile_waits_for_it(backend: HangingBackend, client: QueryClient) -> None:
    backend.takes_s = 5
    ClientQueries.use_get_clients_query(client)
    assert UserQueries.use_get_me_query(client).unwrap()["id"] == "ada"
