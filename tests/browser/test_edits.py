"""What two users change, and what one has typed, is not lost without a word."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Dialog, Page, expect

from benchmarks.storm_edits import Outcome, storm
from tests.browser.conftest import submit_login
from tests.browser.firefox import Firefox, firefox
from tests.support.harness import RunningStack, require_tool

pytestmark = pytest.mark.browser

SignIn = Callable[..., None]
NewPage = Callable[..., Page]
SAVE = "main form button[type=submit]"
NOTE = "[data-draft-note]"
ENDED = "Your sign-in has ended"


def new_client(page: Page, stack: RunningStack, name: str) -> str:
    """Create a client; returns the address of its page."""
    page.goto(stack.url("energy", "/en/energy/clients/new"))
    for field, value in {"name": name, "email": "two@example.com", "city": "Köln"}.items():
        page.locator(f"main [name={field}]").fill(value)
    page.locator(SAVE).click()
    page.wait_for_url("**/en/energy/clients")
    page.locator("[data-row-id] th a").first.click()
    page.wait_for_url("**/clients/cli_*")
    return page.url


def save(page: Page, **fields: str) -> None:
    for name, value in fields.items():
        page.locator(f"main [name={name}]").fill(value)
    page.locator(SAVE).click()


def end_other_sign_in(page: Page, stack: RunningStack) -> None:
    """End the latest of this person's other sign-ins, on the profile."""
    page.goto(stack.url("auth_app", "/en/profile"))
    page.locator("#rows form button").nth(1).click()
    expect(page.locator(".toast").get_by_text("That sign-in has ended.")).to_be_visible()


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


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
def test_two_users_change_one_client(stack: RunningStack, new_page: NewPage, sign_in: SignIn, scripts: bool) -> None:
    one, two = (new_page(java_script_enabled=scripts) for _ in range(2))
    sign_in(one, "energy")
    sign_in(two, "all")
    url = new_client(one, stack, "Two Users")
    for page in (one, two):
        page.goto(f"{url}/edit")
    save(one, city="Aachen")
    expect(one).to_have_url(url)
    save(two, phone="+49 221 4711")
    expect(two).to_have_url(url)
    expect(two.locator(".toast").get_by_text("Meanwhile somebody else changed: City.")).to_be_visible()
    expect(two.locator("main")).to_contain_text("Aachen")

    for page in (one, two):
        page.goto(f"{url}/edit")
    save(one, city="Bonn")
    expect(one).to_have_url(url)
    save(two, city="Ulm")
    expect(two.locator("fieldset.conflict")).to_contain_text(re.compile("Yours\\s+Ulm\\s+Theirs, as it is now\\s+Bonn"))
    one.goto(f"{url}/edit")
    save(one, city="Trier")
    expect(one).to_have_url(url)
    two.locator("[name=keep-city][value=mine]").check()
    two.locator(SAVE).click()
    expect(two.locator("fieldset.conflict")).to_contain_text("Trier")
    two.locator("[name=keep-city][value=mine]").check()
    two.locator(SAVE).click()
    expect(two).to_have_url(url)
    expect(two.locator("main")).to_contain_text("Ulm")


def test_no_change_of_two_users_at_once_is_lost_without_a_word(stack: RunningStack) -> None:
    """The short form of `./manage.py bench storm_edits`."""
    done: list[Outcome] = []
    run = threading.Thread(target=lambda: done.append(asyncio.run(storm(stack, rounds=5, seed=2))))
    run.start()
    run.join()
    assert [(each.rounds, each.lost) for each in done] == [(5, [])]


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
def test_the_edit_of_a_client_that_was_deleted_meanwhile_can_be_created_anew(
    stack: RunningStack, new_page: NewPage, sign_in: SignIn, scripts: bool
) -> None:
    one, two = (new_page(java_script_enabled=scripts) for _ in range(2))
    sign_in(one, "energy")
    sign_in(two, "all")
    url = new_client(one, stack, "Eurydice")
    two.goto(f"{url}/edit")
    one.get_by_role("button", name="Delete", exact=True).click()
    one.get_by_role("button", name="Delete client").click()
    one.wait_for_url("**/en/energy/clients")
    save(two, city="Delphi")
    expect(two.locator("h1")).to_have_text("Eurydice was deleted meanwhile")
    expect(two.locator("main [name=city]")).to_have_value("Delphi")
    two.get_by_role("button", name="Create it anew").click()
    expect(two).to_have_url(stack.url("energy", "/en/energy/clients"))
    expect(two.locator("[data-row-id]").first).to_contain_text("Eurydice")


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
    sign_in(page, "energy")
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
    sign_in(page, "energy")
    page.goto(stack.url("energy", "/en/energy/clients/new"))
    page.locator("main [name=name]").fill("Secret")
    page.on("dialog", lambda dialog: dialog.accept())
    page.locator("[data-sign-out] button").first.click()
    page.wait_for_url("**/signed-out")
    for account in ("energy", "all"):
        sign_in(page, account)
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
    sign_in(page, "energy")
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


@pytest.mark.parametrize("field", ["stationId-text", "assignee"])
def test_another_account_gets_no_suggestions_into_the_page_of_the_one_before(
    stack: RunningStack, new_page: NewPage, sign_in: SignIn, field: str
) -> None:
    page, other = new_page(), new_page()
    sign_in(page, "operations")
    if field == "assignee":
        page.goto(stack.url("operations", "/en/operations/work-orders?status=open"))
        page.locator("[data-row-id] th a").first.click()
        page.wait_for_url(re.compile(r"/work-orders/\w+_\w+$"))
        page.locator("summary", has_text="Assign").first.click()
    else:
        page.goto(stack.url("operations", "/en/operations/work-orders/new"))
    sign_in(other, "all")
    # The watch asks at most when a tab gets the focus; here somebody types in a page that had it all along.
    page.context.add_cookies([each for each in other.context.cookies() if each["name"].startswith("VAR_")])
    with page.expect_response("**?choices=*") as answered:
        page.locator(f"main [name={field}]").press_sequentially("os")
    assert answered.value.status == 409
    expect(page.get_by_role("heading", name="Somebody else is signed in now")).to_be_visible()


def test_the_page_that_a_form_leads_to_has_its_scripts(stack: RunningStack, new_page: NewPage, sign_in: SignIn) -> None:
    page = new_page()
    sign_in(page, "energy")
    new_client(page, stack, "Ada of the scripts")
    page.get_by_role("link", name="Edit").click()
    save(page, city="Ulm")
    page.wait_for_url("**/clients/cli_*")
    expect(page.get_by_text("Your changes were saved.").first).to_be_visible()
    page.locator("[data-copy]").first.click()
    expect(page.locator("[data-copy][data-done], [data-copy] ~ *").first).to_be_attached()
    scripts = page.evaluate("[...document.scripts].map(script => script.src)")
    assert any("records" in each for each in scripts)
    assert len(scripts) == len(set(scripts))


def test_a_password_is_never_kept(stack: RunningStack, new_page: NewPage, sign_in: SignIn) -> None:
    page = new_page()
    sign_in(page, "energy")
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
    sign_in(page, "operations")
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


@pytest.fixture(scope="module")
def fox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Firefox]:
    with firefox(require_tool("firefox-esr", "firefox"), folder=tmp_path_factory.mktemp("firefox")) as browser:
        yield browser


def fox_signs_in(fox: Firefox, account: str) -> None:
    fox.type("input[name=email]", f"{account}@example.com")
    fox.type("input[name=password]", "demo")
    fox.click("form:has(input[name=email]) button")


def test_firefox_shows_a_conflict_and_comes_back_to_a_filled_form(
    stack: RunningStack, new_page: NewPage, sign_in: SignIn, fox: Firefox
) -> None:
    other = new_page()
    sign_in(other, "energy")
    url = new_client(other, stack, "Firefox")
    fox.open(stack.url("auth_app", "/en/login"))
    fox_signs_in(fox, "energy")
    fox.wait_until("return location.pathname == '/en/energy'")
    fox.open(f"{url}/edit")
    other.goto(f"{url}/edit")
    save(other, city="Bonn")
    expect(other).to_have_url(url)
    fox.type("main [name=phone]", "+49 30 4711")
    fox.run("const city = document.querySelector('main [name=city]'); city.value = ''; city.focus()")
    fox.type("main [name=city]", "Ulm")
    end_other_sign_in(other, stack)
    fox.click(SAVE)
    fox.wait_until("return location.pathname == '/en/login' && document.readyState == 'complete'")
    assert ENDED in fox.run("return document.querySelector('main').textContent")
    fox_signs_in(fox, "energy")
    fox.wait_until("return location.pathname.endsWith('/edit') && document.readyState == 'complete'")
    assert fox.run("return document.querySelector('main [name=city]').value") == "Ulm"
    fox.click(SAVE)
    fox.wait_until("return document.querySelector('fieldset.conflict') != null")
    assert "Bonn" in fox.run("return document.querySelector('fieldset.conflict').textContent")
    fox.click("[name=keep-city][value=theirs]")
    fox.click(SAVE)
    fox.wait_until(f"return location.href == '{url}' && document.readyState == 'complete'")
    facts = fox.run("return document.querySelector('main dl').textContent")
    assert "Bonn" in facts
    assert "+49 30 4711" in facts
