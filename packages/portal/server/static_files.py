"""A private folder for the static files of one running server: filled at start, removed at its end."""

from __future__ import annotations

import os
import tempfile
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def private_static_root(*, app: str) -> Iterator[None]:
    """Set `APP_STATIC_ROOT` to a new folder, which is removed at the end.

    Each server has its own folder, so several servers start and stop independently. Call this before the settings
    are read: the storage class depends on the variable.
    """
    with tempfile.TemporaryDirectory(prefix=f"portal-static-{app}-") as folder:
        os.environ["APP_STATIC_ROOT"] = folder
        yield
