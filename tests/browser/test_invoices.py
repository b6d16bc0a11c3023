"""An invoice as somebody works it: the list and its sum, a reminder, paid, and back."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visit

pytestmark = pytest.mark.browser

OVERDUE = "/en/finance/invoices?status=overdue"


def test_an_overdue_invoice_is_reminded_of_and_paid_and_that_is_undone_and_the_sum_follows(visit: Visit) -> None:
    page = visit("finance", OVERDUE)
    total = page.locator("tfoot .sums")
    expect(total).to_contain_text(re.compile(r"Sum of all \d+"))
    before = total.inner_text()
    page.locator("#rows th a").first.click()
    page.get_by_text("Send a reminder").first.click()
    question = page.locator("details[open]")
    expect(question).to_contain_text("is asked once more to pay INV-")
    question.get_by_role("button", name="Send a reminder").click()
    expect(page.locator(".toast")).to_contain_text("was reminded of INV-")
    expect(page.locator(".toast").get_by_role("button", name="Undo")).to_have_count(0)
    expect(page.locator("dl.facts")).to_contain_text(re.compile(r"\d times?, last on"))
    page.get_by_role("button", name="Mark as paid").click()
    expect(page.locator(".head .badge")).to_have_text("Paid")
    paid = page.url
    page.goto(OVERDUE)
    expect(total).not_to_have_text(before)
    page.goto(paid)
    page.get_by_role("button", name="Reopen").click()
    expect(page.locator(".head .badge")).to_have_text("Overdue")
    page.get_by_role("button", name="Mark as paid").click()
    page.locator(".toast").get_by_role("button", name="Undo").click()
    expect(page.locator(".head .badge")).to_have_text("Overdue")
    expect(page.get_by_role("link", name="Show as PDF")).to_be_visible()
    page.goto(OVERDUE)
    assert total.inner_text() == before
