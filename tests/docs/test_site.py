"""`make docs`: the site has every page once, shows what CommonMark means, and asks nobody else for anything."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import pytest
from markdown import Markdown
from markdown_it import MarkdownIt

from tests.support.harness import ROOT

HOOK = "packages/portal_dev/docs_site.py"


def build(root: Path, target: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(target)]
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    return subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("docs") / "site"
    built = build(ROOT, folder)
    assert (built.returncode, "WARNING" in built.stderr) == (0, False), built.stderr
    return folder


def test_navigation_has_each_page_once(site: Path) -> None:
    menu = re.findall(r'<a href="([^"]+)" class="md-nav__link', (site / "index.html").read_text())
    pages = [page.relative_to(ROOT / "docs").as_posix() for page in (ROOT / "docs").rglob("*.md")]
    expected = [page.removesuffix(".md").removesuffix("README") for page in pages if page != "README.md"]
    of_docs = [place.rstrip("/") for place in menu if not place.startswith(("project/", "#", "."))]
    assert sorted(of_docs) == sorted(place.rstrip("/") for place in expected)


def test_linked_files_outside_of_docs_are_on_the_site(site: Path) -> None:
    assert "proxy_pass" in (site / "project/deploy/nginx/portal.conf/index.html").read_text()
    assert (site / "project/CONTRIBUTING/index.html").exists()
    assert 'href="../../project/deploy/nginx/portal.conf/"' in (site / "how-to/deploy/index.html").read_text()


def test_search_index_has_the_pages_words(site: Path) -> None:
    found = json.loads((site / "search/search_index.json").read_text())["docs"]
    assert any("explain_route" in entry["text"] for entry in found if "edge-table" in entry["location"])
    assert not any("proxy_pass" in entry["text"] for entry in found if entry["location"].startswith("project/deploy"))


def test_site_loads_nothing_from_another_site(site: Path) -> None:
    elements = re.compile(r"<(?:script|link|img|iframe|source)\b[^>]*?\b(?:src|href)=\"?((?:https?:)?//[^\s\">]+)")
    pages = sorted(site.rglob("*.html"))
    assert len(pages) > 80
    assert {match for page in pages for match in elements.findall(page.read_text())} == set()
    styles = "".join(path.read_text() for path in site.rglob("*.css"))
    assert re.findall(r"(?:url\(|@import )['\"]?(?:https?:)?//[^)]*", styles) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[it](how-to/gone.md)", "gone.md"),
        ("[it](how-to/there.md#gone)", "gone"),
        ("[it](/how-to/there.md)", "/how-to/there.md"),
        ("[it](../gone.conf)", "gone.conf"),
    ],
)
def test_link_that_leads_nowhere_fails_the_build(text: str, message: str, tmp_path: Path) -> None:
    for file in ("mkdocs.yml", "docs/site.css", HOOK):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / file, tmp_path / file)
    (tmp_path / "docs/how-to").mkdir()
    (tmp_path / "docs/how-to/there.md").write_text("# There\n\n## Here\n")
    for link, fails in (("[it](how-to/there.md#here)", False), (text, True)):
        (tmp_path / "docs/README.md").write_text(f"# Documentation\n\n{link}\n")
        built = build(tmp_path, tmp_path / "site")
        assert (built.returncode != 0) is fails, built.stderr
    assert message in built.stderr


class Seen(HTMLParser):
    """The elements of a page, counted, and its text without spaces."""

    COUNTED = ("a", "blockquote", "em", "h1", "h2", "h3", "img", "li", "ol", "pre", "strong", "table", "td", "th", "ul")

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: Counter[str] = Counter()
        self.text = ""
        self.feed(html)
        self.text = "".join(self.text.split())

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag in self.COUNTED:
            self.elements[tag] += 1

    def handle_data(self, data: str) -> None:
        self.text += data


def test_pages_mean_on_the_site_what_commonmark_says() -> None:
    """Python-Markdown wants a list item's content four columns in, and a blank line before a list or a table."""
    known = ["tables", "sane_lists", "attr_list", "md_in_html", "pymdownx.superfences"]
    for page in [*(ROOT / "docs").rglob("*.md"), *(ROOT / name for name in ("README.md", "CONTRIBUTING.md"))]:
        text = page.read_text()
        expected = Seen(MarkdownIt("commonmark", {"html": True}).enable("table").render(text))
        there = Seen(Markdown(extensions=known).convert(text))
        assert (there.elements, there.text) == (expected.elements, expected.text), page
