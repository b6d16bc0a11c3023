"""Answers that a browser waits for until a test lets them through."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Page, Route


@contextmanager
def answers_held(page: Page, pattern: str) -> Iterator[None]:
    """Hold the answers to the addresses that match `pattern` back until the block ends.

    A request that the browser tells of only after the block is let through at once: a page shows that it waits
    before Playwright hears of the request.
    """
    held: list[Route] = []
    is_over = False

    def hold(route: Route) -> None:
        if is_over:
            route.continue_()
        else:
            held.append(route)

    page.route(pattern, hold)
    yield
    is_over = True
    for route in held:
        route.continue_()
