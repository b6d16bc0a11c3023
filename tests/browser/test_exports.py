"""A list becomes a file, with a progress that can be stopped; a file that is not whole is not saved."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Download, Page, expect

from tests.browser.conftest import Visit

pytestmark = pytest.mark.browser

EXPORT = "#list-export"
DIALOG = "#export-dialog"
NOT_WHOLE = "nothing of it was saved"


def downloads_of(page: Page) -> list[Download]:
    """What the page saves from now on."""
    found: list[Download] = []

    def note(download: Download) -> None:
        found.append(download)

    page.on("download", note)
    return found


def rows_saved(page: Page) -> tuple[str, list[str]]:
    """Press the link; the name and the lines of the file."""
    with page.expect_download() as started:
        page.click(EXPORT)
    return started.value.suggested_filename, Path(started.value.path()).read_text(encoding="utf-8-sig").splitlines()


def test_its_progress_is_shown_and_it_can_be_stopped_and_begun_anew(visit: Visit) -> None:
    page = visit("energy", "/en/energy/sessions")
    downloads = downloads_of(page)
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
    page.goto("/en/energy/sessions?status=failed")
    assert len(rows_saved(page)[1]) > 400


def test_a_file_that_is_not_whole_is_not_saved(visit: Visit) -> None:
    page = visit("energy", "/en/energy/sessions")
    downloads = downloads_of(page)
    for status, content_type, body, text in (
        (200, "text/csv", "Name\r\nAda\r\n", NOT_WHOLE),
        (429, "application/problem+json", '{"detail": "Too many."}', "Too many."),
        (502, "text/html", "<h1>A gateway</h1>", NOT_WHOLE),
    ):
        answer = {"status": status, "content_type": content_type, "body": body}
        page.route("**/energy/sessions/export*", lambda route, _, answer=answer: route.fulfill(**answer))
        page.click(EXPORT)
        expect(page.locator(DIALOG).get_by_role("alert")).to_contain_text(text)
        page.locator(DIALOG).get_by_role("button", name="Close").click()
        expect(page.locator(DIALOG)).to_be_hidden()
    assert downloads == []
