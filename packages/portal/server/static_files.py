"""The private folders of one running server, removed at its end: its static files, and the metrics of its workers."""

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
def private_folders(*, app: str) -> Iterator[None]:
    """Set `APP_STATIC_ROOT` and `PROMETHEUS_MULTIPROC_DIR` to new folders, which are removed at the end.

    Each server has its own, so several servers start and stop independently. Call this before the settings are read:
    the storage class depends on the first variable, and prometheus_client reads the second one when it is imported.
    """
    with (
        tempfile.TemporaryDirectory(prefix=f"portal-static-{app}-") as static_root,
        tempfile.TemporaryDirectory(prefix=f"portal-metrics-{app}-") as metrics_dir,
    ):
        os.environ |= {"APP_STATIC_ROOT": static_root, "PROMETHEUS_MULTIPROC_DIR": metrics_dir}
        yield
