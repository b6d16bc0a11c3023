"""Attempts: kept in the browser, believed from that browser alone, once, and not for long."""

from __future__ import annotations

from dataclasses import asdict, replace

import pytest
from django.core import signing
from django.http import HttpResponse

from portal.oidc.login_attempts import (
    MAX_ATTEMPTS,
    delete_attempt_cookie,
    delete_stale_attempts,
    find_login_attempt,
    new_login_attempt,
    set_attempt_cookie,
)


def begun(wanted="/en/energy"):
    attempt, response = new_login_attempt(wanted=wanted, locale="de"), HttpResponse()
    set_attempt_cookie(response, attempt)
    return attempt, {name: morsel.value for name, morsel in response.cookies.items()}


@pytest.fixture
def request_with(rf):
    def make(cookies, state=""):
        request = rf.get("/login/oidc/callback")
        request.GET = {"state": state}
        request.COOKIES = dict(cookies)
        return request

    return make


def removed(response):
    return {name for name, morsel in response.cookies.items() if morsel["max-age"] == 0}


def test_an_attempt_is_found_again_by_its_state(request_with):
    attempt, cookies = begun()
    assert find_login_attempt(request_with(cookies, attempt.state)) == attempt


def test_its_cookie_is_for_this_host_and_for_no_script():
    response = HttpResponse()
    set_attempt_cookie(response, new_login_attempt(wanted="", locale="en"))
    (morsel,) = response.cookies.values()
    assert morsel["httponly"]
    assert morsel["samesite"] == "Lax"
    assert morsel["domain"] == ""
    assert morsel["max-age"] == 600


def test_no_two_attempts_share_anything_that_can_be_guessed():
    (one, _), (other, _) = begun(), begun()
    assert len({one.state, one.nonce, one.verifier, other.state, other.nonce, other.verifier}) == 6
    # RFC 7636, section 4.1.
    assert 43 <= len(one.verifier) <= 128


@pytest.mark.parametrize("state", ["", "another", "\x00", "\ud800"])
def test_another_state_finds_nothing(request_with, state):
    _, cookies = begun()
    assert find_login_attempt(request_with(cookies, state)) is None


def test_a_cookie_under_the_name_of_another_state_finds_nothing(request_with):
    (one, cookies), (other, others) = begun(), begun()
    swapped = dict(zip(cookies, others.values(), strict=True))
    assert find_login_attempt(request_with(swapped, one.state)) is None
    assert find_login_attempt(request_with(swapped, other.state)) is None


def test_a_changed_cookie_finds_nothing(request_with):
    attempt, cookies = begun()
    changed = {name: value[:-1] + ("A" if value[-1] != "A" else "B") for name, value in cookies.items()}
    assert find_login_attempt(request_with(changed, attempt.state)) is None
    foreign = {name: signing.dumps({"state": attempt.state}, salt="portal.oidc.attempt") for name in cookies}
    assert find_login_attempt(request_with(foreign, attempt.state)) is None


def test_a_late_one_finds_nothing(request_with, monkeypatch):
    attempt, cookies = begun()
    real = signing.time.time()
    monkeypatch.setattr(signing.time, "time", lambda: real + 602)
    assert find_login_attempt(request_with(cookies, attempt.state)) is None


def test_an_attempt_that_is_over_takes_its_cookie_along():
    attempt, cookies = begun()
    response = HttpResponse()
    delete_attempt_cookie(response, attempt)
    assert removed(response) == set(cookies)


def test_only_the_latest_attempts_are_kept(request_with, monkeypatch):
    real = signing.time.time()
    cookies, order = {"csrf_auth_app": "kept", "oidc_nonsense": "x"}, []
    for number in range(MAX_ATTEMPTS + 3):
        monkeypatch.setattr(signing.time, "time", lambda number=number: real + number)
        _, cookie = begun()
        order += cookie
        cookies |= cookie
    response = HttpResponse()
    delete_stale_attempts(request_with(cookies), response)
    assert removed(response) == {"oidc_nonsense", *order[:3]}
    everything = HttpResponse()
    delete_stale_attempts(request_with(cookies), everything, keep=0)
    assert removed(everything) == {"oidc_nonsense", *order}


def signed(attempt, value):
    """The attempt's cookie, as a release would sign it that keeps something else."""
    [name] = begun_as(attempt)
    return {name: signing.dumps(value, salt="portal.oidc.attempt")}


def begun_as(attempt):
    response = HttpResponse()
    set_attempt_cookie(response, attempt)
    return list(response.cookies)


def test_what_a_later_release_keeps_beside_it_is_ignored(request_with):
    attempt, _ = begun()
    cookies = signed(attempt, asdict(attempt) | {"prompt": "login"})
    assert find_login_attempt(request_with(cookies, attempt.state)) == attempt


@pytest.mark.parametrize("value", [None, 5, "text", [], {}, {"state": "s"}, ["state"]], ids=repr)
def test_what_lacks_something_counts_as_none(request_with, value):
    attempt, _ = begun()
    assert find_login_attempt(request_with(signed(attempt, value), attempt.state)) is None


@pytest.mark.parametrize("name", ["state", "nonce", "verifier", "wanted", "locale"])
@pytest.mark.parametrize("value", [None, 5, ["x"]], ids=repr)
def test_or_has_something_that_is_no_text(request_with, name, value):
    attempt, _ = begun()
    assert find_login_attempt(request_with(signed(attempt, asdict(attempt) | {name: value}), attempt.state)) is None


def test_an_attempt_under_the_name_of_another_state_is_none(request_with):
    attempt, cookies = begun()
    for state in ("other", "\u00fc", "\ud800"):
        [name] = begun_as(replace(attempt, state=state))
        assert find_login_attempt(request_with({name: cookies.popitem()[1] if cookies else ""}, state)) is None
        cookies = begun_cookies(attempt)


def begun_cookies(attempt):
    response = HttpResponse()
    set_attempt_cookie(response, attempt)
    return {name: morsel.value for name, morsel in response.cookies.items()}
