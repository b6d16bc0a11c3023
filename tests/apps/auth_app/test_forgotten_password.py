"""A forgotten password: the same words for every address, and a token that nobody else learns."""

from __future__ import annotations

import logging
from dataclasses import replace
from html import unescape

import pytest
from django.conf import settings
from django.test import Client, override_settings

from portal.config.limits import PASSWORD_RESETS_PER_ADDRESS
from portal.testing import Backend

FORGOT, RESET = "/en/login/forgot", "/en/login/reset"
TOKEN = "a-token-of-a-mail"
FORM = {"token": TOKEN, "password": "correct horse"}


@pytest.fixture
def stranger(signed_out: Client, request: pytest.FixtureRequest) -> Client:
    """A browser at an address of this test alone: tries are counted by it."""
    signed_out.defaults["REMOTE_ADDR"] = f"2001:db8:{abs(hash(request.node.name)) % 0xFFFF:x}::1"
    return signed_out


@pytest.mark.parametrize("status", [202, 404, 422, 409])
def test_the_page_says_the_same_whatever_the_backend_knows_of_an_address(
    backend: Backend, stranger: Client, status: int
) -> None:
    if status == 202:
        backend.answers("POST", "/auth/forgot-password", status=status)
    else:
        backend.refuses("POST", "/auth/forgot-password", status=status, detail="There is no such account.")
    response = stranger.post(FORGOT, {"email": "ada@example.com"})
    assert response.status_code == 200
    page = unescape(response.content.decode())
    assert "If ada@example.com has an account, a mail with a link is on its way." in page
    assert "no such account" not in page
    (call,) = backend.calls_to("/auth/forgot-password")
    assert call.body == {"email": "ada@example.com"}
    assert "authorization" not in call.headers


def test_an_outage_is_told(backend: Backend, stranger: Client) -> None:
    backend.fails(503)
    response = stranger.post(FORGOT, {"email": "ada@example.com"})
    assert response.status_code == 503
    assert response["Retry-After"]
    assert 'value="ada@example.com"' in response.content.decode()


def test_a_new_password_leads_to_the_sign_in_page(backend: Backend, stranger: Client) -> None:
    backend.answers("POST", "/auth/reset-password", status=204)
    response = stranger.post(RESET, FORM)
    assert (response.status_code, response["Location"]) == (303, "/en/login")
    assert backend.calls_to("/auth/reset-password")[0].body == FORM
    assert "Your password was changed, and all your sign-ins have ended." in stranger.get("/en/login").content.decode()


def test_the_same_form_has_the_same_key_which_tells_nothing(backend: Backend, stranger: Client) -> None:
    backend.fails("timeout")
    assert stranger.post(RESET, FORM).status_code == 503
    backend.recovers()
    backend.answers("POST", "/auth/reset-password", status=204)
    assert stranger.post(RESET, FORM).status_code == 303
    stranger.post(RESET, FORM | {"password": "another one"})
    stranger.post(RESET, FORM | {"token": "another"})
    *same, second, third = [call.headers["idempotency-key"] for call in backend.calls_to("/auth/reset-password")]
    assert len(same) > 1
    assert len({*same, second, third}) == 3
    assert len(set(same)) == 1
    assert TOKEN not in same[0]


def test_a_spent_link_offers_another_one(backend: Backend, stranger: Client) -> None:
    backend.refuses("POST", "/auth/reset-password", errors={"token": ["No."]})
    response = stranger.post(RESET, FORM)
    assert response.status_code == 422
    page = response.content.decode()
    assert "This link has been used already, or is older than half an hour." in page
    assert 'href="/en/login/forgot"' in page
    assert "correct horse" not in page


def test_what_the_backend_says_of_the_password_stands_at_it(backend: Backend, stranger: Client) -> None:
    backend.refuses("POST", "/auth/reset-password", errors={"password": ["Too common."]})
    response = stranger.post(RESET, FORM)
    assert response.status_code == 422
    assert "Too common." in response.content.decode()
    assert TOKEN in response.content.decode(), "the link is good for another try"


def test_a_short_password_is_told_here(backend: Backend, stranger: Client) -> None:
    response = stranger.post(RESET, {"token": TOKEN, "password": "short"})
    assert response.status_code == 422
    assert "Use at least 8 characters." in response.content.decode()
    assert not backend.calls


def test_the_token_goes_to_no_other_page_and_into_no_log(
    backend: Backend, stranger: Client, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    page = stranger.get(f"{RESET}?token={TOKEN}")
    assert page["Referrer-Policy"] == "strict-origin"
    assert "no-store" in page["Cache-Control"]
    backend.refuses("POST", "/auth/reset-password", errors={"token": ["No."]})
    stranger.post(RESET, FORM)
    backend.fails("refused")
    stranger.post(RESET, FORM)
    assert caplog.records
    assert TOKEN not in caplog.text
    assert "correct horse" not in caplog.text


def test_only_so_many_requests_of_one_address_reach_the_backend(backend: Backend, stranger: Client) -> None:
    backend.answers("POST", "/auth/forgot-password", status=202)
    statuses = [stranger.post(FORGOT, {"email": f"{n}@example.com"}).status_code for n in range(22)]
    assert statuses == [200] * PASSWORD_RESETS_PER_ADDRESS + [429] * 2
    response = stranger.post(RESET, FORM)
    assert response.status_code == 429
    assert response["Retry-After"]


@pytest.mark.parametrize("path", [FORGOT, RESET])
def test_where_the_backend_sends_no_mails_there_are_no_such_pages(stranger: Client, path: str) -> None:
    assert 'href="/en/login/forgot"' in stranger.get("/en/login").content.decode()
    with override_settings(PORTAL=replace(settings.PORTAL, offers_password_reset=False)):
        assert stranger.get(path).status_code == 404
        assert stranger.post(path, FORM).status_code == 404
        assert "login/forgot" not in stranger.get("/en/login").content.decode()
