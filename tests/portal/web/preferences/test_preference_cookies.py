"""The cookies of preferences."""

import dataclasses

import pytest
from django.conf import settings
from django.http import HttpResponse
from django.test import override_settings

from portal.config.cookies import VAR_THEME
from portal.web.preferences import theme_of, write_preference


@pytest.mark.parametrize("sent", ["light", "dark", "", "system", "Dark", '"><script>', "dark light"])
def test_a_theme_is_that_of_the_cookie_and_any_other_that_of_the_system(sent: str) -> None:
    assert theme_of({VAR_THEME: sent}) == (sent if sent in {"light", "dark"} else None)
    assert theme_of({}) is None


@pytest.mark.parametrize(("value", "max_age"), [("dark", 365 * 24 * 60 * 60), (None, 0)])
def test_preference_lasts_a_year_in_all_apps(value: str | None, max_age: int) -> None:
    origins = {name: f"https://{name}.example.com" for name in settings.PORTAL.origins}
    shared = dataclasses.replace(settings.PORTAL, cookie_domain="example.com", origins=origins)
    response = HttpResponse()
    with override_settings(PORTAL=shared):
        write_preference(response, VAR_THEME, value)
    cookie = response.cookies[VAR_THEME]
    assert (cookie.value, cookie["max-age"], cookie["httponly"]) == (value or "", max_age, "")
    assert (cookie["domain"], cookie["path"], cookie["secure"]) == ("example.com", "/", True)
    assert cookie["samesite"] == "Lax"
