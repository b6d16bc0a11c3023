"""What a refresh comes to when the store is full, damaged, emptied or locked (docs/explanation/store-failures.md)."""

from __future__ import annotations

import sqlite3

import pytest

from portal.api.metrics import RefreshOutcome
from portal.api.tokens import TokenStatus
from portal.errors import ApiUnavailableError, SignInEndedError
from sqlite_cache import close_idle_connections
from tests.support.refresh_world import RefreshWorld

# --- full ---


def test_full_no_new_refresh_begins_and_nobody_is_signed_out(world: RefreshWorld, process):
    first, second = world.backend.sign_in("first"), world.backend.sign_in("second")
    tokens = process.refreshed(first)
    backend = process.store.backend()
    backend.size_limit.max_bytes, backend.size_limit.writes_per_look = 1, 1
    refused = process.request(second)
    with pytest.raises(ApiUnavailableError):
        process.refresh(refused)
    assert refused.status is TokenStatus.KEPT
    assert world.backend.submitted[second.refresh] == 0
    # What was taken from the record before is still there.
    late = process.request(first)
    assert process.refresh(late) is RefreshOutcome.FROM_RECORD
    assert late.current == tokens.current


def test_full_while_the_call_runs_its_result_is_stored_all_the_same(world: RefreshWorld, pair, process, other):
    backend = process.store.backend()

    def fills_up(_: str) -> None:
        backend.size_limit.max_bytes, backend.size_limit.writes_per_look = 1, 1

    world.backend.during = fills_up
    process.refresh(process.request(pair))
    assert other.refresh(other.request(pair)) is RefreshOutcome.FROM_RECORD


# --- damaged, removed, emptied ---


# SQLite takes a file of no bytes for a sound database without tables.
@pytest.mark.parametrize("content", [b"damage" * 2000, b""], ids=["damaged", "cut to nothing"])
def test_damaged_an_empty_store_takes_its_place_and_refreshes_go_on(
    world: RefreshWorld, process, embedded_store, content
):
    first = world.backend.sign_in()
    tokens = process.refreshed(first)
    process.settle()
    close_idle_connections()
    target = embedded_store.resolve()
    for part in target.parent.glob(f"{target.name}*"):
        part.write_bytes(content)
    world.expire()
    # Whoever holds the newest tokens notices nothing.
    assert process.refresh(process.request(tokens.current)) is RefreshOutcome.REFRESHED
    assert world.backend.is_signed_in()


def test_emptied_only_holders_of_replaced_tokens_can_be_signed_out(world: RefreshWorld, process):
    """What the store forgot can't be known: the backend takes the old token for stolen."""
    first = world.backend.sign_in()
    process.refresh(process.request(first))
    process.store.backend().clear()
    with pytest.raises(SignInEndedError):
        process.refresh(process.request(first))
    assert world.backend.submitted[first.refresh] == 2


@pytest.mark.parametrize("refreshes", [0, 1, 3])
def test_emptied_during_the_call_its_result_is_there_afterwards(world: RefreshWorld, process, other, refreshes: int):
    tokens = process.request(world.backend.sign_in())
    for _ in range(refreshes):
        process.refresh(tokens)
        process.settle()
        world.expire()
        tokens = process.request(tokens.current)
    held = tokens.current
    world.backend.during = lambda _: process.store.backend().clear()
    process.refresh(tokens)
    assert other.refresh(other.request(held)) is RefreshOutcome.FROM_RECORD
    assert world.backend.submitted[held.refresh] == 1


def test_locked_by_another_process_the_refresh_waits_for_its_limit_and_no_longer(
    world: RefreshWorld, process, embedded_store
):
    process.store.get("opened")
    process.store.backend().database.busy_timeout_s = 0.05
    blocker = sqlite3.connect(embedded_store, isolation_level=None)
    blocker.execute("BEGIN IMMEDIATE")
    tokens = process.request(world.backend.sign_in())
    try:
        with pytest.raises(ApiUnavailableError):
            process.refresh(tokens)
    finally:
        blocker.execute("ROLLBACK")
        blocker.close()
    assert process.counts() == {RefreshOutcome.STORE_DOWN: 1}
    assert process.refresh(tokens) is RefreshOutcome.REFRESHED
