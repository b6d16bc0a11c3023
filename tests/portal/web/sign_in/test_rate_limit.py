"""The limits on sign-ins: who is kept out, for how long, and who is not."""

from __future__ import annotations

import logging

import pytest

from portal.config.limits import (
    SIGN_IN_FORGIVEN_FACTOR,
    SIGN_IN_REFUSED_S,
    SIGN_IN_TRIES,
    SIGN_IN_TRIES_PER_ADDRESS,
    SIGN_IN_WINDOW_MIN,
    SIGN_INS_PER_ACCOUNT,
)
from portal.web.sign_in.rate_limit import Counted, SignInLimit, TooMany, network_of
from sqlite_cache import SQLiteCache, close_idle_connections
from tests.support.given_store import LostBackend, StoreOn

OWNER, STRANGER = "198.51.100.7", "203.0.113.9"
ACCOUNT = "ada@example.com"
WINDOW_S = SIGN_IN_WINDOW_MIN * 60


@pytest.fixture
def backend(tmp_path, clock):
    cache = SQLiteCache(str(tmp_path / "store" / "cache.sqlite3"), {})
    cache.clock = clock
    yield cache
    close_idle_connections()


@pytest.fixture
def limit(backend, clock):
    return SignInLimit(store=StoreOn(backend), clock=clock)


def fail(limit, *, times, account=ACCOUNT, address=STRANGER):
    return [limit.count(account=account, address=address) for _ in range(times)]


def test_the_tries_after_the_limit_are_not_made_and_wait_for_what_is_left_of_the_window(limit, clock):
    outcomes = fail(limit, times=SIGN_IN_TRIES)
    assert all(isinstance(outcome, Counted) for outcome in outcomes)
    clock.now += 100
    assert fail(limit, times=5) == [TooMany(retry_after=WINDOW_S - 100)] * 5
    clock.now += WINDOW_S - 99
    assert isinstance(limit.count(account=ACCOUNT, address=STRANGER), Counted)


def test_a_stranger_does_not_lock_the_owner_out(limit):
    fail(limit, times=SIGN_IN_TRIES + 1)
    assert isinstance(limit.count(account=ACCOUNT, address=OWNER), Counted)
    assert isinstance(limit.count(account="bob@example.com", address=STRANGER), Counted)
    assert limit.too_many(ACCOUNT) is None


def test_one_address_can_not_try_accounts_without_end(limit):
    for number in range(SIGN_IN_TRIES_PER_ADDRESS):
        assert isinstance(limit.count(account=f"{number}@example.com", address=STRANGER), Counted)
    assert isinstance(limit.count(account="one-more@example.com", address=STRANGER), TooMany)
    assert isinstance(limit.count(account="one-more@example.com", address=OWNER), Counted)


def test_only_failed_tries_count_and_a_right_password_does_not_forgive_them(limit):
    for _ in range(SIGN_IN_TRIES_PER_ADDRESS + 10):
        limit.give_back(limit.count(account=ACCOUNT, address=OWNER))
    fail(limit, times=SIGN_IN_TRIES - 1)
    limit.give_back(limit.count(account=ACCOUNT, address=STRANGER))
    assert isinstance(fail(limit, times=2)[-1], TooMany)


def test_neither_capitals_nor_another_address_of_an_ipv6_customer_begin_anew(limit):
    for number in range(SIGN_IN_TRIES):
        limit.count(account=ACCOUNT, address=f"2001:db8:1:2::{number}")
    assert isinstance(limit.count(account=f" {ACCOUNT.upper()} ", address="2001:db8:1:2:ffff::1"), TooMany)
    assert isinstance(limit.count(account=ACCOUNT, address="2001:db8:1:3::1"), Counted)


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("2001:db8::1", "20010db800000000::/64"),
        ("fe80::1%eth0", "fe80000000000000::/64"),
        ("nonsense", "unknown"),
    ],
)
def test_an_address_counts_by_what_one_customer_is_given(address, network):
    assert network_of(address) == network


def test_successes_have_a_limit_of_their_own_that_is_the_accounts_alone(limit, clock):
    for _ in range(SIGN_INS_PER_ACCOUNT):
        assert limit.too_many(ACCOUNT) is None
        limit.succeeded(ACCOUNT)
        clock.now += 1
    assert limit.too_many(f" {ACCOUNT.upper()}") == TooMany(retry_after=WINDOW_S - SIGN_INS_PER_ACCOUNT)
    assert limit.too_many("bob@example.com") is None
    clock.now += WINDOW_S
    assert limit.too_many(ACCOUNT) is None


def test_a_store_that_is_down_lets_everyone_in_with_a_warning(clock, caplog):
    limit = SignInLimit(store=StoreOn(LostBackend()), clock=clock)
    with caplog.at_level(logging.WARNING):
        outcomes = fail(limit, times=SIGN_IN_TRIES + 5)
        limit.give_back(outcomes[0])
        limit.succeeded(ACCOUNT)
        assert limit.too_many(ACCOUNT) is None
    assert all(isinstance(outcome, Counted) for outcome in outcomes)
    assert "tries are not counted" in caplog.text
    assert "a success is not counted" in caplog.text


# --- a backend that refuses everybody ---

USERS = {f"{name}@example.com": f"198.51.100.{number}" for number, name in enumerate(("ada", "bob", "cyd"))}


@pytest.fixture
def known(limit, clock):
    """Each of these users has signed in before, and nobody does now."""
    for account, address in USERS.items():
        succeed(limit, account, address)
    clock.now += SIGN_IN_REFUSED_S + 1
    return list(USERS.items())


def succeed(limit, account, address):
    attempt = limit.count(account=account, address=address)
    limit.give_back(attempt)
    limit.succeeded(account, attempt=attempt)


def tries_of(limit, users, *, most):
    """How many tries each of the users may make; all their passwords are refused."""
    made = dict.fromkeys(users, 0)
    for _ in range(most):
        for account, address in users:
            attempt = limit.count(account=account, address=address)
            if isinstance(attempt, Counted):
                made[account, address] += 1
                limit.failed(attempt)
    return list(made.values())


def test_while_nearly_every_sign_in_of_everybody_fails_nobody_is_kept_out_afterwards(limit, known, caplog):
    assert tries_of(limit, known, most=4 * SIGN_IN_TRIES) == [4 * SIGN_IN_TRIES] * 3
    assert "a failed try is forgiven" in caplog.text
    # Who succeeds shows that the others' passwords are wrong.
    succeed(limit, *known[0])
    assert max(tries_of(limit, known, most=4 * SIGN_IN_TRIES)) <= SIGN_IN_TRIES


def test_no_more_tries_are_forgiven_than_five_times_the_limit(limit, known):
    made = tries_of(limit, known, most=10 * SIGN_IN_TRIES)
    assert max(made) <= (SIGN_IN_FORGIVEN_FACTOR + 1) * SIGN_IN_TRIES


@pytest.mark.parametrize(
    "users",
    [
        [(ACCOUNT, USERS[ACCOUNT])] * 3,
        list(USERS.items())[:2],
        [(account, STRANGER) for account in USERS],
        [(f"{number}@example.com", address) for number, address in enumerate(USERS.values())],
    ],
    ids=["one account", "two accounts", "from elsewhere", "accounts that nobody has signed in with"],
)
def test_nobody_can_make_their_own_tries_forgiven(limit, known, users):
    del known
    assert max(tries_of(limit, users, most=2 * SIGN_IN_TRIES)) <= SIGN_IN_TRIES


# --- an operator ---


@pytest.mark.parametrize(
    ("whose", "may_try"),
    [
        ({"account": ACCOUNT.upper(), "address": None}, {(ACCOUNT, STRANGER), (ACCOUNT, OWNER)}),
        ({"account": None, "address": STRANGER}, {(ACCOUNT, STRANGER), ("bob@example.com", STRANGER)}),
        ({"account": "else@example.com", "address": None}, set()),
    ],
)
def test_an_operator_lets_somebody_try_again(limit, whose, may_try):
    locked = [(account, address) for account in (ACCOUNT, "bob@example.com") for address in (OWNER, STRANGER)]
    for account, address in locked:
        fail(limit, times=SIGN_IN_TRIES, account=account, address=address)
    assert limit.clear(**whose) == len(may_try) + (whose["address"] is not None)
    assert {who for who in locked if isinstance(fail(limit, times=1, account=who[0], address=who[1])[0], Counted)} == (
        may_try
    )


def test_neither_the_store_nor_the_log_names_anybody(limit, backend, caplog):
    fail(limit, times=SIGN_IN_TRIES + 1)
    content = b"".join(path.read_bytes() for path in backend.path.parent.iterdir())
    assert b"sign-in:account" in content
    for text in (ACCOUNT, STRANGER):
        assert text.encode() not in content
        assert text not in caplog.text
