"""Reads in threads of their own, which may wait for the fetch of another one."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from portal.process.deadline import Deadline

if TYPE_CHECKING:
    from collections.abc import Callable

WAIT_S = 20


class Watched(Deadline):
    """Tells when a follower asks how long it may wait."""

    def __init__(self) -> None:
        super().__init__(WAIT_S)
        self.asked = threading.Semaphore(0)

    def remaining(self) -> float:
        self.asked.release()
        return super().remaining()


class Reader:
    """A read in a thread of its own. Its rows are in `seen`."""

    def __init__(self, read: Callable[[], list[str]]) -> None:
        self.seen: list[list[str]] = []
        self.thread = threading.Thread(target=lambda: self.seen.append(read()))

    def run(self) -> None:
        self.thread.start()
        self.thread.join(WAIT_S)
