"""Forms in a browser: how they are filled and saved, and how their sign-in ends meanwhile."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.support.harness import RunningStack

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
