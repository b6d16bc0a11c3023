"""What belongs to the site: all of docs/, the pages beside it, and each file that one of them links to."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path


#: A fenced block, or the target of a link or picture. A block is matched so that nothing in it is.
_TARGET: Final = re.compile(
    r"^ *(?P<fence>`{3,})[^\n]*\n.*?^ *(?P=fence) *$|(?<=\]\()(?P<path>[^)#\s]+)(?:#[^)\s]*)?(?=[)\s])",
    re.DOTALL | re.MULTILINE,
)


def linked_paths(text: str, *, of: str) -> list[str]:
    """The files that a page links to, as paths from the root.

    :param of: the page's own path from the root.
    """
    return [path for _, path in _targets(text, of=of)]


def with_links(text: str, *, of: str, place: str, places: Mapping[str, str]) -> str:
    """A page with its links as they are on the site.

    :param of: the page's path from the root of the repository.
    :param place: its path on the site.
    :param places: path in the repository to the path on the site; a link to anything else stays as it is.
    """
    parts: list[str] = []
    end = 0
    for match, path in _targets(text, of=of):
        if path in places:
            target = posixpath.relpath(places[path], posixpath.dirname(place) or ".")
            parts += [text[end : match.start("path")], target]
            end = match.end("path")
    return "".join([*parts, text[end:]])


def _targets(text: str, *, of: str) -> Iterator[tuple[re.Match[str], str]]:
    for match in _TARGET.finditer(text):
        if match["path"] and "://" not in match["path"] and not match["path"].startswith("mailto:"):
            yield match, posixpath.normpath(posixpath.join(posixpath.dirname(of), match["path"]))


DOCS: Final = "docs"
#: The folder of the site with the pages that stand outside docs/, and the one with the files that pages link to.
PROJECT: Final = "project"
FILES: Final = "project/files"
#: Pages of the root, in their order on the site; those that are there.
ROOT_PAGES: Final = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")
_ASSETS: Final = frozenset({".webp", ".png", ".svg", ".css"})
#: How the site colours a file that is not written in Markdown.
_LANGUAGES: Final = {
    ".conf": "nginx",
    ".service": "ini",
    ".timer": "ini",
    ".py": "python",
    ".json": "json",
    ".yml": "yaml",
    ".yaml": "yaml",
    ".toml": "toml",
    ".sh": "sh",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SitePage:
    """A page or another file of the site.

    :param source: path in the repository.
    :param place: path in the folder that the site is built from.
    :param text: Markdown with the repository's links; None: the file is copied.
    """

    source: str
    place: str
    text: str | None


def site_pages(root: Path) -> list[SitePage]:
    """All pages and files of the site, by their path in the repository."""
    docs = (path for path in (root / DOCS).rglob("*") if path.is_file())
    waiting = [str(path.relative_to(root)) for path in docs]
    waiting += [page for page in ROOT_PAGES if (root / page).exists()]
    found: dict[str, SitePage] = {}
    while waiting:
        source = waiting.pop()
        if source in found or not (root / source).is_file():
            continue  # MkDocs names each link that leads nowhere
        found[source] = _page(root, source)
        if source.endswith(".md"):
            waiting += linked_paths(found[source].text or "", of=source)
    return [found[source] for source in sorted(found)]


def _page(root: Path, source: str) -> SitePage:
    path = PurePosixPath(source)
    if path.suffix in _ASSETS:
        return SitePage(source=source, place=_place(source), text=None)
    text = (root / source).read_text()
    if path.suffix == ".md":
        return SitePage(source=source, place=_place(source), text=text)
    # Longer than any fence in the file.
    fence = "`" * (1 + max([2, *(len(found) for found in re.findall(r"`+", text))]))
    language = _LANGUAGES.get(path.suffix, "text")
    page = f"---\nsearch:\n  exclude: true\n---\n\n# {source}\n\n{fence}{language}\n{text.rstrip()}\n{fence}\n"
    return SitePage(source=source, place=f"{FILES}/{source.lstrip('.')}.md", text=page)


def _place(source: str) -> str:
    if source == f"{DOCS}/README.md":
        return "index.md"
    if source.startswith(f"{DOCS}/"):
        return source.removeprefix(f"{DOCS}/")
    return f"{PROJECT}/{source}"
