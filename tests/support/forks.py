"""Forks, while another thread holds a lock."""

from __future__ import annotations

import contextlib
import multiprocessing
import threading
from collections.abc import Callable, Iterator

fork = multiprocessing.get_context("fork")
#: Far longer than a child takes that waits for no lock, seconds.
PATIENCE_S = 60


@contextlib.contextmanager
def held_by_another_thread(lock) -> Iterator[None]:
    holds, over = threading.Event(), threading.Event()

    def hold() -> None:
        with lock:
            holds.set()
            over.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    holds.wait()
    try:
        yield
    finally:
        over.set()
        thread.join()


def child_finishes(work: Callable[[], object]) -> bool:
    """Whether a child that is forked now finishes `work`, which raises on a failure."""
    process = fork.Process(target=work)
    process.start()
    process.join(PATIENCE_S)
    if process.is_alive():
        process.kill()
        process.join()
    return process.exitcode == 0
