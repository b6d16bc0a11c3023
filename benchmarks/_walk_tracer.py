"""Sees each call of the portal's own functions while a walk is under way, by Python's profiler, in all threads."""

from __future__ import annotations

import contextlib
import gc
import inspect
import socket
import sys
import threading
from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks._servers import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

OURS = (f"{ROOT}/apps/", f"{ROOT}/packages/")
SANDBOX = f"{ROOT}/packages/sandbox_api/"
QUERY_LAYER = f"{ROOT}/packages/portal/query/"
NO_FUNCTIONS = {"<module>", "<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"}
SENDS = {"send", "sendall", "sendmsg"}


@dataclass
class Walk:
    """What one walk came to.

    :ivar frames: for each function, by file and name, how often it was called.
    :ivar hops: calls from one file to another: how deep in hops, the function, and how often in a row.
    :ivar turned: the caller's and the callee's names of each turn.
    :ivar sends: for each call to the backend, the functions on the stack.
    """

    name: str
    frames: Counter[tuple[str, str]] = field(default_factory=Counter)
    deepest: int = 0
    turned: Counter[tuple[str, str]] = field(default_factory=Counter)
    hops: list[tuple[int, str]] = field(default_factory=list)
    sends: list[list[str]] = field(default_factory=list)


class Tracer:
    """Profiles this process; counts while a walk is under way."""

    def __init__(self) -> None:
        self._walk: Walk | None = None
        self._begun: list[FrameType] = []
        self._sending: FrameType | None = None
        self._is_ours: dict[str, bool] = {}

    def start(self) -> None:
        """Threads are seen that begin from now on."""
        threading.setprofile(self._on_event)

    @contextlib.contextmanager
    def tracing(self, walk: Walk) -> Iterator[None]:
        """Count what happens meanwhile."""
        gc.collect()
        gc.disable()
        self._walk, self._begun = walk, []
        sys.setprofile(self._on_event)
        try:
            yield
        finally:
            sys.setprofile(None)
            self._walk = None
            gc.enable()

    def _on_event(self, frame: FrameType, event: str, argument: Any) -> None:
        walk = self._walk
        if walk is None:
            return
        if event == "call":
            self._on_call(walk, frame)
        elif event == "c_call" and argument.__name__ in SENDS and isinstance(argument.__self__, socket.socket):
            self._on_send(walk, frame)

    def _on_call(self, walk: Walk, frame: FrameType) -> None:
        code = frame.f_code
        if not self._ours(code.co_filename) or code.co_name in NO_FUNCTIONS:
            return
        if code.co_flags & inspect.CO_GENERATOR:
            if any(frame is begun for begun in self._begun):
                return
            self._begun.append(frame)
        walk.frames[_module(code.co_filename), code.co_qualname] += 1
        stack = self._stack(frame)
        walk.deepest = max(walk.deepest, len(stack))
        files = [each.f_code.co_filename for each in stack]
        if len(stack) > 1 and files[-2] == files[-1]:
            return
        depth = sum(left != right for left, right in pairwise(files))
        walk.hops.append((depth, _name(frame)))
        if files[-1] in files[:-1]:
            walk.turned[_name(stack[-2]), _name(frame)] += 1

    def _on_send(self, walk: Walk, frame: FrameType) -> None:
        stack = self._stack(frame)
        # A call's headers and its body may be sent apart.
        if not stack or stack[-2] is self._sending:
            return
        self._sending = stack[-2]
        in_query = [index for index, each in enumerate(stack) if each.f_code.co_filename.startswith(QUERY_LAYER)]
        walk.sends.append([_name(each) for each in stack[in_query[0] if in_query else 0 :]])

    def _stack(self, frame: FrameType | None) -> list[FrameType]:
        """Our functions on this thread's stack, the outermost first."""
        found = []
        while frame is not None:
            if self._ours(frame.f_code.co_filename) and frame.f_code.co_name not in NO_FUNCTIONS:
                found.append(frame)
            frame = frame.f_back
        return found[::-1]

    def _ours(self, path: str) -> bool:
        known = self._is_ours.get(path)
        if known is None:
            known = self._is_ours[path] = path.startswith(OURS) and not path.startswith(SANDBOX)
        return known


def _module(path: str) -> str:
    return str(Path(path).relative_to(ROOT)).removeprefix("packages/").removesuffix(".py")


def _name(frame: FrameType) -> str:
    return f"{_module(frame.f_code.co_filename)}: {frame.f_code.co_qualname}"
