"""One token's way to a newer pair, where the backend or the store is unlike the usual."""

from __future__ import annotations

import pytest

from portal.api.metrics import RefreshOutcome
from portal.api.refresh.token_endpoint import NoResponse, TokensIssued
from portal.api.tokens import TokenPair
from portal.config import limits
from portal.errors import ApiUnavailableError, SignInEndedError, StoreUnavailableError
from portal.process.single_flight import SingleFlight
from tests.support.refresh_world import RefreshWorld, jwt


def fail_once(process, method: str) -> None:
    """Let the next call of this method of the records fail."""
    records = process.refresher._records
    works = getattr(records, method)

    def fails(*_, **__):
        setattr(records, method, works)
        raise StoreUnavailableError("store 'refresh': for a moment")

    setattr(records, method, fails)


# --- backends ---


@pytest.fixture
def constant(world: RefreshWorld):
    """A backend that answers with the refresh token that it was given."""

    def submit(*, refresh, deadline, request_id):
        world.backend.submitted[refresh] += 1
        access = jwt(n=world.backend.submitted[refresh], exp=world.time() + 300)
        return TokensIssued(pair=TokenPair(access=access, refresh=refresh))

    world.backend.submit = submit
    return world


def test_an_access_token_that_is_refused_before_its_time_is_not_from_record_again(constant: RefreshWorld):
    process, other = constant.process(), constant.process()
    tokens = process.request(TokenPair(refresh="constant"))
    process.refresh(tokens)
    refused = tokens.current.access
    again = other.request(tokens.current)
    assert other.refresh(again, rejected_access=refused) is RefreshOutcome.REFRESHED
    assert again.current.access != refused
    # And who comes later with the refused one gets what replaced it.
    late = process.request(tokens.current)
    assert process.refresh(late, rejected_access=refused) is RefreshOutcome.FROM_RECORD
    assert late.current == again.current
    assert constant.backend.submitted == {"constant": 2}


def test_nor_when_another_request_of_the_process_does_not_know_that_it_is_refused(constant: RefreshWorld, monkeypatch):
    process = constant.process()
    tokens = process.request(TokenPair(refresh="constant"))
    process.refresh(tokens)
    refused = tokens.current.access
    join, joined = SingleFlight.join, []

    def join_one_that_knows_nothing(self, key):
        joined.append(key)
        shared_call, leads = join(self, key)
        if len(joined) > 1:
            return shared_call, leads
        self.run(shared_call, lambda: renewed)
        return shared_call, False

    renewed = process.refresher.refresh(process.request(TokenPair(refresh="constant")), deadline=_soon())
    monkeypatch.setattr(SingleFlight, "join", join_one_that_knows_nothing)
    again = process.request(tokens.current)
    assert process.refresh(again, rejected_access=refused) is RefreshOutcome.REFRESHED
    assert again.current.access != refused


def test_a_backend_that_gives_a_token_again_sends_no_flight_round_in_circles(world: RefreshWorld):
    after = {"one": "two", "two": "one"}

    def submit(*, refresh, deadline, request_id):
        world.backend.submitted[refresh] += 1
        access = jwt(n=world.backend.submitted.total(), exp=world.time() + 30)
        return TokensIssued(pair=TokenPair(access=access, refresh=after[refresh]))

    world.backend.submit = submit
    process = world.process()
    tokens = process.request(TokenPair(refresh="one"))
    for _ in range(3):
        process.refresh(tokens)
        world.time.advance(31)
        tokens = process.request(tokens.current)
    process.settle()
    assert world.backend.submitted == {"one": 2, "two": 1}
    # The one in use is the newest again, and not one that was replaced.
    assert process.refresh(process.request(TokenPair(refresh="two"))) is RefreshOutcome.REFRESHED


# --- clients ---


def test_a_client_that_keeps_no_cookies_costs_no_more_with_each_rotation(world: RefreshWorld):
    first = world.backend.sign_in()
    process = world.process()
    do, operations = process.store._do, []
    process.store._do = lambda operation: operations.append(operation) or do(operation)
    costs, sizes = [], []
    for _ in range(40):
        operations.clear()
        assert process.refresh(process.request(first)) is RefreshOutcome.REFRESHED
        process.settle()
        costs.append(len(operations))
        sizes.append(sum(len(str(value)) for value in _values(process)))
        world.expire()
    assert max(costs[10:]) <= max(costs[:10])
    # As many names as are kept, and the next one.
    settled = limits.REFRESH_UNCONFIRMED_KEPT + 1
    assert max(sizes[settled:]) <= 1.05 * sizes[settled]


def test_later_refreshes_do_not_prolong_an_old_tokens_last_minute(world: RefreshWorld):
    first = world.backend.sign_in()
    process = world.process()
    tokens = process.request(first)
    process.refresh(tokens)
    world.expire()
    world.backend.access_lifetime_s = 1
    for _ in range(5):
        tokens = process.request(TokenPair(refresh=tokens.current.refresh))
        assert process.refresh(tokens) is RefreshOutcome.REFRESHED
        world.time.advance(1)
    assert process.refresh(process.request(first)) is RefreshOutcome.REFRESHED
    world.time.advance(limits.ROTATION_GRACE_S + 1)
    with pytest.raises(SignInEndedError):
        process.refresh(process.request(first))


def test_a_long_way_is_confirmed_to_its_beginning(world: RefreshWorld):
    first = world.backend.sign_in()
    process = world.process()
    for _ in range(7):
        tokens = process.request(first)
        process.refresh(tokens)
        world.expire()
    process.refresh(process.request(tokens.current))
    world.time.advance(limits.ROTATION_GRACE_S + 1)
    submitted = world.backend.submitted.copy()
    with pytest.raises(SignInEndedError):
        process.refresh(process.request(first))
    assert world.backend.submitted == submitted
    assert world.backend.is_signed_in()


# --- a store that fails for a moment ---


@pytest.mark.parametrize("method", ["mark_started", "get"])
def test_before_the_call_it_costs_nobody_the_lifetime_of_a_lock(world: RefreshWorld, method: str):
    pair = world.backend.sign_in()
    process = world.process()
    records = process.refresher._records
    lock = records.acquire_lock

    def lock_and_fail(secret, *, owner):
        won = lock(secret, owner=owner)
        records.acquire_lock = lock
        fail_once(process, method)
        return won

    records.acquire_lock = lock_and_fail
    before = world.time()
    assert process.refresh(process.request(pair)) is RefreshOutcome.REFRESHED
    assert world.time() - before < 1
    assert world.backend.submitted == {pair.refresh: 1}


def test_an_outcome_that_could_not_be_saved_does_not_send_the_token_out_again_at_once(world: RefreshWorld):
    pair = world.backend.sign_in()
    process, other = world.process(), world.process()
    world.backend.answers = [NoResponse(reason="status 503", lost=False)]
    fail_once(process, "set_outcome")
    with pytest.raises(ApiUnavailableError):
        process.refresh(process.request(pair))
    process.settle()
    with pytest.raises(ApiUnavailableError):
        other.refresh(other.request(pair))
    assert world.backend.submitted == {pair.refresh: 1}
    world.time.advance(limits.REFRESH_LOCK_S)
    assert other.refresh(other.request(pair)) is RefreshOutcome.REFRESHED


# --- a process without threads ---


def test_a_process_that_gets_no_thread_says_later_and_recovers(world: RefreshWorld, monkeypatch):
    pair = world.backend.sign_in()
    process = world.process()
    with monkeypatch.context() as patched:
        patched.setattr("threading.Thread.start", _no_thread)
        with pytest.raises(ApiUnavailableError):
            process.refresh(process.request(pair))
    assert process.refresh(process.request(pair)) is RefreshOutcome.REFRESHED


def _no_thread(self) -> None:
    raise RuntimeError("can't start new thread")


def _soon():
    from portal.process.deadline import Deadline

    return Deadline(30)


def _values(process) -> list[object]:
    rows, _ = process.store.backend().database.run("SELECT value FROM entries")
    return [value for (value,) in rows]
