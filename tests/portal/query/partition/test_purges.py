"""Purges: what drops all that is cached for a user."""

from __future__ import annotations

from typing import Any

import pytest

from portal.api.tokens import TokenStore
from portal.errors import ApiForbiddenError, ApiUnauthorizedError
from portal.query.partition import principal_of_sign_in
from portal.services.auth import AuthMutations
from tests.portal.query.clients import before_next, clients, listed, me, names, once, one, rename
from tests.portal.query.world import User
from tests.support.client_endpoints import ClientMutations


@pytest.fixture
def ada(ada: User) -> User:
    """Her list and profile are cached."""
    ada.backend.permissions["ada"] = ["ENERGY_APP", "FINANCE_APP"]
    clients(ada)
    me(ada)
    return ada


def test_a_401_past_a_refresh_purges(ada: User) -> None:
    user = ada.backend.users.pop(ada.tokens.current.access)
    assert isinstance(one(ada).error, ApiUnauthorizedError)
    ada.backend.users[ada.tokens.current.access] = user
    with ada.reads(1):
        clients(ada)


def test_a_wrong_password_purges_nothing(ada: User) -> None:
    ada.backend.failures = [ApiUnauthorizedError(status=401)]
    body = {"email": "ada@example.com", "password": "wrong"}
    assert AuthMutations.use_login_mutation(ada.request()).mutate(body=body).error is not None
    with ada.reads(0):
        clients(ada)


def test_a_403_asks_for_the_profile_once_and_keeps_what_is_cached_if_nothing_changed(ada: User) -> None:
    ada.backend.failures = [ApiForbiddenError(status=403), None, ApiForbiddenError(status=403)]
    ada.backend.permissions["ada"].reverse()
    client, asked = ada.request(), ada.backend.counted()["GET", "/me"]
    for row_id in ("c5", "c4"):
        assert isinstance(one(client, row_id).error, ApiForbiddenError)
    assert ada.backend.counted()["GET", "/me"] == asked + 1
    with ada.reads(0):
        clients(ada)


@pytest.mark.parametrize(
    "use",
    [one, lambda ada: ClientMutations.use_delete_client_mutation(ada.request()).mutate(params={"id": "c5"})],
    ids=["read", "write"],
)
def test_a_403_purges_if_the_permissions_changed(ada: User, use: Any) -> None:
    ada.backend.permissions["ada"] = ["FINANCE_APP"]
    use(ada)
    result = clients(ada.elsewhere())
    assert (type(result.error), result.data.items) == (ApiForbiddenError, ())


def test_a_request_that_purges_shows_nothing_that_it_has_memoized(ada: User) -> None:
    client = ada.request()
    listed(client)
    client.purge()
    ada.backend.rows.clear()
    assert listed(client) == []


def test_a_write_under_way_during_a_purge_shows_in_what_is_cached_after_it(ada: User) -> None:
    def purge_and_read() -> None:
        ada.request().purge()
        clients(ada)

    ada.backend.before = once(purge_and_read, method="PATCH", path="/energy/clients/c5")
    rename(ada, "c5", "renamed")
    assert names(ada)["c5"] == "renamed"


def test_sign_in_as_another_forgets_what_was_read(ada: User) -> None:
    tokens = TokenStore(ada.tokens.current)
    client = ada.process.request_with(tokens)
    assert me(client).unwrap()["id"] == "ada"
    tokens.sign_in(ada.signed_in("ben").tokens.current)
    assert me(client).unwrap()["id"] == "ben"
    tokens.clear()
    assert isinstance(me(client).error, ApiUnauthorizedError)


def test_a_purge_that_is_asked_for_while_another_one_is_done_is_done_after_it(ada: User) -> None:
    purges = ada.process.runtime.namespaces.pending_purges
    before_next(ada, "delete_many", lambda: purges.enqueue(principal_of_sign_in("ada")))
    purges.enqueue(principal_of_sign_in("ada"))
    for left in (1, 0):
        purges.flush()
        assert len(purges.queue) == left
