"""Ending other sign-ins of a backend that does not end them: nothing is said to have ended that is still there."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from django.contrib.messages import get_messages

from apps.auth_app.views import sign_ins
from portal.telemetry.audit import Reason
from portal.telemetry.audit.audit_log import RECORD_ATTRIBUTE
from portal.testing import Backend, SignedIn
from portal.web.sign_in import end_sign_in

SIGN_INS = "/iam/auth/sessions"
CANT = "This service can’t end other sign-ins."
ROWS = [{"id": "s1", "current": True}, {"id": "s2"}, {"id": "s3"}]


def said(response: Any) -> str:
    """What the profile says next; messages that no page has shown yet come before it."""
    assert (response.status_code, response["Location"]) == (303, "/en/profile")
    [*_, last] = get_messages(response.wsgi_request)
    return str(last)


def refuse_all(backend: Backend, status: int) -> None:
    backend.lists(SIGN_INS, ROWS)
    for row in ROWS[1:]:
        backend.refuses("DELETE", f"{SIGN_INS}/{row['id']}", status=status)


@pytest.mark.parametrize("status", [404, 405, 501])
def test_what_the_service_still_lists_is_not_said_to_have_ended(
    backend: Backend, signed_in: SignedIn, status: int
) -> None:
    refuse_all(backend, status)
    browser = signed_in("ENERGY_APP")
    assert said(browser.post("/en/profile/sign-ins/s2/revoke")) == CANT
    assert said(browser.post("/en/profile/sign-ins/revoke-others")) == CANT
    everywhere = browser.post("/en/profile/sign-ins/revoke")
    assert (everywhere.status_code, everywhere["Location"]) == (303, "http://localhost:8000/en/signed-out")


@pytest.fixture
def shrinking(backend: Backend, monkeypatch: pytest.MonkeyPatch) -> None:
    """The list has the sign-in of this browser alone, as soon as the end of another one was asked for."""

    def end(request: Any, sign_in_id: str) -> Any:
        result = end_sign_in(request, sign_in_id)
        backend.lists(SIGN_INS, ROWS[:1])
        return result

    monkeypatch.setattr(sign_ins, "end_sign_in", end)


@pytest.mark.usefixtures("shrinking")
def test_what_the_service_lists_no_more_has_ended(backend: Backend, signed_in: SignedIn) -> None:
    refuse_all(backend, 404)
    browser = signed_in("ENERGY_APP")
    assert (
        said(browser.post("/en/profile/sign-ins/revoke-others"))
        == "2 other sign-ins have ended. You are still signed in here."
    )
    # It may be somebody else's as well.
    assert browser.post("/en/profile/sign-ins/s2/revoke").status_code == 404


def test_one_that_the_service_does_not_find_and_still_lists_is_not_counted(
    backend: Backend, signed_in: SignedIn
) -> None:
    refuse_all(backend, 404)
    backend.answers("DELETE", f"{SIGN_INS}/s2", status=204)
    assert (
        said(signed_in("ENERGY_APP").post("/en/profile/sign-ins/revoke-others"))
        == "1 other sign-in has ended. You are still signed in here."
    )


@pytest.mark.parametrize("status", [405, 501])
def test_a_call_that_is_known_to_be_absent_is_not_offered(backend: Backend, signed_in: SignedIn, status: int) -> None:
    refuse_all(backend, status)
    browser = signed_in("ENERGY_APP")
    offers = ("/sign-ins/s2/revoke", "/sign-ins/revoke-others", 'sign-ins/revoke"')
    before = browser.get("/en/profile").content.decode()
    browser.post("/en/profile/sign-ins/s2/revoke")
    after = browser.get("/en/profile").content.decode()
    for offer in offers:
        assert offer in before
        assert offer not in after
    assert "/sign-ins/s1/revoke" in after, "that is a sign-out here"


def test_the_audit_log_calls_no_sign_in_ended_that_the_service_does_not_end(
    backend: Backend, signed_in: SignedIn, caplog: pytest.LogCaptureFixture
) -> None:
    refuse_all(backend, 405)
    with caplog.at_level(logging.INFO, logger="portal.audit"):
        signed_in("ENERGY_APP").post("/en/profile/sign-ins/s2/revoke")
    [line] = [getattr(record, RECORD_ATTRIBUTE) for record in caplog.records if record.name == "portal.audit"]
    assert line["reason"] == Reason.UNEXPECTED_ANSWER.label
