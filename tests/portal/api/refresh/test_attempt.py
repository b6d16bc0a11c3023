"""One token's way to a newer pair, where the backend or the store is unlike the usual."""

from __future__ import annotations

import threading

import pytest

from portal.api.metrics import RefreshOutcome
from portal.api.refresh.token_endpoint import NoResponse, TokensIssued
from portal.api.tokens import TokenPair
from portal.config import limits
from portal.errors import ApiUnavailableError, StoreUnavailableError
from portal.process.deadline import Deadline
from portal.process.single_flight import SingleFlight
from tests.support.refresh_world import RefreshWorld, jwt

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
    tokens = process.refreshed(TokenPair(refresh="constant"))
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
    tokens = process.refreshed(TokenPair(refresh="constant"))
    refused = tokens.current.access
    join, joined = SingleFlight.join, []

    def join_one_that_knows_nothing(self, key):
        joined.append(key)
        shared_call, leads = join(self, key)
        if len(joined) > 1:
            return shared_call, leads
        self.run(shared_call, lambda: renewed)
        return shared_call, False

    renewed = process.refresher.refresh(process.request(TokenPair(refresh="constant")), deadline=Deadline(30))
    monkeypatch.setattr(SingleFlight, "join", join_one_that_knows_nothing)
    again = process.request(tokens.current)
    assert process.refresh(again, rejected_access=refused) is RefreshOutcome.REFRESHED
    assert again.current.access != refused


# --- a store that fails for a moment ---


def test_an_outcome_that_could_not_be_saved_does_not_send_the_token_out_again_at_once(
    world: RefreshWorld, pair, process, other
):
    world.backend.answers = [NoResponse(reason="status 503", lost=False)]
    records = process.refresher._records
    works = records.set_outcome

    def fails_once(*_: object, **__: object) -> None:
        records.set_outcome = works
        raise StoreUnavailableError("store 'refresh': for a moment")

    records.set_outcome = fails_once
    with pytest.raises(ApiUnavailableError):
        process.refresh(process.request(pair))
    process.settle()
    with pytest.raises(ApiUnavailableError):
        other.refresh(other.request(pair))
    assert world.backend.submitted == {pair.refresh: 1}
    world.time.advance(limits.REFRESH_LOCK_S)
    assert other.refresh(other.request(pair)) is RefreshOutcome.REFRESHED


# --- a process without threads ---


def test_a_process_that_gets_no_thread_says_later_and_recovers(world: RefreshWorld, pair, process, monkeypatch):
    def no_thread(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patched:
        patched.setattr("threading.Thread.start", no_thread)
        with pytest.raises(ApiUnavailableError):
            process.refresh(process.request(pair))
    assert process.refresh(process.request(pair)) is RefreshOutcome.REFRESHED
