"""The gateway's pages: sign-in, the profile, where one is signed in."""

from __future__ import annotations

import re
from html import unescape
from urllib.parse import quote

import pytest
from django.test import Client, override_settings

from portal.config.cookies import VAR_ACCESS_TOKEN, VAR_PERMITTED_PLATFORMS, VAR_REFRESH_TOKEN, VAR_SELECTED_LOCALE
from portal.testing import Backend, Fault, SignedIn, page_of, row_ids

SIGN_INS = "/iam/auth/sessions"
FORM = {"email": "ada@example.com", "password": "correct horse", "next": ""}


def test_signing_in_keeps_the_tokens_and_leads_to_the_users_platform(backend: Backend, signed_out: Client) -> None:
    made = backend.sign_in("ENERGY_APP")
    backend.answers("POST", "/auth/login", json=made.pair)
    response = signed_out.post("/en/login", FORM)
    assert (response.status_code, response["Location"]) == (303, "/en/energy")
    assert response.cookies[VAR_ACCESS_TOKEN].value == made.access
    assert response.cookies[VAR_REFRESH_TOKEN].value == made.refresh
    assert response.cookies[VAR_PERMITTED_PLATFORMS].value == "%5B%22ENERGY%22%5D"
    (call,) = backend.calls_to("/auth/login")
    assert call.body == {"email": "ada@example.com", "password": "correct horse"}
    assert "authorization" not in call.headers


def test_each_call_of_a_sign_in_carries_the_request_s_id(backend: Backend, signed_out: Client) -> None:
    backend.answers("POST", "/auth/login", json=backend.sign_in("ENERGY_APP").pair)
    assert signed_out.post("/en/login", FORM, headers={"x-request-id": "the-sign-in"}).status_code == 303
    named = [(call.path, call.headers.get("x-request-id")) for call in backend.calls]
    assert named == [("/auth/login", "the-sign-in"), ("/me", "the-sign-in")]


def test_a_wrong_password_is_said_and_signs_nobody_in(backend: Backend, signed_out: Client) -> None:
    backend.refuses("POST", "/auth/login", status=401)
    response = signed_out.post("/en/login", FORM)
    assert response.status_code == 401
    assert VAR_ACCESS_TOKEN not in response.cookies
    assert "correct horse" not in response.content.decode()


def test_an_empty_form_names_both_fields_and_asks_nobody(backend: Backend, signed_out: Client) -> None:
    page = signed_out.post("/en/login", {"email": "", "password": "", "next": ""}).content.decode()
    assert ("Enter your email address." in page, "Enter your password." in page) == (True, True)
    assert backend.calls == []


@pytest.mark.parametrize("fault", [503, "html", "refused", "timeout"])
def test_while_the_backend_is_away_the_form_stays_and_one_line_says_why(
    backend: Backend, signed_out: Client, caplog: pytest.LogCaptureFixture, fault: Fault
) -> None:
    backend.fails(fault)
    response = signed_out.post("/en/login", FORM)
    assert response.status_code == 503
    assert response["Retry-After"]
    assert 'name="password"' in response.content.decode()
    (line,) = [record for record in caplog.records if record.levelname == "ERROR"]
    assert line.getMessage().startswith("POST /en/login: 503: "), line.getMessage()


@pytest.mark.parametrize(
    ("locale", "says"),
    [("en", "could not be renewed"), ("de", "nicht erneuert werden"), ("tr", "yenilenemedi")],
)
def test_who_was_led_here_since_a_renewal_was_lost_is_told_so(signed_out: Client, locale: str, says: str) -> None:
    body = unescape(signed_out.get(f"/{locale}/login?next=%2Fen%2Fprofile&reason=refresh-lost").content.decode())
    assert says in body
    # Switching the language loses neither where it leads nor why.
    assert "/login?next=%2Fen%2Fprofile&reason=refresh-lost" in body


@pytest.mark.parametrize("reason", ["", "other", "<b>sent by a stranger</b>", "Refresh-Lost"])
def test_no_other_reason_is_shown(signed_out: Client, reason: str) -> None:
    body = signed_out.get("/en/login", {"reason": reason}).content.decode()
    assert "stranger" not in body
    assert "notice" not in body


def test_the_profile_lists_the_sign_ins_with_this_one_first(backend: Backend, signed_in: SignedIn) -> None:
    backend.lists(SIGN_INS, [{"id": "s1", "userAgent": "curl/8"}, {"id": "s2", "current": True}])
    response = signed_in("ENERGY_APP").get("/en/profile")
    assert response.status_code == 200
    assert row_ids(response) == ["s2", "s1"]


def test_a_page_of_the_sign_ins_leads_on_and_back(backend: Backend, signed_in: SignedIn) -> None:
    backend.answers("GET", SIGN_INS, json=page_of([{"id": "s1"}], next_cursor="more"))
    user = signed_in("ENERGY_APP")
    assert 'href="/en/profile?cursor=more"' in user.get("/en/profile").content.decode()
    page = user.get("/en/profile?cursor=more").content.decode()
    assert re.search(r'href="/en/profile"[^>]*>\s*(<svg.*?</svg>)?\s*Back to the first page', page, re.DOTALL)


def test_without_a_platform_the_profile_says_so(backend: Backend, signed_in: SignedIn) -> None:
    backend.lists(SIGN_INS, [])
    assert "No platform is open to you yet." in signed_in().get("/en/profile").content.decode()


@pytest.mark.parametrize("current", [True, False, None, "true", 1])
def test_only_a_plain_true_marks_this_browser(backend: Backend, signed_in: SignedIn, current: object) -> None:
    backend.lists(SIGN_INS, [{"id": "s1", "current": current}])
    assert ("This browser" in signed_in("ENERGY_APP").get("/en/profile").content.decode()) is (current is True)


def test_ending_another_sign_in_leaves_this_one(backend: Backend, signed_in: SignedIn) -> None:
    backend.lists(SIGN_INS, [{"id": "s1"}, {"id": "s2", "current": True}])
    backend.answers("DELETE", f"{SIGN_INS}/s1", status=204)
    response = signed_in("ENERGY_APP").post("/en/profile/sign-ins/s1/revoke")
    assert (response.status_code, response["Location"]) == (303, "/en/profile")
    assert len(backend.calls_to(f"{SIGN_INS}/s1", method="DELETE")) == 1


def test_ending_this_one_signs_out(backend: Backend, signed_in: SignedIn) -> None:
    backend.lists(SIGN_INS, [{"id": "s2", "current": True}])
    response = signed_in("ENERGY_APP").post("/en/profile/sign-ins/s2/revoke")
    assert (response.status_code, response["Location"]) == (303, "http://localhost:8000/en/signed-out")
    assert response.cookies[VAR_ACCESS_TOKEN]["max-age"] == 0
    assert len(backend.calls_to("/auth/logout")) == 1


def end_all(backend: Backend, browser: Client, *others: str) -> list[str]:
    """Ask for the end of all sign-ins of a list that stays as it is; gives those that the backend was asked to end."""
    rows = [{"id": "this", "current": True}, *({"id": name, "current": False} for name in others)]
    backend.lists(SIGN_INS, rows)
    page = browser.post("/en/profile/sign-ins/revoke")
    assert (page.status_code, page["Location"]) == (303, "http://localhost:8000/en/signed-out?everywhere")
    return [call.path.rpartition("/")[2] for call in backend.calls if call.method == "DELETE"]


def test_ending_all_ends_each_once_where_the_list_is_behind(backend: Backend, signed_in: SignedIn) -> None:
    others = [f"s{number}" for number in range(30)]
    for name in others:
        backend.answers("DELETE", f"{SIGN_INS}/{name}", status=204)
    assert end_all(backend, signed_in("ENERGY_APP"), *others) == others


def test_ending_all_goes_on_where_one_has_ended_meanwhile(backend: Backend, signed_in: SignedIn) -> None:
    backend.refuses("DELETE", f"{SIGN_INS}/s1", status=404)
    backend.answers("DELETE", f"{SIGN_INS}/s2", status=204)
    assert end_all(backend, signed_in("ENERGY_APP"), "s1", "s2") == ["s1", "s2"]


def test_what_another_browser_was_told_does_not_decide_which_sign_in_is_this_one(
    backend: Backend, signed_in: SignedIn
) -> None:
    phone, laptop = signed_in("ENERGY_APP", id="ada"), signed_in("ENERGY_APP", id="ada")
    backend.lists(SIGN_INS, [{"id": "laptop", "current": True}, {"id": "phone"}])
    laptop.get("/en/profile")
    backend.lists(SIGN_INS, [{"id": "laptop"}, {"id": "phone", "current": True}])  # as the phone's token is told
    for _ in range(2):
        assert row_ids(phone.get("/en/profile")) == ["phone", "laptop"]
    backend.fails(503, path=SIGN_INS)
    assert row_ids(laptop.get("/en/profile")) == []
    assert laptop.post("/en/profile/sign-ins/phone/revoke").status_code == 503
    assert laptop.post("/en/profile/sign-ins/revoke").status_code == 503
    assert backend.calls_to("/auth/logout") == []
    assert backend.calls_to(f"{SIGN_INS}/phone", method="DELETE") == []


@pytest.mark.parametrize("path", ["/login/oidc/callback", "/en/login/oidc"])
def test_without_a_provider_its_addresses_are_our_own_404_in_debug_too(signed_out: Client, path: str) -> None:
    with override_settings(DEBUG=True):
        response = signed_out.get(path)
    assert response.status_code == 404
    assert "There is nothing here" in response.content.decode()


@pytest.mark.parametrize("wanted", ["/\x00/evil.test", "\x00", "/en/profile\x00", " /en/profile", "//evil.test", None])
def test_a_next_that_is_no_address_of_ours_is_dropped_and_no_mistake_in_the_form(
    backend: Backend, signed_out: Client, wanted: str | None
) -> None:
    backend.answers("POST", "/auth/login", json=backend.sign_in("ENERGY_APP").pair)
    form = {name: value for name, value in (FORM | {"next": wanted}).items() if value is not None}
    response = signed_out.post("/en/login", form)
    assert (response.status_code, response["Location"]) == (303, "/en/energy")


PAGE = "http://localhost:8001/en/energy/clients?q=a"


@pytest.mark.parametrize(
    ("chosen", "wanted", "location"),
    [
        ("de", PAGE, "http://localhost:8001/de/energy/clients?q=a"),
        ("de", "/en/profile", "/de/profile"),
        ("", PAGE, PAGE),
        ("tr", PAGE, PAGE),
    ],
    ids=["absolute", "a path", "nothing chosen", "another page's language"],
)
def test_a_language_chosen_on_the_sign_in_page_is_that_of_the_page_it_leads_to(
    backend: Backend, signed_out: Client, chosen: str, wanted: str, location: str
) -> None:
    backend.answers("POST", "/auth/login", json=backend.sign_in("ENERGY_APP").pair)
    signed_out.cookies[VAR_SELECTED_LOCALE] = chosen
    assert signed_out.post("/de/login", FORM | {"next": wanted})["Location"] == location


def test_after_a_wrong_password_the_language_switch_still_knows_where_the_sign_in_leads(
    backend: Backend, signed_out: Client
) -> None:
    backend.refuses("POST", "/auth/login", status=401)
    body = signed_out.post("/en/login", FORM | {"next": PAGE}).content.decode()
    (own,) = re.findall(r'<form method="post" action="/locale">.*?name="next" value="([^"]*)"', body, re.DOTALL)
    switched = signed_out.post("/locale", {"locale": "de", "next": unescape(own)})
    assert switched["Location"] == f"/de/login?next={quote(PAGE, safe='')}"
