"""The refresh when its store is down, full, damaged, emptied or set to another time.

docs/explanation/store-failures.md. An operation that fails in the middle: `test_token_records.py`.
"""

import contextlib
import threading

import pytest

from portal.api.metrics import RefreshOutcome
from portal.api.refresh.token_endpoint import NoResponse, TokensIssued
from portal.api.tokens import TokenPair, TokenStatus
from portal.config.limits import REFRESH_LOCK_S, REFRESH_STORE_WAIT_S
from portal.errors import ApiUnavailableError, SignInEndedError, StoreUnavailableError
from sqlite_cache import close_idle_connections
from tests.support.refresh_world import LOST, UNANSWERED, RefreshProcess, RefreshWorld, jwt

#: As long as Sentinels take, seconds.
FAILOVER_S = 3.0
#: Which operations fail: all, as without a primary, or those that write, as with a primary without replicas.
WRITES = {"add", "set", "set_many", "update"}
ALL = {"get", "get_many", "check_room", "delete", "delete_many"} | WRITES
OPERATIONS = pytest.mark.parametrize("operations", [ALL, WRITES], ids=["all", "writes"])


def fail_for(process: RefreshProcess, seconds: float, operations: set[str] = ALL) -> list[str]:
    """Let these operations of the process's store fail for so long; gives the list of those that did."""
    world, store = process.world, process.store
    end, failed = world.time() + seconds, []

    def failing(name: str):
        works = getattr(store, name)

        def operation(*args, **options):
            if world.time() < end:
                failed.append(name)
                raise StoreUnavailableError("store 'refresh': no primary")
            return works(*args, **options)

        return operation

    for name in operations:
        setattr(store, name, failing(name))
    return failed


# --- away before the call ---


@pytest.mark.parametrize("down_s", [FAILOVER_S, REFRESH_STORE_WAIT_S + 1, REFRESH_LOCK_S + 1])
def test_submission_whose_answer_was_lost_is_taken_back(world: RefreshWorld, *, pair, process, other, down_s: float):
    """Else a store that was away for a second would keep its user from a page for fifteen."""
    records = process.refresher._records
    works, world.backend.repeatable_s = records.begin, 0

    def taken(*args, **options) -> bool:
        records.begin = works
        assert works(*args, **options)
        fail_for(process, down_s)
        raise StoreUnavailableError("store 'refresh': the connection broke")

    records.begin = taken
    tokens = process.request(pair)
    if down_s == FAILOVER_S:
        assert process.refresh(tokens) is RefreshOutcome.REFRESHED
    else:
        with pytest.raises(ApiUnavailableError):
            process.refresh(tokens)
        process.settle()
        assert tokens.status is TokenStatus.KEPT
        assert process.counts() == {RefreshOutcome.STORE_DOWN: 1}
        before = world.time()
        assert other.refresh(other.request(pair)) is RefreshOutcome.REFRESHED
        assert world.time() == before
    assert world.backend.submitted == {pair.refresh: 1}


@OPERATIONS
def test_no_refresh_waits_once_the_outage_has_lasted_longer(world: RefreshWorld, process, operations: set[str]):
    """A request that waits holds a thread, which the pages with a fresh token need."""
    fail_for(process, 60, operations)
    for user, waits_s in (("first", REFRESH_STORE_WAIT_S), ("second", 0)):
        tokens, began = process.request(world.backend.sign_in(user)), world.time()
        with pytest.raises(ApiUnavailableError) as caught:
            process.refresh(tokens)
        assert waits_s <= world.time() - began <= waits_s * 1.2
        assert (caught.value.retry_after, tokens.status) == (1, TokenStatus.KEPT)
    assert process.counts() == {RefreshOutcome.STORE_DOWN: 2}
    assert not world.backend.submitted


@pytest.mark.parametrize("first_s", [FAILOVER_S, 60], ids=["its end was seen", "nobody saw its end"])
def test_the_next_outage_is_waited_for_again(world: RefreshWorld, process, first_s: float):
    fail_for(process, first_s)
    with contextlib.suppress(ApiUnavailableError):
        process.refresh(process.request(world.backend.sign_in("first")))
    world.time.advance(0 if first_s == FAILOVER_S else 3600)
    fail_for(process, FAILOVER_S)
    assert process.refresh(process.request(world.backend.sign_in("second"))) is RefreshOutcome.REFRESHED


# --- away during the call ---


def test_the_new_tokens_are_offered_until_the_store_takes_them(world: RefreshWorld, pair, process, other):
    back = threading.Event()
    world.backend.during = lambda _: fail_for(process, 2)
    process.while_waiting = lambda: back.wait(30)
    tokens = process.request(pair)
    # Who asked has its tokens, and so have all others in this process.
    assert process.refresh(tokens) is RefreshOutcome.REFRESHED
    late = process.request(pair)
    assert process.refresh(late) is RefreshOutcome.FROM_RECORD
    assert late.current == tokens.current
    # They are not written as cookies while nobody can say whether the sign-in still stands.
    assert process.refresher.tokens_to_set(tokens) is None
    back.set()
    process.settle()
    elsewhere = other.request(pair)
    assert other.refresh(elsewhere) is RefreshOutcome.FROM_RECORD
    assert elsewhere.current == tokens.current == process.refresher.tokens_to_set(tokens)
    assert world.backend.submitted == {pair.refresh: 1}


def test_pair_that_is_not_recorded_yet_is_delivered(world: RefreshWorld, pair, process):
    """Its browser has older cookies, and the store can be read alone."""
    process.refreshed(pair)
    world.expire()
    back = threading.Event()
    world.backend.during = lambda _: fail_for(process, 2, WRITES)
    process.while_waiting = lambda: back.wait(30)
    tokens = process.request(pair)
    assert process.refresh(tokens) is RefreshOutcome.REFRESHED
    assert process.refresher.tokens_to_set(tokens) == tokens.current
    back.set()


def test_away_for_longer_than_the_lock_another_process_waits_for_the_outcome(world: RefreshWorld, pair, process, other):
    other_waits = threading.Event()

    def outcome_comes() -> None:
        other_waits.set()
        process.settle()

    world.backend.during = lambda _: fail_for(process, REFRESH_LOCK_S + 1)
    process.while_waiting, other.while_waiting = lambda: other_waits.wait(30), outcome_comes
    tokens = process.request(pair)
    process.refresh(tokens)
    # The store is back, the lock has expired, and the record is not there yet.
    world.time.advance(REFRESH_LOCK_S + 1)
    elsewhere = other.request(pair)
    assert other.refresh(elsewhere) is RefreshOutcome.JOINED
    assert elsewhere.current == tokens.current
    assert world.backend.submitted == {pair.refresh: 1}


@pytest.mark.parametrize("down_s", [0.1, REFRESH_LOCK_S + 1])
@pytest.mark.parametrize("answer", [LOST, UNANSWERED, None], ids=["lost", "unanswered", "not rotated"])
def test_every_other_outcome_is_noted_too_when_the_store_is_back(
    world: RefreshWorld, *, pair, process, other, answer: NoResponse | None, down_s: float
):
    """Where nothing may be submitted again, a doubt that is none would sign its user out."""
    not_rotated = TokensIssued(pair=TokenPair(access=jwt(exp=world.time() + 300), refresh=pair.refresh))
    world.backend.answers, world.backend.repeatable_s = [answer or not_rotated], 0
    world.backend.during = lambda _: fail_for(process, down_s)
    with contextlib.suppress(ApiUnavailableError, SignInEndedError):
        process.refresh(process.request(pair))
    process.settle()
    if answer is UNANSWERED and down_s < 1:
        other.fails(pair, ApiUnavailableError)
        assert world.backend.submitted == {pair.refresh: 1}, "not at once"
    world.expire()
    if answer is LOST:
        other.fails(pair)
    else:
        assert other.refresh(other.request(pair)) is RefreshOutcome.REFRESHED
    assert world.backend.submitted == {pair.refresh: 1 if answer is LOST else 2}


def test_away_for_longer_than_its_patience_the_attempt_ends(world: RefreshWorld, pair, process, caplog):
    world.backend.during = lambda _: fail_for(process, float("inf"))
    assert process.refresh(process.request(pair)) is RefreshOutcome.REFRESHED
    process.settle()
    assert "never took" in caplog.text


@pytest.mark.parametrize("step_s", [3600, 29 * 24 * 3600], ids=["an hour", "almost a sign-in"])
def test_a_step_of_the_wall_clock_during_the_call_does_not_present_the_token_again(
    world: RefreshWorld, pair, process, other, step_s: float
):
    def later(_: str) -> None:
        for each in (process, other):
            each.store.backend().clock = lambda: world.time() + step_s
        other.fails(pair, ApiUnavailableError)

    world.backend.during = later
    tokens, elsewhere = process.refreshed(pair), other.request(pair)
    assert other.refresh(elsewhere) is RefreshOutcome.FROM_RECORD
    assert elsewhere.current == tokens.current
    assert world.backend.submitted == {pair.refresh: 1}


# --- full, damaged, emptied ---


def fill(process: RefreshProcess) -> None:
    limit = process.store.backend().size_limit
    limit.max_bytes, limit.writes_per_look = 1, 1


def test_full_no_new_refresh_begins_and_nobody_is_signed_out(world: RefreshWorld, process, monkeypatch):
    # Its lock would be refused, too.
    monkeypatch.setattr("portal.api.refresh.release_before.keep_out", lambda *_: True)
    first, second = world.backend.sign_in("first"), world.backend.sign_in("second")
    process.refresh(process.request(first))
    fill(process)
    refused = process.fails(second, ApiUnavailableError)
    assert refused.status is TokenStatus.KEPT
    assert world.backend.submitted[second.refresh] == 0
    # What was recorded before is still there.
    assert process.refresh(process.request(first)) is RefreshOutcome.FROM_RECORD


@pytest.mark.parametrize("refreshes", [0, 1, 3])
@pytest.mark.parametrize("fault", [fill, lambda process: process.store.backend().clear()], ids=["full", "emptied"])
def test_full_or_emptied_during_the_call_its_result_is_there_afterwards(
    world: RefreshWorld, *, pair, process, other, refreshes: int, fault
):
    for _ in range(refreshes):
        pair = process.refreshed(pair).current
        world.expire()
    world.backend.during = lambda _: fault(process)
    process.refresh(process.request(pair))
    assert other.refresh(other.request(pair)) is RefreshOutcome.FROM_RECORD
    assert world.backend.submitted[pair.refresh] == 1


# SQLite takes a file of no bytes for a sound database without tables.
@pytest.mark.parametrize("content", [b"damage" * 2000, b""], ids=["damaged", "cut to nothing"])
def test_damaged_an_empty_store_takes_its_place_and_refreshes_go_on(
    world: RefreshWorld, pair, process, embedded_store, content
):
    newest = process.refreshed(pair).current
    close_idle_connections()
    target = embedded_store.resolve()
    for part in target.parent.glob(f"{target.name}*"):
        part.write_bytes(content)
    world.expire()
    # Whoever holds the newest tokens notices nothing.
    assert process.refresh(process.request(newest)) is RefreshOutcome.REFRESHED
    assert world.backend.is_signed_in()
