"""A folder that servers share, with the static files of this release and of those before: docs/adr/0040.

A page of one release may ask a server of another one for its style sheet, while servers are restarted in turn. The name
of a file has the hash of its content, so files of all releases lie side by side, and none ever changes.
"""

import fcntl
import os
import re
import shutil
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

#: The end of a name that Django gives by a file's content: `app.0123456789ab.css`.
HASHED_NAME: Final = re.compile(r"\.[0-9a-f]{12}\.[A-Za-z0-9]+\Z")
#: What WhiteNoise adds to the name of a compressed file.
COMPRESSED: Final = (".br", ".gz")
#: A file that no server has started with for so long is removed, seconds: nobody has such an old page open.
KEPT_S: Final = 30 * 24 * 60 * 60
#: The names that the latest start has; no address leads to it.
_IN_USE: Final = ".in-use"
_LOCK: Final = ".lock"


def share(collected: Path, shared: Path, *, kept_s: float = KEPT_S) -> None:
    """Add a server's collected files to the shared folder, and remove those of releases that are long gone.

    Servers may start at the same time. The age of a file begins when a release without it starts, so those of a server
    that has run for months are all there.

    :param collected: the server's own folder.
    :param shared: the folder of this project; made if it is missing.
    :raises OSError: the folder can't be written.
    """
    shared.mkdir(parents=True, exist_ok=True)
    names = _hashed_files(collected)
    with _locked(shared / _LOCK):
        for name in names:
            _add(collected / name, shared / name)
        for name in _in_use(shared):
            _touch(shared / name)
        _replace(shared / _IN_USE, "".join(f"{name}\n" for name in names))
        oldest = time.time() - kept_s
        for name in set(_hashed_files(shared)).difference(names):
            if (shared / name).stat().st_mtime < oldest:
                (shared / name).unlink()


def _hashed_files(folder: Path) -> list[str]:
    """Names below a folder, compressed files before the others: who finds a file finds its variants too."""
    files = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    names = [path.relative_to(folder).as_posix() for path in files]
    return sorted((name for name in names if HASHED_NAME.search(_plain(name))), key=lambda name: name == _plain(name))


def _plain(name: str) -> str:
    return name[:-3] if name.endswith(COMPRESSED) else name


def _add(source: Path, target: Path) -> None:
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        with _new_file(target) as new:
            shutil.copyfile(source, new)


def _replace(target: Path, text: str) -> None:
    with _new_file(target) as new:
        new.write_text(text)


@contextmanager
def _new_file(target: Path) -> Iterator[Path]:
    """Write to a temporary file, then rename it to `target`. Call it under the lock."""
    new = target.with_name(f".{target.name}.new")
    yield new
    new.replace(target)


def _in_use(shared: Path) -> Iterable[str]:
    try:
        return (shared / _IN_USE).read_text().splitlines()
    except FileNotFoundError:
        return ()


def _touch(path: Path) -> None:
    # Somebody may have removed it by hand.
    with suppress(FileNotFoundError):
        os.utime(path)


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
