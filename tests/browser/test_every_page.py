"""Every page as a browser meets it: no violation of axe-core's rules, and nothing on the console.

The pages are those of the URL tables (:mod:`tests.support.open_pages`), so a new one is among them.
"""

import re
from collections.abc import Iterator
from typing import Final

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Response

from tests.support.harness import RunningStack
from tests.support.open_pages import VISITORS, OpenPage, open_pages, signed_in_contexts
from tests.support.whole_runs import IS_WHOLE

#: Seconds. The first test opens every page, at two widths, and in both themes at one.
pytestmark = [pytest.mark.browser, pytest.mark.timeout(1200)]

WIDTHS: Final = (320, 1280)
THEMES: Final = ("light", "dark")
#: A page's colours are the same at every width. The narrowest comes last: there the menu is behind its button.
LOOKS: Final = ((WIDTHS[-1], "dark"), (WIDTHS[-1], "light"), (WIDTHS[0], "light"))
#: The rule that the theme counts for, or all that are on by default (WCAG 2.0 to 2.2, A and AA, and best practices) and
#: that of the size of targets. Of the whole page, or of what was opened on a page that was looked at before.
AXE: Final = """async ([onlyColours, colours, opened]) => {
    await new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn)));
    const rules = {'target-size': {enabled: true}, 'color-contrast': {enabled: colours}};
    const options = onlyColours ? {runOnly: ['color-contrast']} : {rules};
    return (await axe.run(opened || document, {resultTypes: ['violations'], ...options})).violations;
}"""
#: Elements that open a part of a page, each with the part. The menu is one for all pages of an app.
MENU: Final = "#sidebar"
OPENED: Final = {"button[popovertarget=sidebar]": MENU, "button[popovertarget=delete]": "#delete"}


class Walk:
    """A walk over all pages, and what they had, for tests that each ask one thing.

    :ivar pages: those that were opened.
    :ivar violations: of axe-core, each with its page, width and theme.
    :ivar complaints: of the console, and requests that failed.
    :ivar sideways: pages that are wider than their window.
    """

    def __init__(self, contexts: dict[str | None, BrowserContext]) -> None:
        self.pages: list[OpenPage] = []
        self.violations: list[str] = []
        self.complaints: list[str] = []
        self.sideways: list[str] = []
        self._opened = {visitor: context.new_page() for visitor, context in contexts.items()}
        self._place, self._status = "", 200
        self._menus: set[str] = set()
        for page in self._opened.values():
            page.on("console", self._note_console)
            page.on("pageerror", lambda error: self._complain(str(error)))
            page.on("requestfailed", lambda request: self._complain(f"{request.url}: {request.failure}"))
            page.on("response", self._note_response)

    def _complain(self, text: str) -> None:
        self.complaints.append(f"{self._place}: {text}")

    def _note_console(self, message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"} and self._status == 200:
            self._complain(message.text)

    def _note_response(self, response: Response) -> None:
        if response.status >= 400 and self._status == 200:
            self._complain(f"{response.url}: {response.status}")

    def visit(self, each: OpenPage, url: str, *, state: str = "", status: int = 200) -> None:
        page = self._opened[each.visitor]
        self._place, self._status = f"{each.app} {each.path} {state}".strip(), status
        page.set_viewport_size({"width": WIDTHS[-1], "height": 900})
        response = page.goto(url)
        assert response is not None
        assert response.status == status, self._place
        self.pages.append(each)
        # In a short run each third page is checked, in one of the looks by turns.
        if not IS_WHOLE and len(self.pages) % 3:
            return
        page.evaluate(AXE_SCRIPT)
        self._check(page)
        page.set_viewport_size({"width": WIDTHS[0], "height": 900})
        for button, target in OPENED.items():
            # Asked of the page at its narrowest, where the menu is one.
            if (target != MENU or each.app not in self._menus) and page.locator(button).first.is_visible():
                self._menus.update([each.app] if target == MENU else [])
                page.locator(button).first.click()
                page.locator(target).wait_for()
                self._check(page, width=WIDTHS[0], opened=target)
                page.keyboard.press("Escape")

    def _check(self, page: Page, *, width: int | None = None, opened: str = "") -> None:
        looks = [(width, theme) for theme in THEMES] if width else LOOKS
        for each, theme in looks if IS_WHOLE else [looks[len(self.pages) // 3 % len(looks)]]:
            page.emulate_media(color_scheme=theme)
            page.set_viewport_size({"width": each, "height": 900})
            at = f"{self._place} {opened} {theme} {each}px"
            self.violations.extend(
                f"{at}: {violation['id']}: {node['html'][:200]} {node['failureSummary'][:300]}"
                for violation in page.evaluate(AXE, [theme != THEMES[0], bool(opened) or each == WIDTHS[-1], opened])
                for node in violation["nodes"]
            )
            if page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"):
                self.sideways.append(at)


@pytest.fixture(scope="module")
def found(stack: RunningStack, browser: Browser) -> Iterator[Walk]:
    """One walk over all pages; each is opened once."""
    contexts = {
        visitor: browser.new_context(reduced_motion="reduce", viewport={"width": 1280, "height": 900})
        for visitor in VISITORS
    }
    signed_in_contexts(stack, contexts.items())
    walk = Walk(contexts)
    for each in open_pages(stack, contexts, locale="en"):
        walk.visit(each, stack.url(each.app, each.path))
        if each.route.endswith("/clients"):
            walk.visit(each, stack.url(each.app, f"{each.path}?q=zzzz"), state="nothing found")
            walk.visit(each, stack.url(each.app, f"{each.path}/none"), state="not found", status=404)
    yield walk
    for context in contexts.values():
        context.close()


def test_walk_opens_pages_of_every_app(found: Walk) -> None:
    assert {page.app for page in found.pages} == {"auth_app", "energy", "finance", "operations"}
    assert len(found.pages) >= 26
    assert all(re.fullmatch(r"[\w-]+", page.name) for page in found.pages), "each is the name of a screenshot's file"


def test_no_page_breaks_a_rule_of_axe_core(found: Walk) -> None:
    assert found.violations == []


def test_no_page_says_anything_on_the_console(found: Walk) -> None:
    assert found.complaints == []


def test_no_page_is_wider_than_its_window(found: Walk) -> None:
    assert found.sideways == []
