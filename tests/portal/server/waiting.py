"""Waits of the tests whose servers are processes."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

#: Seconds after which a test gives up.
PATIENCE_S = 60


def until(condition: Callable[[], object], *, what: str) -> None:
    """Wait until the condition holds."""
    end = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end, f"not within {PATIENCE_S} s: {what}"
        threading.Event().wait(0.02)
