"""A list becomes a file, with a progress that can be stopped; a file that is not whole is not saved."""

from pathlib import Path

import pytest
from playwright.sync_api import Download, expect

from tests.browser.conftest import Visit

pytestmark = pytest.mark.browser

EXPORT = "#list-export"
NOT_WHOLE = "nothing of it was saved"


def test_export_is_stopped_or_saved_whole(visit: Visit) -> None:
    page = visit("energy", "/en/energy/sessions")
    downloads: list[Download] = []
    page.on("download", lambda download: downloads.append(download))  # noqa: PLW0108  Playwright takes no built-in
    page.focus(EXPORT)
    page.keyboard.press("Enter")
    dialog = page.locator("#export-dialog")
    expect(dialog.locator("[data-export-text]")).to_contain_text("of 21,000 rows")
    expect(dialog.locator("progress")).to_have_attribute("max", "21000")
    with page.expect_event("requestfailed"):
        dialog.get_by_role("button", name="Cancel").click()
    expect(dialog).to_be_hidden()
    expect(page.locator(EXPORT)).to_be_focused()
    for status, content_type, body, text in (
        (200, "text/csv", "Name\r\nAda\r\n", NOT_WHOLE),
        (429, "application/problem+json", '{"detail": "Too many."}', "Too many."),
    ):
        answer = {"status": status, "content_type": content_type, "body": body}
        page.route("**/energy/sessions/export*", lambda route, _, answer=answer: route.fulfill(**answer))
        page.click(EXPORT)
        expect(dialog.get_by_role("alert")).to_contain_text(text)
        dialog.get_by_role("button", name="Close").click()
        expect(dialog).to_be_hidden()
    assert downloads == []
    page.unroute("**/energy/sessions/export*")
    page.goto("/en/energy/sessions?status=failed")
    with page.expect_download() as started:
        page.click(EXPORT)
    assert len(Path(started.value.path()).read_text().splitlines()) > 400
