"""Static files as production serves them: one style sheet for each that imports others, hashed names, compressed.

A browser asks for what a style sheet imports only when it has read that sheet. When the files are collected, the text
of each imported sheet replaces its `@import "other.css";`, so a page waits for one request. The cascade stays the same.
"""

import logging
import posixpath
import re
from collections.abc import Callable, Iterator
from typing import Any, Final

from django.core.files.base import ContentFile
from django.core.files.storage import InMemoryStorage, Storage
from whitenoise.storage import CompressedManifestStaticFilesStorage

logger = logging.getLogger(__name__)

#: A comment, an import, another form of an import, a relative address.
_TOKEN: Final = re.compile(
    r"""/\*.*?\*/|@import "([^"]+)";|@import|url\(["']?(?![a-z]+:|[/#])([^"')]+)["']?\)""", re.DOTALL
)


class BundledStaticFilesStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]  # WhiteNoise has no types
    """WhiteNoise's storage, to which a style sheet and all that it imports are one file."""

    def post_process(  # pyright: ignore[reportIncompatibleMethodOverride]  # the stubs name classes of an error more
        self, paths: dict[str, tuple[Storage, str]], dry_run: bool = False, **options: Any
    ) -> Iterator[tuple[str, str | None, bool | Exception]]:
        """Hash and compress the files that `collectstatic` has found.

        :param paths: name of each file to the storage that has it, and its name there.
        :raises ValueError: as :func:`bundle`.
        """

        def read(name: str) -> str:
            if name not in paths:
                raise ValueError(f"no static file {name!r}, which a style sheet imports")
            storage, path = paths[name]
            with storage.open(path) as file:
                text: bytes = file.read()
            return text.decode()

        bundles = InMemoryStorage()
        for name in [name for name in paths if name.endswith(".css") and '@import "' in read(name)]:
            bundles.save(name, ContentFile(bundle(name, read=read).encode()))
            paths = {**paths, name: (bundles, name)}
        yield from super().post_process(paths, dry_run=dry_run, **options)

    def stored_name(self, name: str) -> str:
        """The hashed name. A page without its style sheet is better than no page."""
        try:
            hashed: str = super().stored_name(name)
        except ValueError:
            logger.exception("static file %r is not among the collected files: pages name it without its hash", name)
            return name
        return hashed

    def url(self, name: str, force: bool = True) -> str:
        """The hashed address; with `DEBUG` Django gives it only if it is forced to."""
        address: str = super().url(name, force)
        return address


def bundle(name: str, *, read: Callable[[str], str]) -> str:
    """The text of a style sheet, with the text of each sheet that it imports in place of the import.

    :param name: its name below the static root; relative addresses stay relative to it.
    :param read: gives the text of a name.
    :raises ValueError: a sheet is imported twice, or in another form than `@import "other.css";`.
    """
    folder = posixpath.dirname(name)
    sheets: set[str] = set()

    def text_of(sheet: str) -> str:
        if sheet in sheets:
            raise ValueError(f"{name} imports {sheet} twice")
        sheets.add(sheet)

        def replacement(token: re.Match[str]) -> str:
            imported, file = token.groups()
            if imported:
                return text_of(_join(sheet, imported))
            if file:
                return f'url("{posixpath.relpath(_join(sheet, file), folder)}")'
            if token[0] == "@import":
                raise ValueError(f'{sheet} should import with @import "other.css"; and no other form')
            return token[0]

        return _TOKEN.sub(replacement, read(sheet))

    return text_of(name)


def _join(sheet: str, address: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(sheet), address))
