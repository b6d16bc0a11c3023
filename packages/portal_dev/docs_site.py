"""Hook of MkDocs: the navigation in the order of docs/README.md, and the files outside of docs/ that pages link to.

Each file is known by its path from the repository's root, so links lead from docs/ to the others and back. A page of
docs/ keeps its place on the site; a file outside of docs/ is added below `project/`.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mkdocs.structure.files import File, Files, InclusionLevel

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig

_INDEX: Final = "docs/README.md"
#: Folder to the section's title (https://diataxis.fr has the first five).
_SECTIONS: Final = {
    "docs/tutorial/": "Tutorial",
    "docs/how-to/": "How-to guides",
    "docs/runbooks/": "Runbooks",
    "docs/reference/": "Reference",
    "docs/explanation/": "Explanation",
    "docs/adr/": "Decisions",
}
_TARGET: Final = re.compile(r"\]\(([^)#:\s]+)")


def on_files(files: Files, *, config: MkDocsConfig) -> None:
    """Add the linked files outside of docs/, and set the navigation."""
    root = Path(config.docs_dir).parent
    for file in [file for file in files if file.src_dir == config.docs_dir]:
        files.remove(file)
        # MkDocs derives the other paths from this one when they are first read.
        file.abs_src_path, file.dest_uri, file.src_uri = file.abs_src_path, file.dest_uri, f"docs/{file.src_uri}"
        files.append(file)
    pages = [_INDEX, *sorted(file.src_uri for file in files.documentation_pages() if file.src_uri != _INDEX)]
    linked: list[str] = []
    for page in pages:  # The added pages are appended.
        for target in _TARGET.findall(files.src_uris[page].content_string):
            linked.append(source := posixpath.normpath(posixpath.join(posixpath.dirname(page), target)))
            # MkDocs reports a link that leads nowhere.
            if source not in files.src_uris and (root / source).is_file():
                # Also of files whose names begin with a dot.
                file = File.generated(
                    config, source, abs_src_path=str(root / source), inclusion=InclusionLevel.INCLUDED
                )
                # A browser shows a text, and saves a file of an ending that it does not know.
                file.dest_uri = f"project/{file.dest_uri}" if source.endswith(".md") else f"project/{source}.txt"
                files.append(file)
                pages += [source] if source.endswith(".md") else []
    pages.sort(key=lambda page: (not page.endswith("/README.md"), [*linked, page].index(page), page))
    sections = {title: [page for page in pages if page.startswith(folder)] for folder, title in _SECTIONS.items()}
    sections["Project"] = [page for page in pages if not page.startswith("docs/")]
    config.nav = [_INDEX, *({title: below} for title, below in sections.items() if below)]
