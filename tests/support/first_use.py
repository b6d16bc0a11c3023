"""The first use of a class by several threads at once, as in a worker that has just started."""

import sys
import threading
from collections.abc import Callable


def use_together(use: Callable[[], object], *, threads: int = 8) -> None:
    """Call a function in some threads at the same moment; end the program with an error unless it is true in all."""
    sys.setswitchinterval(1e-6)
    right, together = [], threading.Barrier(threads)

    def run() -> None:
        together.wait()
        right.append(use())

    running = [threading.Thread(target=run) for _ in range(threads)]
    for each in running:
        each.start()
    for each in running:
        each.join()
    assert right == [True] * threads
