"""`make docs`: the site has every page once, its search finds words, and it asks nobody else for anything."""

from __future__ import annotations

import re
import shutil
import threading
from collections.abc import Iterable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from portal_dev.docs_site.builder import build_site, navigation
from portal_dev.docs_site.site_pages import site_pages
from tests.support.harness import ROOT


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("docs") / "site"
    assert build_site(ROOT, folder) == 0, "what MkDocs says stands above"
    return folder


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=site)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def html_of(place: str) -> str:
    """Where a page stands in the built site."""
    folder = place.removesuffix(".md").removesuffix("README").removesuffix("index").rstrip("/")
    return f"{folder}/index.html".lstrip("/")


def flat(entries: Iterable[object]) -> Iterator[str]:
    for entry in entries:
        if isinstance(entry, dict):
            for below in entry.values():
                yield from flat(below)
        else:
            yield str(entry)


def test_each_page_of_the_documentation_is_in_the_navigation_once_and_was_built(site: Path) -> None:
    named = list(flat(navigation(site_pages(ROOT))))
    written = [str(page.relative_to(ROOT / "docs")) for page in (ROOT / "docs").rglob("*.md")]
    of_docs = ["README.md" if place == "index.md" else place for place in named if not place.startswith("project/")]
    assert sorted(of_docs) == sorted(written)
    assert len(set(named)) == len(named)
    assert [place for place in named if not (site / html_of(place)).exists()] == []
    assert "proxy_pass" in (site / html_of("project/files/deploy/nginx/portal.conf.md")).read_text()


def test_no_page_names_a_script_a_style_a_font_or_a_picture_of_another_site(site: Path) -> None:
    elements = re.compile(r"<(?:script|link|img|iframe|source)\b[^>]*?\b(?:src|href)=\"?((?:https?:)?//[^\s\">]+)")
    pages = sorted(site.rglob("*.html"))
    assert len(pages) > 80
    assert {match for page in pages for match in elements.findall(page.read_text())} == set()
    styles = "".join(path.read_text() for path in site.rglob("*.css"))
    assert re.findall(r"(?:url\(|@import )['\"]?(?:https?:)?//[^)]*", styles) == []


def test_in_a_browser_the_search_finds_a_page_and_everything_comes_from_this_site(
    address: str, browser: Browser
) -> None:
    for scheme, width in (("light", 320), ("dark", 1280)):
        page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
        asked: set[str] = set()
        page.on("request", lambda request, asked=asked: asked.add(request.url))
        page.goto(f"{address}/reference/edge-table/?q=explain_route")
        page.locator(".md-search-result__link[href*='edge-table']").first.wait_for(state="attached", timeout=60_000)
        assert {url for url in asked if not url.startswith(address) and not url.startswith(("data:", "blob:"))} == set()
        # A wide table scrolls in itself.
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.close()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[it](how-to/gone.md)", "gone.md"),
        ("[it](how-to/there.md#gone)", "gone"),
        ("[it](/how-to/there.md)", "/how-to/there.md"),
    ],
)
def test_a_link_that_leads_nowhere_ends_the_build(
    text: str, message: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    shutil.copy(ROOT / "mkdocs.yml", tmp_path)
    (tmp_path / "docs" / "how-to").mkdir(parents=True)
    shutil.copy(ROOT / "docs" / "site.css", tmp_path / "docs")
    (tmp_path / "docs" / "how-to" / "there.md").write_text("# There\n\n## Here\n")
    (tmp_path / "docs" / "README.md").write_text("# Documentation\n\n[it](how-to/there.md#here)\n")
    assert build_site(tmp_path, tmp_path / "site") == 0
    (tmp_path / "docs" / "README.md").write_text(f"# Documentation\n\n{text}\n")
    capfd.readouterr()
    assert build_site(tmp_path, tmp_path / "site") != 0
    assert message in capfd.readouterr().err
