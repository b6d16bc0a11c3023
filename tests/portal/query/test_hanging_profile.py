"""A GET `/me` that hangs: it may take a part of the request's time only, where it only binds a token."""

from __future__ import annotations

from typing import Any

import pytest

from portal.errors import ApiTimeoutError
from portal.process.deadline import Deadline
from portal.query import QueryClient
from portal.query.request_cache import MEMOIZED_FOR_S
from tests.portal.query.clients import clients, delete, listed, me
from tests.portal.query.fakes import FakeBackend
from tests.portal.query.world import User


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
def client(ada: User) -> QueryClient:
    backend = ada.world.backend = HangingBackend(rows=ada.backend.rows, users=ada.backend.users)
    return ada.request(deadline=Deadline(10, clock=lambda: backend.now))


def test_the_write_is_sent_and_the_list_is_read_and_the_binding_not_tried_again(ada: User, client: QueryClient) -> None:
    delete(client, "c5")
    for word in ("1", "2", "5"):
        assert listed(client, {"q": word}) == [f"c{word}"][: word != "5"]
    assert (ada.backend.counted()["GET", "/me"], ada.backend.now) == (1, 3)


def test_a_client_that_lives_longer_tries_to_bind_again(ada: User, client: QueryClient) -> None:
    clients(client, {"q": "1"})
    ada.backend.takes_s = 0
    ada.passes(MEMOIZED_FOR_S)
    clients(client, {"q": "2"})
    assert client.is_bound


def test_who_wants_to_see_the_profile_waits_for_it(ada: User, client: QueryClient) -> None:
    ada.backend.takes_s = 5
    clients(client)
    assert me(client).unwrap()["id"] == "ada"
