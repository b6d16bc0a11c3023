"""Pages on a phone: what one reads first comes first, and nothing lies over or is cut by anything else."""

import itertools

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.support.harness import RunningStack

pytestmark = pytest.mark.browser

LOCALES = ("en", "de", "tr")
PHONE = {"width": 360, "height": 800}
#: The words that are wider than their own place.
WIDER = "words => words.filter(word => word.scrollWidth > word.clientWidth).map(word => word.textContent.trim())"
#: How much wider than its place the placeholder of a field is.
PLACEHOLDER_IS_CUT = """field => {
    const {font, paddingLeft, paddingRight} = getComputedStyle(field);
    const pen = document.createElement("canvas").getContext("2d");
    pen.font = font;
    return pen.measureText(field.placeholder).width > field.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
}"""


def test_introduction_comes_before_the_figures(stack: RunningStack, visit: Visit) -> None:
    page = visit("all", "/en/energy", viewport=PHONE)
    for app, locale in itertools.product(("energy", "operations", "finance"), LOCALES):
        page.goto(stack.url(app, f"/{locale}/{app}"))
        box = page.locator(".introduction").bounding_box()
        assert box["y"] < page.locator(".figures").first.bounding_box()["y"]
        assert (app, locale, box["height"] < PHONE["height"] * 0.3) == (app, locale, True)


def test_help_and_search_fit_each_width(visit: Visit) -> None:
    page = visit("energy", "/en/search", viewport=PHONE)
    field, hint = page.locator("#search"), page.locator("#search-hint")
    for locale in LOCALES:
        page.goto(f"/{locale}/help")
        for width in (320, 360, 480):
            page.set_viewport_size({"width": width, "height": 800})
            assert (locale, width, page.locator(".keys dt").evaluate_all(WIDER)) == (locale, width, [])
        page.goto(f"/{locale}/search")
        for width in (320, 360, 1280):
            page.set_viewport_size({"width": width, "height": 800})
            # The hint says below the field what is cut in it.
            assert hint.is_visible() or not field.evaluate(PLACEHOLDER_IS_CUT), (locale, width)
            expect(hint).to_be_visible(visible=width < 360)
    expect(field).to_have_accessible_description(hint.text_content() or "")
