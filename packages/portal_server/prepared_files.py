"""The files that a start makes of a release, kept for the starts after it: static files and compiled templates.

All of a project are in one file. It begins with a hash of the release and of all that follows: what another release has
made, or was not written to its end, counts as absent.
"""

import marshal
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Final

from portal.config.environment import private_dir
from portal.errors import ConfigurationError

#: Seconds after which a file that is being written counts as left behind.
_ABANDONED_S: Final = 3600


def release_of(folders: Iterable[Path], *more: object) -> bytes:
    """A hash of this Python, of all files in these folders, and of what else decides what is made of them."""
    release = sha256(repr((sys.version, more)).encode())
    for path in sorted(path for folder in folders for path in folder.rglob("*")):
        if "__pycache__" not in path.parts and path.is_file():
            release.update(f"{path} {sha256(path.read_bytes()).hexdigest()}\n".encode())
    return release.digest()


def provide(make: Callable[[], None], *, folders: Sequence[Path], kept: Path, release: Callable[[], bytes]) -> str:
    """Fill the folders with what is kept of this release. If there is nothing, do so by `make`, and keep that.

    :param kept: the file. Its folder and the one above it are made private.
    :param release: gives :func:`release_of` at this moment. A file that it can't read is a reason to keep nothing.
    :returns: why it is not kept; empty if it is.
    :raises OSError: the folders can't be filled.
    """
    try:
        begun = release()
    except OSError as error:
        make()
        return str(error)
    contents = _read(kept, begun)
    if contents is not None:
        for folder, files in zip(folders, contents, strict=True):
            _write(folder, files)
        return ""
    make()
    packed = marshal.dumps([_files(folder) for folder in folders])
    try:
        if release() != begun:
            return "the code has changed meanwhile"
        _keep(kept, _seal(begun, packed) + packed)
    except (OSError, ConfigurationError) as error:
        return str(error)
    return ""


def _keep(kept: Path, content: bytes) -> None:
    """Write it in one step: of starts at the same time, each reads a whole file or none."""
    for folder in (kept.parent.parent, kept.parent):
        private_dir(folder)
    for path in kept.parent.glob("tmp*"):
        # Of a start that was ended while it wrote, or that has ended this moment.
        with suppress(FileNotFoundError):
            if path.stat().st_mtime < time.time() - _ABANDONED_S:
                path.unlink()
    descriptor, name = tempfile.mkstemp(dir=kept.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        Path(name).replace(kept)
    finally:
        Path(name).unlink(missing_ok=True)


def _read(kept: Path, release: bytes) -> list[dict[str, bytes]] | None:
    """None also for a file that somebody else could have written: what is unmarshalled is code."""
    with suppress(OSError), os.fdopen(os.open(kept, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
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
