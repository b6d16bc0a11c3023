"""A refresh whose outcome nobody knows: a timeout, a damaged answer, a worker that was killed. One state, one answer."""

import itertools
from collections.abc import Callable

import pytest

from portal.api.metrics import RefreshOutcome
from portal.api.refresh.attempt import OTHERS_OUTCOME_WAIT_S
from portal.api.refresh.token_endpoint import NoResponse
from portal.api.tokens import TokenPair, TokenStatus
from portal.config.limits import REFRESH_DEADLINE_S, REFRESH_LOCK_S, REFRESH_REPEAT_PAUSE_S
from portal.errors import ApiUnavailableError, SignInEndedError, StoreUnavailableError
from tests.support.refresh_world import UNANSWERED, RefreshProcess, RefreshWorld

NOT_SENT = NoResponse(reason="refused connection", lost=False)


def time_out(world: RefreshWorld, process: RefreshProcess, pair: TokenPair) -> None:
    world.backend.lose = 1
    with pytest.raises((ApiUnavailableError, SignInEndedError)):
        process.refresh(process.request(pair))
    process.settle()


def be_killed(world: RefreshWorld, process: RefreshProcess, pair: TokenPair) -> None:
    world.backend.die_during_the_call(process, pair)
    # Its lock ends, and so does the time in which it might only have been waiting for the store.
    world.time.advance(REFRESH_LOCK_S + 1)


CAUSES = pytest.mark.parametrize("cause", [time_out, be_killed])
Cause = Callable[[RefreshWorld, RefreshProcess, TokenPair], None]


def is_lost(process: RefreshProcess, pair: TokenPair) -> bool:
    tokens = process.fails(pair)
    return tokens.lost and tokens.cleared


# --- where the key is honoured ---


@CAUSES
def test_it_is_submitted_again_and_everybody_goes_on(world: RefreshWorld, pair, process, other, cause: Cause):
    world.backend.honours_key = True
    cause(world, process, pair)
    world.time.advance(2)
    tokens, before = other.request(pair), world.time()
    assert other.refresh(tokens) is RefreshOutcome.REFRESHED
    # A process that died is waited for once more, and no longer.
    assert world.time() - before == (OTHERS_OUTCOME_WAIT_S if cause is be_killed else 0)
    late = process.request(pair)
    assert process.refresh(late) is RefreshOutcome.FROM_RECORD
    assert late.current == tokens.current
    assert world.backend.submitted == {pair.refresh: 2}
    assert world.backend.is_signed_in()


def test_again_and_again_but_spaced_while_the_backend_answers_nobody(world: RefreshWorld, pair):
    world.backend.honours_key = True
    processes = [world.process(), world.process()]
    world.backend.lose = 1_000
    began = world.time()
    while world.time() < began + 60:
        for process in processes:
            tokens = process.request(pair)
            with pytest.raises(ApiUnavailableError) as caught:
                process.refresh(tokens)
            process.settle()
            assert (caught.value.retry_after, tokens.status) == (1, TokenStatus.KEPT)
        world.time.advance(0.1)
    pauses = [later - earlier for earlier, later in itertools.pairwise(world.backend.submitted_at)]
    assert min(pauses) >= 1
    # However long it lasts, whoever comes back waits no longer than this.
    assert max(pauses) <= REFRESH_REPEAT_PAUSE_S + 1
    world.backend.lose = 0
    world.time.advance(REFRESH_REPEAT_PAUSE_S)
    assert processes[0].refresh(processes[0].request(pair)) is RefreshOutcome.REFRESHED


@CAUSES
def test_once_the_backend_may_have_forgotten_the_key_it_is_never_submitted_again(
    world: RefreshWorld, pair, process, other, cause: Cause
):
    world.backend.honours_key = True
    cause(world, process, pair)
    # The call itself takes time: it has to arrive while the key is known.
    world.time.advance(world.backend.repeatable_s - REFRESH_DEADLINE_S)
    for asked in (other, process, other):
        assert is_lost(asked, pair)
        world.time.advance(10 * 24 * 3600)
    assert world.backend.submitted == {pair.refresh: 1}


@pytest.mark.parametrize("later", [NOT_SENT, UNANSWERED], ids=["not sent", "503"])
def test_a_later_try_that_did_nothing_says_nothing_of_the_first(world: RefreshWorld, pair, process, later: NoResponse):
    time_out(world, process, pair)
    world.time.advance(2)
    world.backend.answers = [later]
    process.fails(pair, ApiUnavailableError)
    world.time.advance(world.backend.repeatable_s)
    assert is_lost(process, pair)
    assert world.backend.submitted == {pair.refresh: 2}


def test_a_store_that_fails_before_a_later_try_takes_the_doubt_away_from_nobody(world: RefreshWorld, pair, process):
    time_out(world, process, pair)
    world.time.advance(2)
    records = process.refresher._records
    begin = records.begin

    def fails_once(*args, **options):
        records.begin = begin
        begin(*args, **options)
        raise StoreUnavailableError("store 'refresh': for a moment")

    records.begin, process.while_waiting = fails_once, lambda: world.time.advance(world.backend.repeatable_s)
    assert is_lost(process, pair)
    assert world.backend.submitted == {pair.refresh: 1}


# --- where it is not ---


@CAUSES
def test_1_it_is_never_submitted_again_and_the_sign_in_ends_as_lost_for_older_tokens_too(
    world: RefreshWorld, pair, process, other, cause: Cause
):
    world.backend.repeatable_s = 0
    newest = process.refreshed(pair).current
    world.expire()
    cause(world, process, newest)
    for wait in (0, 2, 20, 3600, 20 * 24 * 3600):
        world.time.advance(wait)
        for asked, held in ((other, newest), (process, pair)):
            assert is_lost(asked, held)
            assert asked.counts()[RefreshOutcome.LOST] >= 1
    assert world.backend.submitted == {pair.refresh: 1, newest.refresh: 1}
