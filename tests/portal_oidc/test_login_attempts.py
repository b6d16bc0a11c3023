"""Attempts: kept in the browser, believed from that browser alone, once, and not for long."""

from dataclasses import asdict, replace

import pytest
from django.core import signing
from django.http import HttpResponse

from portal_oidc.login_attempts import (
    MAX_ATTEMPTS,
    LoginAttempt,
    delete_attempt_cookie,
    delete_stale_attempts,
    find_login_attempt,
    new_login_attempt,
    set_attempt_cookie,
)


def cookies_of(attempt: LoginAttempt) -> dict[str, str]:
    response = HttpResponse()
    set_attempt_cookie(response, attempt)
    return {name: morsel.value for name, morsel in response.cookies.items()}


def signed(attempt: LoginAttempt, value) -> dict[str, str]:
    """The attempt's cookie, as a release would sign it that keeps something else."""
    return {name: signing.dumps(value, salt="portal_oidc.attempt") for name in cookies_of(attempt)}


@pytest.fixture
def attempt() -> LoginAttempt:
    return new_login_attempt(wanted="/en/energy", locale="de")


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


def test_attempt_is_found_by_its_state_ten_minutes(request_with, attempt, monkeypatch):
    real = signing.time.time()
    for cookies in (cookies_of(attempt), signed(attempt, asdict(attempt) | {"prompt": "login"})):
        for passed_s, found in ((0, attempt), (602, None)):
            monkeypatch.setattr(signing.time, "time", lambda passed_s=passed_s: real + passed_s)
            assert find_login_attempt(request_with(cookies, attempt.state)) == found
        monkeypatch.undo()


def test_its_cookie_is_for_this_host_and_for_no_script_and_goes_with_it(attempt):
    response = HttpResponse()
    set_attempt_cookie(response, attempt)
    (morsel,) = response.cookies.values()
    assert morsel["httponly"]
    assert (morsel["samesite"], morsel["domain"], morsel["max-age"]) == ("Lax", "", 600)
    delete_attempt_cookie(response, attempt)
    assert removed(response) == set(cookies_of(attempt))


def test_no_two_attempts_share_anything_that_can_be_guessed(attempt):
    other = new_login_attempt(wanted="/en/energy", locale="de")
    assert len({attempt.state, attempt.nonce, attempt.verifier, other.state, other.nonce, other.verifier}) == 6
    # RFC 7636, section 4.1.
    assert 43 <= len(attempt.verifier) <= 128


@pytest.mark.parametrize("state", ["", "another", "\u00fc", "\ud800"])
def test_another_state_finds_nothing_nor_does_a_cookie_under_its_name(request_with, attempt, state):
    assert find_login_attempt(request_with(cookies_of(attempt), state)) is None
    (name,), (value,) = cookies_of(replace(attempt, state=state)), cookies_of(attempt).values()
    assert find_login_attempt(request_with({name: value}, state)) is None


def test_malformed_or_changed_cookie_finds_nothing(request_with, attempt):
    named = (asdict(attempt) | {name: 5} for name in asdict(attempt))
    values = [signed(attempt, value) for value in (None, "text", {"state": "s"}, ["state"], *named)]
    changed = {name: text[:-1] + ("A" if text[-1] != "A" else "B") for name, text in cookies_of(attempt).items()}
    for cookies in (*values, changed):
        assert find_login_attempt(request_with(cookies, attempt.state)) is None


def test_only_the_latest_attempts_are_kept(request_with, monkeypatch):
    real = signing.time.time()
    cookies, order = {"csrf_auth_app": "kept", "oidc_nonsense": "x"}, []
    for number in range(MAX_ATTEMPTS + 3):
        monkeypatch.setattr(signing.time, "time", lambda number=number: real + number)
        cookie = cookies_of(new_login_attempt(wanted="", locale="de"))
        order += cookie
        cookies |= cookie
    response, everything = HttpResponse(), HttpResponse()
    delete_stale_attempts(request_with(cookies), response)
    assert removed(response) == {"oidc_nonsense", *order[:3]}
    delete_stale_attempts(request_with(cookies), everything, keep=0)
    assert removed(everything) == {"oidc_nonsense", *order}
