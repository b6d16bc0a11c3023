"""The profile with a backend that changes no names, or lists no sign-ins: what is not there is not shown."""

from __future__ import annotations

import pytest
from django.contrib.messages import get_messages

from portal.testing import Backend, Fault, SignedIn

SIGN_INS, ACCOUNTS = "/iam/auth/sessions", "/iam/accounts"
SIGNED_OUT = "http://localhost:8000/en/signed-out"


@pytest.mark.parametrize("status", [403, 404, 405, 501])
def test_a_name_that_the_service_does_not_change_is_kept_on_the_page(
    backend: Backend, signed_in: SignedIn, status: int
) -> None:
    backend.lists(SIGN_INS, [])
    browser = signed_in("ENERGY_APP")
    assert "Change name" in browser.get("/en/profile").content.decode()
    backend.refuses("PATCH", "/me", status=status)
    refused = browser.post("/en/profile/name", {"name": "Ada Lovelace"})
    page = refused.content.decode()
    assert refused.status_code == 422
    assert "Your name can’t be changed here." in page
    assert 'value="Ada Lovelace"' in page
    if status != 403:  # which may be said of this name alone
        assert "Change name" not in page
        assert "Change name" not in browser.get("/en/profile").content.decode()


@pytest.mark.parametrize("status", [403, 404])
def test_sign_ins_that_the_service_does_not_list_are_not_shown(
    backend: Backend, signed_in: SignedIn, status: int
) -> None:
    backend.refuses("GET", SIGN_INS, status=status)
    page = signed_in("ENERGY_APP").get("/en/profile")
    assert page.status_code == 200
    for absent in ("Where you are signed in", "Sign out everywhere", "could not be loaded"):
        assert absent not in page.content.decode()


def test_where_no_others_can_be_ended_this_one_ends_and_nothing_else_is_said(
    backend: Backend, signed_in: SignedIn
) -> None:
    backend.refuses("GET", SIGN_INS, status=404)
    browser = signed_in("ENERGY_APP")
    others = browser.post("/en/profile/sign-ins/revoke-others")
    assert (others.status_code, others["Location"]) == (303, "/en/profile")
    [said] = get_messages(others.wsgi_request)
    assert str(said) == "This service can’t end other sign-ins."
    every = browser.post("/en/profile/sign-ins/revoke")
    assert (every.status_code, every["Location"]) == (303, SIGNED_OUT)


@pytest.mark.parametrize("status", [403, 404])
def test_the_first_page_offers_no_accounts_that_the_service_does_not_list(
    backend: Backend, signed_in: SignedIn, status: int
) -> None:
    backend.lists(SIGN_INS, [])
    backend.refuses("GET", ACCOUNTS, status=status)
    browser = signed_in("IAM_ADMIN")
    for _ in range(2):
        assert "/en/accounts" not in browser.get("/en/profile").content.decode()
    assert len(backend.calls_to(ACCOUNTS)) == 1


def test_accounts_are_offered_and_asked_for_once_by_who_administers_them(backend: Backend, signed_in: SignedIn) -> None:
    backend.lists(SIGN_INS, [])
    backend.lists(ACCOUNTS, [])
    assert "/en/accounts" not in signed_in("ENERGY_APP").get("/en/profile").content.decode()
    assert backend.calls_to(ACCOUNTS) == []
    browser = signed_in("IAM_ADMIN")
    for _ in range(2):
        assert "/en/accounts" in browser.get("/en/profile").content.decode()
    assert len(backend.calls_to(ACCOUNTS)) == 1


@pytest.mark.parametrize("fault", [500, "timeout"])
def test_a_list_of_accounts_that_fails_is_not_waited_for_by_each_view_of_the_profile(
    backend: Backend, signed_in: SignedIn, fault: Fault
) -> None:
    backend.lists(SIGN_INS, [])
    backend.fails(fault, path=ACCOUNTS)
    for browser in (signed_in("IAM_ADMIN"), signed_in("IAM_ADMIN")):
        assert browser.get("/en/profile").status_code == 200
    tries = len(backend.calls_to(ACCOUNTS))
    assert tries <= 3, "those of one view"
