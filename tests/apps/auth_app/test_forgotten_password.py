"""A forgotten password: the same words for every address, and a token that nobody else learns."""

import logging
from dataclasses import replace
from html import unescape
from typing import Any

import pytest
from django.conf import settings
from django.test import Client, override_settings

from portal.config.limits import PASSWORD_RESETS_PER_ADDRESS
from portal.testing import Backend

FORGOT, RESET = "/en/login/forgot", "/en/login/reset"
SENDS, CHANGES = "/auth/forgot-password", "/auth/reset-password"
ADDRESS = {"email": "ada@example.com"}
TOKEN = "a-token-of-a-mail"
FORM = {"token": TOKEN, "password": "correct horse"}


@pytest.fixture
def stranger(signed_out: Client, request: pytest.FixtureRequest) -> Client:
    """A browser at an address of this test alone: tries are counted by it."""
    signed_out.defaults["REMOTE_ADDR"] = f"2001:db8:{abs(hash(request.node.name)) % 0xFFFF:x}::1"
    return signed_out


@pytest.mark.parametrize("status", [202, 404, 422, 409])
def test_page_tells_nothing_of_an_address(backend: Backend, stranger: Client, status: int) -> None:
    backend.answers("POST", SENDS, status=status)
    if status != 202:
        backend.refuses("POST", SENDS, status=status, detail="There is no such account.")
    response = stranger.post(FORGOT, ADDRESS)
    page = unescape(response.content.decode())
    assert response.status_code == 200
    assert "If ada@example.com has an account, a mail with a link is on its way." in page
    assert "no such account" not in page
    (call,) = backend.calls_to(SENDS)
    assert (call.body, "authorization" in call.headers) == (ADDRESS, False)


def test_an_outage_is_told(backend: Backend, stranger: Client) -> None:
    backend.fails(503)
    response = stranger.post(FORGOT, ADDRESS)
    assert (response.status_code, bool(response["Retry-After"])) == (503, True)
    assert 'value="ada@example.com"' in response.content.decode()


def test_new_password_leads_to_the_sign_in_page(backend: Backend, stranger: Client) -> None:
    backend.fails("timeout")
    assert stranger.post(RESET, FORM).status_code == 503
    backend.recovers()
    backend.answers("POST", CHANGES, status=204)
    response = stranger.post(RESET, FORM)
    assert (response.status_code, response["Location"]) == (303, "/en/login")
    assert backend.calls_to(CHANGES)[0].body == FORM
    assert "Your password was changed, and all your sign-ins have ended." in stranger.get("/en/login").content.decode()
    stranger.post(RESET, FORM | {"password": "another one"})
    *same, other = [call.headers["idempotency-key"] for call in backend.calls_to(CHANGES)]
    assert (len(set(same)), other in same, TOKEN in same[0]) == (1, False, False)


@pytest.mark.parametrize(
    ("errors", "sent", "shown", "keeps_token"),
    [
        # A spent link offers another one; else the link is good for another try.
        ({"token": ["No."]}, {}, "This link has been used already, or is older than half an hour.", False),
        ({"password": ["Too common."]}, {}, "Too common.", True),
        (None, {"password": "short"}, "Use at least 8 characters.", True),
    ],
)
def test_refusal(backend: Backend, stranger: Client, errors: Any, sent: Any, shown: str, *, keeps_token: bool) -> None:
    if errors is not None:
        backend.refuses("POST", CHANGES, errors=errors)
    response = stranger.post(RESET, FORM | sent)
    page = response.content.decode()
    assert (response.status_code, shown in page, TOKEN in page) == (422, True, keeps_token)
    assert 'href="/en/login/forgot"' in page or keeps_token
    assert "correct horse" not in page
    assert bool(backend.calls) is (errors is not None)


def test_token_reaches_no_page_or_log(backend: Backend, stranger: Client, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    page = stranger.get(f"{RESET}?token={TOKEN}")
    assert (page["Referrer-Policy"], "no-store" in page["Cache-Control"]) == ("strict-origin", True)
    backend.refuses("POST", CHANGES, errors={"token": ["No."]})
    stranger.post(RESET, FORM)
    backend.fails("refused")
    stranger.post(RESET, FORM)
    assert caplog.records
    assert (TOKEN in caplog.text, "correct horse" in caplog.text) == (False, False)


def test_only_so_many_requests_of_one_address_reach_the_backend(backend: Backend, stranger: Client) -> None:
    backend.answers("POST", SENDS, status=202)
    statuses = [stranger.post(FORGOT, {"email": f"{n}@example.com"}).status_code for n in range(22)]
    assert statuses == [200] * PASSWORD_RESETS_PER_ADDRESS + [429] * 2
    response = stranger.post(RESET, FORM)
    assert (response.status_code, bool(response["Retry-After"])) == (429, True)


@pytest.mark.parametrize("path", [FORGOT, RESET])
def test_where_the_backend_sends_no_mails_there_are_no_such_pages(stranger: Client, path: str) -> None:
    assert 'href="/en/login/forgot"' in stranger.get("/en/login").content.decode()
    with override_settings(PORTAL=replace(settings.PORTAL, offers_password_reset=False)):
        assert [stranger.get(path).status_code, stranger.post(path, FORM).status_code] == [404, 404]
        assert "login/forgot" not in stranger.get("/en/login").content.decode()
