"""What a sign-in leaves in the store, and what of it holds when an operation of the store fails half-way."""

import base64
import contextlib
import os

import pytest

from portal.api.metrics import RefreshOutcome
from portal.api.refresh.sealing import record_name
from portal.api.tokens import TokenPair
from portal.config.limits import REFRESH_FAILED_MEMORY_S, REFRESH_SPENT_S, ROTATION_GRACE_S
from portal.errors import ApiUnavailableError
from portal.store import MISSING
from portal.store.inspection import servers_of
from sqlite_cache import SQLiteCache
from tests.support.refresh_world import KilledError, RefreshProcess, RefreshWorld, jwt, lose

TOKEN_BYTES = 1500
#: Seconds from one refresh to the next.
STEP_S = 900


def values(process: RefreshProcess) -> dict[str, str]:
    """All that is in the store."""
    backend = process.store.backend()
    if isinstance(backend, SQLiteCache):
        return dict(backend.database.run("SELECT key, value FROM entries WHERE expires > ?", (backend.clock(),))[0])
    clients = [server._cache.get_client() for server in servers_of(backend)]
    return {key.decode(): client.get(key).decode() for client in clients for key in client.scan_iter()}


def size(process: RefreshProcess) -> int:
    return sum(len(key) + len(str(value)) for key, value in values(process).items())


@pytest.fixture
def world(stores):
    made = RefreshWorld()
    serial = iter(range(10_000))

    def issue(family: str) -> TokenPair:
        number, filling = next(serial), base64.urlsafe_b64encode(os.urandom(TOKEN_BYTES)).decode()
        refresh = f"refresh-{number}-{filling}"[:TOKEN_BYTES]
        made.backend._family_of[refresh] = family
        made.backend._current[family] = refresh
        # The parts of a JWT are base64 once more.
        access = jwt(n=number, exp=made.time() + 300, sub=filling[: TOKEN_BYTES * 3 // 4 - 80])
        return TokenPair(access=access, refresh=refresh)

    made.backend._issue = issue
    yield made
    made.close()


@pytest.mark.parametrize("stores", ["embedded"], indirect=True)
def test_sign_in_leaves_the_same_however_often_refreshed(world: RefreshWorld, process):
    held = world.backend.sign_in()
    assert size(process) == 0
    do, operations = process.store._do, []
    process.store._do = lambda operation, *key: operations.append(operation) or do(operation, *key)
    sizes, costs = [], []
    for _ in range(3 * REFRESH_SPENT_S // STEP_S):
        operations.clear()
        held = process.refreshed(held).current
        costs.append(len(operations))
        sizes.append(size(process))
        world.time.advance(STEP_S)
    pair_bytes = sum(len(token) for token in (held.access, held.refresh))
    # Each token of the last two hours, and the newest pair.
    assert max(sizes) <= (REFRESH_SPENT_S / STEP_S + 2) * pair_bytes
    assert max(sizes[9:]) <= 1.02 * min(sizes[9:])
    assert max(costs[2:]) <= max(costs[:2])


def test_browser_without_cookies_costs_the_same_each_time(world: RefreshWorld, process):
    held = world.backend.sign_in()
    do, operations = process.store._do, []
    process.store._do = lambda operation, *key: operations.append(operation) or do(operation, *key)
    costs = []
    for _ in range(20):
        operations.clear()
        newest = process.refreshed(held).current
        costs.append(len(operations))
        world.expire()
    assert max(costs[2:]) <= max(costs[:3])
    assert process.refreshed(newest).current != newest
    world.time.advance(ROTATION_GRACE_S + 1)
    process.fails(held)


def test_sign_out_is_found_by_each_token(world: RefreshWorld, process):
    held = world.backend.sign_in()
    issued = [held]
    for _ in range(5):
        held = process.refreshed(held).current
        issued.append(held)
        world.expire()
    process.refresher.sign_out(process.request(held))
    for pair in issued:
        assert process.refresher.signed_out_at(TokenPair(refresh=pair.refresh)) is not None


def test_made_up_tokens_that_are_refused_leave_nothing_that_lasts(world: RefreshWorld, process):
    world.backend._family_of["made up"] = "nobody"
    process.fails(TokenPair(refresh="made up"))
    assert [key.rpartition(":")[2] for key in values(process)] == ["record"]
    if isinstance(process.store.backend(), SQLiteCache):
        world.time.advance(REFRESH_FAILED_MEMORY_S)
        assert process.store.get(f"{record_name('made up')}:record") is MISSING


# --- an operation that fails ---


@pytest.mark.parametrize("done", [False, True], ids=["not done", "answer lost"])
@pytest.mark.parametrize("number", range(14))
def test_whichever_operation_of_a_refresh_fails_the_token_is_submitted_once_and_all_go_on(
    world: RefreshWorld, number: int, done: bool
):
    first = world.backend.sign_in()
    setting_up, process, other = world.process(), world.process(), world.process()
    tokens = setting_up.refreshed(first)
    world.expire()
    held, before = tokens.current, world.time()
    lose(process.store, number, done=done)
    asking = process.request(held)
    try:
        process.refresh(asking)
    except ApiUnavailableError:
        assert asking.current == held
    process.settle()
    late, older = other.request(held), other.request(first)
    other.refresh(late)
    other.settle()
    other.refresh(older)
    assert world.time() - before < 1, "nobody waits for the lifetime of a lock"
    assert late.current == older.current
    assert asking.current in {held, late.current}
    assert world.backend.submitted == {first.refresh: 1, held.refresh: 1}
    assert other.refresher.tokens_to_set(older) == late.current


def die_after(process: RefreshProcess, number: int) -> None:
    """Let this process die when it has done so many operations of its store."""
    do, operations = process.store._do, []

    def operate(operation, *key):
        if len(operations) == number:
            raise KilledError
        operations.append(operation)
        return do(operation, *key)

    process.store._do = operate


def test_a_process_that_dies_while_it_hands_over_leaves_the_new_pair_and_its_token_s_way_or_neither(
    world: RefreshWorld,
):
    """Without the way, a sign-out by an older token would not reach whoever was given the new one."""
    was_from_record = set()
    for number in range(14):
        first = world.backend.sign_in(f"user {number}")
        process, other = world.process(), world.process()
        die_after(process, number)
        with contextlib.suppress(KilledError):
            process.refresh(process.request(first))
        process.settle()
        newest = other.refresher.tokens_to_set(other.request(first))
        was_from_record.add(newest != first)
        other.refresher.sign_out(other.request(first))
        assert other.refresher.signed_out_at(TokenPair(refresh=newest.refresh)) is not None
    assert was_from_record == {False, True}


@pytest.mark.parametrize("stores", ["embedded"], indirect=True)
def test_whoever_comes_late_with_its_outcome_does_not_take_the_family_back(world: RefreshWorld, process, other):
    """A process that was suspended for longer than the lock: others have got further meanwhile."""
    world.backend.honours_key = True
    first = world.backend.sign_in()
    newest = []

    def suspended(_: str) -> None:
        world.backend.during = lambda refresh: None
        world.time.advance(20)
        tokens = other.refreshed(first)
        world.time.advance(301)
        tokens = other.refreshed(tokens.current)
        newest.append(tokens.current)

    world.backend.during = suspended
    late = process.refreshed(first)
    assert process.refresher.tokens_to_set(late) == late.current == newest[0]
    again = other.request(newest[0])
    world.time.advance(301)
    assert other.refresh(again) is RefreshOutcome.REFRESHED
    assert world.backend.is_signed_in()
