"""A fault in a source file, as the system checks report it, and the names that a source may use."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from django.core.checks import Error
from jinja2 import nodes

from portal.config.places import place
from portal_operate.suggestions import did_you_mean

if TYPE_CHECKING:
    import ast


#: The comment that allows a text, and says why.
_ALLOWED: Final = re.compile(r"untranslated:[ ]*(?!#\})\S")


class Fault(NamedTuple):
    """One mistake in one line.

    :ivar id: as the settings' `SILENCED_SYSTEM_CHECKS` names it.
    :ivar hint: the code to write instead.
    """

    path: Path
    line: int
    id: str
    message: str
    hint: str

    def as_message(self) -> Error:
        """Return the fault as Django prints it: `apps/energy/views/clients.py:12: (portal.source.E002) …`."""
        return Error(self.message, hint=self.hint, obj=place(self.path, self.line), id=f"portal.source.{self.id}")


class Names(NamedTuple):
    """The names that the sources of an app may use.

    :ivar routes: the names of its URLs.
    :ivar creates: the names of the hooks that send a POST, such as `use_create_client_mutation`.
    """

    routes: Collection[str]
    templates: Collection[str]
    icons: Collection[str]
    creates: Collection[str]


def constant(node: ast.AST | nodes.Node | None) -> str:
    """Return the text of a constant, of Python or of a template; nothing for any other node."""
    value = getattr(node, "value", None)
    return value if isinstance(value, str) else ""


def unknown_name(path: Path, line: int, kind: str, name: str, known: Collection[str]) -> Iterator[Fault]:
    """Yield the fault of a name that is not among the known ones."""
    if name not in known:
        hint = did_you_mean(name, known) or f"there are {', '.join(sorted(known)) or 'none'}"
        yield Fault(path, line, "E002", f"there is no {kind} {name!r}", hint)


def unmarked_texts(path: Path, texts: Iterable[tuple[int, str]], *, write: str, comment: str) -> Iterator[Fault]:
    """Yield the texts of a file that no translator sees, but for those whose line says why.

    :param write: the code to write, with a `%s` for the text.
    :param comment: the comment that allows a text.
    """
    lines = path.read_text(encoding="utf-8-sig").split("\n")
    for line, text in texts:
        # The product's name is the same in every language.
        if any(map(str.isalpha, text)) and text.strip() != "Portal" and not _ALLOWED.search(lines[line - 1]):
            hint = f"write {write % text}; a text that is the same in every language needs a comment, {comment}"
            yield Fault(path, line, "E005", f"the text {text!r} is not marked for translation", hint)
