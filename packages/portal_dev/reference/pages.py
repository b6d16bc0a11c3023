"""Finds the modules of this package that write a part of a page, and puts their texts into the pages."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Final

import django

from portal.config.places import SOURCE_ROOT

if TYPE_CHECKING:
    from collections.abc import Callable

_PACKAGE: Final = __name__.rpartition(".")[0]
_END: Final = "<!-- end -->"
_ANY_BEGINNING: Final = re.compile(r"^<!-- generated: \w+ -->$", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneratedPart:
    """What one module writes.

    :param name: of the module.
    :param page: path from the root of the repository.
    :param markdown: makes the text.
    """

    name: str
    page: str
    markdown: Callable[[], str]


def all_parts() -> list[GeneratedPart]:
    """The parts of all pages, by the names of their modules."""
    names = sorted(module.name for module in iter_modules([str(Path(__file__).parent)]))
    modules = {name: import_module(f"{_PACKAGE}.{name}") for name in names if name not in {"pages", "__main__"}}
    return [GeneratedPart(name=name, page=module.PAGE, markdown=module.markdown) for name, module in modules.items()]


def with_part(page: str | None, part: GeneratedPart) -> str:
    """A page with a part as the code has it now.

    :param page: the page as it stands; None: there is none yet.
    :raises ValueError: the page has places for parts, and not one for this part.
    """
    text = part.markdown().strip("\n")
    if page is None or _ANY_BEGINNING.search(page) is None:
        return f"{text}\n"
    beginning = f"<!-- generated: {part.name} -->"
    place = re.compile(rf"^{re.escape(beginning)}\n.*?^{_END}$", re.DOTALL | re.MULTILINE)
    found = len(place.findall(page))
    if found != 1:
        raise ValueError(f"{part.page}: `{beginning}` … `{_END}` stands there {found} times, not once")
    return place.sub(lambda _: f"{beginning}\n{text}\n{_END}", page)


def main(root: Path = SOURCE_ROOT) -> int:
    """Write all parts into the pages below a folder, and name those that have changed. Gives the exit status."""
    django.setup()
    try:
        for part in all_parts():
            path = root / part.page
            before = path.read_text() if path.exists() else None
            after = with_part(before, part)
            if after != before:
                path.write_text(after)
                sys.stdout.write(f"{part.page}: {part.name}\n")
    except ValueError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0
