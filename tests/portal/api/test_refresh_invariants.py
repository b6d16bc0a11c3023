"""The fourteen invariants of the refresh, each by name; interleavings are scripted, nothing is slept."""

from __future__ import annotations

import json
import logging
import threading
import traceback
from concurrent.futures import ThreadPoolExecutor

import pytest
import responses

from portal.api.counters import Outcome
from portal.api.deadline import Deadline
from portal.api.exchange import DocumentExchange, Refused, Unanswered
from portal.api.handover import record_name, seal
from portal.api.ledger import Ledger
from portal.api.refresher import TokenRefresher
from portal.api.session import ApiSession
from portal.api.tokens import Fate, TokenPair, TokenStore
from portal.api.transport import Transport
from portal.config import limits
from portal.errors import ApiRejectedError, ApiUnavailableError, SignInEndedError, StoreUnavailableError
from tests.portal.api.world import MAX_AGE_S, World, jwt

BASE = "http://backend.test"
UNANSWERED = Unanswered(reason="status 503", lost=False)
LOST = Unanswered(reason="timeout", lost=True)


def make_session(store) -> ApiSession:
    transport = Transport(base_url=BASE, connect_timeout_s=1, read_timeout_s=1)
    exchange = DocumentExchange(transport)
    return ApiSession(
        transport=transport, refresher=TokenRefresher(exchange=exchange, store=store, max_age_s=MAX_AGE_S)
    )


# --- 1 ---


def test_1_at_most_one_post_for_each_refresh_token(world: World):
    pair = world.backend.sign_in()
    processes = [world.process(real_waits=True) for _ in range(3)]
    barrier = threading.Barrier(24)

    def ask(number: int) -> TokenPair:
        tokens = TokenStore(pair)
        barrier.wait()
        processes[number % 3].refresh(tokens)
        return tokens.current

    with ThreadPoolExecutor(24) as pool:
        pairs = set(pool.map(ask, range(24)))
    assert world.backend.presented == {pair.refresh: 1}
    assert len(pairs) == 1
    assert world.backend.is_signed_in()


def test_1_also_after_the_answer_was_lost(world: World):
    pair = world.backend.sign_in()
    world.backend.answers = [LOST]
    process, other = world.process(), world.process()
    for wait in (0, 2, 20, 3600, 20 * 24 * 3600):
        world.time.advance(wait)
        for asked in (process, other):
            with pytest.raises(ApiUnavailableError):
                asked.refresh(asked.request(pair))
    assert world.backend.presented == {pair.refresh: 1}


def test_1_but_after_a_503_the_token_is_presented_again_not_before_a_second(world: World):
    pair = world.backend.sign_in()
    world.backend.answers = [UNANSWERED]
    process, other = world.process(), world.process()
    with pytest.raises(ApiUnavailableError):
        process.refresh(process.request(pair))
    world.time.advance(0.9)
    with pytest.raises(ApiUnavailableError):
        other.refresh(other.request(pair))
    assert world.backend.presented[pair.refresh] == 1
    world.time.advance(0.2)
    assert other.refresh(other.request(pair)) is Outcome.REFRESHED
    assert world.backend.is_signed_in()


# --- 2 ---


def test_2_no_post_for_a_token_that_has_a_successor(world: World):
    first = world.backend.sign_in()
    process, other = world.process(), world.process()
    tokens = process.request(first)
    for _ in range(3):
        process.refresh(tokens)
        world.expire()
    newest = tokens.current
    process.refresh(tokens)
    posts = world.backend.presented.copy()
    late = other.request(first)
    assert other.refresh(late) is Outcome.HANDED_OVER
    assert late.current == tokens.current != newest
    assert world.backend.presented == posts
    assert max(posts.values()) == 1


def test_2_a_successor_found_inside_the_lock_counts(world: World):
    """Another process finishes between this one's look and its lock."""
    pair = world.backend.sign_in()
    process, other = world.process(), world.process()
    ledger = process.refresher._ledger
    lock = ledger.lock

    def lock_after_the_other_has_finished(refresh: str) -> bool:
        ledger.lock = lock
        other.refresh(other.request(pair))
        other.settle()
        return lock(refresh)

    ledger.lock = lock_after_the_other_has_finished
    tokens = process.request(pair)
    process.refresh(tokens)
    assert world.backend.presented == {pair.refresh: 1}
    assert world.backend.is_signed_in()


@pytest.mark.parametrize("slept_s", [0, 3 * 24 * 3600])
def test_2_a_token_replaced_long_ago_is_not_presented_again(world: World, slept_s: int):
    first = world.backend.sign_in()
    process = world.process()
    tokens = process.request(first)
    process.refresh(tokens)
    world.expire()
    world.time.advance(slept_s)
    process.refresh(process.request(tokens.current))
    world.time.advance(limits.HANDOVER_AFTER_USE_S + 1)
    with pytest.raises(SignInEndedError):
        process.refresh(process.request(first))
    assert process.counts()[Outcome.REPLAY_SEEN] == 1
    assert world.backend.presented[first.refresh] == 1
    assert world.backend.is_signed_in()


# --- 3 ---


def test_3_nobody_is_signed_out_because_someone_else_won(world: World):
    pair = world.backend.sign_in()
    winner, loser = world.process(), world.process()
    tokens = loser.request(pair)
    outcomes = []

    def the_loser_asks_meanwhile(_: str) -> None:
        try:
            loser.refresh(tokens)
        except ApiUnavailableError as error:
            outcomes.append(error.retry_after)

    world.backend.during = the_loser_asks_meanwhile
    winning = winner.request(pair)
    assert winner.refresh(winning) is Outcome.REFRESHED
    assert outcomes == [1.0]
    assert (tokens.fate, tokens.current) == (Fate.KEPT, pair)
    assert loser.refresh(tokens) is Outcome.HANDED_OVER
    assert tokens.current == winning.current


def test_3_the_loser_that_waits_receives_the_winners_tokens(world: World):
    pair = world.backend.sign_in()
    winner, loser = world.process(), world.process()
    may_answer, finished = threading.Event(), threading.Event()
    world.backend.during = lambda _: may_answer.wait(30)

    def the_winner_finishes() -> None:
        may_answer.set()
        finished.wait(30)

    loser.while_waiting = the_winner_finishes
    winning, losing = winner.request(pair), loser.request(pair)
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(winner.refresh, winning)
        while not world.backend.presented:
            pass
        second = pool.submit(loser.refresh, losing)
        first.result(30)
        finished.set()
        assert second.result(30) is Outcome.JOINED
    assert losing.current == winning.current
    assert world.backend.presented == {pair.refresh: 1}


# --- 4 ---


@pytest.mark.parametrize("answer", [UNANSWERED, LOST], ids=["unanswered", "lost"])
def test_4_silence_clears_no_cookies(world: World, answer):
    pair = world.backend.sign_in()
    world.backend.answers = [answer]
    process = world.process()
    tokens = process.request(pair)
    with pytest.raises(ApiUnavailableError):
        process.refresh(tokens)
    assert (tokens.fate, tokens.current) == (Fate.KEPT, pair)


def test_4_a_store_that_can_not_be_reached_clears_no_cookies_and_asks_nobody(world: World):
    pair = world.backend.sign_in()
    process = world.process()
    process.store.get = process.store.get_many = _unavailable
    tokens = process.request(pair)
    with pytest.raises(ApiUnavailableError) as caught:
        process.refresh(tokens)
    assert caught.value.retry_after == 1
    assert tokens.fate is Fate.KEPT
    assert not world.backend.presented
    assert process.counts() == {Outcome.STORE_DOWN: 1}


def test_4_cookies_are_cleared_when_the_backend_failed_the_head(world: World):
    first = world.backend.sign_in()
    process, other = world.process(), world.process()
    tokens = process.request(first)
    process.refresh(tokens)
    world.expire()
    world.backend.answers = [Refused(reason="status 401")]
    late = other.request(first)
    with pytest.raises(SignInEndedError):
        other.refresh(late)
    assert late.ended
    assert world.backend.presented == {first.refresh: 1, tokens.current.refresh: 1}
    # The verdict is remembered: nobody asks again for a while, and every holder learns it.
    with pytest.raises(SignInEndedError):
        process.refresh(process.request(tokens.current))
    assert max(world.backend.presented.values()) == 1


def test_4_the_verdict_failed_is_forgotten_after_30_s(world: World):
    pair = world.backend.sign_in()
    world.backend.answers = [Refused(reason="status 500")]
    process = world.process()
    with pytest.raises(SignInEndedError):
        process.refresh(process.request(pair))
    world.time.advance(limits.REFRESH_FAILED_MEMORY_S + 1)
    assert process.refresh(process.request(pair)) is Outcome.REFRESHED


# --- 5 ---


def test_5_all_responses_of_a_generation_carry_identical_tokens(world: World):
    pair = world.backend.sign_in()
    processes = [world.process() for _ in range(4)]
    for _ in range(3):
        given = set()
        for process in processes:
            tokens = process.request(pair)
            process.refresh(tokens)
            given.add(process.refresher.deliverable(tokens))
        assert len(given) == 1
        pair = given.pop()
        world.expire()


# --- 6 ---


def test_6_no_response_delivers_an_older_generation_than_the_known_head(world: World):
    first = world.backend.sign_in()
    slow, fast = world.process(), world.process()
    slow_tokens = slow.request(first)
    slow.refresh(slow_tokens)
    # Before the slow response is written, the browser has the next generation already.
    world.expire()
    fast_tokens = fast.request(slow_tokens.current)
    fast.refresh(fast_tokens)
    assert slow.refresher.deliverable(slow_tokens) == fast_tokens.current


def test_6_nothing_is_delivered_while_the_head_can_not_be_known(world: World):
    process = world.process()
    tokens = process.request(world.backend.sign_in())
    process.refresh(tokens)
    process.store.get_many = _unavailable
    assert process.refresher.deliverable(tokens) is None


# --- 7 ---


def test_7_a_sign_out_during_the_refresh_is_not_undone(world: World):
    pair = world.backend.sign_in()
    process, other = world.process(), world.process()
    world.backend.during = lambda _: other.refresher.sign_out(other.request(pair))
    world.backend.answers = []
    tokens = process.request(pair)
    # The backend does not know of the sign-out in time, and grants new tokens.
    world.backend.revoke = lambda *, refresh, bearer, deadline: world.backend.revoked.append(refresh)
    with pytest.raises(SignInEndedError):
        process.refresh(tokens)
    process.settle()
    assert tokens.ended
    assert process.refresher.deliverable(process.request(pair)) is None
    # The tokens that nobody may have were revoked as well.
    assert len(world.backend.revoked) == 2
    assert world.backend.revoked[0] == pair.refresh


def test_7_a_sign_out_between_refresh_and_response_is_not_undone(world: World):
    pair = world.backend.sign_in()
    process, other = world.process(), world.process()
    late = process.request(pair)
    process.refresh(late)
    signing_out = other.request(pair)
    other.refresher.sign_out(signing_out)
    assert signing_out.cleared
    assert process.refresher.deliverable(late) is None
    # The newest token was revoked, not the one that the browser happened to hold.
    assert world.backend.revoked == [late.current.refresh]


def test_7_a_sign_out_of_the_successor_reaches_the_holders_of_older_tokens(world: World):
    first = world.backend.sign_in()
    process = world.process()
    tokens, late = process.request(first), process.request(first)
    process.refresh(tokens)
    process.refresh(late)
    process.refresher.sign_out(process.request(tokens.current))
    assert process.refresher.deliverable(late) is None
    with pytest.raises(SignInEndedError):
        process.refresh(process.request(first))
    assert world.backend.presented == {first.refresh: 1}


def test_7_the_next_request_with_its_tokens_counts_as_signed_out(world: World):
    pair = world.backend.sign_in()
    process = world.process()
    process.refresher.sign_out(process.request(pair))
    world.time.advance(20 * 24 * 3600)
    tokens = process.request(pair)
    with pytest.raises(SignInEndedError):
        process.refresh(tokens)
    assert tokens.ended
    assert not world.backend.presented


@pytest.mark.parametrize("holder", ["newest", "older", "newest access alone", "older access alone"])
def test_7_a_valid_token_that_was_signed_out_is_refused_without_asking_the_backend(world: World, holder: str):
    process, other = world.process(), world.process()
    first = world.backend.sign_in()
    tokens = process.request(first)
    process.refresh(tokens)
    newest = tokens.current
    process.refresher.sign_out(process.request(first))
    pair = first if holder.startswith("older") else newest
    replayed = other.request(TokenPair(access=pair.access) if holder.endswith("alone") else pair)
    with pytest.raises(SignInEndedError):
        other.refresher.refuse_signed_out(replayed)
    assert replayed.ended
    assert world.backend.presented == {first.refresh: 1}


def test_7_a_token_that_is_over_by_our_clock_alone_leaves_a_tombstone_too(world: World):
    process = world.process()
    pair = TokenPair(access="a", refresh=jwt(exp=world.time() - 5))
    process.refresher.sign_out(process.request(pair))
    with pytest.raises(SignInEndedError):
        process.refresher.refuse_signed_out(process.request(pair))


def test_7_tokens_of_another_sign_in_are_not_refused(world: World):
    process = world.process()
    process.refresher.sign_out(process.request(world.backend.sign_in()))
    tokens = process.request(world.backend.sign_in())
    process.refresher.refuse_signed_out(tokens)
    assert not tokens.cleared


def test_7_with_the_store_down_nobody_is_refused(world: World):
    process = world.process()
    pair = world.backend.sign_in()
    process.refresher.sign_out(process.request(pair))
    process.store.get_many = _unavailable
    tokens = process.request(pair)
    process.refresher.refuse_signed_out(tokens)
    assert not tokens.cleared


# --- 8 ---


def test_8_tokens_of_one_user_never_reach_another(world: World):
    pairs = {name: world.backend.sign_in(name) for name in ("ada", "bob", "cyd")}
    processes = [world.process(real_waits=True), world.process(real_waits=True)]
    barrier = threading.Barrier(18)

    def ask(number: int) -> tuple[str, TokenPair]:
        name = list(pairs)[number % 3]
        tokens = TokenStore(pairs[name])
        barrier.wait()
        processes[number % 2].refresh(tokens)
        return name, tokens.current

    with ThreadPoolExecutor(18) as pool:
        for name, pair in pool.map(ask, range(18)):
            assert pair.refresh is not None
            assert f"refresh-{name}-" in pair.refresh
    assert set(world.backend.presented.values()) == {1}


def test_8_a_record_that_was_put_in_another_ones_place_does_not_open(world: World):
    ada, eve = world.backend.sign_in("ada"), world.backend.sign_in("eve")
    process = world.process()
    process.refresh(process.request(eve))
    stolen = process.store.get(f"{record_name(eve.refresh)}:next")
    process.store.set(f"{record_name(ada.refresh)}:next", stolen, lifetime_s=60)
    tokens = process.request(ada)
    with pytest.raises(ApiUnavailableError):
        process.refresh(tokens)
    assert tokens.fate is Fate.KEPT
    assert world.backend.presented[ada.refresh] == 0


# --- 9 ---


def test_9_the_lock_outlives_the_call(world: World):
    assert limits.REFRESH_LOCK_S > limits.REFRESH_DEADLINE_S
    pair = world.backend.sign_in()
    winner, other = world.process(), world.process()
    ledger = Ledger(other.store, lost_memory_s=MAX_AGE_S)
    free = []

    def the_call_takes_all_its_time(refresh: str) -> None:
        world.time.advance(limits.REFRESH_DEADLINE_S + 2)
        free.append(ledger.lock(refresh))

    world.backend.during = the_call_takes_all_its_time
    assert winner.refresh(winner.request(pair)) is Outcome.REFRESHED
    assert free == [False]


def test_9_a_lock_that_came_too_late_to_outlive_the_call_is_given_back(world: World):
    pair = world.backend.sign_in()
    process = world.process()
    ledger = process.refresher._ledger
    lock = ledger.lock

    locked_at, begun_after = [], []

    def slow_store(refresh: str) -> bool:
        locked_at.append(world.time())
        won = lock(refresh)
        # The first answer of the store takes four seconds.
        world.time.advance(4 if len(locked_at) == 1 else 0)
        return won

    ledger.lock = slow_store
    world.backend.during = lambda _: begun_after.append(world.time() - locked_at[-1])
    assert process.refresh(process.request(pair)) is Outcome.REFRESHED
    assert world.backend.presented == {pair.refresh: 1}
    # The lock that it holds outlives the call by enough to hand over what comes of it.
    assert begun_after[0] + limits.REFRESH_DEADLINE_S + 2 <= limits.REFRESH_LOCK_S


def test_9_a_holder_whose_lock_has_expired_does_not_take_away_the_next_ones(world: World):
    pair = world.backend.sign_in()
    process, other = world.process(), world.process()
    ledger = Ledger(other.store, lost_memory_s=MAX_AGE_S)

    def suspended_for_longer_than_the_lock(refresh: str) -> None:
        world.time.advance(limits.REFRESH_LOCK_S + 1)
        assert ledger.lock(refresh)

    world.backend.during = suspended_for_longer_than_the_lock
    process.refresh(process.request(pair))
    process.settle()
    assert not ledger.lock(pair.refresh)


# --- 10 ---


def test_10_a_process_that_died_leaves_no_lock_behind_for_longer_than_its_lifetime(world: World):
    pair = world.backend.sign_in()
    dead, other = world.process(), world.process()
    assert Ledger(dead.store, lost_memory_s=MAX_AGE_S).lock(pair.refresh)
    tokens = other.request(pair)
    with pytest.raises(ApiUnavailableError):
        other.refresh(tokens)
    world.time.advance(limits.REFRESH_LOCK_S)
    assert other.refresh(tokens) is Outcome.REFRESHED


def test_10_a_request_that_gives_up_does_not_end_the_call(world: World):
    pair = world.backend.sign_in()
    process, other = world.process(), world.process()
    may_answer = threading.Event()
    world.backend.during = lambda _: may_answer.wait(30)
    with pytest.raises(ApiUnavailableError):
        process.refresh(process.request(pair), budget_s=0)
    may_answer.set()
    process.settle()
    assert process.counts() == {Outcome.BUSY: 1, Outcome.REFRESHED: 1}
    assert other.refresh(other.request(pair)) is Outcome.HANDED_OVER
    assert world.backend.presented == {pair.refresh: 1}


# --- 11 ---


def test_11_no_token_in_logs_counters_exceptions_keys_or_plain_text(world: World, caplog, embedded_store):
    caplog.set_level(logging.DEBUG)
    process, other = world.process(), world.process()
    issued: list[TokenPair] = []
    told: list[str] = []
    answers = [[], [UNANSWERED], [LOST], [Refused(reason="status 401")]]
    for number, planned in enumerate(answers):
        pair = world.backend.sign_in(f"user{number}")
        issued.append(pair)
        world.backend.answers = list(planned)
        for asked in (process, other):
            tokens = asked.request(pair)
            try:
                asked.refresh(tokens)
            except (ApiUnavailableError, SignInEndedError) as error:
                told += [str(error), repr(error), *traceback.format_exception(error), repr(error.__dict__)]
            issued.append(tokens.current)
            told += [repr(tokens.current), str(tokens.current), repr(tokens)]
    process.refresher.sign_out(process.request(issued[0]))
    told.append(json.dumps({outcome.value: n for outcome, n in process.counts().items()}))
    secrets = {token for pair in issued for token in (pair.access, pair.refresh) if token}
    assert len(secrets) > 8
    kept = b"".join(file.read_bytes() for file in embedded_store.parent.iterdir() if file.is_file())
    assert kept.count(b":next") > 0
    for secret in secrets:
        assert secret not in caplog.text
        assert all(secret not in text for text in told)
        assert secret.encode() not in kept


# --- 12 ---


@responses.activate
def test_12_at_most_one_refresh_and_one_retry_for_each_request(embedded_store, world: World):
    session = make_session(world.process().store)
    responses.get(f"{BASE}/me", status=401)
    responses.post(f"{BASE}/refresh", json={"accessToken": jwt(n=2), "refreshToken": "second"})
    with pytest.raises(ApiRejectedError):
        session.call(tokens=TokenStore(TokenPair(access=jwt(n=1), refresh="first")), method="GET", path="/me")
    assert [call.request.url for call in responses.calls] == [f"{BASE}/me", f"{BASE}/refresh", f"{BASE}/me"]


@responses.activate
def test_12_an_expired_token_that_was_refreshed_before_the_call_is_not_refreshed_again(embedded_store, world: World):
    session = make_session(world.process().store)
    responses.get(f"{BASE}/me", status=401)
    responses.post(f"{BASE}/refresh", json={"accessToken": jwt(n=2), "refreshToken": "second"})
    with pytest.raises(ApiRejectedError):
        session.call(tokens=TokenStore(TokenPair(access=jwt(exp=1), refresh="first")), method="GET", path="/me")
    assert [call.request.url for call in responses.calls] == [f"{BASE}/refresh", f"{BASE}/me"]


# --- 13 ---


@responses.activate
def test_13_the_refresh_call_never_triggers_a_refresh(embedded_store, world: World):
    session = make_session(world.process().store)
    responses.get(f"{BASE}/me", status=401)
    responses.post(f"{BASE}/refresh", status=401)
    tokens = TokenStore(TokenPair(access=jwt(n=1), refresh="first"))
    with pytest.raises(SignInEndedError):
        session.call(tokens=tokens, method="GET", path="/me")
    posts = [call.request for call in responses.calls if call.request.method == "POST"]
    assert len(posts) == 1
    assert "Authorization" not in posts[0].headers
    assert tokens.ended


# --- 14 ---


@responses.activate
def test_14_no_store_operation_while_the_token_is_fresh(embedded_store, world: World):
    process = world.process()
    operations = []
    process.store._do = operations.append
    session = make_session(process.store)
    responses.get(f"{BASE}/me", json={"id": "1"})
    tokens = TokenStore(TokenPair(access=jwt(exp=2**40), refresh="first"))
    for _ in range(5):
        session.call(tokens=tokens, method="GET", path="/me")
        session.ensure_fresh(tokens, deadline=Deadline(1))
    assert operations == []
    assert tokens.fate is Fate.KEPT


def test_every_kind_of_record_is_sealed_under_its_own_token():
    pair = TokenPair(access="a", refresh="r")
    assert seal(pair, under="x") != seal(pair, under="x")
    assert record_name("x") != record_name("y")


def _unavailable(*_: object, **__: object):
    raise StoreUnavailableError("store 'refresh': down")
