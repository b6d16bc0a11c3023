"""Tables at every width: whole words, columns that stay, text that can be copied, paper."""

import itertools
from io import BytesIO

import pytest
from playwright.sync_api import expect
from pypdf import PdfReader

from tests.browser.conftest import Visit

pytestmark = pytest.mark.browser

#: Per account of the demonstration: its lists.
LISTS = {
    "iam": ("accounts",),
    "energy": tuple(f"energy/{name}" for name in ("clients", "stations", "chargers", "sessions", "meters")),
    "operations": ("operations/work-orders",),
    "finance": ("finance/invoices",),
}
#: The rows that the sandbox came with: other tests add to the beginning of a list.
OLDEST = "?sort=createdAt"
CLIENTS = "/en/energy/clients"
LOCALES = ("en", "de", "tr")
WIDTHS = (320, 480, 640, 768, 900, 1120, 1280, 1440)
#: Words of a table that stand on two lines, cells that are cut, and a table that leaves its card. Text of a row that is one
#: line may end in three dots: numbers, states, days and headings may not, and nothing of a card or on paper.
TORN_OR_CUT = """table => {
    const found = [];
    const texts = document.createTreeWalker(table, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
        const text = texts.currentNode;
        if (text.parentElement.closest("caption, thead:not(:has(:scope th:nth-child(n + 2)))")) continue;
        for (const word of text.textContent.matchAll(/[^\\s-]+/g)) {
            const range = document.createRange();
            range.setStart(text, word.index);
            range.setEnd(text, word.index + word[0].length);
            const lines = new Set([...range.getClientRects()].map(box => Math.round(box.top)));
            if (lines.size > 1) found.push(`torn: ${word[0]}`);
        }
    }
    for (const cell of table.querySelectorAll("tbody :is(th, td, a, time, .sub), thead th, tfoot :is(th, td)")) {
        const isCut = cell.scrollWidth > cell.clientWidth + 1 || cell.scrollHeight > cell.clientHeight + 4;
        const hasDots = cell.matches("tbody :is(th, td):not(.number, .nowrap, .corner, :has(time))") &&
            getComputedStyle(cell).whiteSpace === "nowrap" && getComputedStyle(cell).textOverflow === "ellipsis";
        if (isCut && hasDots && cell.clientWidth < 90) found.push(`narrow: ${cell.textContent.trim()}`);
        if (isCut && !hasDots && cell.clientWidth) found.push(`cut: ${cell.textContent.trim()}`);
    }
    if (table.offsetWidth > table.parentElement.clientWidth) found.push("wider than its card");
    return found;
}"""
#: What a reader may set for all text of a page: WCAG 1.4.12.
SPACING = """() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync("* { line-height: 1.5 !important; letter-spacing: .12em !important; word-spacing: .16em !important }");
    document.adoptedStyleSheets = [sheet];
}"""


@pytest.mark.parametrize("account", LISTS)
def test_no_word_is_torn_or_cut(visit: Visit, account: str) -> None:
    page = visit(account, f"/en/{LISTS[account][0]}")
    table = page.locator("table.table")
    for path, locale in itertools.product(LISTS[account], LOCALES):
        page.goto(f"/{locale}/{path}{OLDEST}")
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            assert (path, locale, width, table.evaluate(TORN_OR_CUT)) == (path, locale, width, [])
        if locale == "de":
            page.evaluate(SPACING)
            for width in (320, 1280, 1920):
                page.set_viewport_size({"width": width, "height": 900})
                found = [each for each in table.evaluate(TORN_OR_CUT) if not each.startswith("torn")]
                assert (path, width, found) == (path, width, [])


def test_rows_keep_their_place_and_their_text(visit: Visit) -> None:
    page = visit("energy", f"{CLIENTS}{OLDEST}")
    places = "headings => headings.slice(0, 2).map(each => each.offsetLeft)"
    at_first = page.locator("thead th").evaluate_all(places)
    page.locator("#load-more").click()
    expect(page.locator("#rows tr")).to_have_count(40)
    assert page.locator("thead th").evaluate_all(places) == at_first
    # Text can be marked, and a click opens the row.
    page.goto(f"{CLIENTS}{OLDEST}")
    cell = page.locator("#rows tr").first.locator("td").first
    box = cell.bounding_box()
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 4, middle)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 4, middle, steps=5)
    page.mouse.up()
    assert "@" in page.evaluate("getSelection().toString()")
    with page.context.expect_page() as opened:
        cell.click(modifiers=["ControlOrMeta"])
    opened.value.wait_for_url("**/energy/clients/cli_*")
    cell.click()
    page.wait_for_url("**/energy/clients/cli_*")


def test_printed_list_is_a_table(visit: Visit) -> None:
    page = visit("energy", f"{CLIENTS}{OLDEST}", color_scheme="dark")
    # A4 without its margins.
    page.set_viewport_size({"width": 700, "height": 1000})
    page.emulate_media(media="print", color_scheme="dark")
    table = page.locator("table.table")
    assert table.bounding_box()["y"] < 300
    expect(page.locator("html")).to_have_css("color", "rgb(0, 0, 0)")
    expect(page.locator("#load-more")).to_be_hidden()
    assert table.evaluate(TORN_OR_CUT) == []


def test_printed_invoice_repeats_its_headings(visit: Visit) -> None:
    page = visit("finance", "/en/finance/invoices")
    page.locator("[data-row-id] th a").first.click()
    number = page.locator("h1").inner_text()
    page.locator("main tbody tr").first.evaluate(
        "line => { for (let n = 0; n < 120; n++) line.after(line.cloneNode(true)); }"
    )
    sheets = [" ".join(each.extract_text().split()) for each in PdfReader(BytesIO(page.pdf(format="A4"))).pages]
    assert len(sheets) > 1
    assert number in sheets[0]
    assert [sheet for sheet in sheets[:2] if "Description Quantity" not in sheet] == []
    assert "Sign out" not in " ".join(sheets)
