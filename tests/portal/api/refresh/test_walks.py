"""The walk from a refresh token to the newest one of its sign-in: who is answered, and for how long."""

import pytest

from portal.api.metrics import RefreshOutcome
from portal.api.refresh.token_endpoint import TokensIssued
from portal.api.refresh.token_record import State, issued_record
from portal.api.refresh.token_records import Newest
from portal.api.tokens import TokenPair
from portal.config.limits import REFRESH_BORN_EXPIRED_S, ROTATION_GRACE_S
from tests.support.refresh_world import RefreshProcess, RefreshWorld, jwt

NOW = 1_800_000_000.0


def refreshed(world: RefreshWorld, process: RefreshProcess, *submitted: int) -> list[TokenPair]:
    """The pairs of a sign-in; each number is that of the pair in the cookies of the next refresh."""
    pairs = [world.backend.sign_in()]
    for number in submitted:
        pairs.append(process.refreshed(pairs[number]).current)
        world.expire()
    return pairs


def answered(process: RefreshProcess, pairs: list[TokenPair]) -> list[bool]:
    """Return whether each token, but for the newest, leads to the newest one."""
    now, records = process.world.time(), process.refresher._records
    walks = [records.newest(pair.refresh, now=now) for pair in pairs[:-1]]
    assert {walk.refresh for walk in walks if walk.record.state is not State.SPENT} <= {pairs[-1].refresh}
    return [walk.record.state is not State.SPENT for walk in walks]


@pytest.mark.parametrize(
    ("submitted", "are_answered"),
    [
        ((0,), [True]),
        ((0, 1), [False, True]),
        ((0, 1, 1), [False, True, True]),
        ((0, 0, 0, 0), [True, True, True, True]),
        ((0, 0, 0, 3), [False, False, False, True]),
        ((0, 1, 2, 3), [False, False, False, True]),
        ((0, 1, 1, 2), [False, False, True, True]),
    ],
)
def test_token_is_answered_until_its_successor_is_submitted(
    world: RefreshWorld, process: RefreshProcess, submitted: tuple[int, ...], are_answered: list[bool]
):
    """And for a minute more, which is over here: each refresh is five minutes after the one before."""
    assert answered(process, refreshed(world, process, *submitted)) == are_answered


def test_grace_period_ends_to_the_second(world: RefreshWorld, process: RefreshProcess):
    pairs = refreshed(world, process, 0)
    submitted_at = world.time()
    process.refreshed(pairs[1])
    for after_s, is_spent in ((ROTATION_GRACE_S - 0.1, False), (ROTATION_GRACE_S, True)):
        walk = process.refresher._records.newest(pairs[0].refresh, now=submitted_at + after_s)
        assert (walk.record.state is State.SPENT) is is_spent


def test_grace_period_once_begun_is_not_prolonged(world: RefreshWorld, process: RefreshProcess):
    world.backend.access_lifetime_s = 20
    pairs = refreshed(world, process, 0, 1)
    for number in (1, 1):
        process.refreshed(pairs[number])
        world.expire()
    assert answered(process, pairs[:2]) == [False], "63 s after its successor was submitted"
    assert process.fails(pairs[0]).ended


def test_token_that_is_issued_again_is_in_use_again(world: RefreshWorld, process: RefreshProcess, other):
    first, second, third = refreshed(world, process, 0, 1)
    world.backend.answers = [TokensIssued(pair=TokenPair(access=jwt(exp=world.time() + 300), refresh=first.refresh))]
    again = process.refreshed(third).current
    assert other.refreshed(second).current == again
    world.expire()
    world.backend._current["user"] = first.refresh
    assert other.refresh(other.request(again)) is RefreshOutcome.REFRESHED


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
def test_access_token_is_of_use_until_it_expires(access: str | None, at: float, is_fresh: bool):
    record = issued_record(TokenPair(access=access, refresh="r"), sign_in="", before=(), now=NOW)
    newest = Newest("r", record, access, first=record, passed=("r",))
    assert newest.is_fresh(now=NOW + at) is is_fresh
