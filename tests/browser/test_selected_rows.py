"""Rows of a list are selected by mouse and keys, changed together, and brought back by one undo."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import NewAccount, Visit

pytestmark = pytest.mark.browser

ORDERS = "/en/operations/work-orders"
BOXES = "#rows .pick input"


def test_selected_rows_are_changed_with_one_undo(visit: Visit, new_account: NewAccount) -> None:
    page = visit(new_account("OPERATIONS_APP"), f"{ORDERS}?status=open")
    names = page.locator("#rows th a").all_inner_texts()[:3]
    for key in ("j", "x", "j", "j", "Shift+X"):
        page.keyboard.press(key)
    expect(page.locator(f"{BOXES}:checked")).to_have_count(3)
    expect(page.locator("#select")).to_contain_text("3 selected")
    page.get_by_role("button", name="Change the selected rows").click()
    page.get_by_role("button", name="Mark as done").click()
    expect(page).to_have_url(f"{ORDERS}?status=open")
    expect(page.locator("#toasts")).to_contain_text("Mark as done: 3 entries were changed.")
    expect(page.locator("#rows th a").first).not_to_have_text(names[0])
    page.locator("#toasts").get_by_role("button", name="Undo").click()
    expect(page.locator("#rows th a").first).to_have_text(names[0])
    # A row that a search takes away is not selected any more.
    page.locator(BOXES).nth(0).check()
    page.locator(BOXES).nth(2).click(modifiers=["Shift"])
    expect(page.locator("#select")).to_contain_text("3 selected")
    page.locator("#search").fill("zzzz")
    expect(page.get_by_role("heading", name="Nothing found")).to_be_visible()
    expect(page.locator("#select")).to_be_hidden()
