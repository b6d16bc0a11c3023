"""A GET `/me` that hangs: it may take a part of the request's time only, where it only binds a token."""

from __future__ import annotations

import pytest

from portal.config.limits import BINDING_BUDGET_S
from portal.errors import ApiTimeoutError
from portal.process.deadline import Deadline
from portal.query import QueryClient
from portal.query.request_cache import MEMOIZED_FOR_S
from tests.portal.query.clients import clients, delete, listed, me
from tests.portal.query.world import User
from tests.support.fake_clock import FakeClock

LONG_S = 5


@pytest.fixture
def client(ada: User) -> QueryClient:
    """Her client, while `/me` answers after `LONG_S` seconds."""
    clock = FakeClock()

    def hang(_method: str, path: str) -> None:
        left_s = ada.backend.sent[-1]["deadline"].remaining()
        if path == "/me" and left_s <= LONG_S:
            clock.advance(left_s)
            raise ApiTimeoutError

    ada.backend.before = hang
    return ada.request(deadline=Deadline(10, clock=clock))


def test_the_write_is_sent_and_the_list_is_read_and_the_binding_not_tried_again(ada: User, client: QueryClient) -> None:
    delete(client, "c5")
    for word in ("1", "2", "5"):
        assert listed(client, {"q": word}) == [f"c{word}"][: word != "5"]
    assert ada.backend.counted()["GET", "/me"] == 1
    assert ada.backend.sent[-1]["deadline"].remaining() == 10 - BINDING_BUDGET_S


def test_a_client_that_lives_longer_tries_to_bind_again(ada: User, client: QueryClient) -> None:
    clients(client, {"q": "1"})
    ada.backend.before = None
    ada.passes(MEMOIZED_FOR_S)
    clients(client, {"q": "2"})
    assert client.is_bound


def test_who_wants_to_see_the_profile_waits_for_it(client: QueryClient) -> None:
    clients(client)
    assert me(client).unwrap()["id"] == "ada"
