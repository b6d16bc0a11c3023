"""Threads that work for requests: bounded, in the caller's context, and never in the way of a process that ends."""

import contextvars
import sys
import threading

import pytest

from portal.process.thread_pool import Pool
from portal.query.process_state import process_runtime
from tests.support.forks import in_child
from tests.support.harness import run_program

PATIENCE_S = 20
who = contextvars.ContextVar("who", default="nobody")


class Held:
    """Work that holds its thread until it may end."""

    def __init__(self) -> None:
        self.begun, self.may_end = threading.Semaphore(0), threading.Event()

    def __call__(self) -> str:
        self.begun.release()
        assert self.may_end.wait(PATIENCE_S)
        return threading.current_thread().name


@pytest.fixture
def held():
    made = Held()
    yield made
    made.may_end.set()


def test_pool_bounds_threads_and_queue_and_skips_cancelled(
    held: Held,
) -> None:
    pool = Pool(name="test", threads=2, queue=3)
    running = [pool.submit(held) for _ in range(2)]
    for _ in running:
        assert held.begun.acquire(timeout=PATIENCE_S)
    done: list[str] = []
    who.set("ada")
    cancelled, waiting, in_its_context = [
        pool.submit(work) for work in (lambda: done.append("cancelled"), lambda: done.append("done"), who.get)
    ]
    who.set("ben")
    assert pool.submit(held) is None
    assert sum(thread.name == "portal-test" for thread in threading.enumerate()) == 2
    assert cancelled is not None
    assert cancelled.cancel()
    held.may_end.set()
    assert [future.result(PATIENCE_S) for future in running if future] == ["portal-test"] * 2
    for future, result in ((waiting, None), (in_its_context, "ada"), (pool.submit(who.get), "ben")):
        assert future is not None
        assert future.result(PATIENCE_S) == result
    assert done == ["done"]


def test_idle_thread_is_used_first() -> None:
    pool = Pool(name="alone", threads=4, queue=9)
    for _ in range(5):
        future = pool.submit(threading.get_ident)
        assert future is not None
        future.result(PATIENCE_S)
        # The thread is idle a moment after its result is there.
        assert pool.wait_until_idle(timeout_s=PATIENCE_S)
    assert sum(thread.name == "portal-alone" for thread in threading.enumerate()) == 1


def test_pool_is_idle_when_all_work_has_ended(held: Held) -> None:
    pool = Pool(name="rest", threads=1, queue=9)
    assert pool.wait_until_idle(timeout_s=0)
    futures = [pool.submit(held), pool.submit(threading.get_ident)]
    assert held.begun.acquire(timeout=PATIENCE_S)
    assert not pool.wait_until_idle(timeout_s=0.01)
    held.may_end.set()
    assert pool.wait_until_idle(timeout_s=PATIENCE_S)
    # An idle thread takes a moment to begin.
    for _ in range(50):
        futures.append(pool.submit(threading.get_ident))
        assert pool.wait_until_idle(timeout_s=PATIENCE_S)
        assert all(future is not None and future.done() for future in futures)


def test_takes_work_again_when_there_are_threads_again(monkeypatch: pytest.MonkeyPatch) -> None:
    def start(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    pool = Pool(name="again", threads=1, queue=2)
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", start)
        assert [pool.submit(lambda: 1) for _ in range(3)] == [None] * 3
    future = pool.submit(lambda: 1)
    assert future is not None
    assert future.result(PATIENCE_S) == 1


def test_a_child_process_has_threads_of_its_own() -> None:
    before = process_runtime().pool.submit(lambda: 1 // 0)
    assert before is not None
    with pytest.raises(ZeroDivisionError):
        before.result(PATIENCE_S)

    def in_its_own() -> str | None:
        future = process_runtime().pool.submit(lambda: "in the child")
        return future and future.result(PATIENCE_S)

    assert in_child(in_its_own) == "in the child"


def test_a_process_ends_while_its_threads_still_work() -> None:
    ending = (
        "import threading\n"
        "from portal.process.thread_pool import Pool\n"
        "begun = threading.Event()\n"
        "Pool(name='hung', threads=1, queue=1).submit(lambda: (begun.set(), threading.Event().wait(600)))\n"
        "begun.wait()\n"
        "print('over')\n"
    )
    assert run_program(sys.executable, "-c", ending, timeout=PATIENCE_S * 3).stdout == "over\n"
