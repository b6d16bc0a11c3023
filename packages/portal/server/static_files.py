"""Static files of one running server: a private folder, collected at start, gone at its end."""

from __future__ import annotations

import os
import tempfile
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def private_static_root(*, app: str) -> Iterator[None]:
    """Name a fresh folder in the environment, from which the settings then take hashed file names.

    A folder of this server's own: several servers, of one project or of many, start and stop without
    meeting. It must be known before the settings are read, because the storage class depends on it.
    """
    with tempfile.TemporaryDirectory(prefix=f"portal-static-{app}-") as folder:
        os.environ["APP_STATIC_ROOT"] = folder
        yield
