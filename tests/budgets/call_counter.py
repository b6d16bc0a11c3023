"""Counts the functions that are called, in all threads of a process."""

import contextlib
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from typing import Any


class CallCounter:
    """Sees each call of a function, of Python or in C. Threads are seen that begin after this was made."""

    def __init__(self) -> None:
        self._called: Counter[Any] | None = None
        threading.setprofile(self._on_event)

    @contextlib.contextmanager
    def counting(self) -> Iterator[Counter[Any]]:
        """Count what is called meanwhile: a function of Python by its code."""
        called = self._called = Counter[Any]()
        sys.setprofile(self._on_event)
        try:
            yield called
        finally:
            sys.setprofile(None)
            self._called = None

    @staticmethod
    def without(function: Any) -> Any:
        """The same function; what it calls is not counted."""

        def uncounted(*args: Any, **kwargs: Any) -> Any:
            seen_by = sys.getprofile()
            sys.setprofile(None)
            try:
                return function(*args, **kwargs)
            finally:
                sys.setprofile(seen_by)

        return uncounted

    def _on_event(self, frame: Any, event: str, argument: Any) -> None:
        called = self._called
        if called is None:
            return
        if event == "call":
            called[frame.f_code] += 1
        elif event == "c_call":
            called[argument] += 1
