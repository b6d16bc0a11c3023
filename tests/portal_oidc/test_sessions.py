"""The records of sign-ins that came from the provider, and the ends that it sends; also when the store fails in one."""

import pytest

from portal.api.refresh import record_name
from portal.api.tokens import TokenPair
from portal.errors import StoreUnavailableError
from portal_oidc.id_tokens import IdTokenClaims, LogoutTokenClaims
from tests.support.refresh_world import lose


@pytest.fixture(autouse=True)
def a_second_between_two_looks(clock) -> None:
    clock.step = 1.0


def pair(number: int) -> TokenPair:
    return TokenPair(access=f"access-{number}", refresh=f"refresh-{number}")


def start(sessions, number=1, *, subject="ada", sid: str | None = "s-1") -> TokenPair:
    sessions.start(pair(number), claims=IdTokenClaims(subject=subject, sid=sid), id_token="an-id-token")
    return pair(number)


def out(*, sid=None, subject="ada", token_id="j-1") -> LogoutTokenClaims:
    return LogoutTokenClaims(subject=subject, sid=sid, token_id=token_id)


@pytest.mark.parametrize("done", [False, True], ids=["before it had an effect", "after it had one"])
@pytest.mark.parametrize("at", [0, 1])
def test_an_end_that_the_store_took_half_of_is_whole_when_the_provider_says_it_again(store, sessions, at, done):
    older = start(sessions, 1, sid=None)
    lose(store, at, done=done)
    with pytest.raises(StoreUnavailableError):
        sessions.end(out())
    newer = start(sessions, 2, sid=None)
    sessions.end(out())
    assert sessions.has_ended(older)
    assert sessions.has_ended(newer) is (at == 0 and not done), "what began after the half end has not ended"
    assert sessions.end(out()) is False


def test_a_logout_token_counts_once_and_a_replay_undoes_no_later_end(sessions):
    assert sessions.end(out()) is True
    newer = start(sessions, 1, sid=None)
    assert sessions.end(out()) is False
    assert not sessions.has_ended(newer)
    assert sessions.end(out(token_id="j-2")) is True
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


@pytest.mark.parametrize("by_operator", [False, True])
def test_end_of_a_user_spares_later_sign_ins(sessions, by_operator):
    start(sessions, 1, sid="s-1")
    start(sessions, 2, sid=None)
    start(sessions, 3, subject="bob")
    _ = sessions.end_user("ada") if by_operator else sessions.end(out())
    start(sessions, 4)
    sessions.move(old="refresh-1", pair=pair(5))
    assert [sessions.has_ended(pair(number)) for number in (1, 2, 3, 4, 5)] == [True, True, False, False, True]


def test_without_a_refresh_token_the_access_token_names_the_sign_in(sessions):
    only_access = TokenPair(access="access-1")
    sessions.start(only_access, claims=IdTokenClaims(subject="ada", sid="s-1"), id_token="an-id-token")
    sessions.end(out(sid="s-1"))
    assert sessions.has_ended(only_access)
    assert sessions.id_token(only_access) == "an-id-token"


def test_the_store_names_nobody_and_holds_no_token(sessions, store):
    start(sessions)
    sessions.move(old="refresh-1", pair=pair(2))
    sessions.end(out(sid="s-1", token_id="j-unique"))
    content = b"".join(path.read_bytes() for path in store.backend().path.parent.iterdir())
    assert b":oidc" in content
    for secret in ("an-id-token", "refresh-1", "refresh-2", "access-1", '"ada"', '"s-1"', "j-unique"):
        assert secret.encode() not in content


# --- what another release wrote, or damage left ---

ODD = [None, "{", [], {"since": "long ago"}, {"since": 1.0, "sid": 5}, {"since": 1.0, "format": 2}, {"format": 1}]


@pytest.mark.parametrize("value", ODD, ids=repr)
def test_a_record_that_cannot_be_read_is_none(store, sessions, value):
    started = start(sessions)
    store.set(f"{record_name('refresh-1')}:oidc", value, lifetime_s=60)
    assert (sessions.has_ended(started), sessions.id_token(started)) == (False, None)
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


@pytest.mark.parametrize("value", [None, [], "soon"], ids=repr)
def test_an_end_that_cannot_be_read_ends_nothing_and_can_be_said_again(store, sessions, value):
    started = start(sessions, sid="s-1")
    sessions.end(out(sid="s-1"))
    rows, _ = store.backend().database.run("SELECT key FROM entries")
    for key in [name.split(":", 2)[2] for (name,) in rows if ":end:" in name or ":used:" in name]:
        store.set(key, value, lifetime_s=60)
    assert sessions.has_ended(started) is False
    sessions.end(out(sid="s-1"))
    sessions.end(out(sid="s-1", token_id="j-2"))
    assert sessions.has_ended(started) is True
