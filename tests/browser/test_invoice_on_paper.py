"""An invoice on paper: its PDF, and its own page when it is printed."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO

import pytest
from playwright.sync_api import Page
from pypdf import PdfReader

from tests.support.harness import RunningStack

pytestmark = pytest.mark.browser

SignIn = Callable[..., None]
NewPage = Callable[..., Page]
MORE_LINES = """() => {
    const line = document.querySelector("main tbody tr");
    for (let more = 0; more < 120; more++) line.after(line.cloneNode(true));
}"""


def open_an_invoice(page: Page, stack: RunningStack, *, locale: str) -> str:
    """Open the newest invoice, and give its number."""
    page.goto(stack.url("finance", f"/{locale}/finance/invoices"))
    page.locator("[data-row-id] th a").first.click()
    return page.locator("h1").inner_text()


@pytest.mark.parametrize("scripts", [True, False])
def test_its_page_leads_to_the_pdf_in_the_page_s_language(
    stack: RunningStack, new_page: NewPage, sign_in: SignIn, scripts: bool
) -> None:
    page = new_page(java_script_enabled=scripts)
    sign_in(page, "finance")
    number = open_an_invoice(page, stack, locale="de")
    link = page.get_by_role("link", name="Als PDF zeigen").get_attribute("href")
    answer = page.request.get(stack.url("finance", str(link)))
    assert answer.headers["content-type"] == "application/pdf"
    reader = PdfReader(BytesIO(answer.body()))
    text = " ".join(reader.pages[0].extract_text().split())
    assert f"Rechnung {number}" in text
    assert "Gesamt" in text


def test_printed_it_begins_on_the_first_page_and_repeats_its_headings(
    stack: RunningStack, new_page: NewPage, sign_in: SignIn
) -> None:
    page = new_page()
    sign_in(page, "finance")
    number = open_an_invoice(page, stack, locale="en")
    page.evaluate(MORE_LINES)
    sheets = [" ".join(each.extract_text().split()) for each in PdfReader(BytesIO(page.pdf(format="A4"))).pages]
    assert len(sheets) > 1
    assert number in sheets[0]
    assert [sheet for sheet in sheets[:2] if "Description Quantity" not in sheet] == []
    assert "Show as PDF" not in sheets[0]
    assert "Sign out" not in " ".join(sheets)
