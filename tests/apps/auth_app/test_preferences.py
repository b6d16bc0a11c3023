"""The profile's forms: name, language, time zone, theme; and ending all other sign-ins."""

from __future__ import annotations

import dataclasses
from html import unescape

import pytest
from django.conf import settings
from django.test import Client, override_settings

from portal.config.cookies import VAR_SELECTED_LOCALE, VAR_THEME, VAR_TIME_ZONE
from portal.config.portal_config import OidcProvider
from portal.testing import Backend, SignedIn

SIGN_INS = "/iam/auth/sessions"
SETTINGS = "/en/profile/preferences"


def profile_of(browser: Client, locale: str = "en") -> str:
    return unescape(browser.get(f"/{locale}/profile").content.decode())


def test_a_name_is_sent_to_the_backend_and_read_anew(backend: Backend, signed_in: SignedIn) -> None:
    backend.lists(SIGN_INS, [])
    backend.answers("PATCH", "/me", json={})
    browser = signed_in("ENERGY_APP", name="Ada")
    assert 'value="Ada"' in profile_of(browser)
    response = browser.post("/en/profile/name", {"name": "  Ada Lovelace "})
    assert (response.status_code, response["Location"]) == (303, "/en/profile")
    (call,) = backend.calls_to("/me", method="PATCH")
    assert call.body == {"name": "Ada Lovelace"}
    before = len(backend.calls_to("/me", method="GET"))
    assert "Your name was changed." in profile_of(browser)
    assert len(backend.calls_to("/me", method="GET")) == before + 1


@pytest.mark.parametrize("name", ["", "  ", "x" * 201, "a\x07b", "Ada"])
def test_a_name_that_is_none_is_not_sent_and_what_the_backend_says_of_one_stands_at_it(
    backend: Backend, signed_in: SignedIn, name: str
) -> None:
    backend.lists(SIGN_INS, [])
    backend.refuses("PATCH", "/me", errors={"name": ["Taken."]})
    response = signed_in("ENERGY_APP").post("/en/profile/name", {"name": name})
    assert response.status_code == 422
    assert 'aria-invalid="true"' in response.content.decode()
    assert ("Taken." in response.content.decode()) is bool(backend.calls_to("/me", method="PATCH")) is (name == "Ada")


def test_where_a_provider_keeps_the_users_a_name_has_no_address(backend: Backend, signed_in: SignedIn) -> None:
    browser = signed_in("ENERGY_APP")
    oidc = OidcProvider(issuer="https://id.test", client_id="portal")
    with override_settings(PORTAL=dataclasses.replace(settings.PORTAL, oidc=oidc)):
        assert browser.get("/en/profile/name").status_code == 404
        assert browser.post("/en/profile/name", {"name": "Ada"}).status_code == 404
    assert not backend.calls_to("/me", method="PATCH")


def test_settings_are_cookies_and_the_page_follows_them(backend: Backend, signed_in: SignedIn) -> None:
    backend.lists(SIGN_INS, [{"id": "s1", "createdAt": "2026-01-01T10:20:30Z"}])
    browser = signed_in("ENERGY_APP")
    response = browser.post("/de/profile/preferences", {"timeZone": "Asia/Calcutta", "theme": "dark"})
    assert (response.status_code, response["Location"]) == (303, "/de/profile")
    assert {name: response.cookies[name].value for name in (VAR_TIME_ZONE, VAR_THEME)} == {
        VAR_TIME_ZONE: "Asia/Calcutta",
        VAR_THEME: "dark",
    }
    page = profile_of(browser, "de")
    assert ' data-zone-is-chosen data-theme="dark">' in " ".join(page.split())
    assert '<option value="Asia/Calcutta" selected>Kolkata</option>' in page
    assert "01.01.2026, 15:50 GMT+5:30" in page
    assert "Ihre Einstellungen sind in diesem Browser gespeichert." in page
    # What is left to the browser and the system has no cookie.
    response = browser.post(SETTINGS, {"timeZone": "", "theme": ""})
    assert [response.cookies[name]["max-age"] for name in (VAR_TIME_ZONE, VAR_THEME)] == [0, 0]


def test_the_language_is_chosen_by_the_switch_of_every_page_alone(backend: Backend, signed_in: SignedIn) -> None:
    backend.lists(SIGN_INS, [])
    browser = signed_in("ENERGY_APP")
    saved = browser.post(SETTINGS, {"locale": "de", "timeZone": "", "theme": ""})
    assert (saved["Location"], VAR_SELECTED_LOCALE in saved.cookies) == ("/en/profile", False)
    form = profile_of(browser).partition('aria-labelledby="language"')[2].partition("</form>")[0]
    assert 'action="/locale"' in form
    assert '<input type="hidden" name="next" value="/en/profile">' in form
    switched = browser.post("/locale", {"locale": "de", "next": "/en/profile"})
    assert (switched["Location"], switched.cookies[VAR_SELECTED_LOCALE].value) == ("/de/profile", "de")


@pytest.mark.parametrize("value", ["../../etc/passwd", "Europe/Nowhere", '"><script>', "x" * 5000, "\x00"])
def test_what_is_no_choice_changes_nothing(backend: Backend, signed_in: SignedIn, value: str) -> None:
    backend.lists(SIGN_INS, [])
    browser = signed_in("ENERGY_APP")
    response = browser.post(SETTINGS, {"timeZone": value, "theme": value})
    assert response["Location"] == "/en/profile"
    assert VAR_TIME_ZONE not in response.cookies
    assert VAR_THEME not in response.cookies
    assert "Your settings are saved" not in profile_of(browser)


def test_a_zone_under_another_name_than_the_lists_stays_chosen(backend: Backend, signed_in: SignedIn) -> None:
    backend.lists(SIGN_INS, [])
    browser = signed_in("ENERGY_APP")
    browser.cookies[VAR_TIME_ZONE] = "Asia/Kolkata"
    assert '<option value="Asia/Kolkata" selected>Kolkata</option>' in profile_of(browser)


def test_the_zone_of_the_browser_is_named_once_it_is_known(backend: Backend, signed_in: SignedIn) -> None:
    backend.lists(SIGN_INS, [])
    browser = signed_in("ENERGY_APP")
    browser.cookies["browser_time_zone"] = "Europe/Berlin"
    assert "As my browser (Berlin)" in profile_of(browser)
    browser.cookies["browser_time_zone"] = "<b>"
    assert "As my browser (" not in profile_of(browser)


def test_ending_all_others_leaves_this_one(backend: Backend, signed_in: SignedIn) -> None:
    backend.lists(SIGN_INS, [{"id": "s1"}, {"id": "s2", "current": True}, {"id": "s3"}])
    for other in ("s1", "s3"):
        backend.answers("DELETE", f"{SIGN_INS}/{other}", status=204)
    browser = signed_in("ENERGY_APP")
    response = browser.post("/en/profile/sign-ins/revoke-others")
    assert (response.status_code, response["Location"]) == (303, "/en/profile")
    ended = [call.path.rpartition("/")[2] for call in backend.calls if call.method == "DELETE"]
    assert ended == ["s1", "s3"]
    assert not backend.calls_to("/auth/logout")
    assert "2 other sign-ins have ended. You are still signed in here." in profile_of(browser)


def test_sign_ins_say_when_where_and_from_which_address(backend: Backend, signed_in: SignedIn) -> None:
    row = {"id": "s1", "createdAt": "2026-01-01T10:20:30Z", "lastUsedAt": "2026-01-02T10:20:30Z"}
    backend.lists(SIGN_INS, [row | {"place": "Köln", "ipAddress": "203.0.113.7"}, {"id": "s2", "place": None}])
    page = profile_of(signed_in("ENERGY_APP"))
    for text in ("Jan 1, 2026, 10:20 UTC", "Jan 2, 2026, 10:20 UTC", "Köln", "203.0.113.7"):
        assert text in page


@pytest.mark.parametrize(
    ("sent", "passed"),
    [
        ("203.0.113.7", "203.0.113.7"),
        ("2001:DB8::1%x", "2001:db8::1"),
        *((odd, None) for odd in ("", "unknown", "1.2.3.4, 5.6.7.8", "<script>")),
    ],
)
def test_the_backend_is_told_the_browsers_address_and_nothing_that_is_none(
    backend: Backend, signed_out: Client, sent: str, passed: str | None
) -> None:
    backend.answers("POST", "/auth/login", json=backend.sign_in("ENERGY_APP").pair)
    signed_out.post("/en/login", {"email": "a@example.com", "password": "x", "next": ""}, REMOTE_ADDR=sent)
    assert backend.calls_to("/auth/login")[0].headers.get("x-forwarded-for") == passed
