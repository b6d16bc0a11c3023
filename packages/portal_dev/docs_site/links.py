"""Links of a page: which files they lead to, and where those stand on the site. Pure."""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

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
