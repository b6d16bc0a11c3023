"""The limits on sign-ins: who is kept out, for how long, and who is not."""

import logging

import pytest

from portal.config.limits import (
    SIGN_IN_TRIES,
    SIGN_IN_TRIES_PER_ADDRESS,
    SIGN_IN_WINDOW_MIN,
    SIGN_INS_PER_ACCOUNT,
)
from portal.web.sign_in.rate_limit import Counted, SignInLimit, TooMany, network_of
from tests.support.forks import at_once
from tests.support.given_store import LostBackend, StoreOn

OWNER, STRANGER = "198.51.100.7", "203.0.113.9"
ACCOUNT = "ada@example.com"
WINDOW_S = SIGN_IN_WINDOW_MIN * 60


@pytest.fixture
def limit(timed_sqlite, clock):
    return SignInLimit(store=StoreOn(timed_sqlite), clock=clock)


def fail(limit, *, times, account=ACCOUNT, address=STRANGER):
    return [limit.count(account=account, address=address) for _ in range(times)]


def test_the_tries_after_the_limit_are_not_made_and_wait_for_what_is_left_of_the_window(limit, clock):
    outcomes = fail(limit, times=SIGN_IN_TRIES)
    assert all(isinstance(outcome, Counted) for outcome in outcomes)
    clock.now += 100
    assert fail(limit, times=5) == [TooMany(retry_after=WINDOW_S - 100)] * 5
    clock.now += WINDOW_S - 99
    assert isinstance(limit.count(account=ACCOUNT, address=STRANGER), Counted)


def test_threads_pass_exactly_as_often_as_limit_says(cache, clock):
    limit = SignInLimit(store=StoreOn(cache), clock=clock)
    outcomes = at_once(12, lambda _: fail(limit, times=2))
    assert [type(outcome) for made in outcomes for outcome in made].count(Counted) == SIGN_IN_TRIES


def test_a_stranger_does_not_lock_the_owner_out(limit):
    fail(limit, times=SIGN_IN_TRIES + 1)
    assert isinstance(limit.count(account=ACCOUNT, address=OWNER), Counted)
    assert isinstance(limit.count(account="bob@example.com", address=STRANGER), Counted)
    assert limit.too_many(ACCOUNT) is None


@pytest.mark.parametrize(
    ("account", "address", "outcome"),
    [
        (f" {ACCOUNT.upper()}", STRANGER, Counted),
        ("signed-in-elsewhere@example.com", STRANGER, TooMany),
        ("one-more@example.com", STRANGER, TooMany),
        ("one-more@example.com", OWNER, Counted),
    ],
)
def test_full_address_admits_known_accounts_alone(limit, account, address, outcome):
    for known, place in ((ACCOUNT, STRANGER), ("signed-in-elsewhere@example.com", OWNER)):
        attempt = limit.count(account=known, address=place)
        limit.give_back(attempt)
        limit.succeeded(known, attempt=attempt)
    for number in range(SIGN_IN_TRIES_PER_ADDRESS):
        assert isinstance(limit.count(account=f"{number}@example.com", address=STRANGER), Counted)
    assert [type(limit.count(account=account, address=address)) for _ in range(SIGN_IN_TRIES)] == [
        outcome
    ] * SIGN_IN_TRIES
    assert isinstance(limit.count(account=account, address=address), TooMany)


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
        assert limit.count_reset(address=OWNER) is None
    assert all(isinstance(outcome, Counted) for outcome in outcomes)
    assert "tries are not counted" in caplog.text


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
    limit.clear(**whose)
    assert {who for who in locked if isinstance(fail(limit, times=1, account=who[0], address=who[1])[0], Counted)} == (
        may_try
    )


def test_neither_the_store_nor_the_log_names_anybody(limit, timed_sqlite, caplog):
    fail(limit, times=SIGN_IN_TRIES + 1)
    content = b"".join(path.read_bytes() for path in timed_sqlite.path.parent.iterdir())
    assert b"sign-in:account" in content
    for text in (ACCOUNT, STRANGER):
        assert text.encode() not in content
        assert text not in caplog.text
