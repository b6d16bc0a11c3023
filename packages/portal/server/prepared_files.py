"""The files that a start makes of a release, kept for the starts after it: static files and compiled templates.

All of a project are in one file. It begins with a hash of the release and of all that follows: what another release has
made, or was not written to its end, counts as absent.
"""

from __future__ import annotations

import marshal
import os
import sys
import tempfile
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence


def release_of(folders: Iterable[Path], *more: object) -> bytes:
    """A hash of this Python, of all files in these folders, and of what else decides what is made of them."""
    release = sha256(repr((sys.version, more)).encode())
    for path in sorted(path for folder in folders for path in folder.rglob("*")):
        if path.suffix != ".pyc" and path.is_file():
            release.update(f"{path} {sha256(path.read_bytes()).hexdigest()}\n".encode())
    return release.digest()


def provide(make: Callable[[], None], *, folders: Sequence[Path], kept: Path, release: bytes) -> None:
    """Fill the folders with what is kept of this release. If there is nothing, do so by `make`, and keep that.

    :param kept: the file; its folder is made if it is missing.
    :raises OSError: the folders are filled, but it can't be kept.
    """
    contents = _read(kept, release)
    if contents is not None:
        for folder, files in zip(folders, contents, strict=True):
            _write(folder, files)
        return
    make()
    packed = marshal.dumps([_files(folder) for folder in folders])
    kept.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=kept.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(_seal(release, packed) + packed)
        # In one step: of starts at the same time, each reads a whole file or none.
        Path(name).replace(kept)
    finally:
        Path(name).unlink(missing_ok=True)


def _read(kept: Path, release: bytes) -> list[dict[str, bytes]] | None:
    """None also for a file that somebody else could have written: what is unmarshalled is code."""
    with suppress(OSError), kept.open("rb") as file:
        status = os.fstat(file.fileno())
        if status.st_uid in {0, os.geteuid()} and not status.st_mode & 0o022:
            seal, packed = file.read(len(release)), file.read()
            if seal == _seal(release, packed):
                contents: list[dict[str, bytes]] = marshal.loads(packed)  # noqa: S302  ours, as it was written
                return contents
    return None


def _seal(release: bytes, packed: bytes) -> bytes:
    return sha256(release + packed).digest()


def _files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def _write(folder: Path, files: dict[str, bytes]) -> None:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
