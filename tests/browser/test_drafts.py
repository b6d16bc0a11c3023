"""What somebody has typed into a form comes back after their sign-in has ended, and to nobody else."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Dialog, Page, expect

from tests.browser.conftest import submit_login
from tests.browser.edited_forms import ENDED, NOTE, SAVE, end_other_sign_in, new_client, save
from tests.support.harness import RunningStack

pytestmark = pytest.mark.browser

SignIn = Callable[..., None]
NewPage = Callable[..., Page]


@pytest.fixture
def dialogs() -> list[str]:
    return []


@pytest.fixture
def staying(new_page: NewPage, dialogs: list[str]) -> Callable[..., Page]:
    """Makes browsers of a person who, when asked, stays."""

    def stay(dialog: Dialog) -> None:
        dialogs.append(dialog.type)
        dialog.dismiss()

    def make() -> Page:
        page = new_page()
        page.on("dialog", stay)
        return page

    return make


def test_a_sign_in_that_ended_under_a_form_leads_back_to_the_filled_form(
    stack: RunningStack, staying: Callable[..., Page], sign_in: SignIn, dialogs: list[str]
) -> None:
    page, elsewhere = staying(), staying()
    sign_in(page, "energy")
    sign_in(elsewhere, "energy")
    address = stack.url("energy", "/en/energy/clients/new")
    page.goto(address)
    page.locator("main [name=name]").fill("Penelope")
    page.locator("main [name=email]").fill("penelope@example.com")
    end_other_sign_in(elsewhere, stack)
    page.locator(SAVE).click()
    page.wait_for_url(stack.url("auth_app", "/en/login"))
    expect(page.locator("main")).to_contain_text(ENDED)
    submit_login(page, email="energy@example.com", password="demo")
    expect(page).to_have_url(address)
    expect(page.locator(NOTE)).to_be_visible()
    expect(page.locator("main [name=name]")).to_have_value("Penelope")
    page.locator(SAVE).click()
    expect(page.locator("[data-row-id]").first).to_contain_text("Penelope")
    page.goto(address)
    expect(page.locator("main [name=name]")).to_have_value("")
    expect(page.locator(NOTE)).to_be_hidden()
    assert dialogs == []


def test_what_came_back_is_still_compared_with_what_others_have_changed(
    stack: RunningStack, new_page: NewPage, sign_in: SignIn
) -> None:
    page, elsewhere, other = (new_page() for _ in range(3))
    sign_in(page, "energy")
    sign_in(elsewhere, "energy")
    sign_in(other, "all")
    url = new_client(page, stack, "Telemachus")
    page.goto(f"{url}/edit")
    page.locator("main [name=city]").fill("Pylos")
    other.goto(f"{url}/edit")
    save(other, city="Sparta")
    expect(other).to_have_url(url)
    end_other_sign_in(elsewhere, stack)
    page.locator(SAVE).click()
    page.wait_for_url("**/login")
    submit_login(page, email="energy@example.com", password="demo")
    expect(page.locator("main [name=city]")).to_have_value("Pylos")
    page.locator(SAVE).click()
    expect(page.locator("fieldset.conflict")).to_contain_text("Sparta")


def test_without_scripts_the_sign_in_page_says_why_and_leads_back(
    stack: RunningStack, new_page: NewPage, sign_in: SignIn
) -> None:
    page, elsewhere = new_page(java_script_enabled=False), new_page(java_script_enabled=False)
    sign_in(page, "energy")
    sign_in(elsewhere, "energy")
    address = stack.url("energy", "/en/energy/clients/new")
    page.goto(address)
    end_other_sign_in(elsewhere, stack)
    save(page, name="Argos", email="argos@example.com")
    page.wait_for_url("**/login")
    expect(page.locator("main")).to_contain_text(ENDED)
    submit_login(page, email="energy@example.com", password="demo")
    expect(page).to_have_url(address)


def test_a_sign_in_whose_cookies_are_gone_leads_back_to_the_filled_form(
    stack: RunningStack, new_page: NewPage, sign_in: SignIn
) -> None:
    page = new_page()
    sign_in(page, "energy", opens=False)
    page.goto(stack.url("energy", "/en/energy/clients/new"))
    page.locator("main [name=name]").fill("Calypso")
    page.context.clear_cookies(name=re.compile("TOKEN"))
    page.locator(SAVE).click()
    page.wait_for_url("**/login?next=*")
    expect(page.locator("main")).to_contain_text(ENDED)
    submit_login(page, email="energy@example.com", password="demo")
    expect(page.locator("main [name=name]")).to_have_value("Calypso")


def test_a_sign_out_ends_what_was_typed_and_another_account_never_sees_it(
    stack: RunningStack, new_page: NewPage, sign_in: SignIn
) -> None:
    page = new_page()
    sign_in(page, "energy", opens=False)
    page.goto(stack.url("energy", "/en/energy/clients/new"))
    page.locator("main [name=name]").fill("Secret")
    page.on("dialog", lambda dialog: dialog.accept())
    page.locator("[data-sign-out] button").first.click()
    page.wait_for_url("**/signed-out")
    for account in ("energy", "all"):
        sign_in(page, account, opens=False)
        page.goto(stack.url("energy", "/en/energy/clients/new"))
        expect(page.locator("main [name=name]")).to_have_value("")
        kept = page.evaluate("JSON.stringify({...sessionStorage})")
        assert "Secret" not in kept
        page.locator("[data-sign-out] button").first.click()
        page.wait_for_url("**/signed-out")


def test_another_account_never_sees_what_was_typed_before_a_sign_in_ended(
    stack: RunningStack, new_page: NewPage, sign_in: SignIn
) -> None:
    page = new_page()
    sign_in(page, "energy", opens=False)
    page.goto(stack.url("energy", "/en/energy/clients/new"))
    page.locator("main [name=name]").fill("Secret")
    page.context.clear_cookies(name=re.compile("TOKEN"))
    page.locator(SAVE).click()
    page.wait_for_url("**/login?next=*")
    submit_login(page, email="all@example.com", password="demo")
    expect(page).to_have_url(stack.url("energy", "/en/energy/clients/new"))
    expect(page.locator("main [name=name]")).to_have_value("")
    assert "Secret" not in page.evaluate("JSON.stringify({...sessionStorage})")


def test_a_draft_is_one_of_its_address_and_what_the_address_chooses_counts(
    stack: RunningStack, new_page: NewPage, sign_in: SignIn
) -> None:
    page = new_page()
    sign_in(page, "all")
    address = stack.url("operations", "/en/operations/work-orders/new")
    page.goto(stack.url("energy", "/en/energy/stations"))
    page.locator("[data-row-id] th a").first.click()
    station = page.locator("h1").inner_text()
    station_id = page.url.rsplit("/", 1)[1]

    def end_sign_in() -> None:
        page.context.clear_cookies(name=re.compile("TOKEN"))
        page.locator(SAVE).click()
        page.wait_for_url("**/login?next=*")
        submit_login(page, email="all@example.com", password="demo")

    page.goto(address)
    page.locator("main [name=title]").fill("Without a station")
    end_sign_in()
    expect(page.locator("main [name=title]")).to_have_value("Without a station")
    # The draft stays in the tab, and this page is left without a word.
    page.evaluate("document.querySelector('[data-draft]').removeAttribute('data-draft')")
    page.goto(f"{address}?stationId={station_id}")
    expect(page.locator("main [name=title]")).to_have_value("")
    expect(page.locator("main [name=stationId-text]")).to_have_value(station)
    page.locator("main [name=title]").fill("With one")
    end_sign_in()
    expect(page).to_have_url(f"{address}?stationId={station_id}")
    expect(page.locator("main [name=title]")).to_have_value("With one")
    expect(page.locator("main [name=stationId-text]")).to_have_value(station)
    page.locator(SAVE).click()
    page.wait_for_url("**/en/operations/work-orders")
    expect(page.locator("#toasts")).to_contain_text("With one")
    kept = page.evaluate("JSON.stringify({...sessionStorage})")
    assert ["Without a station" in kept, "With one" in kept] == [True, False]


def test_a_password_is_never_kept(stack: RunningStack, new_page: NewPage, sign_in: SignIn) -> None:
    page = new_page()
    sign_in(page, "energy", opens=False)
    page.goto(stack.url("energy", "/en/energy/clients/new"))
    page.evaluate("document.querySelector('main [name=city]').type = 'password'")
    page.locator("main [name=city]").fill("hunter2")
    page.locator("main [name=name]").fill("Ada")
    # What the page does when it is left.
    page.evaluate("window.dispatchEvent(new Event('pagehide'))")
    kept = page.evaluate("JSON.stringify({...sessionStorage})")
    assert "Ada" in kept
    assert "hunter2" not in kept
    assert "csrfmiddlewaretoken" not in kept


def test_the_language_may_be_switched_in_the_middle_of_a_form(
    stack: RunningStack, staying: Callable[..., Page], sign_in: SignIn, dialogs: list[str]
) -> None:
    page = staying()
    sign_in(page, "operations", opens=False)
    page.goto(stack.url("operations", "/en/operations/work-orders/new"))
    page.locator("main [name=title]").fill("Oil the hinge")
    page.locator("main [name=priority]").select_option("urgent")
    page.locator("button[name=locale][value=de]").first.click()
    page.wait_for_url("**/de/operations/work-orders/new")
    expect(page.locator("main [name=title]")).to_have_value("Oil the hinge")
    expect(page.locator("main [name=priority]")).to_have_value("urgent")
    assert dialogs == []
    page.locator("[data-draft-discard]").click()
    expect(page.locator("main [name=title]")).to_have_value("")
    assert dialogs == []


def test_whoever_leaves_a_changed_form_is_asked(
    stack: RunningStack, staying: Callable[..., Page], sign_in: SignIn, dialogs: list[str]
) -> None:
    page = staying()
    sign_in(page, "energy")
    address = stack.url("energy", "/en/energy/clients/new")
    page.goto(address)
    page.get_by_role("link", name="Cancel").click()
    page.wait_for_url("**/en/energy/clients")
    assert dialogs == []
    for number, link in enumerate(("Cancel", "Stations"), start=1):
        page.goto(address)
        page.locator("main [name=name]").fill("Ada")
        page.get_by_role("link", name=link).first.click()
        page.wait_for_load_state()
        assert len(dialogs) == number
        expect(page).to_have_url(address)
        page.locator("main [name=name]").fill("")
    save(page, name="Ada", email="ada@example.com")
    page.wait_for_url("**/en/energy/clients")
    assert dialogs == ["beforeunload"] * 2
