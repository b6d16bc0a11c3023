"""Writes the folder that MkDocs builds the site from, and lets it build."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Final

from portal_dev.docs_site.dialect import python_markdown
from portal_dev.docs_site.links import with_links
from portal_dev.docs_site.navigation import navigation
from portal_dev.docs_site.site_pages import places, site_pages

if TYPE_CHECKING:
    from pathlib import Path

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
    placed = places(pages)
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
