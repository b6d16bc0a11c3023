"""The profile's forms: name, language, time zone, theme; and what it offers of a backend that lacks some of it."""

import dataclasses
from html import unescape

import pytest
from django.conf import settings
from django.test import Client, override_settings

from portal.config.cookies import VAR_SELECTED_LOCALE, VAR_THEME, VAR_TIME_ZONE
from portal.config.portal_config import OidcProvider
from portal.testing import Backend, SignedIn
from portal_gateway.devices import device_name
from tests.support.offers import offered

ACCOUNTS = "/iam/accounts"
PROFILE, NAME, SETTINGS = "/en/profile", "/en/profile/name", "/en/profile/preferences"


@pytest.fixture
def browser(backend: Backend, signed_in: SignedIn) -> Client:
    backend.lists("/iam/auth/sessions", [{"id": "s1", "createdAt": "2026-01-01T10:20:30Z"}])
    return signed_in("ENERGY_APP", name="Ada")


def profile_of(browser: Client, locale: str = "en") -> str:
    return unescape(browser.get(f"/{locale}/profile").content.decode())


def test_a_name_is_sent_to_the_backend_and_read_anew(backend: Backend, browser: Client) -> None:
    backend.answers("PATCH", "/me", json={})
    assert 'value="Ada"' in profile_of(browser)
    response = browser.post(NAME, {"name": "  Ada Lovelace "})
    assert (response.status_code, response["Location"]) == (303, PROFILE)
    assert [call.body for call in backend.calls_to("/me", method="PATCH")] == [{"name": "Ada Lovelace"}]
    before = len(backend.calls_to("/me", method="GET"))
    assert "Your name was changed." in profile_of(browser)
    assert len(backend.calls_to("/me", method="GET")) == before + 1


@pytest.mark.parametrize("name", ["", "  ", "x" * 201, "a\x07b", "Ada"])
def test_wrong_name_is_told_at_its_field(backend: Backend, browser: Client, name: str) -> None:
    backend.refuses("PATCH", "/me", errors={"name": ["Taken."]})
    response = browser.post(NAME, {"name": name})
    page = response.content.decode()
    assert (response.status_code, 'aria-invalid="true"' in page) == (422, True)
    assert ("Taken." in page) is bool(backend.calls_to("/me", method="PATCH")) is (name == "Ada")


@pytest.mark.parametrize("status", [403, 405])
def test_refused_name_stays_on_the_page(backend: Backend, browser: Client, status: int) -> None:
    assert "Change name" in profile_of(browser)
    backend.refuses("PATCH", "/me", status=status)
    refused = browser.post(NAME, {"name": "Ada Lovelace"})
    page = refused.content.decode()
    assert refused.status_code == 422
    assert ("Your name can’t be changed here." in page, 'value="Ada Lovelace"' in page) == (True, True)
    assert "Change name" in profile_of(browser), "one answer takes it from nobody"


def test_where_a_provider_keeps_the_users_a_name_has_no_address(backend: Backend, browser: Client) -> None:
    oidc = OidcProvider(issuer="https://id.test", client_id="portal")
    with override_settings(PORTAL=dataclasses.replace(settings.PORTAL, oidc=oidc)):
        assert [browser.get(NAME).status_code, browser.post(NAME, {"name": "Ada"}).status_code] == [404, 404]
    assert not backend.calls_to("/me", method="PATCH")


def test_settings_are_cookies_and_the_page_follows_them(browser: Client) -> None:
    response = browser.post("/de/profile/preferences", {"timeZone": "Asia/Calcutta", "theme": "dark"})
    assert (response.status_code, response["Location"]) == (303, "/de/profile")
    assert [response.cookies[name].value for name in (VAR_TIME_ZONE, VAR_THEME)] == ["Asia/Calcutta", "dark"]
    page = " ".join(profile_of(browser, "de").split())
    for text in (' data-zone-is-chosen data-theme="dark">', "01.01.2026, 15:50 GMT+5:30", "Ihre Einstellungen sind"):
        assert text in page
    # What is left to the browser and the system has no cookie.
    response = browser.post(SETTINGS, {"timeZone": "", "theme": ""})
    assert [response.cookies[name]["max-age"] for name in (VAR_TIME_ZONE, VAR_THEME)] == [0, 0]


def test_the_zones_are_those_with_the_users_time_until_all_are_asked_for(browser: Client) -> None:
    browser.cookies["browser_time_zone"] = "Europe/Berlin"
    page, every = (unescape(browser.get(f"{PROFILE}{query}").content.decode()) for query in ("", "?zones=all"))
    for zone, is_alike in (("Europe/Oslo", True), ("Asia/Tokyo", False)):
        assert [f'value="{zone}"' in each for each in (page, every)] == [is_alike, True]
    assert len(page.encode()) < 30_000
    assert ('href="/en/profile?zones=all#settings"' in page, "zones=all" in every) == (True, False)


def test_the_language_is_chosen_by_the_switch_of_every_page_alone(browser: Client) -> None:
    saved = browser.post(SETTINGS, {"locale": "de", "timeZone": "", "theme": ""})
    assert (saved["Location"], VAR_SELECTED_LOCALE in saved.cookies) == (PROFILE, False)
    form = profile_of(browser).partition('action="/locale"')[2].partition("</form>")[0]
    assert '<input type="hidden" name="next" value="/en/profile">' in form
    switched = browser.post("/locale", {"locale": "de", "next": PROFILE})
    assert (switched["Location"], switched.cookies[VAR_SELECTED_LOCALE].value) == ("/de/profile", "de")


@pytest.mark.parametrize("value", ["../../etc/passwd", "x" * 5000, "\x00"])
def test_what_is_no_choice_changes_nothing(browser: Client, value: str) -> None:
    response = browser.post(SETTINGS, {"timeZone": value, "theme": value})
    assert response["Location"] == PROFILE
    assert {VAR_TIME_ZONE, VAR_THEME}.isdisjoint(response.cookies)
    assert "Your settings are saved" not in profile_of(browser)


@pytest.mark.parametrize(
    ("cookie", "zone", "shown"),
    [
        # Under another name than the list's.
        (VAR_TIME_ZONE, "Asia/Kolkata", '<option value="Asia/Kolkata" selected>Kolkata</option>'),
        ("browser_time_zone", "Europe/Berlin", "As my browser (Berlin)"),
    ],
)
def test_chosen_or_own_zone_is_named(browser: Client, cookie: str, zone: str, shown: str) -> None:
    browser.cookies[cookie] = zone
    assert shown in profile_of(browser)
    browser.cookies[cookie] = "<b>"
    assert "As my browser (" not in profile_of(browser)


@pytest.mark.parametrize(("names", "is_there"), [("all", True), ("contract", True), ("required", False)])
@pytest.mark.usefixtures("browser")
def test_accounts_are_offered_to_administrators(
    backend: Backend, signed_in: SignedIn, names: str, is_there: bool
) -> None:
    with offered(names):
        assert ("/en/accounts" in profile_of(signed_in("IAM_ADMIN"))) is is_there
    assert not backend.calls_to(ACCOUNTS)


EDGE = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 Chrome/139.0 Safari/537.36 Edg/139.0"
SAFARI = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605 Version/18.0 Mobile/15E148 Safari/604.1"
)


@pytest.mark.parametrize(
    ("user_agent", "name"),
    [
        (EDGE, "Edge, macOS"),
        (SAFARI, "Safari, iPhone"),
        ("curl/8.0", "curl/8.0"),
        ("portal", "Unknown browser"),
        ("x" * 500, "x" * 80),
    ],
)
def test_browsers_are_named_as_people_do(user_agent: str, name: str) -> None:
    assert device_name(user_agent) == name
