"""Puts what the modules of this package write into the pages."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

import django

from portal.config.places import SOURCE_ROOT
from portal_dev.reference import audit_log, checks, environment, metrics

_BEGIN: Final = "<!-- generated -->\n\n"
_END: Final = "\n<!-- end -->"
#: Path of each page from the root, and what writes its part.
PARTS: Final[dict[str, Callable[[], str]]] = {
    environment.EXAMPLE: environment.example,
    **{module.PAGE: module.markdown for module in (audit_log, checks, environment, metrics)},
}


def current(page: str, text: str) -> str:
    """Return the text of a page with its part as the code has it now; a file that is no page is written as a whole.

    :raises ValueError: the page has no place for its part.
    """
    part = PARTS[page]().strip("\n")
    if not page.endswith(".md"):
        return f"{part}\n"
    before, begin, rest = text.partition(_BEGIN)
    _, end, after = rest.partition(_END)
    if not end:
        raise ValueError(f"{page}: {_BEGIN.strip()} … {_END.strip()} is missing; put it where the part begins and ends")
    return f"{before}{begin}{part}{end}{after}"


def main(root: Path = SOURCE_ROOT) -> None:
    """Write all parts into the pages below a folder, and name the pages that have changed.

    :raises SystemExit: a page has no place for its part.
    """
    django.setup()
    for page in PARTS:
        text = (root / page).read_text()
        try:
            now = current(page, text)
        except ValueError as error:
            sys.exit(str(error))
        if now != text:
            (root / page).write_text(now)
            sys.stdout.write(f"{page}\n")
