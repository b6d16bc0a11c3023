"""The parts of the palette that searches."""

from __future__ import annotations

from playwright.sync_api import Locator, Page

FIELD = "#palette-q"
ACTIVE = "#palette [role=option][aria-selected=true]"


def palette(page: Page) -> Locator:
    return page.locator("dialog#palette")


def found(page: Page) -> Locator:
    return page.locator("#palette-found [role=option]")
