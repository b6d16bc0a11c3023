"""Site of `make docs`: it has every page once, its links lead somewhere, and it loads nothing from another site."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.harness import ROOT, run_program

HOOK = "packages/portal_dev/docs_site.py"


def build(root: Path, target: Path) -> subprocess.CompletedProcess[str]:
    command = (sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", target)
    return run_program(*command, status=None, cwd=root, env=os.environ | {"NO_MKDOCS_2_WARNING": "1"})


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
    assert "proxy_pass" in (site / "project/deploy/nginx/portal.conf.txt").read_text()
    assert 'href="../../project/deploy/nginx/portal.conf.txt"' in (site / "how-to/deploy/index.html").read_text()
    assert 'href="../../how-to/deploy/"' in (site / "project/CONTRIBUTING/index.html").read_text()


def test_site_loads_nothing_from_another_site(site: Path) -> None:
    elements = re.compile(r"<(?:script|link|img|iframe|source)\b[^>]*?\b(?:src|href)=\"?((?:https?:)?//[^\s\">]+)")
    pages = sorted(site.rglob("*.html"))
    assert len(pages) > 80
    assert {match for page in pages for match in elements.findall(page.read_text())} == set()
    styles = "".join(path.read_text() for path in site.rglob("*.css"))
    assert re.findall(r"(?:url\(|@import )['\"]?(?:https?:)?//[^)]*", styles) == []


def test_link_that_leads_nowhere_fails_the_build(tmp_path: Path) -> None:
    wrong = ("how-to/gone.md", "how-to/there.md#gone", "/how-to/there.md", "../gone.conf")
    for file in ("mkdocs.yml", "docs/site.css", HOOK):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / file, tmp_path / file)
    (tmp_path / "docs/how-to").mkdir()
    (tmp_path / "docs/how-to/there.md").write_text("# There\n\n## Here\n")
    for links in (("how-to/there.md#here",), wrong):
        text = "\n".join(f"[it]({link})" for link in links)
        (tmp_path / "docs/README.md").write_text(f"# Documentation\n\n{text}\n")
        built = build(tmp_path, tmp_path / "site")
        assert (built.returncode != 0) is (links is wrong), built.stderr
    warnings = re.findall("WARNING.*", built.stderr)
    assert len(warnings) == len(wrong)
    assert [link for link in wrong if not any(link in warning for warning in warnings)] == []
