"""What two users change in one form is not lost without a word, and a form is shown to its own user only."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, expect

from benchmarks.storm_edits import Outcome, storm
from tests.browser.edited_forms import ENDED, SAVE, end_other_sign_in, new_client, save
from tests.browser.firefox import Firefox, firefox
from tests.support.harness import RunningStack, require_tool

pytestmark = pytest.mark.browser

SignIn = Callable[..., None]
NewPage = Callable[..., Page]


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
