"""The refresh beyond its invariants: backends that do not rotate, sign-out, a process without threads, what is told."""

import contextlib
import logging
import threading

import pytest

from portal.api.metrics import RefreshOutcome
from portal.api.refresh.token_endpoint import InvalidGrant, NoResponse, TokensIssued
from portal.api.tokens import TokenPair, TokenStatus, TokenStore
from portal.config.limits import ROTATION_GRACE_S
from portal.errors import ApiUnavailableError, SignInEndedError, StoreUnavailableError
from portal.process.deadline import Deadline
from portal.process.single_flight import SingleFlight
from tests.support.refresh_world import LOST, MAX_AGE_S, UNANSWERED, RefreshWorld, jwt


@pytest.mark.parametrize(
    ("end_s", "kept_s"), [(1000, 1000), (None, MAX_AGE_S), (-5, ROTATION_GRACE_S)], ids=["its own", "default", "over"]
)
def test_an_old_token_is_answered_for_until_the_new_one_s_end_and_at_least_a_minute(
    world: RefreshWorld, pair, process, end_s: int | None, kept_s: int
):
    refresh = "opaque" if end_s is None else jwt(exp=world.time() + end_s)
    world.backend.answers = [TokensIssued(pair=TokenPair(access=jwt(exp=2**40), refresh=refresh))]
    records = process.refresher._records
    process.refresh(process.request(pair))
    process.settle()
    world.time.advance(kept_s - 1)
    assert process.refresh(process.request(pair)) is RefreshOutcome.FROM_RECORD
    assert [records.newest(token).first.is_known for token in (pair.refresh, refresh)] == [True, True]
    world.time.advance(2)
    assert [records.newest(token).first.is_known for token in (pair.refresh, refresh)] == [False, False]


# --- backends that do not rotate ---


@pytest.fixture
def constant(world: RefreshWorld) -> RefreshWorld:
    """Its backend answers with the refresh token that it was given."""

    def submit(*, refresh, deadline, request_id):
        world.backend.submitted[refresh] += 1
        access = jwt(n=world.backend.submitted[refresh], exp=world.time() + 300)
        return TokensIssued(pair=TokenPair(access=access, refresh=refresh))

    world.backend.submit = submit
    return world


def test_a_refresh_token_that_stays_the_same_is_refreshed_once_for_each_access_token(
    constant: RefreshWorld, process, other
):
    held = TokenPair(refresh="constant")
    for generation in (1, 2, 3):
        tokens, late = process.refreshed(held), other.request(held)
        assert other.refresh(late) is RefreshOutcome.FROM_RECORD
        assert late.current == tokens.current == other.refresher.tokens_to_set(late)
        assert constant.backend.submitted == {"constant": generation}
        constant.expire()


def test_an_access_token_that_is_refused_before_its_time_is_not_from_record_again(
    constant: RefreshWorld, process, other
):
    tokens = process.refreshed(TokenPair(refresh="constant"))
    refused = tokens.current.access
    again = other.request(tokens.current)
    assert other.refresh(again, rejected_access=refused) is RefreshOutcome.REFRESHED
    # And who comes later with the refused one gets what replaced it.
    late = process.request(tokens.current)
    assert process.refresh(late, rejected_access=refused) is RefreshOutcome.FROM_RECORD
    assert late.current == again.current != tokens.current
    assert constant.backend.submitted == {"constant": 2}


def test_nor_when_another_request_of_the_process_does_not_know_that_it_is_refused(
    constant: RefreshWorld, process, monkeypatch
):
    tokens = process.refreshed(TokenPair(refresh="constant"))
    renewed = process.refresher.refresh(process.request(TokenPair(refresh="constant")), deadline=Deadline(30))
    join, joined = SingleFlight.join, []

    def join_one_that_knows_nothing(self, key):
        joined.append(key)
        shared_call, leads = join(self, key)
        if len(joined) > 1:
            return shared_call, leads
        with self.lead(shared_call):
            shared_call.set_result(renewed)
        return shared_call, False

    monkeypatch.setattr(SingleFlight, "join", join_one_that_knows_nothing)
    again = process.request(tokens.current)
    assert process.refresh(again, rejected_access=tokens.current.access) is RefreshOutcome.REFRESHED
    assert again.current.access != tokens.current.access


def test_a_new_token_that_is_refused_ends_nothing_once_it_has_a_successor(world: RefreshWorld, pair, process, other):
    request = process.refreshed(pair)
    other.refresh(other.request(request.current), rejected_access=request.current.access)
    process.refresher.handle_401_after_refresh(request)
    assert request.status is TokenStatus.REFRESHED
    assert other.refresher.tokens_to_set(request) != request.current


# --- sign-out ---


def test_a_sign_out_carries_no_access_token_that_has_expired_and_without_tokens_asks_nobody(
    world: RefreshWorld, pair, process
):
    bearers = []
    world.backend.revoke = lambda *, bearer, **_: bearers.append(bearer)
    process.refresher.sign_out(process.request(pair))
    world.expire()
    process.refresher.sign_out(process.request(pair))
    tokens = TokenStore(TokenPair(access="a"))
    process.refresher.sign_out(tokens)
    assert tokens.cleared
    assert bearers == [pair.access, None]


# --- what is cached under an access token ---


class TestHandOn:
    def test_precedes_the_record_and_is_proven_by_it(self, world: RefreshWorld, pair, process, other):
        """A first refresh can't know whose the request's access token is; a later one hands on that of its record."""
        handed_on = []

        def hand_on(old: str, new: str, *, is_proven: bool) -> None:
            handed_on.append((old, new, is_proven, other.refresher._records.newest(submitted).access))

        expected, known = [], None
        for _ in range(3):
            submitted = pair.refresh
            old = jwt(sub="somebody else") if known else pair.access
            tokens = process.request(TokenPair(access=old, refresh=submitted))
            tokens.hand_on = hand_on
            process.refresh(tokens)
            process.settle()
            expected.append((known or old, tokens.current.access, known is not None, known))
            pair, known = tokens.current, tokens.current.access
            world.expire()
        assert handed_on == expected

    @pytest.mark.parametrize("error", [StoreUnavailableError, ValueError])
    def test_that_fails_fails_no_refresh(self, pair, process, other, caplog, error: type[Exception]):
        def fail(old: str, new: str, *, is_proven: bool) -> None:
            raise error("no")

        tokens = process.request(pair)
        tokens.hand_on = fail
        assert process.refresh(tokens) is RefreshOutcome.REFRESHED
        process.settle()
        assert other.refreshed(pair).current == tokens.current
        assert "is not handed on to a new token: no" in caplog.text

    def test_needs_an_old_access_token(self, pair, process):
        tokens, handed_on = process.request(TokenPair(refresh=pair.refresh)), []
        tokens.hand_on = lambda *_, **__: handed_on.append("nothing")
        assert process.refresh(tokens) is RefreshOutcome.REFRESHED
        assert not handed_on


# --- the need for it, and a process without threads ---


@pytest.mark.parametrize(
    ("access", "asks"),
    [
        (None, True),
        (jwt(exp=1_800_000_000), True),
        *((token, False) for token in (jwt(exp=1_800_000_001), jwt(), "opaque", jwt(exp="soon"))),
    ],
    ids=["none", "expired now", "fresh", "no exp", "opaque", "odd exp"],
)
def test_a_token_is_refreshed_before_use_only_when_it_says_itself_that_it_is_over(
    world: RefreshWorld, pair, process, access, asks
):
    process.refresher.ensure_fresh(TokenStore(TokenPair(access=access, refresh=pair.refresh)), deadline=Deadline(10))
    assert bool(world.backend.submitted) is asks


def test_a_process_that_gets_no_thread_says_later_and_recovers(world: RefreshWorld, pair, process, monkeypatch):
    def no_thread(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patched:
        patched.setattr("threading.Thread.start", no_thread)
        process.fails(pair, ApiUnavailableError)
    assert process.refresh(process.request(pair)) is RefreshOutcome.REFRESHED


# --- what operators see ---

REFUSED = InvalidGrant(reason="status 401")
FINAL = NoResponse(reason="once", lost=True)


@pytest.mark.parametrize(
    ("answer", "outcome", "level", "line", "audited"),
    [
        (None, RefreshOutcome.REFRESHED, "INFO", "refreshed", ()),
        (
            REFUSED,
            RefreshOutcome.REJECTED,
            "WARNING",
            "refused: status 401",
            ("failure", "token-refused", "status 401"),
        ),
        (UNANSWERED, RefreshOutcome.UNREACHABLE, "WARNING", "no usable answer", ()),
        (LOST, RefreshOutcome.UNREACHABLE, "WARNING", "to be submitted again", ()),
        (FINAL, RefreshOutcome.LOST, "ERROR", "not to be submitted again: once", ("unavailable", "answer-lost", None)),
    ],
)
def test_each_answer_is_counted_and_has_one_line_and_one_for_the_audit_if_it_ends_the_sign_in(
    world: RefreshWorld, *, pair, process, other, caplog, answer, outcome, level, line, audited
):
    world.backend.repeatable_s = 0 if answer is FINAL else 120
    caplog.set_level(logging.DEBUG)
    world.backend.answers = [answer] if answer else []
    with contextlib.suppress(ApiUnavailableError, SignInEndedError):
        process.refresh(process.request(pair))
    process.settle()
    if answer is REFUSED:  # whoever asks later learns it silently
        other.fails(pair)
    assert process.counts() == {outcome: 1}
    ended = [record.audit for record in caplog.records if record.name == "portal.audit"]
    assert [(each["outcome"], each["reason"], each.get("detail")) for each in ended] == [audited] * bool(audited)
    lines = [record for record in caplog.records if record.name != "portal.audit"]
    assert [(record.levelname, line in record.message) for record in lines] == [(level, True)]
