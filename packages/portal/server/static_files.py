"""The static files of one running server: what is collected, and the private folder, removed at the server's end."""

from __future__ import annotations

import os
import tempfile
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Patterns of files that no page uses: of those of django-htmx, the pages use `htmx-2.min.js` alone. To compress them
#: all would take two seconds of each start.
UNUSED_FILES: Final = ["django_htmx/ext/*", "django_htmx/*-4*", "django_htmx/htmx-2.js", "django_htmx/django-htmx.js"]


@contextmanager
def private_static_root(*, app: str) -> Iterator[None]:
    """Set `APP_STATIC_ROOT` to a new folder, which is removed at the end.

    Each server has its own folder, so several servers start and stop independently. Call this before the settings
    are read: the storage class depends on the variable.
    """
    with tempfile.TemporaryDirectory(prefix=f"portal-static-{app}-") as folder:
        os.environ["APP_STATIC_ROOT"] = folder
        yield
