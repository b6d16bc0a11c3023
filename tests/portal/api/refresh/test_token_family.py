"""A sign-in's tokens as a family: who is answered, for how long, and what is forgotten."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portal.api.refresh.sealing import record_name
from portal.api.refresh.token_family import ReplacedToken, TokenFamily, rotate
from portal.api.tokens import TokenPair
from portal.config.limits import REFRESH_BORN_EXPIRED_S, REFRESH_SPENT_KEPT, REFRESH_UNCONFIRMED_KEPT, ROTATION_GRACE_S
from tests.support.refresh_world import jwt

NOW = 1_800_000_000.0


def pair(number: int) -> TokenPair:
    return TokenPair(access=jwt(n=number), refresh=f"token {number}")


def refreshed(*submitted: int, step_s: float = 300) -> tuple[TokenFamily, list[str]]:
    """The family after refreshes for these tokens, one after another; and all that it forgot."""
    family, forgotten = None, []
    for number, token in enumerate(submitted):
        family, names = rotate(
            family,
            latest_refresh=f"token {number}",
            submitted=f"token {token}",
            pair=pair(number + 1),
            now=NOW + number * step_s,
        )
        forgotten += names
    assert family is not None
    return family, forgotten


def numbers(family: TokenFamily) -> list[int]:
    names = {record_name(f"token {number}"): number for number in range(1000)}
    return [names[older.name] for older in family.older]


def test_each_older_token_is_answered_until_its_successor_is_submitted_and_a_minute_more():
    family, _ = refreshed(0, 1)
    then = NOW + 300
    assert not family.is_replay("token 0", now=then + ROTATION_GRACE_S - 1)
    assert family.is_replay("token 0", now=then + ROTATION_GRACE_S)
    # Nobody has submitted the token that replaced this one.
    assert not family.is_replay("token 1", now=then + 30 * 24 * 3600)
    assert not family.is_replay("token 2", now=then + 30 * 24 * 3600)
    assert family.is_replay("token of another time", now=NOW)


@pytest.mark.parametrize(
    ("submitted", "step_s", "ends_s"),
    [
        ((0, 1, 1), 300, [300 + 60, None, None]),
        ((0, 0, 0, 0, 4), 300, [4 * 300 + 60] * 4 + [None]),
        ((0, 1, 2, 3), 10, [10 + 60, 20 + 60, 30 + 60, None]),
    ],
    ids=["what came before it", "the whole chain", "a minute once begun is not prolonged"],
)
def test_a_submitted_token_confirms_what_led_to_it_and_nothing_after(submitted, step_s: float, ends_s):
    family, _ = refreshed(*submitted, step_s=step_s)
    assert numbers(family) == list(range(len(submitted)))
    assert [older.until and older.until - NOW for older in family.older] == ends_s


def test_a_token_that_is_given_again_is_in_use_again():
    family, _ = rotate(
        TokenFamily(latest_pair=pair(1), since=NOW, older=(ReplacedToken(record_name("token 0"), 5),)),
        latest_refresh="token 1",
        submitted="token 1",
        pair=pair(0),
        now=NOW,
    )
    assert numbers(family) == [1]
    assert not family.is_replay("token 0", now=NOW)


@given(st.lists(st.integers(0, 100), max_size=60), st.sampled_from([1.0, 20.0, 300.0, 86_400.0]))
def test_however_it_is_used_it_stays_small_and_keeps_whoever_is_here(tokens: list[int], step_s: float):
    family, forgotten, head = None, [], 0
    for number, token in enumerate(tokens):
        now = NOW + number * step_s
        submitted = f"token {min(token, head)}"
        if family is not None and family.is_replay(submitted, now=now):
            continue
        family, names = rotate(
            family, latest_refresh=f"token {head}", submitted=submitted, pair=pair(head + 1), now=now
        )
        head += 1
        forgotten += names
        assert not family.is_replay(submitted, now=now)
        assert not family.is_replay(f"token {head}", now=now)
        running = [older for older in family.older if older.until is not None and older.until > now]
        assert len(running) <= ROTATION_GRACE_S / step_s + REFRESH_UNCONFIRMED_KEPT + 1
        assert len(family.older) - len(running) <= REFRESH_SPENT_KEPT + REFRESH_UNCONFIRMED_KEPT + 1
        known = {older.name for older in family.older}
        # Each is forgotten once, and what is forgotten is not known any more.
        assert len(set(forgotten)) == len(forgotten)
        assert not known & set(forgotten)
        assert len(known) + len(forgotten) == head


@pytest.mark.parametrize(
    ("access", "at", "is_fresh"),
    [
        *((jwt(exp=NOW + 10), at, at < 10) for at in (9, 10)),
        # One that does not name its end is given out while it is new.
        *(("opaque", at, 0 <= at < ROTATION_GRACE_S) for at in (-1, 0, ROTATION_GRACE_S - 1, ROTATION_GRACE_S)),
        (None, 0, False),
        # One that was over when it came is given for a moment; by a clock that was set back there is no telling.
        *((jwt(exp=NOW - 600), at, 0 <= at < REFRESH_BORN_EXPIRED_S) for at in (-1, 0, REFRESH_BORN_EXPIRED_S - 1)),
        (jwt(exp=NOW - 600), REFRESH_BORN_EXPIRED_S, False),
    ],
)
def test_an_access_token_is_of_use_until_it_expires(access: str | None, at: float, is_fresh: bool):
    family = TokenFamily(latest_pair=TokenPair(access=access, refresh="r"), since=NOW)
    assert family.is_fresh(now=NOW + at) is is_fresh
