"""A child process that was forked while another thread held a lock does not wait for that thread."""

import gc
import subprocess
import sys
import threading
from weakref import ref

from fork_safety import ForkSafeLock, reset_after_fork
from tests.support.forks import PATIENCE_S, child_finishes, held_by_another_thread


def test_a_held_lock_is_free_in_a_child_and_stays_held_here():
    lock = ForkSafeLock()

    def take() -> None:
        with lock:
            pass

    with held_by_another_thread(lock):
        assert child_finishes(take)
        waiting = threading.Thread(target=take)
        waiting.start()
        waiting.join(0.05)
        assert waiting.is_alive()
    waiting.join(PATIENCE_S)
    assert not waiting.is_alive()


def test_what_is_gone_is_not_reset():
    class Thing:
        def reset(self) -> None:
            raise AssertionError("it is gone")

    thing = Thing()
    reset_after_fork(thing, Thing.reset)
    gone = ref(thing)
    del thing
    gc.collect()
    assert gone() is None
    assert child_finishes(lambda: None)


def test_a_process_that_ends_writes_no_error():
    program = "from fork_safety import ForkSafeLock; kept = ForkSafeLock()"
    ended = subprocess.run(
        [sys.executable, "-c", program], env={"PYTHONPATH": "packages"}, capture_output=True, text=True, check=True
    )
    assert ended.stderr == ""
