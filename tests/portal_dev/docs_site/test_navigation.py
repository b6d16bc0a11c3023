"""The navigation: sections by folder, pages in the order of the index, each once."""

from __future__ import annotations

import pytest

from portal_dev.docs_site.builder import navigation
from portal_dev.docs_site.site_pages import SitePage


def page(source: str, text: str = "") -> SitePage:
    place = source.removeprefix("docs/") if source.startswith("docs/") else f"project/{source}"
    return SitePage(source=source, place="index.md" if source == "docs/README.md" else place, text=text)


def test_pages_stand_by_their_folder_in_the_order_in_which_the_index_names_them() -> None:
    index = page("docs/README.md", "[b](reference/b.md) [x](how-to/x.md) [a](reference/a.md) [b](reference/b.md#again)")
    pages = [
        index,
        *map(page, ("docs/reference/a.md", "docs/reference/b.md", "docs/reference/c.md", "docs/how-to/x.md")),
    ]
    assert navigation(pages) == [
        "index.md",
        {"How-to guides": ["how-to/x.md"]},
        {"Reference": ["reference/b.md", "reference/a.md", "reference/c.md"]},
        {"Project": []},
    ]


def test_decisions_begin_with_their_list_and_go_by_their_number() -> None:
    pages = list(
        map(
            page,
            (
                "docs/README.md",
                "docs/adr/0003-sign-in-limit.md",
                "docs/adr/0002-static-files-per-server.md",
                "docs/adr/README.md",
            ),
        )
    )
    assert navigation(pages)[1] == {
        "Decisions": ["adr/README.md", "adr/0002-static-files-per-server.md", "adr/0003-sign-in-limit.md"]
    }


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
