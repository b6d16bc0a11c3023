"""The gateway's sign-in page."""

import re
from html import unescape
from urllib.parse import quote

import pytest
from django.http import HttpResponse
from django.test import Client, override_settings

from portal.config.cookies import (
    VAR_ACCESS_TOKEN,
    VAR_PERMITTED_PLATFORMS,
    VAR_REFRESH_TOKEN,
    VAR_SELECTED_LOCALE,
    VAR_WAY_BACK,
)
from portal.config.limits import SIGN_IN_TRIES, SIGN_IN_WINDOW_MIN
from portal.testing import Backend, Fault
from portal.testing.sign_ins import SignIn
from portal_gateway.forms import LoginForm
from tests.support.nothing_kept import nothing_kept, shown

LOGIN = "/en/login"
FORM = {"email": "ada@example.com", "password": "correct horse", "next": ""}


@pytest.fixture
def made(backend: Backend) -> SignIn:
    """The tokens that the backend gives whoever signs in."""
    made = backend.sign_in("ENERGY_APP")
    backend.answers("POST", "/auth/login", json=made.pair)
    return made


def test_a_password_is_taken_as_it_was_typed_and_never_written_back() -> None:
    form = LoginForm({"email": " ada@example.com ", "password": "  spaces count  "})
    assert form.is_valid()
    assert form.cleaned_data == form.cleaned_data | {"email": "ada@example.com", "password": "  spaces count  "}
    assert "spaces count" not in str(form)
    assert "ada@example.com" in str(form)
    assert set(LoginForm({}).errors) == {"email", "password"}


def test_sign_in_keeps_tokens_and_leads_on(backend: Backend, signed_out: Client, made: SignIn) -> None:
    response = signed_out.post(LOGIN, FORM, headers={"x-request-id": "the-sign-in"})
    assert (response.status_code, response["Location"]) == (303, "/en/energy")
    kept = {VAR_ACCESS_TOKEN: made.access, VAR_REFRESH_TOKEN: made.refresh}
    kept[VAR_PERMITTED_PLATFORMS] = "%5B%22ENERGY%22%5D"
    assert {name: response.cookies[name].value for name in kept} == kept
    named = [(call.path, call.headers.get("x-request-id")) for call in backend.calls]
    assert named == [("/auth/login", "the-sign-in"), ("/me", "the-sign-in")]
    (call,) = backend.calls_to("/auth/login")
    assert call.body == {"email": "ada@example.com", "password": "correct horse"}
    assert "authorization" not in call.headers


#: Where a page shows its request's id: where somebody may ask what happened, not beside a wrong password.
SHOWN_ID = "data-request-id"
PAGE = "http://localhost:8001/en/energy/clients?q=a"


def test_wrong_password_keeps_the_address(backend: Backend, signed_out: Client) -> None:
    backend.refuses("POST", "/auth/login", status=401)
    response = signed_out.post(LOGIN, FORM | {"next": PAGE})
    body = response.content.decode()
    assert (response.status_code, VAR_ACCESS_TOKEN in response.cookies) == (401, False)
    assert ("correct horse" in body, SHOWN_ID in body) == (False, False)
    (own,) = re.findall(r'<form method="post" action="/locale">.*?name="next" value="([^"]*)"', body, re.DOTALL)
    switched = signed_out.post("/locale", {"locale": "de", "next": unescape(own)})
    assert switched["Location"] == f"/de/login?next={quote(PAGE, safe='')}"


def test_too_many_tries_stop_the_stranger_alone(backend: Backend, signed_out: Client) -> None:
    def sign_in(address: str) -> HttpResponse:
        return signed_out.post(LOGIN, FORM, REMOTE_ADDR=address)

    backend.refuses("POST", "/auth/login", status=401)
    answers = [sign_in("203.0.113.9") for _ in range(SIGN_IN_TRIES + 2)]
    assert [answer.status_code for answer in answers] == [401] * SIGN_IN_TRIES + [429] * 2
    assert 0 < int(answers[-1]["Retry-After"]) <= SIGN_IN_WINDOW_MIN * 60
    assert "Too many failed tries" in answers[-1].content.decode()
    backend.answers("POST", "/auth/login", json=backend.sign_in("ENERGY_APP").pair)
    assert sign_in("203.0.113.9").status_code == 429
    assert sign_in("198.51.100.7").status_code == 303


@pytest.mark.parametrize("fault", [503, "timeout"])
def test_outage_keeps_form(
    backend: Backend, signed_out: Client, caplog: pytest.LogCaptureFixture, fault: Fault
) -> None:
    backend.fails(fault)
    response = signed_out.post(LOGIN, FORM)
    assert (response.status_code, bool(response["Retry-After"])) == (503, True)
    body = response.content.decode()
    assert ('name="password"' in body, SHOWN_ID in body) == (True, True)
    (line,) = [record.getMessage() for record in caplog.records if record.levelname == "ERROR"]
    assert line.startswith("POST /en/login: 503: ")


def test_lost_renewal_is_told(signed_out: Client) -> None:
    body = unescape(signed_out.get("/de/login?next=%2Fen%2Fprofile&reason=refresh-lost").content.decode())
    # Switching the language loses neither where it leads nor why.
    address = "/login?next=%2Fen%2Fprofile&reason=refresh-lost"
    assert ("nicht erneuert werden" in body, address in body) == (True, True)


@pytest.mark.parametrize("reason", ["", "<b>sent by a stranger</b>", "Refresh-Lost"])
def test_no_other_reason_is_shown(signed_out: Client, reason: str) -> None:
    body = signed_out.get(LOGIN, {"reason": reason}).content.decode()
    assert ("stranger" in body, "notice" in body) == (False, False)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"query": "?next=%2Fen%2Fprofile"}, {"query": "?next=%2Fen%2Fhelp"}),
        ({"query": "?next=%22%3E%3Cscript%3E"}, {"query": "?next=%22%26gt%3B%3Cscript%3E"}),
        ({}, {VAR_WAY_BACK: quote(" /en/profile")}),
        ({}, {"query": "?reason=refresh-lost"}),
        ({}, {"path": "/de/login"}),
    ],
)
def test_strangers_share_no_page(signed_out: Client, one: dict[str, str], other: dict[str, str]) -> None:
    def view(path: str = LOGIN, query: str = "", **cookies: str) -> str:
        signed_out.cookies.clear()
        for name, value in cookies.items():
            signed_out.cookies[name] = value
        return shown(signed_out.get(f"{path}{query}"))

    seen = [view(**each) for each in (one, other) * 2]
    with nothing_kept():
        alone = [view(**each) for each in (one, other)]
    assert seen == alone * 2
    assert alone[0] != alone[1]


@pytest.mark.usefixtures("made")
def test_a_form_that_was_sent_is_never_shown_to_the_next_stranger(signed_out: Client, backend: Backend) -> None:
    before = shown(signed_out.get(LOGIN))
    backend.refuses("POST", "/auth/login", status=401)
    assert "ada@example.com" in shown(signed_out.post(LOGIN, FORM))
    assert shown(signed_out.get(LOGIN)) == before
    assert "ada@example.com" not in before


@pytest.mark.parametrize("path", ["/login/oidc/callback", "/en/login/oidc"])
def test_without_a_provider_its_addresses_are_our_own_404_in_debug_too(signed_out: Client, path: str) -> None:
    with override_settings(DEBUG=True):
        response = signed_out.get(path)
    assert (response.status_code, "There is nothing here" in response.content.decode()) == (404, True)


@pytest.mark.usefixtures("made")
@pytest.mark.parametrize("wanted", ["/\x00/evil.test", "\x00", "/en/profile\x00", " /en/profile", "//evil.test", None])
def test_foreign_next_is_dropped(signed_out: Client, wanted: str | None) -> None:
    form = {name: value for name, value in (FORM | {"next": wanted}).items() if value is not None}
    response = signed_out.post(LOGIN, form)
    assert (response.status_code, response["Location"]) == (303, "/en/energy")


@pytest.mark.usefixtures("made")
@pytest.mark.parametrize(
    ("chosen", "wanted", "location"),
    [
        ("de", PAGE, "http://localhost:8001/de/energy/clients?q=a"),
        ("de", "/en/profile", "/de/profile"),
        ("tr", PAGE, PAGE),
    ],
    ids=["absolute", "a path", "another page's language"],
)
def test_chosen_language_leads_on(signed_out: Client, chosen: str, wanted: str, location: str) -> None:
    signed_out.cookies[VAR_SELECTED_LOCALE] = chosen
    assert signed_out.post("/de/login", FORM | {"next": wanted})["Location"] == location


@pytest.mark.usefixtures("made")
@pytest.mark.parametrize(
    ("sent", "passed"),
    [
        ("203.0.113.7", "203.0.113.7"),
        ("2001:DB8::1%x", "2001:db8::1"),
        *((odd, None) for odd in ("", "unknown", "1.2.3.4, 5.6.7.8", "<script>")),
    ],
)
def test_browser_address_is_passed_on(backend: Backend, signed_out: Client, sent: str, passed: str | None) -> None:
    signed_out.post(LOGIN, FORM, REMOTE_ADDR=sent)
    assert backend.calls_to("/auth/login")[0].headers.get("x-forwarded-for") == passed
