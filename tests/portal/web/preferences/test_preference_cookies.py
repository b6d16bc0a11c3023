"""The cookies of preferences."""

from __future__ import annotations

import dataclasses

import pytest
from django.conf import settings
from django.http import HttpResponse
from django.test import override_settings

from portal.config.cookies import VAR_THEME
from portal.web.preferences import theme_of, write_preference


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_theme_is_that_of_the_cookie(theme: str) -> None:
    assert theme_of({VAR_THEME: theme}) == theme


@pytest.mark.parametrize("sent", ["", "system", "Dark", '"><script>', "dark light"])
def test_any_other_theme_is_that_of_the_system(sent: str) -> None:
    assert theme_of({VAR_THEME: sent}) is None
    assert theme_of({}) is None


def test_a_preference_lasts_a_year_and_scripts_can_read_it() -> None:
    response = HttpResponse()
    write_preference(response, VAR_THEME, "dark")
    cookie = response.cookies[VAR_THEME]
    assert (cookie.value, cookie["max-age"], cookie["path"], cookie["samesite"], cookie["httponly"]) == (
        "dark",
        365 * 24 * 60 * 60,
        "/",
        "Lax",
        "",
    )


def test_none_removes_a_preference() -> None:
    response = HttpResponse()
    write_preference(response, VAR_THEME, None)
    assert response.cookies[VAR_THEME]["max-age"] == 0


@pytest.mark.parametrize("value", ["dark", None])
def test_it_is_set_and_removed_for_all_apps_and_over_https_alone(value: str | None) -> None:
    origins = {name: f"https://{name}.example.com" for name in settings.PORTAL.origins}
    shared = dataclasses.replace(settings.PORTAL, cookie_domain="example.com", origins=origins)
    response = HttpResponse()
    with override_settings(PORTAL=shared):
        write_preference(response, VAR_THEME, value)
    cookie = response.cookies[VAR_THEME]
    assert (cookie["domain"], cookie["path"], cookie["secure"]) == ("example.com", "/", True)
