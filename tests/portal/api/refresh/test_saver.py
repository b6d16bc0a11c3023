"""How long a refresh waits for a store that fails: for a failover, and not for an outage."""

from __future__ import annotations

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
def test_a_refresh_waits_for_a_failover(world: RefreshWorld, operations: set[str]):
    pair = world.backend.sign_in()
    process = world.process()
    failed = fail_for(process, FAILOVER_S, operations)
    tokens = process.request(pair)
    assert process.refresh(tokens) is RefreshOutcome.REFRESHED
    assert failed
    assert world.backend.submitted == {pair.refresh: 1}
    assert process.refresher.tokens_to_set(tokens) == tokens.current


@pytest.mark.parametrize("after", ["acquire_lock", "mark_started"])
def test_a_store_that_goes_away_in_the_middle_is_waited_for_too(world: RefreshWorld, after: str):
    """Its answer is lost: the lock, or the note of the submission, may have been written."""
    pair = world.backend.sign_in()
    process = world.process()
    records = process.refresher._records
    works = getattr(records, after)

    def written_and_never_answered(*args, **options):
        setattr(records, after, works)
        works(*args, **options)
        fail_for(process, FAILOVER_S, ALL)
        raise StoreUnavailableError("store 'refresh': the connection broke")

    setattr(records, after, written_and_never_answered)
    assert process.refresh(process.request(pair)) is RefreshOutcome.REFRESHED
    assert world.backend.submitted == {pair.refresh: 1}


@pytest.mark.parametrize("operations", [ALL, WRITES], ids=["all", "writes"])
def test_no_refresh_waits_once_the_outage_has_lasted_longer(world: RefreshWorld, operations: set[str]):
    """A request that waits holds a thread, which the pages with a fresh token need."""
    first, second = world.backend.sign_in("first"), world.backend.sign_in("second")
    process = world.process()
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


def test_the_next_outage_is_waited_for_again(world: RefreshWorld):
    process = world.process()
    for user in ("first", "second"):
        fail_for(process, FAILOVER_S, ALL)
        assert process.refresh(process.request(world.backend.sign_in(user))) is RefreshOutcome.REFRESHED


def test_and_so_is_one_after_an_outage_whose_end_nobody_saw(world: RefreshWorld):
    process = world.process()
    fail_for(process, 60, ALL)
    with pytest.raises(ApiUnavailableError):
        process.refresh(process.request(world.backend.sign_in("first")))
    world.time.advance(3600)
    fail_for(process, FAILOVER_S, ALL)
    assert process.refresh(process.request(world.backend.sign_in("second"))) is RefreshOutcome.REFRESHED
