"""What somebody has typed into a form comes back after their sign-in has ended, and to nobody else."""

import re

import pytest
from playwright.sync_api import Dialog, Page, expect

from tests.browser.conftest import NewPage, SignIn, Visit, sign_out, submit_form
from tests.support.harness import RunningStack
from tests.support.open_pages import submit_login

pytestmark = pytest.mark.browser

NEW = "/en/energy/clients/new"
SAVE = "main form button[type=submit]"
NOTE = "[data-draft-note]"
ENDED = "Your sign-in has ended"
KEPT = "JSON.stringify({...sessionStorage})"


def sign_in_again_under_the_form(page: Page, account: str) -> None:
    """The browser has lost its sign-in, which it learns when the form is sent; then this account signs in."""
    page.context.clear_cookies(name=re.compile("TOKEN"))
    page.locator(SAVE).click()
    page.wait_for_url("**/login?next=*")
    expect(page.locator("main")).to_contain_text(ENDED)
    submit_login(page, account)


def test_restored_draft_still_knows_what_its_form_showed(visit: Visit) -> None:
    page, other = visit("energy", NEW), visit("all", "/en/energy")
    submit_form(page, name="Penelope", email="penelope@example.com", city="Ithaca")
    page.get_by_role("link", name="Edit").click()
    page.wait_for_url("**/edit")
    edit = page.url
    page.locator("main [name=city]").fill("Pylos")
    other.goto(edit)
    submit_form(other, city="Sparta")
    expect(other.locator("main")).to_contain_text("Sparta")
    sign_in_again_under_the_form(page, "energy")
    expect(page).to_have_url(edit)
    expect(page.locator(NOTE)).to_be_visible()
    expect(page.locator("main [name=city]")).to_have_value("Pylos")
    page.locator(SAVE).click()
    expect(page.locator("fieldset.conflict")).to_contain_text("Sparta")
    page.locator("[name=keep-city][value=mine]").check()
    page.locator(SAVE).click()
    page.wait_for_url(edit.removesuffix("/edit"))
    page.goto(edit)
    expect(page.locator(NOTE)).to_be_hidden()


def test_another_account_finds_no_draft(visit: Visit) -> None:
    page = visit("energy", NEW)
    page.locator("main [name=name]").fill("Secret")
    sign_in_again_under_the_form(page, "all")
    expect(page).to_have_url(NEW)
    expect(page.locator("main [name=name]")).to_have_value("")
    assert "Secret" not in page.evaluate(KEPT)


def test_sign_out_ends_what_was_typed(visit: Visit, sign_in: SignIn) -> None:
    page = visit("energy", NEW)
    page.evaluate("document.querySelector('main [name=city]').type = 'password'")
    page.locator("main [name=city]").fill("hunter2")
    page.locator("main [name=name]").fill("Secret")
    # The browser sends this event as the page is left.
    page.evaluate("window.dispatchEvent(new Event('pagehide'))")
    kept = page.evaluate(KEPT)
    assert [word in kept for word in ("Secret", "hunter2", "csrfmiddlewaretoken")] == [True, False, False]
    page.on("dialog", lambda dialog: dialog.accept())
    sign_out(page)
    for account in ("energy", "all"):
        sign_in(page, account, opens=False)
        page.goto(NEW)
        expect(page.locator("main [name=name]")).to_have_value("")
        assert "Secret" not in page.evaluate(KEPT)
        sign_out(page)


def test_draft_belongs_to_its_whole_address(stack: RunningStack, visit: Visit) -> None:
    page = visit("all", "/en/operations/work-orders/new")
    address = page.url
    page.goto(stack.url("energy", "/en/energy/stations"))
    page.locator("[data-row-id] th a").first.click()
    page.wait_for_url("**/energy/stations/*")
    station = page.locator("h1").inner_text()
    with_station = f"{address}?stationId={page.url.rsplit('/', 1)[1]}"
    page.goto(address)
    page.locator("main [name=title]").fill("Without a station")
    sign_in_again_under_the_form(page, "all")
    expect(page.locator("main [name=title]")).to_have_value("Without a station")
    # The draft stays in the tab, and this page is left without a word.
    page.evaluate("document.querySelector('[data-draft]').removeAttribute('data-draft')")
    page.goto(with_station)
    expect(page.locator("main [name=title]")).to_have_value("")
    expect(page.locator("main [name=stationId-text]")).to_have_value(station)
    page.locator("main [name=title]").fill("With one")
    sign_in_again_under_the_form(page, "all")
    expect(page).to_have_url(with_station)
    expect(page.locator("main [name=title]")).to_have_value("With one")
    page.locator(SAVE).click()
    page.wait_for_url("**/en/operations/work-orders/wor_*")
    kept = page.evaluate(KEPT)
    assert ["Without a station" in kept, "With one" in kept] == [True, False]


def test_changed_form_is_left_after_a_question(stack: RunningStack, visit: Visit) -> None:
    page = visit("all", "/en/operations/work-orders/new")
    dialogs: list[str] = []

    def stay(dialog: Dialog) -> None:
        dialogs.append(dialog.type)
        dialog.dismiss()

    page.on("dialog", stay)
    page.locator("main [name=title]").fill("Oil the hinge")
    # The language may be switched in the middle of a form.
    page.locator("button[name=locale][value=de]").first.click()
    page.wait_for_url("**/de/operations/work-orders/new")
    expect(page.locator("main [name=title]")).to_have_value("Oil the hinge")
    page.locator("[data-draft-discard]").click()
    expect(page.locator("main [name=title]")).to_have_value("")
    page.goto(stack.url("energy", NEW))
    page.get_by_role("link", name="Cancel").click()
    page.wait_for_url("**/en/energy/clients")
    assert dialogs == []
    for number, link in enumerate(("Cancel", "Stations"), start=1):
        page.goto(stack.url("energy", NEW))
        page.locator("main [name=name]").fill("Ada")
        page.get_by_role("link", name=link).first.click()
        page.wait_for_load_state()
        assert len(dialogs) == number
        expect(page).to_have_url(stack.url("energy", NEW))
        page.locator("main [name=name]").fill("")
    submit_form(page, name="Ada", email="ada@example.com")
    page.wait_for_url("**/en/energy/clients/cli_*")
    assert dialogs == ["beforeunload"] * 2


def test_unchanged_time_is_left_without_a_question(visit: Visit) -> None:
    """The backend has its seconds, which a browser leaves out where they are 0."""
    page = visit("all", "/en/operations/work-orders/new")
    submit_form(page, title="Oil the hinge", dueAt="2030-12-07T15:00")
    page.wait_for_url("**/en/operations/work-orders/wor_*")
    row = page.url
    page.goto(f"{row}/edit")
    expect(page.locator("main [name=dueAt]")).to_have_attribute("value", "2030-12-07T15:00:00")
    dialogs: list[str] = []

    def leave(dialog: Dialog) -> None:
        dialogs.append(dialog.type)
        dialog.accept()

    page.on("dialog", leave)
    # A browser asks only where somebody has done something.
    page.locator("main [name=title]").click()
    page.get_by_role("link", name="Cancel").click()
    page.wait_for_url(row)
    assert dialogs == []


def test_sign_in_keeps_address_and_shows_password(stack: RunningStack, new_page: NewPage) -> None:
    page = new_page()
    page.goto(stack.url("auth_app", "/en/login"))
    page.get_by_label("Show password").check()
    expect(page.locator("#id_password")).to_have_attribute("type", "text")
    page.locator("#id_email").fill("ada@example.com")
    page.get_by_role("button", name="Deutsch").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Anmelden")
    expect(page.locator("#id_email")).to_have_value("ada@example.com")
    page.reload()
    expect(page.locator("#id_email")).to_have_value("")
