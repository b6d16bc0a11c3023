"""German and Turkish: the texts, the numbers, the dates, and the switch."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import submit_login
from tests.support.harness import RunningStack

pytestmark = pytest.mark.browser

SignIn = Callable[..., None]
NewPage = Callable[..., Page]


@pytest.mark.parametrize(
    "expected",
    [
        ("de", "Kunden", r"2\.4\d\d Einträge insgesamt", r"\d\d\.\d\d\.20\d\d"),
        (
            "tr",
            "Müşteriler",
            r"toplam 2\.4\d\d kay",
            r"\d{1,2} (Oca|Şub|Mar|Nis|May|Haz|Tem|Ağu|Eyl|Eki|Kas|Ara) 20\d\d",
        ),
    ],
)
def test_a_list_speaks_the_language_of_its_address(
    stack: RunningStack, new_page: NewPage, sign_in: SignIn, expected: tuple[str, str, str, str]
) -> None:
    locale, heading, total, date = expected
    page = new_page()
    sign_in(page, "energy", locale=locale)
    expect(page).to_have_url(stack.url("energy", f"/{locale}/energy"))
    page.goto(stack.url("energy", f"/{locale}/energy/clients"))
    expect(page.locator("html")).to_have_attribute("lang", locale)
    expect(page.locator("h1")).to_have_text(heading)
    expect(page.locator("#more")).to_contain_text(re.compile(total))
    expect(page.locator("[data-row-id]").first).to_contain_text(re.compile(date))


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
def test_the_switch_keeps_the_page_and_is_remembered(
    stack: RunningStack, new_page: NewPage, sign_in: SignIn, scripts: bool
) -> None:
    page = new_page(java_script_enabled=scripts)
    sign_in(page, "energy", opens=False)
    page.goto(stack.url("energy", "/en/energy/clients?q=oslo"))
    page.locator(".locales [value=de]").click()
    expect(page).to_have_url(stack.url("energy", "/de/energy/clients?q=oslo"))
    page.goto(stack.url("energy", "/energy/clients"))
    expect(page).to_have_url(stack.url("energy", "/de/energy/clients"))
    page.locator("[data-sign-out] button").first.click()
    expect(page.locator("h1")).to_have_text("Sie sind abgemeldet")


@pytest.mark.parametrize(
    ("locale", "text"),
    [("de", "E-Mail-Adresse oder Passwort ist falsch."), ("tr", "E-posta adresi veya parola")],
)
def test_a_wrong_password_is_told_in_the_language_of_the_page(
    stack: RunningStack, new_page: NewPage, locale: str, text: str
) -> None:
    page = new_page()
    page.goto(stack.url("auth_app", f"/{locale}/login"))
    submit_login(page, email="energy@example.com", password="wrong")
    expect(page.get_by_role("alert")).to_contain_text(text)
