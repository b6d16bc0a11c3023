"""A folder on a file system of its own, a few MB large, so that a test can fill it. Only root may mount one."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

SIZE_MB = 24
FILLING = "filling"


def may_mount() -> bool:
    """Whether this process may mount a file system here."""
    if os.geteuid() != 0:
        return False
    # In a name space of its own, so that nothing is left.
    tried = subprocess.run(
        ["unshare", "--mount", "mount", "-t", "tmpfs", "-o", "size=1m", "none", "/mnt"],
        capture_output=True,
        check=False,
    )
    return tried.returncode == 0


@contextlib.contextmanager
def small_disk(folder: Path) -> Iterator[None]:
    """`folder` has `SIZE_MB` inside the block, and is gone after it with all that it has."""
    folder.mkdir(mode=0o700)
    options = f"size={SIZE_MB}m,mode=0700"
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "portal-small-disk", str(folder)], check=True)
    try:
        yield
    finally:
        # Lazily: a server that could not be stopped would hold it.
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def fill(folder: Path) -> None:
    """Write until nothing more goes in."""
    with (folder / FILLING).open("ab", buffering=0) as file, contextlib.suppress(OSError):
        for size in (65536, 1):
            with contextlib.suppress(OSError):
                while True:
                    file.write(b"\0" * size)


def empty(folder: Path) -> None:
    """Take away what :func:`fill` wrote."""
    (folder / FILLING).unlink(missing_ok=True)
