"""Two processes at one record: a refusal of a new token, a sign-out, and a refresh meet, or clocks differ."""

import contextlib

import pytest

from portal.api.metrics import RefreshOutcome
from portal.api.refresh.sealing import record_name
from portal.api.refresh.token_endpoint import TokensIssued
from portal.api.refresh.token_record import State
from portal.api.tokens import TokenPair, TokenStatus, TokenStore
from portal.errors import ApiUnavailableError, SignInEndedError, StoreUnavailableError
from portal.process.deadline import Clock
from tests.support.refresh_world import RefreshProcess, RefreshWorld, jwt


@pytest.fixture
def renewed(process: RefreshProcess, pair: TokenPair) -> TokenStore:
    """A request whose new access token the backend is about to refuse."""
    return process.refreshed(pair)


class TestRefusalOfANewToken:
    def test_undoes_no_sign_out(self, world: RefreshWorld, process, other, pair, renewed):
        signed_out_at = world.time()
        other.refresher.sign_out(other.request(pair))
        world.time.advance(1)
        process.refresher.handle_401_after_refresh(renewed)
        assert (renewed.ended, renewed.known_since) == (True, signed_out_at), "newer cookies stay"
        world.time.advance(31)
        assert other.fails(pair).ended

    def test_leaves_a_refresh_that_is_under_way(self, world: RefreshWorld, process, other, renewed):
        world.backend.repeatable_s, new = 0, renewed.current

        def refuse(_: str) -> None:
            process.refresher.handle_401_after_refresh(renewed)

        world.backend.during = refuse
        assert other.refresh(other.request(new), rejected_access=new.access) is RefreshOutcome.REFRESHED
        assert renewed.status is TokenStatus.REFRESHED
        assert world.backend.submitted[new.refresh] == 1

    def test_leaves_one_that_begins_at_this_moment(self, world: RefreshWorld, process, other, renewed):
        records, new = process.refresher._records, renewed.current
        write = records.replace

        def write_after_the_other(*args, **options) -> bool:
            records.replace = write
            other.refresh(other.request(new), rejected_access=new.access)
            other.settle()
            return write(*args, **options)

        records.replace = write_after_the_other
        process.refresher.handle_401_after_refresh(renewed)
        assert renewed.status is TokenStatus.REFRESHED
        assert world.backend.is_signed_in()


def test_older_pair_is_not_delivered_after_a_lead(process, other, pair, renewed):
    """Another request with the older cookies gets further, and leads them past this request's pair."""
    further = other.request(pair)
    other.refresh(further, rejected_access=renewed.current.access)
    other.settle()
    assert process.refresher.tokens_to_set(renewed) == further.current != renewed.current


def test_backend_that_rotates_sometimes_signs_nobody_out(world: RefreshWorld, process, other, pair):
    same = TokenPair(access=jwt(sub="user", iat=world.time(), exp=world.time() + 300), refresh=pair.refresh)
    world.backend.answers = [TokensIssued(pair=same)]
    assert process.refreshed(pair).current == same
    world.expire()
    newer = process.refreshed(same).current
    assert newer.refresh != same.refresh
    world.time.advance(61)
    assert other.refreshed(same).current == newer, "its answer was lost: the browser keeps the token"


def test_unverified_sign_out_forgets_no_submission(world: RefreshWorld, process, other, pair):
    world.backend.repeatable_s, world.backend.lose = 0, 1
    assert process.fails(pair).lost
    other.refresher.sign_out(other.request(pair), verified=False)
    world.time.advance(61)
    with contextlib.suppress(SignInEndedError, ApiUnavailableError):
        other.refresh(other.request(TokenPair(refresh=pair.refresh)))
    other.settle()
    assert world.backend.submitted[pair.refresh] == 1


def test_damage_during_the_call_ends_it(world: RefreshWorld, process, pair):
    def damage(_: str) -> None:
        key = f"{record_name(pair.refresh)}:record"
        process.store.set(key, process.store.get(key) | {"state": "next", "next": "damaged"}, lifetime_s=3600)

    world.backend.during = damage
    assert process.fails(pair).lost


def test_clock_that_is_ahead_undoes_no_sign_out(world: RefreshWorld, process, other, pair):
    """The store's answer to the new record is lost, and the sign-out comes before it is written once more."""
    process.refresher._clock = Clock(now=lambda: world.time() + 60, monotonic=world.time, sleep=process._sleep)
    records, answers = process.refresher._records, []
    write = records.replace

    def lose_the_first_answer(refresh, old, new, *, lifetime_s):
        done = write(refresh, old, new, lifetime_s=lifetime_s)
        if new.state is State.NEXT and not answers:
            answers.append("lost")
            raise StoreUnavailableError("the connection broke")
        return done

    def sign_out() -> None:
        process.while_waiting = lambda: None
        other.refresher.sign_out(other.request(pair))

    records.replace, process.while_waiting = lose_the_first_answer, sign_out
    with contextlib.suppress(SignInEndedError):
        process.refresh(process.request(pair))
    process.settle()
    assert other.refresher.signed_out_at(TokenPair(refresh=pair.refresh)) is not None


def test_answer_without_refresh_token_keeps_the_old(world: RefreshWorld, process, other, pair):
    world.backend.answers = [TokensIssued(pair=TokenPair(access=jwt(exp=world.time() + 300)))]
    renewed = process.refreshed(pair).current
    assert renewed.refresh == pair.refresh
    assert other.refreshed(pair).current == renewed
