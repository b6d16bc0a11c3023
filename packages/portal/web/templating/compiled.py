"""The compiled templates of one language in a file: the process that prepares a server writes it, its workers read it.

A compiler needs the syntax trees of all pages. What they leave behind stays in the memory of the process that compiles,
some 6 MiB; so it is a process that ends, and not a worker.
"""

from __future__ import annotations

import marshal
import sys
import zlib
from types import CodeType
from typing import TYPE_CHECKING

from jinja2 import BytecodeCache

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from jinja2.bccache import Bucket


class CompiledTemplates(BytecodeCache):
    """Gives Jinja2 what the file has, and collects what the file lacks until it is written.

    Jinja2 itself compares the Python that wrote it, and the text of each template.

    :param file: is unmarshalled, so it has to be in a folder that nobody else can write to.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._sources = b""
        self._names: tuple[str, ...] = ()
        self._read: dict[str, bytes] = {}
        self._compiled: dict[str, bytes] | None = {}
        if file.exists():
            self._sources, self._names, self._read = marshal.loads(file.read_bytes())  # noqa: S302  ours, see above

    def names(self, sources: bytes) -> tuple[str, ...]:
        """The templates in the file. None if a template has changed since: pages contain their layouts and parts.

        :param sources: a digest of all templates.
        """
        if self._sources == sources:
            self._compiled = None
            return self._names
        self._read = {}
        return ()

    def load_bytecode(self, bucket: Bucket) -> None:
        """Fill the bucket, if the file has it. A template is asked for once, and then in the environment's memory."""
        code = self._read.pop(bucket.key, None)
        if code is not None:
            bucket.bytecode_from_string(zlib.decompress(code))

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep what was compiled, for the file."""
        if self._compiled is not None and bucket.code is not None:
            bucket.code = _with_interned_texts(bucket.code)
            self._compiled[bucket.key] = zlib.compress(bucket.bytecode_to_string(), level=1)

    def write(self, names: Iterable[str], sources: bytes) -> None:
        """Write all that was compiled so far into the file, if there is none yet, and keep no more.

        Templates that have changed since stay out of it: a worker that finds them may not be the only one.

        :param names: the templates, as a worker will ask for them.
        :param sources: as for :meth:`names`.
        """
        if not self._sources:
            self._file.write_bytes(marshal.dumps((sources, tuple(names), self._compiled)))
        self._compiled = None


def _with_interned_texts(code: CodeType) -> CodeType:
    """The same code. Its readers then have each text once, however many pages and languages contain it."""
    constants = (
        _with_interned_texts(each) if isinstance(each, CodeType) else sys.intern(each) if type(each) is str else each
        for each in code.co_consts
    )
    return code.replace(co_consts=tuple(constants))
