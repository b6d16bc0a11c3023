"""The files through which the workers of one server share their counts.

Workers share a port, so a scraper can't choose the one that it asks. `serve` sets `PROMETHEUS_MULTIPROC_DIR`, and
prometheus_client then keeps each number in a memory-mapped file of its process. The worker that is asked adds up the
files of all. A worker names its files by its number (:func:`portal_server.static_files.reserve_metric_files`).

Without the variable a process counts for itself, in memory.
"""

import os
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from prometheus_client import metrics, values
from prometheus_client.multiprocess import mark_process_dead

from fork_safety import ForkSafeLock

#: In the names of files: no worker has begun in this process.
BEFORE_WORKERS: Final = "none"
#: The folder, or empty. The library reads the variable when it is imported.
FOLDER: Final = os.environ.get("PROMETHEUS_MULTIPROC_DIR", "")


class ThisWorker:
    """The identity of this process.

    :cvar number: in the names of its files.
    :cvar pids: the process ids of all workers of its server, by number.
    """

    number: int | str = BEFORE_WORKERS
    pids: Sequence[int] = (os.getpid(),)


def begin(number: int, pids: Sequence[int]) -> None:
    """Count as the worker of this number."""
    ThisWorker.number, ThisWorker.pids = number, pids
    if not FOLDER:
        return
    # A check before the start may have left a state. Another worker may remove it first.
    with suppress(FileNotFoundError):
        mark_process_dead(BEFORE_WORKERS, FOLDER)  # type: ignore[no-untyped-call]  # the library has no types here


# A thread that forks would leave the library's locks locked in the child.
values.Lock = metrics.Lock = ForkSafeLock  # type: ignore[assignment]  # a factory, as `threading.Lock` is
if FOLDER:
    values.ValueClass = values.MultiProcessValue(process_identifier=lambda: ThisWorker.number)  # type: ignore[no-untyped-call]  # the library has no types here
