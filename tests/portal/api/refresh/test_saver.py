"""How long a refresh waits for a store that fails: for a failover, and not for an outage."""

from __future__ import annotations

import contextlib

import pytest

from portal.api.metrics import RefreshOutcome
from portal.api.tokens import TokenStatus
from portal.config import limits
from portal.errors import ApiUnavailableError, StoreUnavailableError
from tests.support.refresh_world import RefreshProcess, RefreshWorld

#: As long as Sentinels take, seconds.
FAILOVER_S = 3.0
#: Which operations fail: all, as without a primary, or those that write, as with a primary without replicas.
ALL, WRITES = {"get", "get_many", "add", "set", "set_many", "delete", "delete_many"}, {"add", "set", "set_many"}


def fail_for(process: RefreshProcess, seconds: float, operations: set[str]) -> list[str]:
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


@pytest.mark.parametrize("operations", [ALL, WRITES], ids=["all", "writes"])
def test_a_refresh_waits_for_a_failover(world: RefreshWorld, pair, process, operations: set[str]):
    failed = fail_for(process, FAILOVER_S, operations)
    tokens = process.request(pair)
    assert process.refresh(tokens) is RefreshOutcome.REFRESHED
    assert failed
    assert world.backend.submitted == {pair.refresh: 1}
    assert process.refresher.tokens_to_set(tokens) == tokens.current


@pytest.mark.parametrize("down_s", [FAILOVER_S, limits.REFRESH_STORE_WAIT_S + 1, limits.REFRESH_LOCK_S + 1])
@pytest.mark.parametrize(
    ("after", "answered"), [("acquire_lock", True), ("acquire_lock", False), ("mark_started", False)]
)
def test_what_a_store_took_before_it_went_away_for_a_while_is_waited_for_or_taken_back(
    world: RefreshWorld, *, pair, process, other, after: str, answered: bool, down_s: float
):
    """Its answer may be lost: else a store that was away for a second keeps its user from a page for fifteen."""
    records = process.refresher._records
    works, world.backend.repeatable_s = getattr(records, after), 0

    def taken(*args, **options) -> bool:
        setattr(records, after, works)
        won = works(*args, **options)
        fail_for(process, down_s, ALL)
        if not answered:
            raise StoreUnavailableError("store 'refresh': the connection broke")
        return won

    setattr(records, after, taken)
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


@pytest.mark.parametrize("operations", [ALL, WRITES], ids=["all", "writes"])
def test_no_refresh_waits_once_the_outage_has_lasted_longer(world: RefreshWorld, process, operations: set[str]):
    """A request that waits holds a thread, which the pages with a fresh token need."""
    first, second = world.backend.sign_in("first"), world.backend.sign_in("second")
    fail_for(process, 60, operations)
    began = world.time()
    with pytest.raises(ApiUnavailableError):
        process.refresh(process.request(first))
    assert limits.REFRESH_STORE_WAIT_S <= world.time() - began < limits.REFRESH_STORE_WAIT_S + 1
    before, tokens = world.time(), process.request(second)
    with pytest.raises(ApiUnavailableError) as caught:
        process.refresh(tokens)
    assert world.time() == before
    assert (caught.value.retry_after, tokens.status) == (1, TokenStatus.KEPT)
    assert process.counts() == {RefreshOutcome.STORE_DOWN: 2}
    assert not world.backend.submitted


@pytest.mark.parametrize("first_s", [FAILOVER_S, 60], ids=["its end was seen", "nobody saw its end"])
def test_the_next_outage_is_waited_for_again(world: RefreshWorld, process, first_s: float):
    fail_for(process, first_s, ALL)
    with contextlib.suppress(ApiUnavailableError):
        process.refresh(process.request(world.backend.sign_in("first")))
    world.time.advance(0 if first_s == FAILOVER_S else 3600)
    fail_for(process, FAILOVER_S, ALL)
    assert process.refresh(process.request(world.backend.sign_in("second"))) is RefreshOutcome.REFRESHED
