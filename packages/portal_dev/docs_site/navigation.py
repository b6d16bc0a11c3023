"""The site's navigation: the pages by their folders, in the order in which docs/README.md links to them. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

from portal_dev.docs_site.links import linked_paths
from portal_dev.docs_site.site_pages import DOCS, FILES, PROJECT, ROOT_PAGES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from portal_dev.docs_site.site_pages import SitePage

#: A page's place on the site, or the title of a section with its entries.
NavigationEntry: TypeAlias = "str | Mapping[str, Sequence[NavigationEntry]]"

INDEX: Final = f"{DOCS}/README.md"
#: Folder of docs/ to the section's title (https://diataxis.fr has the first five).
SECTIONS: Final = {
    "tutorial": "Tutorial",
    "how-to": "How-to guides",
    "runbooks": "Runbooks",
    "reference": "Reference",
    "explanation": "Explanation",
    "adr": "Decisions",
}


def navigation(pages: Sequence[SitePage]) -> list[NavigationEntry]:
    """The index, a section for each folder of docs/, and one with what stands outside of it. Each page is there once.

    :raises ValueError: a folder of docs/ has pages, and no title here.
    """
    (index,) = (page for page in pages if page.source == INDEX)
    named = linked_paths(index.text or "", of=INDEX)
    first_named = {source: number for number, source in reversed(list(enumerate(named)))}

    def order(page: SitePage) -> tuple[bool, int, str]:
        return not page.source.endswith("/README.md"), first_named.get(page.source, len(named)), page.source

    written = [page for page in pages if page.place.endswith(".md") and page is not index]
    folders: dict[str, list[SitePage]] = {folder: [] for folder in (*SECTIONS, FILES, PROJECT)}
    for page in sorted(written, key=order):
        folder = page.place.rpartition("/")[0]
        if page.place.startswith(f"{PROJECT}/"):
            folder = FILES if page.place.startswith(f"{FILES}/") else PROJECT
        if folder not in folders:
            raise ValueError(f"{page.source}: a page of docs/ stands in one of {', '.join(SECTIONS)}")
        folders[folder].append(page)
    beside = sorted(folders[PROJECT], key=lambda page: (page.source not in ROOT_PAGES, *_root_order(page)))
    project: list[NavigationEntry] = [page.place for page in beside]
    if folders[FILES]:
        project.append({"Files": [page.place for page in folders[FILES]]})
    sections = [
        {title: [page.place for page in folders[folder]]} for folder, title in SECTIONS.items() if folders[folder]
    ]
    return [index.place, *sections, {"Project": project}]


def _root_order(page: SitePage) -> tuple[int, str]:
    return ROOT_PAGES.index(page.source) if page.source in ROOT_PAGES else 0, page.source
