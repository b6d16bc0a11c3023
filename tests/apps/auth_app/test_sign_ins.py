"""Where one is signed in: what the profile lists, and how sign-ins end, also with a backend that does not end them."""

import logging
from typing import Any

import pytest
from django.contrib.messages import get_messages
from django.test import Client

from portal.config.cookies import VAR_ACCESS_TOKEN
from portal.telemetry.audit import Reason
from portal.telemetry.audit.audit_log import RECORD_ATTRIBUTE
from portal.testing import Backend, SignedIn, row_ids
from portal.web.sign_in import end_sign_in
from portal_gateway.views import sign_ins

SIGN_INS, PROFILE = "/iam/auth/sessions", "/en/profile"
REVOKE, OTHERS, ALL = (f"{PROFILE}/sign-ins/{end}" for end in ("s2/revoke", "revoke-others", "revoke"))
SIGNED_OUT = "http://localhost:8000/en/signed-out"
CANT = "This service can’t end other sign-ins."
ROWS = [{"id": "s1", "current": True}, {"id": "s2"}, {"id": "s3"}]


@pytest.fixture
def browser(backend: Backend, signed_in: SignedIn) -> Client:
    backend.lists(SIGN_INS, ROWS)
    for row in ROWS[1:]:
        backend.answers("DELETE", f"{SIGN_INS}/{row['id']}", status=204)
    return signed_in("ENERGY_APP")


def refuse(backend: Backend, status: int) -> None:
    """From now on, the end of any sign-in is refused."""
    for row in ROWS[1:]:
        backend.refuses("DELETE", f"{SIGN_INS}/{row['id']}", status=status)


def leads_to(response: Any) -> str:
    assert response.status_code == 303
    return str(response["Location"])


def said(response: Any) -> str:
    """What the profile says next; messages that no page has shown yet come before it."""
    assert leads_to(response) == PROFILE
    [*_, last] = get_messages(response.wsgi_request)
    return str(last)


def ended(backend: Backend) -> list[str]:
    """Those that the backend was asked to end."""
    return [call.path.rpartition("/")[2] for call in backend.calls if call.method == "DELETE"]


def test_sign_ins_say_when_where_and_from_which_address_this_one_first(backend: Backend, browser: Client) -> None:
    row = {"id": "s1", "createdAt": "2026-01-01T10:20:30Z", "lastUsedAt": "2026-01-02T10:20:30Z"}
    place = {"place": "Köln", "ipAddress": "203.0.113.7"}
    backend.lists(SIGN_INS, [row | place, {"id": "s2", "place": None, "current": True}])
    response = browser.get(PROFILE)
    assert row_ids(response) == ["s2", "s1"]
    for text in ("Jan 1, 2026, 10:20 UTC", "Jan 2, 2026, 10:20 UTC", "Köln", "203.0.113.7"):
        assert text in response.content.decode()


def test_sign_ins_without_a_cursor_say_so(backend: Backend, browser: Client) -> None:
    backend.answers("GET", SIGN_INS, json={"items": ROWS, "hasNext": True, "nextCursor": None})
    page = browser.get(PROFILE).content.decode()
    assert "There are more entries. The service does not say how to get them." in page
    assert '<div class="more hint" id="more">' in page


@pytest.mark.parametrize("current", [True, "true", 1])
def test_only_a_plain_true_marks_this_browser(backend: Backend, browser: Client, current: object) -> None:
    backend.lists(SIGN_INS, [{"id": "s1", "current": current}])
    assert ("This browser" in browser.get(PROFILE).content.decode()) is (current is True)


def test_ending_another_sign_in_or_all_others_leaves_this_one(backend: Backend, browser: Client) -> None:
    assert leads_to(browser.post(REVOKE)) == PROFILE
    assert said(browser.post(OTHERS)) == "2 other sign-ins have ended. You are still signed in here."
    assert (ended(backend), backend.calls_to("/auth/logout")) == (["s2", "s2", "s3"], [])


def test_ending_this_one_signs_out(backend: Backend, browser: Client) -> None:
    response = browser.post(f"{PROFILE}/sign-ins/s1/revoke")
    assert leads_to(response) == SIGNED_OUT
    assert response.cookies[VAR_ACCESS_TOKEN]["max-age"] == 0
    assert len(backend.calls_to("/auth/logout")) == 1


@pytest.mark.parametrize("number", [1, 30])
def test_ending_all_ends_each_once(backend: Backend, browser: Client, number: int) -> None:
    others = [f"o{each}" for each in range(number)]
    backend.lists(SIGN_INS, [ROWS[0], {"id": "gone"}, *({"id": name, "current": False} for name in others)])
    backend.refuses("DELETE", f"{SIGN_INS}/gone", status=404)
    for name in others:
        backend.answers("DELETE", f"{SIGN_INS}/{name}", status=204)
    assert leads_to(browser.post(ALL)) == f"{SIGNED_OUT}?everywhere"
    assert ended(backend) == ["gone", *others]


def test_each_browser_knows_its_own_sign_in(backend: Backend, signed_in: SignedIn) -> None:
    phone, laptop = signed_in("ENERGY_APP", id="ada"), signed_in("ENERGY_APP", id="ada")
    backend.lists(SIGN_INS, [{"id": "laptop", "current": True}, {"id": "phone"}])
    laptop.get(PROFILE)
    backend.lists(SIGN_INS, [{"id": "laptop"}, {"id": "phone", "current": True}])  # as the phone's token is told
    for _ in range(2):
        assert row_ids(phone.get(PROFILE)) == ["phone", "laptop"]
    backend.fails(503, path=SIGN_INS)
    for path in (f"{PROFILE}/sign-ins/phone/revoke", ALL):
        assert laptop.post(path).status_code == 503
    assert (ended(backend), backend.calls_to("/auth/logout")) == ([], [])


@pytest.mark.parametrize("status", [404, 405])
def test_listed_sign_in_has_not_ended(
    backend: Backend, browser: Client, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    refuse(backend, status)
    before = browser.get(PROFILE).content.decode()
    with caplog.at_level(logging.INFO, logger="portal.audit"):
        assert said(browser.post(REVOKE)) == CANT
    [line] = [getattr(record, RECORD_ATTRIBUTE) for record in caplog.records if record.name == "portal.audit"]
    assert line["reason"] == Reason.UNEXPECTED_ANSWER.label or status == 404
    after = browser.get(PROFILE).content.decode()
    for offer in (REVOKE, OTHERS, f'{ALL}"'):
        assert (offer in before, offer in after) == (True, True)
    assert "/sign-ins/s1/revoke" in after, "that is a sign-out here"
    assert said(browser.post(OTHERS)) == CANT
    assert leads_to(browser.post(ALL)) == SIGNED_OUT


def test_unlisted_sign_in_has_ended(backend: Backend, browser: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def end(request: Any, sign_in_id: str) -> Any:
        result = end_sign_in(request, sign_in_id)
        backend.lists(SIGN_INS, ROWS[:1])
        return result

    refuse(backend, 404)
    monkeypatch.setattr(sign_ins, "end_sign_in", end)
    assert said(browser.post(OTHERS)) == "2 other sign-ins have ended. You are still signed in here."
    # It may be somebody else's as well.
    assert browser.post(REVOKE).status_code == 404


def test_listed_one_is_not_counted(backend: Backend, browser: Client) -> None:
    refuse(backend, 404)
    backend.answers("DELETE", f"{SIGN_INS}/s2", status=204)
    assert said(browser.post(OTHERS)).startswith("1 other sign-in has ended.")


@pytest.mark.parametrize("status", [403, 404])
def test_service_without_a_list_of_sign_ins(backend: Backend, browser: Client, status: int) -> None:
    backend.refuses("GET", SIGN_INS, status=status)
    page = browser.get(PROFILE).content.decode()
    absent = ("Where you are signed in", "Sign out everywhere", "could not be loaded")
    assert [text for text in absent if text in page] == []
    assert said(browser.post(OTHERS)) == CANT
    assert leads_to(browser.post(ALL)) == SIGNED_OUT
