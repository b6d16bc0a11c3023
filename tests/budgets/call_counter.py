"""Counts the functions that are called, in all threads of a process."""

from __future__ import annotations

import contextlib
import re
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from types import CodeType
from typing import Any

from benchmarks._servers import ROOT

#: Folders that differ from checkout to checkout, and from Python to Python.
_PLACES = re.compile(rf"{re.escape(str(ROOT))}/(?:packages/)?(?!\.venv)|.*/(?:site-packages|python3\.\d+)/")


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


def by_name(called: Counter[Any]) -> dict[str, int]:
    """The same numbers by names that two processes share, the largest first."""
    named: Counter[str] = Counter()
    for function, number in called.items():
        named[_name(function)] += number
    return dict(named.most_common())


def _name(function: Any) -> str:
    if isinstance(function, CodeType):
        return f"{_PLACES.sub('', function.co_filename)}: {function.co_qualname}"
    return f"{getattr(function, '__module__', None) or 'builtins'}: {function.__qualname__}"
