"""Writes the folder that MkDocs builds the site from, and lets it build.

From CommonMark with tables, which the pages are written in, to what Python-Markdown reads in the same way. Pure.

Python-Markdown wants the content of a list item four columns in, a blank line before a list or a table, and no
backslash before a `|` in the code of a table.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Final, TypeAlias

from portal_dev.docs_site.site_pages import (
    DOCS,
    FILES,
    PROJECT,
    ROOT_PAGES,
    linked_paths,
    site_pages,
    with_links,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

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


_MARKER: Final = re.compile(r" {0,3}(?:[-*+]|\d{1,9}[.)])(?P<gap> +)(?=\S)")
_FENCE: Final = re.compile(r"(?P<fence>`{3,}|~{3,})[^`]*$")
_NEW_BLOCK: Final = re.compile(r"#{1,6} |```|~~~|>|\|")
_CODE: Final = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)")
_HTML_BLOCK: Final = re.compile(r"<(table|thead|tbody|tr|th|td|details|div)>")
_INDENT: Final = 4


def python_markdown(text: str) -> str:
    """The same page in Python-Markdown's dialect."""
    writer = _Writer()
    for line in text.splitlines():
        writer.add(line)
    return "\n".join([*writer.lines, ""])


class _Writer:
    """Takes the lines of a page, one after the other.

    :ivar lines: what was written.
    """

    def __init__(self) -> None:
        self.lines: list[str] = []
        #: Column of the content of each list item that is open, the outermost first.
        self._columns: list[int] = []
        #: The fence of the block that is open, else empty.
        self._fence = ""
        #: What the line before was: "", "text", "item" or "table".
        self._before = ""

    def add(self, line: str) -> None:
        rest = line.lstrip(" ")
        indent = len(line) - len(rest)
        if not rest:
            self._write_blank()
        elif self._fence:
            self._write(line[min(indent, self._column) :], kind="text")
            if rest.startswith(self._fence) and not rest.strip().strip(self._fence[0]):
                self._fence = ""
        else:
            if not self._before or _MARKER.match(rest) or _NEW_BLOCK.match(rest):
                # Otherwise the line goes on with the paragraph before it, wherever it begins.
                while indent < self._column:
                    self._columns.pop()
            self._add_text(line[min(indent, self._column) :])

    def _add_text(self, text: str) -> None:
        """Add a line outside of blocks of code, without the columns of the list items that it belongs to."""
        if marker := _MARKER.match(text):
            if self._before in {"text", "table"} and not self._columns:
                self._write_blank()
            self._write(text, kind="item")
            self._columns.append(self._column + marker.end())
        elif fence := _FENCE.match(text):
            self._write(text, kind="text")
            self._fence = fence["fence"]
        elif text.startswith("|"):
            if self._before in {"text", "item"}:
                self._write_blank()
            self._write(_CODE.sub(lambda code: code[0].replace(r"\|", "|"), text), kind="table")
        elif text.startswith("<"):
            # What stands in these elements is Markdown again, as it is for CommonMark after a blank line.
            self._write(_HTML_BLOCK.sub(r'<\1 markdown="1">', text), kind="text")
        else:
            self._write(text, kind="item" if self._before == "item" else "text")

    @property
    def _column(self) -> int:
        return self._columns[-1] if self._columns else 0

    def _write(self, text: str, *, kind: str) -> None:
        self.lines.append(f"{' ' * _INDENT * len(self._columns)}{text}")
        self._before = kind

    def _write_blank(self) -> None:
        self.lines.append("")
        self._before = ""


#: What a person sets, in the root of the repository; the navigation and the folders are added to it.
CONFIG: Final = "mkdocs.yml"


def build_site(root: Path, target: Path) -> int:
    """Build the site. A warning, such as a link or an anchor that leads nowhere, ends it.

    :param root: the repository.
    :param target: the folder of the site; `<target>-source` beside it has what it is built from.
    :returns: the exit status of MkDocs.
    """
    config = write_source(root, target)
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--config-file", str(config)]
    status = subprocess.run(command, check=False).returncode
    if status == 0:
        sys.stdout.write(f"{target / 'index.html'}\n")
    return status


def write_source(root: Path, target: Path) -> Path:
    """Write the pages and the configuration of MkDocs. Gives the path of the latter."""
    folder = target.with_name(f"{target.name}-source")
    shutil.rmtree(folder, ignore_errors=True)
    pages = site_pages(root)
    placed = {page.source: page.place for page in pages}
    for page in pages:
        path = folder / "pages" / page.place
        path.parent.mkdir(parents=True, exist_ok=True)
        if page.text is None:
            shutil.copyfile(root / page.source, path)
        else:
            path.write_text(python_markdown(with_links(page.text, of=page.source, place=page.place, places=placed)))
    config = folder / CONFIG
    # JSON is YAML too.
    settings = {
        "INHERIT": str((root / CONFIG).resolve()),
        "docs_dir": "pages",
        "site_dir": str(target),
        "nav": navigation(pages),
    }
    config.write_text(json.dumps(settings, indent=1))
    return config
