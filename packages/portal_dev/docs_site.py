"""Hook of MkDocs: the navigation in the order of docs/README.md, and the files outside of docs/ that pages link to.

A page of docs/ keeps its place on the site; a file outside of docs/ is added below `project/`.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mkdocs.structure.files import File, InclusionLevel

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

_INDEX: Final = "README.md"
#: Folder to the section's title (https://diataxis.fr has the first five).
_SECTIONS: Final = {
    "tutorial": "Tutorial",
    "how-to": "How-to guides",
    "runbooks": "Runbooks",
    "reference": "Reference",
    "explanation": "Explanation",
    "adr": "Decisions",
    "project": "Project",
}
#: Other files become pages that show their text.
_COPIED: Final = frozenset({".md", ".webp", ".png", ".svg", ".css"})
#: A fenced block, in which nothing is a link, or the target of a link or picture.
_TARGET: Final = re.compile(
    r"^ *(?P<fence>`{3,})[^\n]*\n.*?^ *(?P=fence) *$|(?<=\]\()(?P<path>[^)#/:\s][^)#:\s]*)(?=[)#\s])",
    re.DOTALL | re.MULTILINE,
)


def on_files(files: Files, *, config: MkDocsConfig) -> None:
    """Add the linked files outside of docs/, and set the navigation."""
    root = Path(config.docs_dir).parent
    pages = [_INDEX, *sorted(file.src_uri for file in files.documentation_pages() if file.src_uri != _INDEX)]
    linked: list[str] = []
    for page in pages:  # The added pages are appended.
        for _, source in _links(files.src_uris[page].content_string, page):
            linked.append(place := _place(source))
            # MkDocs reports a link that leads nowhere.
            if place not in files.src_uris and (root / source).is_file():
                files.append(_added(root / source, source, config))
                pages += [place] if place.endswith(".md") else []
    pages.sort(key=lambda page: (not page.endswith("/README.md"), [*linked, page].index(page), page))
    sections = {folder: [page for page in pages if page.startswith(f"{folder}/")] for folder in _SECTIONS}
    config.nav = [_INDEX, *({_SECTIONS[folder]: below} for folder, below in sections.items() if below)]


def on_page_markdown(markdown: str, *, page: Page, **_: object) -> str:
    """Lead each link to the place of its file on the site."""
    of = page.file.src_uri
    for match, source in reversed([*_links(markdown, of)]):
        target = posixpath.relpath(_place(source), posixpath.dirname(of) or ".")
        markdown = markdown[: match.start("path")] + target + markdown[match.end("path") :]
    return markdown


def _links(text: str, page: str) -> Iterator[tuple[re.Match[str], str]]:
    """Each link of a page, and the path from the repository's root that it leads to."""
    source = page.removeprefix("project/") if page.startswith("project/") else f"docs/{page}"
    for match in _TARGET.finditer(text):
        if match["path"]:
            yield match, posixpath.normpath(posixpath.join(posixpath.dirname(source), match["path"]))


def _place(source: str) -> str:
    """Return the path of a file on the site."""
    if source.startswith("docs/"):
        return source.removeprefix("docs/")
    return f"project/{source}" if Path(source).suffix in _COPIED else f"project/{source}.md"


def _added(path: Path, source: str, config: MkDocsConfig) -> File:
    place = _place(source)
    if path.suffix in _COPIED:
        return File.generated(config, place, abs_src_path=str(path))
    text = f"---\nsearch:\n  exclude: true\n---\n\n# {source}\n\n``````{path.suffix[1:]}\n{path.read_text()}\n``````\n"
    return File.generated(config, place, content=text, inclusion=InclusionLevel.INCLUDED)
