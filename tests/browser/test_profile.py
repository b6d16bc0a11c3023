"""The profile: name, language, time zone and theme, with scripts and without."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.support.harness import RunningStack

pytestmark = pytest.mark.browser

SignIn = Callable[..., None]
NewPage = Callable[..., Page]
NewAccount = Callable[..., str]
each_way = pytest.mark.parametrize("scripts", [True, False])


@each_way
def test_a_new_name_is_that_of_every_page(
    stack: RunningStack, new_page: NewPage, sign_in: SignIn, new_account: NewAccount, scripts: bool
) -> None:
    page = new_page(java_script_enabled=scripts)
    sign_in(page, new_account("FINANCE_APP"))
    page.goto(stack.url("auth_app", "/en/profile"))
    name = "Franziska of Köln"
    page.get_by_label("Name").fill(name)
    page.get_by_role("button", name="Change name").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(name)
    page.goto(stack.url("finance", "/en/finance"))
    expect(page.locator("#essentials")).to_contain_text(name)


@each_way
def test_settings_count_in_every_app(
    stack: RunningStack, new_page: NewPage, sign_in: SignIn, new_account: NewAccount, scripts: bool
) -> None:
    page = new_page(java_script_enabled=scripts, timezone_id="Europe/Oslo", color_scheme="light")
    sign_in(page, new_account("ENERGY_APP"))
    page.goto(stack.url("auth_app", "/en/profile"))
    page.get_by_label("Language of all pages").select_option("de")
    page.get_by_role("button", name="Change language").click()
    expect(page).to_have_url(stack.url("auth_app", "/de/profile"))
    page.get_by_label("Zeitzone").select_option(label="Chatham")
    page.get_by_role("radio", name="Dunkel").check()
    page.get_by_role("button", name="Einstellungen speichern").click()
    expect(page.get_by_role("radio", name="Dunkel")).to_be_checked()
    page.goto(stack.url("energy", "/de/energy/sessions"))
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    expect(page.locator("[data-as-of]")).to_contain_text(re.compile(r"GMT\+1[23]:45"))
    page.goto(stack.url("auth_app", "/de/profile"))
    page.get_by_label("Zeitzone").select_option("")
    page.get_by_role("radio", name="Wie mein System").check()
    page.get_by_role("button", name="Einstellungen speichern").click()
    expect(page.locator("html")).not_to_have_attribute("data-theme", "dark")
    page.goto(stack.url("energy", "/de/energy/sessions"))
    expect(page.locator("[data-as-of]")).to_contain_text("MEZ" if scripts else "UTC")


def test_the_profile_names_the_browsers_zone(stack: RunningStack, new_page: NewPage, sign_in: SignIn) -> None:
    page = new_page(timezone_id="Europe/Oslo")
    sign_in(page, "energy", opens=False)
    page.goto(stack.url("auth_app", "/en/profile"))
    expect(page.get_by_label("Time zone").locator("option:checked")).to_have_text(re.compile(r"As my browser \(Oslo\)"))
