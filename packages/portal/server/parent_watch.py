"""Ends a process with the one that started it, so that no orphan holds a port."""

from __future__ import annotations

import os
import signal
import threading
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

#: Seconds between looks at whether the parent process still lives.
PARENT_WATCH_INTERVAL_S = 0.5


def end_with_process(parent: int, *, before: Callable[[], None] = lambda: None) -> None:
    """Send this process SIGTERM when `parent`, the process that started it, has ended, also if it was killed.

    :param before: called first.
    """

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(PARENT_WATCH_INTERVAL_S)
        before()
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, name="watch-parent", daemon=True).start()
