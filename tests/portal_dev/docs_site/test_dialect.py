"""A page means on the site what CommonMark says that it means."""

from __future__ import annotations

import re
from collections import Counter
from html.parser import HTMLParser

import pytest
from markdown import Markdown
from markdown_it import MarkdownIt

from portal_dev.docs_site.builder import python_markdown
from portal_dev.docs_site.site_pages import site_pages
from tests.support.harness import ROOT

COUNTED = ("a", "blockquote", "em", "h1", "h2", "h3", "img", "li", "ol", "strong", "table", "td", "th", "tr", "ul")


class Seen(HTMLParser):
    """What a page has: how many of which elements, and its text without spaces."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: Counter[str] = Counter()
        self.text = ""
        self.feed(html)
        self.text = "".join(self.text.split())

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag in COUNTED:
            self.elements[tag] += 1

    def handle_data(self, data: str) -> None:
        self.text += data


def by_commonmark(text: str) -> Seen:
    return Seen(MarkdownIt("commonmark", {"html": True}).enable("table").render(without_settings(text)))


def by_the_site(text: str) -> Seen:
    known = ["tables", "sane_lists", "attr_list", "md_in_html", "pymdownx.superfences"]
    return Seen(Markdown(extensions=known).convert(without_settings(python_markdown(text))))


def without_settings(text: str) -> str:
    return re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.DOTALL)


def test_the_site_shows_the_elements_and_the_text_that_commonmark_has() -> None:
    for page in [page for page in site_pages(ROOT) if page.text is not None]:
        there, expected = by_the_site(page.text), by_commonmark(page.text)
        assert (there.elements, there.text) == (expected.elements, expected.text), page.source


@pytest.mark.parametrize(
    "text",
    [
        "1. One\n\n   ```sh\n   make run\n\n   make test\n   ```\n\n2. Two\n",
        "1. One\n   goes on\n   - inside\n     1. deeper\n\n        text\n- new\n",
        "Text\n- one\n- two\ngoes on\n\nText\n",
        "- one\n\n  | a | b |\n  |---|---|\n  | `x \\| y` | z |\n\n- two\n",
        "Text\n| a |\n|---|\n| b |\n",
        "10. ten\n\n    text of ten\n11. eleven\n",
        "- one\n  ```sh\n  make run\n  ```\n- two\n",
        "```md\n1. no list\n   - at all\n\n| no | table |\n```\n",
        "<details>\n\n- a list\n\n</details>\n",
        "# A heading\n- and its list\n# Another\n| a |\n|---|\n| b |\n",
    ],
)
def test_lists_blocks_and_tables_are_what_they_are_in_commonmark(text: str) -> None:
    there, expected = by_the_site(text), by_commonmark(text)
    assert (there.elements, there.text) == (expected.elements, expected.text), python_markdown(text)
