"""The lock, the call, the secrets (token-refresh, I9 to I14). Interleavings are scripted, nothing is slept."""

import contextlib
import dataclasses
import json
import logging
import re
import threading
import traceback
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
from msgspec.structs import replace

from portal.api.metrics import RefreshOutcome
from portal.api.refresh.token_endpoint import InvalidGrant
from portal.api.refresh.token_record import State
from portal.api.tokens import TokenPair, TokenStatus, TokenStore
from portal.config.limits import REFRESH_DEADLINE_S, REFRESH_LOCK_S
from portal.errors import ApiClientError, ApiUnauthorizedError, ApiUnavailableError, SignInEndedError
from portal.process.deadline import Deadline
from tests.portal.api.sessions import BASE, FRESH, NEW, PAIR, bearers
from tests.support.refresh_world import LOST, UNANSWERED, RefreshProcess, RefreshWorld, jwt


def begin(process: RefreshProcess, refresh: str) -> bool:
    """Take the right to submit this token, as a process that dies in the middle of it."""
    newest = process.refresher._records.newest(refresh)
    now = process.world.time()
    started = replace(newest.record, state=State.STARTED, at=now, owner="the test", first_at=now, tries=1)
    return process.refresher._records.begin(newest.refresh, newest.record, started, lifetime_s=60, latest=Deadline(60))


def test_9_late_submission_is_taken_back(world: RefreshWorld, pair, process):
    records = process.refresher._records
    take, begun_at, submitted_after = records.replace, [], []

    def slow_store(*args, **options) -> bool:
        begun_at.append(world.time())
        won = take(*args, **options)
        # The first answer of the store takes four seconds.
        world.time.advance(4 if len(begun_at) == 1 else 0)
        return won

    records.replace = slow_store
    world.backend.during = lambda _: submitted_after.append(world.time() - begun_at[-1])
    assert process.refresh(process.request(pair)) is RefreshOutcome.REFRESHED
    assert world.backend.submitted == {pair.refresh: 1}
    # Others wait for longer than the call, and the time to hand over what comes of it.
    assert submitted_after[0] + REFRESH_DEADLINE_S + 2 <= REFRESH_LOCK_S


def test_9_late_failure_takes_nothing_back(world: RefreshWorld, pair, process, other):
    def suspended_for_longer_than_others_wait(refresh: str) -> None:
        world.time.advance(REFRESH_LOCK_S + 1)
        assert begin(other, refresh)

    world.backend.during, world.backend.answers = suspended_for_longer_than_others_wait, [UNANSWERED]
    with contextlib.suppress(ApiUnavailableError):
        process.refresh(process.request(pair))
    process.settle()
    assert process.refresher._records.newest(pair.refresh).record.owner == "the test"


def test_9_set_clock_takes_nobody_for_dead(world: RefreshWorld, pair, process, other):
    """It stands an hour ahead; the monotonic clock of this machine does not."""

    def set_ahead(_: str) -> None:
        clock = other.refresher._clock
        other.refresher._clock = dataclasses.replace(clock, now=lambda: world.time() + 3600)
        assert other.fails(pair, ApiUnavailableError).status is TokenStatus.KEPT
        other.refresher._clock = clock

    world.backend.during = set_ahead
    tokens = process.refreshed(pair)
    assert other.refreshed(pair).current == tokens.current
    assert world.backend.submitted == {pair.refresh: 1}


@pytest.mark.parametrize("state", [State.STARTED, State.LATER])
def test_9_tokens_of_a_suspended_process_count(world: RefreshWorld, *, pair, process, other, state: State):
    """Others may be submitting the token once more, or have given it up."""

    def suspended_for_longer_than_others_wait(refresh: str) -> None:
        world.time.advance(REFRESH_LOCK_S + 1)
        records = other.refresher._records
        record = records.newest(refresh).record
        assert records.replace(refresh, record, replace(record, state=state, owner="the test"), lifetime_s=60)

    world.backend.during = suspended_for_longer_than_others_wait
    tokens = process.refreshed(pair)
    assert other.refreshed(pair).current == tokens.current


def test_10_a_request_that_gives_up_does_not_end_the_call(world: RefreshWorld, pair, process, other):
    may_answer = threading.Event()
    world.backend.during = lambda _: may_answer.wait(30)
    with pytest.raises(ApiUnavailableError):
        process.refresh(process.request(pair), budget_s=0)
    may_answer.set()
    process.settle()
    assert process.counts() == {RefreshOutcome.BUSY: 1, RefreshOutcome.REFRESHED: 1}
    assert other.refresh(other.request(pair)) is RefreshOutcome.FROM_RECORD
    assert world.backend.submitted == {pair.refresh: 1}


def test_11_no_token_in_logs_counters_exceptions_keys_or_plain_text(
    world: RefreshWorld, process, other, caplog, embedded_store
):
    caplog.set_level(logging.DEBUG)
    issued: list[TokenPair] = []
    told: list[str] = []
    for number, planned in enumerate(([], [UNANSWERED], [LOST], [InvalidGrant(reason="status 401")])):
        pair = world.backend.sign_in(f"user{number}")
        issued.append(pair)
        world.backend.answers = planned
        for asked in (process, other):
            tokens = asked.request(pair)
            try:
                asked.refresh(tokens)
            except (ApiUnavailableError, SignInEndedError) as error:
                told += [repr(error), *traceback.format_exception(error), repr(error.__dict__)]
            issued.append(tokens.current)
            told += [repr(tokens.current), str(tokens.current), repr(tokens)]
    process.refresher.sign_out(process.request(issued[0]))
    told.append(json.dumps({outcome.value: n for outcome, n in process.counts().items()}))
    secrets = {token for pair in issued for token in (pair.access, pair.refresh) if token}
    assert len(secrets) > 8
    kept = b"".join(file.read_bytes() for file in embedded_store.parent.iterdir() if file.is_file())
    assert kept.count(b":record") > 0
    for secret in secrets:
        assert secret not in caplog.text + "".join(told)
        assert secret.encode() not in kept


# --- 12, 13, 14: on a call ---


@pytest.mark.parametrize("access", [FRESH, jwt(exp=1)], ids=["fresh", "expired"])
def test_12_at_most_one_refresh_and_one_retry_for_each_request(api, backend, access: str):
    backend.get(f"{BASE}/me", status=401)
    backend.post(f"{BASE}/refresh", json=NEW)
    api._sleep = lambda seconds: None
    tokens = TokenStore(TokenPair(access=access, refresh="first"))
    with pytest.raises(ApiUnauthorizedError):
        api.call(tokens=tokens, method="GET", path="/me")
    asked = ["/me", "/refresh", "/me"] if access == FRESH else ["/refresh", "/me", "/me"]
    assert [call.request.url.removeprefix(BASE) for call in backend.calls] == asked
    assert tokens.ended
    # The others who hold the old pair learn it without another refresh.
    with pytest.raises(SignInEndedError):
        api.call(tokens=TokenStore(TokenPair(access=access, refresh="first")), method="GET", path="/me")
    assert sum(call.request.method == "POST" for call in backend.calls) == 1


@pytest.mark.parametrize(("me", "error"), [(200, ApiClientError), (503, ApiClientError), (401, None)])
def test_12_calls_side_by_side_ask_me_once(api, backend, caplog, me: int, error: type[Exception] | None):
    """A second 401 is a call's own error, unless `/me` answers 401 too."""
    backend.get(f"{BASE}/me", status=me, json={})
    backend.get(re.compile(f"{BASE}/list/"), status=401)
    backend.post(f"{BASE}/refresh", json=NEW)
    api._sleep = lambda seconds: None
    tokens = TokenStore(PAIR)

    def read(number: int) -> None:
        with pytest.raises(error or (ApiUnauthorizedError, SignInEndedError)):
            api.call(tokens=tokens, method="GET", path=f"/list/{number}")

    with ThreadPoolExecutor() as pool:
        list(pool.map(read, range(4)))
    asked = Counter(call.request.url.removeprefix(BASE) for call in backend.calls)
    assert (asked["/me"], asked["/refresh"], tokens.ended) == (1, 1, error is None)
    assert ("call refused: GET /list/" in caplog.text) is not tokens.ended


@pytest.mark.parametrize("status", [400, 401, 403, 422])
def test_13_a_refresh_that_fails_ends_the_sign_in_and_triggers_no_refresh(api, backend, status: int):
    backend.get(f"{BASE}/me", status=401)
    backend.post(f"{BASE}/refresh", status=status)
    tokens = TokenStore(PAIR)
    # Whatever this page asks for afterwards is not sent any more.
    for _ in range(2):
        with pytest.raises(SignInEndedError):
            api.call(tokens=tokens, method="GET", path="/me")
    assert tokens.ended
    assert tokens.current == TokenPair()
    assert bearers(backend) == [f"Bearer {FRESH}", None]


def test_14_no_store_operation_while_the_token_is_fresh(api, backend):
    operations = []
    api.refresher._records._store._do = operations.append
    backend.get(f"{BASE}/me", json={"id": "1"})
    tokens = TokenStore(TokenPair(access=jwt(exp=2**40), refresh="first"))
    for _ in range(2):
        api.call(tokens=tokens, method="GET", path="/me")
        api.refresher.ensure_fresh(tokens, deadline=Deadline(1))
    assert operations == []
    assert tokens.status is TokenStatus.KEPT
