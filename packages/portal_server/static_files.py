"""The private folder of one running server, removed at its end.

It has the server's static files, its compiled templates, and the metrics of its workers.
"""

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

#: Patterns of files that no page uses: of those of django-htmx, the pages use `htmx-2.min.js` alone. To compress them
#: all would take two seconds of each start.
UNUSED_FILES: Final = ["django_htmx/ext/*", "django_htmx/*-4*", "django_htmx/htmx-2.js", "django_htmx/django-htmx.js"]
#: The library's own variable.
_METRICS: Final = "PROMETHEUS_MULTIPROC_DIR"
#: The parts of the folder, by the variable that names each.
PRIVATE_FOLDERS: Final = {
    "APP_STATIC_ROOT": "static",
    "APP_COMPILED_TEMPLATES_DIR": "templates",
    _METRICS: "metrics",
}
#: Room that the counts of a worker get at once, in bytes, by kind of metric. On a full disk a memory-mapped file that
#: grows ends its process (SIGBUS). As many label values as the limits allow have room, as
#: tests/portal/telemetry/metrics/test_room_for_all.py tries.
METRIC_FILE_BYTES: Final = {"counter": 1 << 20, "histogram": 1 << 21, "gauge_livesum": 1 << 16}
#: How the name of such a folder begins, in the folder for temporary files.
PREFIX: Final = "portal-server-"


@contextmanager
def private_folders(*, app: str) -> Iterator[None]:
    """Set the variables of :data:`PRIVATE_FOLDERS` to new folders, in one that is removed at the end.

    Each server has its own, so several servers start and stop independently. Call this before the settings are read:
    the storage class depends on one of them, and prometheus_client reads another when it is imported.
    """
    _remove_left_folders()
    with _own_folder(f"{PREFIX}{app}-") as folder:
        for variable, name in PRIVATE_FOLDERS.items():
            (folder / name).mkdir()
            os.environ[variable] = str(folder / name)
        # Those of a process in which no worker has begun.
        reserve_metric_files("none")
        yield


def reserve_metric_files(worker: int | str) -> None:
    """Make the files of a worker's metrics, if there is a folder. A replacement goes on with the counts, not the state.

    The files are named by the worker's number, and not by its process as usual: so no sum falls when a worker ends, and
    there are as many files as workers.
    """
    if not (name := os.environ.get(_METRICS)):
        return
    folder = Path(name)
    # A cleaner of temporary files may have taken it from a server that runs for weeks.
    folder.mkdir(parents=True, exist_ok=True)
    for kind, size in METRIC_FILE_BYTES.items():
        file = folder / f"{kind}_{worker}.db"
        if file.exists() and not kind.startswith("gauge"):
            continue
        # In one step: the library fails on a file that is there and has no octets yet.
        fresh = file.with_suffix(".new")
        with fresh.open("wb") as opened:
            os.posix_fallocate(opened.fileno(), 0, size)
        fresh.replace(file)


@contextmanager
def _own_folder(prefix: str) -> Iterator[Path]:
    """A folder that is locked for as long as this process, or one of its workers, lives: the kernel knows that best."""
    while (locked := _locked_folder(prefix)) is None:
        pass
    folder, descriptor = locked
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(descriptor)


def _locked_folder(prefix: str) -> tuple[Path, int] | None:
    """A new folder with its lock; None if another server that starts has taken it for a left one before."""
    folder = Path(tempfile.mkdtemp(prefix=prefix))
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except FileNotFoundError:
        return None
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    if folder.exists():
        return folder, descriptor
    os.close(descriptor)
    return None


def _remove_left_folders() -> None:
    """Remove the folders of servers that were killed: nobody has locked them."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        # Somebody else's, or no folder, or in use, or removed meanwhile.
        with suppress(OSError):
            descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder)
            finally:
                os.close(descriptor)
