"""Sign-out's tombstones: on every known token of the sign-in, and for as long as it could still be used."""

from __future__ import annotations

import pytest

from portal.api.metrics import RefreshOutcome
from portal.api.tokens import SignInStatus, TokenPair
from portal.config import limits
from portal.errors import SignInEndedError, StoreUnavailableError
from tests.support.refresh_world import LOST, RefreshProcess, RefreshWorld, jwt, lose

DAY_S = 24 * 3600


def is_signed_out(process: RefreshProcess, token: str) -> bool:
    """Whether a tombstone is found by the holder of this token, of either kind."""
    records = process.refresher._records
    return records.get(token).signed_out or records.is_signed_out(token)


@pytest.mark.parametrize("number", range(8))
def test_a_store_that_fails_for_a_moment_lets_no_late_response_undo_a_sign_out(
    world: RefreshWorld, pair, process, other, number: int
):
    late = process.refreshed(pair)
    lose(other, number, done=False)
    other.refresher.sign_out(other.request(pair))
    assert process.refresher.tokens_to_set(late) is None
    assert process.refresher.sign_in_status(late.current) is SignInStatus.SIGNED_OUT
    assert world.backend.revoked == [late.current.refresh]


def test_a_circuit_that_is_open_is_waited_for(world: RefreshWorld, pair):
    """It refuses both of two tries at once, though the store may long be back."""
    process, other = world.process(), world.process(real_waits=True)
    late = process.refreshed(pair)
    circuit = other.store.circuit()
    circuit.failed(circuit.admit(), slow_s=0, why="TimeoutError")
    assert circuit.is_open
    other.refresher.sign_out(other.request(pair))
    assert process.refresher.tokens_to_set(late) is None
    assert world.backend.revoked == [late.current.refresh]


def test_a_store_that_stays_away_holds_nobodys_sign_out_up_for_longer_than_the_backend_may(
    world: RefreshWorld, pair, process
):

    def down(_: object) -> None:
        raise StoreUnavailableError("store 'refresh': down")

    process.store._do = down
    before = world.time()
    tokens = process.request(pair)
    assert process.refresher.sign_out(tokens).pairs == [pair]
    assert tokens.cleared
    assert world.time() - before == limits.SIGN_OUT_DEADLINE_S
    assert world.backend.revoked == [pair.refresh]


def test_tokens_that_nobody_knows_leave_tombstones_only_while_a_response_may_be_on_its_way(
    world: RefreshWorld, process
):
    made_up = TokenPair(access=jwt(exp=world.time() + 400 * DAY_S), refresh="made-up")
    process.refresher.sign_out(process.request(made_up), verified=False)
    assert all(is_signed_out(process, token) for token in (made_up.access, made_up.refresh))
    world.time.advance(limits.ROTATION_GRACE_S + 1)
    assert not any(is_signed_out(process, token) for token in (made_up.access, made_up.refresh))


def test_a_sign_in_that_is_known_stays_signed_out_for_as_long_as_its_tokens_live(world: RefreshWorld, process):
    known = TokenPair(access=jwt(exp=world.time() + 300), refresh=jwt(exp=world.time() + 7 * DAY_S))
    process.refresher.sign_out(process.request(known), verified=True)
    world.time.advance(7 * DAY_S - 1)
    assert is_signed_out(process, known.refresh)
    world.time.advance(2)
    assert not is_signed_out(process, known.refresh)


@pytest.mark.parametrize("submitted", ["first", "newest"])
def test_a_sign_in_that_was_refreshed_is_known(world: RefreshWorld, process, submitted: str):
    first = world.backend.sign_in()
    tokens = process.refreshed(first)
    pair = first if submitted == "first" else tokens.current
    process.refresher.sign_out(process.request(pair), verified=False)
    world.time.advance(limits.ROTATION_GRACE_S + 1)
    assert is_signed_out(process, tokens.current.refresh)


def sign_out(process: RefreshProcess, pair: TokenPair) -> None:
    process.refresher.sign_out(process.request(pair))


def lose_the_answer(process: RefreshProcess, pair: TokenPair) -> None:
    process.world.backend.answers, process.world.backend.repeatable_s = [LOST], 0
    with pytest.raises(SignInEndedError):
        process.refresh(process.request(pair))
    process.settle()


@pytest.mark.parametrize("end", [sign_out, lose_the_answer])
def test_a_token_that_a_backend_issues_again_begins_anew(world: RefreshWorld, pair, process, end):
    end(process, pair)
    world.backend._current["user"] = pair.refresh
    process.refresher.prepare_sign_in(pair)
    assert process.refresher.sign_in_status(pair) is SignInStatus.ACTIVE
    assert process.refresh(process.request(pair)) is RefreshOutcome.REFRESHED
