"""The compiled templates of one language in a folder: who prepares a server writes them, its workers read them.

A compiler needs the syntax trees of all pages. What they leave behind stays in the memory of the process that compiles,
some 6 MiB; so it is a process that ends, and not a worker. A worker reads a template when a page first needs it: most
workers show few of the languages, and not every page.
"""

from __future__ import annotations

import marshal
import sys
from contextlib import suppress
from hashlib import sha256
from importlib.metadata import version
from types import CodeType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

#: Names the templates, and what they were made from. It is written when all of them are there.
_INDEX: Final = "index"
#: The file is gone, or not whole. The template itself is still there.
_UNREADABLE: Final = (OSError, EOFError, ValueError, TypeError)


class CompiledTemplates:
    """What the folder has. What it lacks is written into it, until there is an index.

    :ivar names: the templates in the folder, in the order in which they were compiled; empty if there is no index, or
        one of other templates.
    :param folder: its files are unmarshalled, so nobody else may be able to write there.
    :param sources: names and texts of all templates: a page contains its layouts and parts, so one that has changed may
        be in any of them.
    """

    def __init__(self, folder: Path, *, sources: Iterable[tuple[str, str]]) -> None:
        self._folder = folder
        # What is compiled is for one release of Python and of Jinja2.
        self._made_from = sha256(repr([sys.version, version("jinja2"), *sources]).encode()).digest()
        self.names: tuple[str, ...] = ()
        self._written: list[str] | None = []
        if (folder / _INDEX).exists():
            with suppress(*_UNREADABLE):
                made_from, names = marshal.loads((folder / _INDEX).read_bytes())  # noqa: S302  ours, see above
                if made_from == self._made_from:
                    self.names = names
            # Who finds other templates, or some more, may not be the only one: what it compiles is not written.
            self._written = None

    def code(self, name: str) -> CodeType | None:
        """A template that the folder has."""
        if name not in self.names:
            return None
        try:
            code: CodeType = marshal.loads(self._file(name).read_bytes())  # noqa: S302  as above
        except _UNREADABLE:
            return None
        return code

    def add(self, name: str, code: CodeType) -> None:
        """Write what was compiled, if the folder has no index yet."""
        if self._written is not None:
            self._folder.mkdir(exist_ok=True)
            self._file(name).write_bytes(marshal.dumps(_with_interned_texts(code)))
            self._written.append(name)

    def end(self) -> None:
        """Write the index, if there is none yet: all templates are compiled."""
        if self._written is not None:
            (self._folder / _INDEX).write_bytes(marshal.dumps((self._made_from, tuple(self._written))))
        self._written = None

    def _file(self, name: str) -> Path:
        return self._folder / sha256(name.encode()).hexdigest()


def _with_interned_texts(code: CodeType) -> CodeType:
    """The same code. Its readers then have each text once, however many pages and languages contain it."""
    constants = (
        _with_interned_texts(each) if isinstance(each, CodeType) else sys.intern(each) if type(each) is str else each
        for each in code.co_consts
    )
    return code.replace(co_consts=tuple(constants))
