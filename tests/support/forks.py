"""Forks, also while another thread holds a lock; and many threads, or processes, at one moment."""

import contextlib
import multiprocessing
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")

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


def in_child(ask: Callable[[], T]) -> T:
    """What `ask` gives in a child that is forked now."""
    answers = fork.Queue()
    process = fork.Process(target=lambda: answers.put(ask()))
    process.start()
    try:
        return answers.get(timeout=PATIENCE_S)
    finally:
        process.join(PATIENCE_S)


def at_once(number: int, work: Callable[[int], T]) -> list[T]:
    """What `work` gives in so many threads that begin at one moment."""
    barrier = threading.Barrier(number)

    def begin(place: int) -> T:
        barrier.wait(PATIENCE_S)
        return work(place)

    with ThreadPoolExecutor(number) as threads:
        return list(threads.map(begin, range(number)))


@contextlib.contextmanager
def meanwhile(work: Callable[[], object], *, threads: int = 1) -> Iterator[None]:
    """Repeat `work` in so many threads until the block ends."""
    over = threading.Event()

    def repeat() -> None:
        while not over.is_set():
            work()

    with ThreadPoolExecutor(threads) as pool:
        repeated = [pool.submit(repeat) for _ in range(threads)]
        try:
            yield
        finally:
            over.set()
    for each in repeated:
        each.result()


def in_processes(number: int, work: Callable[[], object]) -> None:
    """Do `work` in so many child processes that begin at one moment; none of them may fail."""
    barrier = fork.Barrier(number)

    def begin() -> None:
        barrier.wait(PATIENCE_S)
        work()

    processes = [fork.Process(target=begin) for _ in range(number)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(PATIENCE_S)
    assert [process.exitcode for process in processes] == [0] * number
