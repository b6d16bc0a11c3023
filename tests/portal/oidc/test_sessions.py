"""The records of sign-ins that came from the provider, and the ends that it sends; also when the store fails in one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from portal.api.refresh import record_name
from portal.api.tokens import TokenPair
from portal.errors import StoreUnavailableError
from portal.oidc.id_tokens import IdTokenClaims, LogoutTokenClaims
from portal.oidc.sessions import LOGOUT_TOKEN_KEPT_S, ProviderSessions
from portal.store import SharedStore
from sqlite_cache import SQLiteCache, close_idle_connections


class Clock:
    now = 1_000_000.0
    #: Added at each look, seconds.
    step = 1.0

    def __call__(self) -> float:
        self.now += self.step
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


def pair(number: int) -> TokenPair:
    return TokenPair(access=f"access-{number}", refresh=f"refresh-{number}")


def start(sessions, number=1, *, subject="ada", sid="s-1") -> TokenPair:
    sessions.start(pair(number), claims=IdTokenClaims(subject=subject, sid=sid), id_token="an-id-token")
    return pair(number)


def out(*, sid=None, subject="ada", token_id="j-1") -> LogoutTokenClaims:
    return LogoutTokenClaims(subject=subject, sid=sid, token_id=token_id)


@pytest.mark.parametrize("after", [False, True], ids=["before it had an effect", "after it had one"])
@pytest.mark.parametrize("at", [0, 1])
def test_an_end_that_the_store_took_half_of_is_whole_when_the_provider_says_it_again(store, sessions, at, after):
    older = start(sessions, 1, sid=None)
    store.done, store.fails_at, store.fails_after = 0, at, after
    with pytest.raises(StoreUnavailableError):
        sessions.end(out())
    store.fails_at = None
    sessions.end(out())
    assert sessions.has_ended(older)
    assert sessions.end(out()) is False


def test_what_began_after_the_half_end_has_not_ended(store, sessions):
    older = start(sessions, 1, sid=None)
    store.done, store.fails_at = 0, 1
    with pytest.raises(StoreUnavailableError):
        sessions.end(out())
    store.fails_at = None
    newer = start(sessions, 2, sid=None)
    assert sessions.end(out()) is True
    assert (sessions.has_ended(older), sessions.has_ended(newer)) == (True, False)


def test_a_replay_ends_nothing_that_began_since(sessions):
    sessions.end(out())
    newer = start(sessions, 1, sid=None)
    assert sessions.end(out()) is False
    assert not sessions.has_ended(newer)


def test_a_replay_undoes_no_later_end(sessions):
    sessions.end(out())
    newer = start(sessions, 1, sid=None)
    sessions.end(LogoutTokenClaims(subject="ada", sid=None, token_id="j-2"))
    assert sessions.end(out()) is False
    assert sessions.has_ended(newer)


def test_a_sign_in_leaves_the_same_however_often_it_is_refreshed(store, sessions, clock):
    newest = start(sessions, 0, sid=None)
    left = []
    for number in range(1, 12):
        clock.now += 300
        newer = pair(number)
        sessions.move(old=newest.refresh, pair=newer)
        left.append(
            store.backend().database.run("SELECT COUNT(*) FROM entries WHERE expires > ?", (clock.now,))[0][0][0]
        )
        before, newest = newest, newer
    assert max(left[4:]) == min(left[4:]) <= 4
    sessions.end(out())
    # Also for a request that still holds the token before.
    assert sessions.has_ended(newest)
    assert sessions.has_ended(before)
    assert sessions.id_token(newest) == "an-id-token"


def test_a_session_that_ended_ends_its_own_sign_ins_alone(sessions, clock):
    clock.step = 0  # an end at the very moment of the sign-in counts
    start(sessions, 1, sid="s-1")
    start(sessions, 2, sid="s-2")
    assert sessions.end(out(sid="s-1")) is True
    assert (sessions.has_ended(pair(1)), sessions.has_ended(pair(2))) == (True, False)


def test_a_user_that_signed_out_everywhere_can_sign_in_again(sessions, clock):
    start(sessions, 1, sid="s-1")
    start(sessions, 2, sid=None)
    start(sessions, 3, subject="bob")
    clock.now += 1
    sessions.end(out())
    clock.now += 1
    start(sessions, 4)
    assert [sessions.has_ended(pair(number)) for number in (1, 2, 3, 4)] == [True, True, False, False]


def test_a_refresh_does_not_make_an_older_sign_in_new(sessions, clock):
    start(sessions, 1)
    clock.now += 1
    sessions.end(out())
    clock.now += 1
    sessions.move(old="refresh-1", pair=pair(2))
    assert sessions.has_ended(pair(2))


def test_a_logout_token_counts_once(sessions):
    assert sessions.end(out(token_id="j")) is True
    assert sessions.end(out(token_id="j")) is False


def test_without_a_refresh_token_the_access_token_names_the_sign_in(sessions):
    only_access = TokenPair(access="access-1")
    sessions.start(only_access, claims=IdTokenClaims(subject="ada", sid="s-1"), id_token="an-id-token")
    sessions.end(out(sid="s-1"))
    assert sessions.has_ended(only_access)
    assert sessions.id_token(only_access) == "an-id-token"


def test_tokens_that_came_from_elsewhere_have_no_record(sessions):
    assert sessions.has_ended(pair(9)) is False
    assert sessions.id_token(pair(9)) is None
    assert sessions.has_ended(TokenPair()) is False
    sessions.move(old="refresh-9", pair=pair(10))
    assert sessions.id_token(pair(10)) is None


def test_the_store_names_nobody_and_holds_no_token(sessions, store):
    start(sessions)
    sessions.move(old="refresh-1", pair=pair(2))
    sessions.end(out(sid="s-1", token_id="j-unique"))
    content = b"".join(path.read_bytes() for path in store.backend().path.parent.iterdir())
    assert b":oidc" in content
    for secret in ("an-id-token", "refresh-1", "refresh-2", "access-1", '"ada"', '"s-1"', "j-unique"):
        assert secret.encode() not in content


# --- what another release wrote, or damage left ---

ODD = [
    None,
    "{",
    5,
    [],
    {},
    {"since": "long ago"},
    {"since": 1.0, "sid": 5},
    {"since": 1.0, "format": 2},
    {"format": 1},
]


@pytest.mark.parametrize("value", ODD, ids=repr)
def test_a_record_that_cannot_be_read_is_none(store, sessions, value):
    started = start(sessions)
    store.set(f"{record_name('refresh-1')}:oidc", value, lifetime_s=60)
    assert sessions.has_ended(started) is False
    assert sessions.id_token(started) is None
    sessions.move(old="refresh-1", pair=pair(2))
    assert sessions.has_ended(pair(2)) is False
    sessions.delete("refresh-1")


def test_a_record_goes_on_with_what_a_later_release_added(store, sessions):
    start(sessions)
    key = f"{record_name('refresh-1')}:oidc"
    store.set(key, store.get(key) | {"device": "a phone"}, lifetime_s=60)
    sessions.move(old="refresh-1", pair=pair(2))
    assert sessions.id_token(pair(2)) == "an-id-token"
    assert store.get(f"{record_name('refresh-2')}:oidc")["device"] == "a phone"


@pytest.mark.parametrize("value", [None, "{", [], {}, "soon"], ids=repr)
def test_an_end_that_cannot_be_read_ends_nothing_and_can_be_said_again(store, sessions, value):
    started = start(sessions, sid="s-1")
    sessions.end(out(sid="s-1"))
    for key in [key for key in names_in(store) if ":end:" in key or ":used:" in key]:
        store.set(key, value, lifetime_s=60)
    assert sessions.has_ended(started) is False
    sessions.end(out(sid="s-1"))
    sessions.end(out(sid="s-1", token_id="j-2"))
    assert sessions.has_ended(started) is True


def names_in(store) -> list[str]:
    rows, _ = store.backend().database.run("SELECT key FROM entries")
    return [name.split(":", 2)[2] for (name,) in rows]
