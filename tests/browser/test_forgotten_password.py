"""A forgotten password, from the sign-in page to the first page with the new one."""

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


def link_of_the_last_mail(stack: RunningStack) -> str:
    return str(re.findall(r"new password within 30 minutes: (\S+)", stack.log.read_text())[-1])


@pytest.mark.parametrize("scripts", [True, False])
def test_a_new_password_is_chosen_by_the_link_of_a_mail(
    stack: RunningStack, new_page: NewPage, sign_in: SignIn, new_account: NewAccount, scripts: bool
) -> None:
    account, elsewhere = new_account("OPERATIONS_APP"), new_page()
    sign_in(elsewhere, account)
    page = new_page(java_script_enabled=scripts)
    page.goto(stack.url("auth_app", "/en/login"))
    page.get_by_role("link", name="Forgotten your password?").click()
    page.get_by_label("Email").fill(f"{account}@example.com")
    page.get_by_role("button", name="Send the link").click()
    expect(page.get_by_text(f"If {account}@example.com has an account")).to_be_visible()
    link = link_of_the_last_mail(stack)
    page.goto(stack.url("auth_app", link[link.index("/login") :]))
    page.locator("#id_password").fill("demo demo")
    page.get_by_role("button", name="Change password").click()
    expect(
        page.locator(".toast").get_by_text("Your password was changed, and all your sign-ins have ended.")
    ).to_be_visible()
    page.goto(stack.url("auth_app", link[link.index("/login") :]))
    page.locator("#id_password").fill("another one")
    page.get_by_role("button", name="Change password").click()
    expect(page.get_by_text("This link has been used already")).to_be_visible()
    elsewhere.reload()
    expect(elsewhere.get_by_role("heading", name="Sign in")).to_be_visible()
    sign_in(page, account, password="demo demo")
    expect(page).to_have_url(stack.url("operations", "/en/operations"))


def test_the_page_of_an_unknown_address_is_the_same(stack: RunningStack, new_page: NewPage) -> None:
    page = new_page()
    page.goto(stack.url("auth_app", "/de/login/forgot"))
    page.get_by_label("E-Mail").fill("nobody@example.com")
    page.get_by_role("button", name="Link anfordern").click()
    expect(page.get_by_text("Wenn es zu nobody@example.com ein Konto gibt")).to_be_visible()


def test_a_password_can_be_shown(stack: RunningStack, new_page: NewPage) -> None:
    page = new_page()
    page.goto(stack.url("auth_app", "/en/login"))
    password = page.locator("#id_password")
    password.fill("secret")
    page.get_by_label("Show password").check()
    expect(password).to_have_attribute("type", "text")
    page.get_by_label("Show password").uncheck()
    expect(password).to_have_attribute("type", "password")


def test_the_typed_address_outlasts_the_language_switch(stack: RunningStack, new_page: NewPage) -> None:
    page = new_page()
    page.goto(stack.url("auth_app", "/en/login"))
    page.locator("#id_email").fill("ada@example.com")
    page.get_by_role("button", name="Deutsch").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Anmelden")
    expect(page.locator("#id_email")).to_have_value("ada@example.com")
    page.reload()
    expect(page.locator("#id_email")).to_have_value("")
