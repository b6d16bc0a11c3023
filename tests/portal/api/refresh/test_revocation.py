"""Sign-out's tombstones: on every known token of the sign-in, and for as long as it could still be used."""

import pytest

from portal.api.metrics import RefreshOutcome
from portal.api.tokens import TokenPair
from portal.config.limits import ROTATION_GRACE_S, SIGN_OUT_DEADLINE_S
from tests.support.refresh_world import LOST, RefreshProcess, RefreshWorld, jwt, lose, unavailable

DAY_S = 24 * 3600


def test_refresh_between_look_and_end_is_ended_too(pair, process, other):
    records = process.refresher._records
    look = records.newest

    def look_before_the_other_refreshes(refresh: str):
        records.newest = look
        found = look(refresh)
        other.refreshed(pair)
        return found

    records.newest = look_before_the_other_refreshes
    process.refresher.sign_out(process.request(pair))
    assert other.refresher.signed_out_at(TokenPair(refresh=pair.refresh)) is not None


@pytest.mark.parametrize("number", range(8))
def test_a_store_that_fails_for_a_moment_lets_no_late_response_undo_a_sign_out(
    world: RefreshWorld, pair, process, other, number: int
):
    late = process.refreshed(pair)
    lose(other.store, number, done=False)
    other.refresher.sign_out(other.request(pair))
    assert process.refresher.tokens_to_set(late) is None
    assert process.refresher.signed_out_at(late.current) is not None
    assert world.backend.revoked == [late.current.refresh]


def test_a_store_that_stays_away_holds_nobodys_sign_out_up_for_longer_than_the_backend_may(
    world: RefreshWorld, pair, process
):
    process.store._do = unavailable
    before, tokens = world.time(), process.request(pair)
    assert process.refresher.sign_out(tokens).pairs == [pair]
    assert tokens.cleared
    assert world.time() - before == SIGN_OUT_DEADLINE_S
    assert world.backend.revoked == [pair.refresh]


def made_up(world: RefreshWorld, process: RefreshProcess) -> tuple[TokenPair, float]:
    """Nobody knows these tokens, so they are believed only while a response may be on its way."""
    return TokenPair(access=jwt(exp=world.time() + 400 * DAY_S), refresh="made-up"), ROTATION_GRACE_S


def known(world: RefreshWorld, process: RefreshProcess) -> tuple[TokenPair, float]:
    return TokenPair(access=jwt(exp=world.time() + 300), refresh=jwt(exp=world.time() + 7 * DAY_S)), 7 * DAY_S


def refreshed_before(world: RefreshWorld, process: RefreshProcess) -> tuple[TokenPair, float]:
    first = world.backend.sign_in()
    process.refresh(process.request(first))
    return first, 30 * DAY_S


def refreshed(world: RefreshWorld, process: RefreshProcess) -> tuple[TokenPair, float]:
    return process.refreshed(world.backend.sign_in()).current, 30 * DAY_S


@pytest.mark.parametrize("signed_in", [made_up, known, refreshed_before, refreshed])
def test_a_tombstone_lasts_as_long_as_its_sign_in_if_that_is_known(world: RefreshWorld, process, other, signed_in):
    pair, lasts_s = signed_in(world, process)
    process.refresher.sign_out(process.request(pair), verified=signed_in is known)
    world.time.advance(lasts_s - 1)
    assert other.refresher.signed_out_at(TokenPair(refresh=pair.refresh)) is not None
    world.time.advance(2)
    assert other.refresher.signed_out_at(pair) is None


def sign_out(process: RefreshProcess, pair: TokenPair) -> None:
    process.refresher.sign_out(process.request(pair))


def lose_the_answer(process: RefreshProcess, pair: TokenPair) -> None:
    process.world.backend.answers, process.world.backend.repeatable_s = [LOST], 0
    process.fails(pair)


@pytest.mark.parametrize("end", [sign_out, lose_the_answer])
def test_a_token_that_a_backend_issues_again_begins_anew(world: RefreshWorld, pair, process, end):
    end(process, pair)
    world.backend._current["user"] = pair.refresh
    process.refresher.prepare_sign_in(pair)
    assert process.refresher.signed_out_at(pair) is None
    assert process.refresh(process.request(pair)) is RefreshOutcome.REFRESHED
