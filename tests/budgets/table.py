"""The table of ceilings, and what does not fit it."""

import csv
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

#: What each column has. The calls are those to backends of the sandbox's profiles: all calls, the contract's, the
#: required ones.
FIGURES: Final = {
    "status": "status",
    "calls_full": "calls to the backend at the second view",
    "calls_contract": "calls to a backend of the profile `contract` at the second view",
    "calls_document": "calls to a backend of the profile `document` at the second view",
    "store": "operations on the store at the second view",
    "functions": "calls of functions at the third view",
    "files": "our own files, modules and templates, in which the third view calls a function",
    "html": "bytes of HTML",
    "script": "bytes of scripts",
    "style": "bytes of style sheets",
}
#: How far a figure may be above its ceiling: Python's patches and libraries differ, and dates in their length.
SLACK: Final = {"functions": 0.03, "html": 0.01}
#: How far a ceiling may be above its figure. A status is exact.
ROOM: Final = dict.fromkeys(FIGURES, 0.1) | {"status": 0}
#: The table counts the functions of this one. Another Python calls others.
PYTHON: Final = (3, 11)
TABLE: Final = Path(__file__).with_name("budgets.csv")

#: The figures of an app's pages.
Pages = dict[str, dict[str, int]]


def misfits(measured: Pages, ceilings: Pages) -> list[str]:
    """Name the figures above their ceilings, or a tenth below; and the pages that one of the two lacks."""
    found = [f"{page} has no budget, or is not measured" for page in sorted(ceilings.keys() ^ measured.keys())]
    for page in sorted(ceilings.keys() & measured.keys()):
        found += [
            f"{page}, {FIGURES[figure]}: {measured[page][figure]:,}, where the table has {ceiling:,}"
            for figure, ceiling in ceilings[page].items()
            if not _fits(figure, measured[page][figure], ceiling)
        ]
    return found


def _fits(figure: str, value: int, ceiling: int) -> bool:
    if figure == "functions" and sys.version_info[:2] != PYTHON:
        return True
    return ceiling * (1 - ROOM[figure]) <= value <= ceiling * (1 + SLACK.get(figure, 0))


def read_table(path: Path = TABLE) -> dict[str, Pages]:
    """Return the ceilings by app."""
    apps: dict[str, Pages] = {}
    with path.open(newline="") as file:
        for row in csv.DictReader(file):
            apps.setdefault(row["app"], {})[row["page"]] = {name: int(row[name]) for name in FIGURES}
    return apps


def write_table(apps: Mapping[str, Pages], path: Path = TABLE) -> None:
    """Replace the table: a line for each page."""
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, ["app", "page", *FIGURES], lineterminator="\n")
        writer.writeheader()
        for app, pages in sorted(apps.items()):
            writer.writerows({"app": app, "page": page, **row} for page, row in sorted(pages.items()))
