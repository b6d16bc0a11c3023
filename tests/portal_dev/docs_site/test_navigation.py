"""The navigation: sections by folder, pages in the order of the index, each once."""

from __future__ import annotations

import pytest

from portal_dev.docs_site.builder import navigation
from portal_dev.docs_site.site_pages import SitePage


def page(source: str, text: str = "") -> SitePage:
    place = source.removeprefix("docs/") if source.startswith("docs/") else f"project/{source}"
    return SitePage(source=source, place="index.md" if source == "docs/README.md" else place, text=text)


def test_pages_stand_by_their_folder_in_the_order_of_the_index_and_decisions_by_their_number() -> None:
    index = page("docs/README.md", "[b](reference/b.md) [x](how-to/x.md) [a](reference/a.md) [b](reference/b.md#again)")
    names = ("reference/a.md", "reference/b.md", "reference/c.md", "how-to/x.md", "adr/0003-b.md", "adr/0002-a.md")
    pages = [index, *(page(f"docs/{name}") for name in (*names, "adr/README.md"))]
    assert navigation(pages) == [
        "index.md",
        {"How-to guides": ["how-to/x.md"]},
        {"Reference": ["reference/b.md", "reference/a.md", "reference/c.md"]},
        {"Decisions": ["adr/README.md", "adr/0002-a.md", "adr/0003-b.md"]},
        {"Project": []},
    ]


def test_pages_of_the_root_come_before_those_of_packages_and_files_come_last() -> None:
    file = SitePage(source="deploy/x.conf", place="project/files/deploy/x.conf.md", text="")
    pages = [*map(page, ("docs/README.md", "CONTRIBUTING.md", "README.md", "packages/a/README.md")), file]
    assert navigation(pages)[-1] == {
        "Project": [
            "project/README.md",
            "project/CONTRIBUTING.md",
            "project/packages/a/README.md",
            {"Files": ["project/files/deploy/x.conf.md"]},
        ]
    }


def test_a_page_in_a_folder_without_a_title_is_refused() -> None:
    with pytest.raises(ValueError, match=r"docs/notes/x\.md: a page of docs/ stands in one of tutorial, "):
        navigation([page("docs/README.md"), page("docs/notes/x.md")])
