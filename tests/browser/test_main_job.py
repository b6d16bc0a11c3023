"""The main job, end to end: sign in, see clients, load more, create, edit, delete, sign out. Hostile rows too."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import NewAccount, NewPage, SignIn, Visit, sign_out, submit_form
from tests.support.harness import RunningStack

pytestmark = pytest.mark.browser

ROWS = "[data-row-id]"
PAGE_SIZE = 20


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
def test_clients_until_the_sign_out(
    stack: RunningStack, new_page: NewPage, sign_in: SignIn, new_account: NewAccount, scripts: bool
) -> None:
    page = new_page(java_script_enabled=scripts)
    account = new_account("ENERGY_APP")
    sign_in(page, account)
    expect(page).to_have_url(stack.url("energy", "/en/energy"))
    page.get_by_role("link", name="Clients").first.click()
    page.wait_for_url("**/clients")
    expect(page.locator(ROWS)).to_have_count(PAGE_SIZE)
    first_ids = page.locator(ROWS).evaluate_all("rows => rows.map(row => row.dataset.rowId)")

    page.locator("[data-load-more]").click()
    if scripts:
        expect(page.locator(ROWS)).to_have_count(2 * PAGE_SIZE)
        shown = page.locator(ROWS).evaluate_all("rows => rows.map(row => row.dataset.rowId)")
        assert shown[:PAGE_SIZE] == first_ids
        assert len(set(shown)) == 2 * PAGE_SIZE
    else:
        expect(page).to_have_url(re.compile("cursor="))
        shown = page.locator(ROWS).evaluate_all("rows => rows.map(row => row.dataset.rowId)")
        assert len(shown) == PAGE_SIZE
        assert not set(shown) & set(first_ids)
        page.get_by_role("link", name="Back to the first page").click()
        expect(page.locator(ROWS).first).to_have_attribute("data-row-id", first_ids[0])

    page.get_by_role("link", name="New client").click()
    name = f"Ada {'Scripted' if scripts else 'Plain'}"
    # An address that a client of other tests has would be asked about.
    email = f"{name.replace(' ', '.').lower()}@example.com"
    submit_form(page, name=name, email=email, city="Oslo")
    expect(page).to_have_url(re.compile(re.escape(stack.url("energy", "/en/energy/clients/cli_")) + r"\w+$"))
    expect(page.locator("h1")).to_have_text(name)
    expect(page.locator(".toast").get_by_text(f"{name} was created.")).to_be_visible()

    page.locator("a.back").click()
    # The list as it was.
    expect(page).to_have_url(stack.url("energy", f"/en/energy/clients{'?pages=2' if scripts else ''}"))
    expect(page.locator(ROWS).first).to_contain_text(name)
    page.locator(ROWS).first.get_by_role("link").first.click()
    page.get_by_role("link", name="Edit").click()
    submit_form(page, name=f"{name} Lovelace", phone="+47 22 33 44 55")
    expect(page.locator("h1")).to_have_text(f"{name} Lovelace")
    expect(page.locator("main")).to_contain_text("+47 22 33 44 55")

    page.get_by_role("button", name="Delete", exact=True).click()
    page.get_by_role("button", name="Delete client").click()
    expect(page).to_have_url(stack.url("energy", "/en/energy/clients"))
    expect(page.locator(ROWS).first).to_have_attribute("data-row-id", first_ids[0])
    expect(page.locator("table")).not_to_contain_text(name)

    sign_out(page)
    expect(page.locator("h1")).to_have_text("You are signed out")
    page.go_back()
    page.wait_for_load_state()
    expect(page.locator(ROWS)).to_have_count(0)
    assert f"{account}@" not in page.content()
    page.goto(stack.url("energy", "/en/energy/clients"))
    expect(page).to_have_url(re.compile(r"/en/login\?next="))


def test_markup_in_a_name_fits_and_never_runs(visit: Visit) -> None:
    page = visit("energy", "/en/energy/clients/new", viewport={"width": 360, "height": 800})
    dialogs: list[str] = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    evil = "<script>alert(1)</script><img/src=x/onerror=alert(2)>'\""
    name = evil + "N" * (200 - len(evil))
    submit_form(page, name=name, email=f"{'a' * 60}@example.com", city="W" * 100)

    def fits() -> bool:
        page.wait_for_load_state()  # with its stylesheet
        return bool(page.evaluate("document.documentElement.scrollWidth <= innerWidth"))

    expect(page.locator(".toast").first).to_contain_text(name)
    expect(page.locator("h1")).to_have_text(name)
    assert fits()
    page.locator("a.back").click()
    expect(page.locator(ROWS).first).to_contain_text(name)
    assert fits()
    # Of a name that is cut, the beginning is there to be clicked.
    page.locator(ROWS).first.get_by_role("link").first.click(position={"x": 5, "y": 5})
    expect(page.locator("h1")).to_have_text(name)
    assert fits()
    page.get_by_role("link", name="Edit").click()
    expect(page.locator("h1")).to_have_text(f"Edit {name}")
    assert fits()
    assert dialogs == []
    # Other tests open the first row.
    page.get_by_role("link", name="NNN").click()
    page.get_by_role("button", name="Delete", exact=True).click()
    page.get_by_role("button", name="Delete client").click()
    expect(page.locator(".toast").get_by_text(f"“{name}” was deleted.")).to_be_visible()
