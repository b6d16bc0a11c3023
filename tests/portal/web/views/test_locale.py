"""POST /locale: the language switch."""

from collections.abc import Callable

import pytest
from django.test import Client

from portal.config.cookies import VAR_SELECTED_LOCALE, VAR_THEME

GATEWAY = "http://localhost:8000"


@pytest.mark.parametrize(
    ("target", "location"),
    [
        ("/en/energy/clients?q=a%26b", "/de/energy/clients?q=a%26b"),
        (f"{GATEWAY}/en/login?next=x", f"{GATEWAY}/de/login?next=x"),
    ],
)
def test_it_redirects_to_the_page_in_the_chosen_language_and_stores_the_choice(target: str, location: str) -> None:
    response = Client().post("/locale", {"locale": "de", "next": target})
    assert (response.status_code, response["Location"]) == (303, location)
    cookie = response.cookies[VAR_SELECTED_LOCALE]
    assert (cookie.value, cookie["path"], cookie["samesite"]) == ("de", "/", "Lax")
    assert cookie["max-age"] == 365 * 24 * 60 * 60


@pytest.mark.parametrize("target", ["", "https://evil.test/", "/static/x"])
def test_any_other_target_leads_home_or_to_the_sign_in_page(target: str, browser_of: Callable[..., Client]) -> None:
    for browser, location in ((Client(), f"{GATEWAY}/tr/login"), (browser_of("ENERGY_APP"), "/tr/energy")):
        assert browser.post("/locale", {"locale": "tr", "next": target})["Location"] == location


@pytest.mark.parametrize("locale", ["", "DE"])
def test_an_unknown_language_changes_nothing(locale: str) -> None:
    response = Client().post("/locale", {"locale": locale, "next": "/en/energy"})
    assert response["Location"] == "/en/energy"
    assert VAR_SELECTED_LOCALE not in response.cookies


@pytest.mark.parametrize(("theme", "kept"), [("dark", "dark"), ("", ""), ("pink", None), (None, None)])
def test_the_palette_chooses_the_colours_with_it(theme: str | None, kept: str | None) -> None:
    sent = {"locale": "en", "next": "/en/energy"} | ({} if theme is None else {"theme": theme})
    cookie = Client().post("/locale", sent).cookies.get(VAR_THEME)
    assert (None if cookie is None else cookie.value) == kept


def test_only_a_form_of_ours_can_switch() -> None:
    assert Client().get("/locale").status_code == 405
    assert Client(enforce_csrf_checks=True).post("/locale", {"locale": "de"}).status_code == 403
