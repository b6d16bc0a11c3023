"""A list becomes a file: with a progress that can be stopped, and without scripts as a plain download."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Download, Page, Route, expect

from tests.browser.conftest import NewPage
from tests.support.harness import RunningStack

SignIn = Callable[..., None]

EXPORT = "#list-export"
DIALOG = "#export-dialog"
SESSIONS = "**/energy/sessions/export*"


def content_of(download: Download) -> str:
    return Path(download.path()).read_text(encoding="utf-8-sig")


def downloads_of(page: Page) -> list[Download]:
    """What the page saves from now on."""
    found: list[Download] = []

    def note(download: Download) -> None:
        found.append(download)

    page.on("download", note)
    return found


@pytest.fixture
def page(new_page: NewPage, sign_in: SignIn) -> Page:
    made = new_page()
    sign_in(made, "energy")
    return made


def test_the_searched_list_is_saved_under_its_name(stack: RunningStack, page: Page) -> None:
    page.goto(stack.url("energy", "/en/energy/clients"))
    page.fill("#search", "hamburg")
    expect(page.locator(EXPORT)).to_have_attribute("href", "/en/energy/clients/export?q=hamburg")
    with page.expect_download() as started:
        page.click(EXPORT)
    rows = content_of(started.value).splitlines()
    assert started.value.suggested_filename.startswith("Clients 20")
    assert rows[0].startswith("ID,Name,Email,Phone,City,Client since (")
    assert len(rows) > 20
    assert all("hamburg" in row.lower() for row in rows[1:])
    expect(page.locator(DIALOG)).to_be_hidden()


def test_a_name_keeps_its_letters(stack: RunningStack, page: Page) -> None:
    page.goto(stack.url("energy", "/de/energy/sessions?status=failed"))
    with page.expect_download() as started:
        page.click(EXPORT)
    assert started.value.suggested_filename.startswith("Ladevorgänge 20")
    assert content_of(started.value).startswith("ID;Beginn (")


def test_its_progress_is_shown_and_it_can_be_stopped(stack: RunningStack, page: Page) -> None:
    downloads = downloads_of(page)
    page.goto(stack.url("energy", "/en/energy/sessions"))
    page.focus(EXPORT)
    page.keyboard.press("Enter")
    dialog = page.locator(DIALOG)
    expect(dialog.locator("[data-export-text]")).to_contain_text("of 21,000 rows")
    expect(dialog.locator("progress")).to_have_attribute("max", "21000")
    with page.expect_event("requestfailed"):
        dialog.get_by_role("button", name="Cancel").click()
    expect(dialog).to_be_hidden()
    expect(page.locator(EXPORT)).to_be_focused()
    assert downloads == []
    # It begins anew, as if nothing had been.
    page.goto(stack.url("energy", "/en/energy/sessions?status=failed"))
    with page.expect_download() as started:
        page.click(EXPORT)
    assert len(content_of(started.value).splitlines()) > 400


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ({"status": 200, "content_type": "text/csv", "body": "Name\r\nAda\r\n"}, "nothing of it was saved"),
        ({"status": 429, "content_type": "application/problem+json", "body": '{"detail": "Too many."}'}, "Too many."),
        ({"status": 502, "content_type": "text/html", "body": "<h1>A gateway</h1>"}, "nothing of it was saved"),
    ],
)
def test_a_file_that_is_not_whole_is_not_saved(
    stack: RunningStack, page: Page, answer: dict[str, object], text: str
) -> None:
    downloads = downloads_of(page)

    def respond(route: Route) -> None:
        route.fulfill(**answer)

    page.route(SESSIONS, respond)
    page.goto(stack.url("energy", "/en/energy/sessions"))
    page.click(EXPORT)
    alert = page.locator(DIALOG).get_by_role("alert")
    expect(alert).to_contain_text(text)
    page.locator(DIALOG).get_by_role("button", name="Close").click()
    expect(page.locator(DIALOG)).to_be_hidden()
    assert downloads == []


def test_without_scripts_the_link_downloads_it(stack: RunningStack, new_page: NewPage, sign_in: SignIn) -> None:
    page = new_page(java_script_enabled=False)
    sign_in(page, "finance", opens=False)
    page.goto(stack.url("finance", "/en/finance/invoices?status=overdue"))
    with page.expect_download() as started:
        page.click(EXPORT)
    rows = content_of(started.value).splitlines()
    assert rows[0] == "ID,Invoice,Client,Issued,Due,Amount,Status,Net,VAT,Currency"
    assert len(rows) > 5
    assert all(",Overdue," in row for row in rows[1:])
