"""Writes that leave before their token is bound, or while the store is down (query-cache, I1).

`test_model_outages` looks for more of them; these are those that were once missed.
"""

from __future__ import annotations

import contextlib

import pytest

from portal.api.tokens import TokenPair, TokenStore
from portal.errors import StoreUnavailableError
from portal.query.partition import generations
from tests.portal.query.clients import create, delete, listed, names, no_profile, once
from tests.portal.query.fakes import make_token
from tests.portal.query.world import User

BEFORE, AFTER = ["c5", "c4"], ["c4", "c3"]


@pytest.fixture
def other(ada: User) -> User:
    """Ada in another process, in which her list is cached."""
    made = ada.elsewhere(single_flight=ada.process.runtime.single_flight)
    assert listed(made) == BEFORE
    return made


@pytest.mark.parametrize("refreshes", [False, True])
def test_write_without_a_profile_shows_in_every_process(ada: User, other: User, refreshes: bool) -> None:
    """The token can't be bound before its write leaves, and the write leaves nevertheless."""
    for key in [key for key in ada.store.values if key.startswith("binding:")]:
        del ada.store.values[key]
    ada.backend.before = no_profile
    delete(ada, "c5")
    if not refreshes:
        assert listed(other) == AFTER, "without the profile: from the backend"
    ada.backend.before = None
    if refreshes:
        ada.tokens = other.tokens = refreshed(other)
    assert listed(other) == listed(ada) == AFTER


def refreshed(user: User) -> TokenStore:
    """The tokens after a refresh in the user's process."""
    tokens, new = TokenStore(user.tokens.current), make_token("ada")
    user.backend.users[new] = "ada"
    client = user.process.request_with(tokens)
    tokens.rotate(TokenPair(access=new, refresh="next"), replaced=user.tokens.current.refresh or "")
    listed(client, {"q": "nothing"})
    return TokenStore(tokens.current)


def test_too_many_pending_purges_become_all(ada: User, other: User, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing can be written then: the process that made the write tells of it as soon as it reaches the store."""
    monkeypatch.setattr(generations, "MAX_PENDING", 8)
    ada.store.down = True
    delete(ada, "c5")
    for number in range(9):
        with contextlib.suppress(StoreUnavailableError):
            ada.process.runtime.namespaces.purge_token(f"token {number}")
    ada.store.down = False
    listed(ada.signed_in("ben"))
    for reads in (1, 0):
        with ada.reads(reads):  # and that once
            assert listed(other) == AFTER


def test_a_write_that_may_be_either_users_shows_no_row_to_one_of_them(ada: User) -> None:
    """A browser may hold ada's access token, which the backend refuses, and ben's refresh token."""
    ben, tokens = ada.signed_in("ben"), TokenStore(ada.tokens.current)
    users = (ada, ben)
    for user in users:
        listed(user)
    ada.backend.before = once(lambda: tokens.rotate(ben.tokens.current, replaced="refresh of ada"), method="POST")
    made = create(ada.process.request_with(tokens))
    ada.backend.rows = [row for row in ada.backend.rows if row["id"] != made]
    with ada.reads(2):
        assert not any(made in names(user) for user in users)
