"""The provider's ends of sign-ins, when the store fails in the middle of one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from portal.api.tokens import TokenPair
from portal.errors import StoreUnavailableError
from portal.oidc.id_tokens import IdTokenClaims, LogoutTokenClaims
from portal.oidc.sessions import LOGOUT_TOKEN_KEPT_S, ProviderSessions
from portal.store import SharedStore
from sqlite_cache import SQLiteCache, close_idle_connections

OUT = LogoutTokenClaims(subject="ada", sid=None, token_id="j-1")


class Clock:
    now = 1_000_000.0

    def __call__(self) -> float:
        self.now += 1
        return self.now


class FailingStore(SharedStore):
    """Of its operations, counted from zero, one fails: before it has an effect, or after."""

    def __init__(self, cache: SQLiteCache) -> None:
        super().__init__(alias="test")
        self._cache = cache
        self.fails_at: int | None = None
        self.fails_after = False
        self.done = 0

    def backend(self) -> SQLiteCache:
        return self._cache

    def _do(self, operation: Callable[[Any], Any]) -> Any:
        fails = self.done == self.fails_at
        self.done += 1
        if fails and not self.fails_after:
            raise StoreUnavailableError("down")
        result = super()._do(operation)
        if fails:
            raise StoreUnavailableError("the answer was lost")
        return result


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(tmp_path: Path, clock: Clock):
    cache = SQLiteCache(str(tmp_path / "store" / "cache.sqlite3"), {})
    cache.clock = clock
    yield FailingStore(cache)
    close_idle_connections()


@pytest.fixture
def sessions(store: FailingStore, clock: Clock) -> ProviderSessions:
    return ProviderSessions(store=store, max_age_s=100 * LOGOUT_TOKEN_KEPT_S, clock=clock)


def sign_in(sessions: ProviderSessions, number: int) -> TokenPair:
    pair = TokenPair(access=f"access-{number}", refresh=f"refresh-{number}")
    sessions.start(pair, claims=IdTokenClaims(subject="ada", sid=None), id_token="an-id-token")
    return pair


@pytest.mark.parametrize("after", [False, True], ids=["before it had an effect", "after it had one"])
@pytest.mark.parametrize("at", [0, 1])
def test_an_end_that_the_store_took_half_of_is_whole_when_the_provider_says_it_again(store, sessions, at, after):
    older = sign_in(sessions, 1)
    store.done, store.fails_at, store.fails_after = 0, at, after
    with pytest.raises(StoreUnavailableError):
        sessions.end(OUT)
    store.fails_at = None
    sessions.end(OUT)
    assert sessions.has_ended(older)
    assert sessions.end(OUT) is False


def test_what_began_after_the_half_end_has_not_ended(store, sessions):
    older = sign_in(sessions, 1)
    store.done, store.fails_at = 0, 1
    with pytest.raises(StoreUnavailableError):
        sessions.end(OUT)
    store.fails_at = None
    newer = sign_in(sessions, 2)
    assert sessions.end(OUT) is True
    assert (sessions.has_ended(older), sessions.has_ended(newer)) == (True, False)


def test_a_replay_ends_nothing_that_began_since(sessions):
    sessions.end(OUT)
    newer = sign_in(sessions, 1)
    assert sessions.end(OUT) is False
    assert not sessions.has_ended(newer)


def test_a_replay_undoes_no_later_end(sessions):
    sessions.end(OUT)
    newer = sign_in(sessions, 1)
    sessions.end(LogoutTokenClaims(subject="ada", sid=None, token_id="j-2"))
    assert sessions.end(OUT) is False
    assert sessions.has_ended(newer)


def test_a_sign_in_leaves_the_same_however_often_it_is_refreshed(store, sessions, clock):
    pair = sign_in(sessions, 0)
    left = []
    for number in range(1, 12):
        clock.now += 300
        newer = TokenPair(access=f"access-{number}", refresh=f"refresh-{number}")
        sessions.move(old=pair.refresh, pair=newer)
        left.append(
            store.backend().database.run("SELECT COUNT(*) FROM entries WHERE expires > ?", (clock.now,))[0][0][0]
        )
        before, pair = pair, newer
    assert max(left[4:]) == min(left[4:]) <= 4
    sessions.end(OUT)
    # Also for a request that still holds the token before.
    assert sessions.has_ended(pair)
    assert sessions.has_ended(before)
    assert sessions.id_token(pair) == "an-id-token"
