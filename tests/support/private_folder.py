"""A temporary folder for as long as this process runs."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from pathlib import Path


def private_folder(prefix: str) -> Path:
    """Make it; this process removes it when it ends. A forked child that ends in order leaves it to its parent."""
    folder = Path(tempfile.mkdtemp(prefix=prefix))
    atexit.register(_remove, folder, owner=os.getpid())
    return folder


def _remove(folder: Path, *, owner: int) -> None:
    if os.getpid() == owner:
        shutil.rmtree(folder, ignore_errors=True)
