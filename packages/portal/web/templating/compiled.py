"""The compiled templates of one language in a file: the process that prepares a server writes it, its workers read it.

A compiler needs the syntax trees of all pages. What they leave behind stays in the memory of the process that compiles,
some 6 MiB; so it is a process that ends, and not a worker. A worker unpacks a template when a page first needs it: most
workers show few of the languages, and not every page.
"""

from __future__ import annotations

import marshal
import sys
import zlib
from hashlib import sha256
from importlib.metadata import version
from types import CodeType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


class CompiledTemplates:
    """What the file has. What it lacks is collected until it is written.

    :ivar names: the templates in the file, in the order in which they were compiled; empty if there is no file, or one
        of other templates.
    :param file: is unmarshalled, so it has to be in a folder that nobody else can write to.
    :param sources: names and texts of all templates: a page contains its layouts and parts, so one that has changed may
        be in any of them.
    """

    def __init__(self, file: Path, *, sources: Iterable[tuple[str, str]]) -> None:
        self._file = file
        # What is compiled is for one release of Python and of Jinja2.
        self._made_from = sha256(repr([sys.version, version("jinja2"), *sources]).encode()).digest()
        self._packed: dict[str, bytes] = {}
        self._collected: dict[str, bytes] | None = {}
        if file.exists():
            made_from, packed = marshal.loads(file.read_bytes())  # noqa: S302  ours, see above
            if made_from == self._made_from:
                self._packed = packed
            # Who finds other templates, or some more, may not be the only one: what it compiles is not written.
            self._collected = None
        self.names = tuple(self._packed)

    def code(self, name: str) -> CodeType | None:
        """A template that the file has."""
        packed = self._packed.get(name)
        if packed is None:
            return None
        code: CodeType = marshal.loads(zlib.decompress(packed))  # noqa: S302  as above
        return code

    def collect(self, name: str, code: CodeType) -> None:
        """Keep what was compiled, for the file."""
        if self._collected is not None:
            self._collected[name] = zlib.compress(marshal.dumps(_with_interned_texts(code)), level=1)

    def write(self) -> None:
        """Write what was compiled so far into the file, if there is none yet, and collect no more."""
        if self._collected is not None:
            self._file.write_bytes(marshal.dumps((self._made_from, self._collected)))
        self._collected = None


def _with_interned_texts(code: CodeType) -> CodeType:
    """The same code. Its readers then have each text once, however many pages and languages contain it."""
    constants = (
        _with_interned_texts(each) if isinstance(each, CodeType) else sys.intern(each) if type(each) is str else each
        for each in code.co_consts
    )
    return code.replace(co_consts=tuple(constants))
