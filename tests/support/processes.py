"""The processes of a server that a test has started."""

from __future__ import annotations

import contextlib
from pathlib import Path


def workers_of(server: int) -> list[int]:
    """The workers of a server, by the process id of its main process."""
    found = []
    for task in Path(f"/proc/{server}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            found += [int(child) for child in task.read_text().split()]
    # Python's resource tracker is a child as well, and not a worker.
    return [child for child in found if b"resource_tracker" not in _command_line(child)]


def _command_line(pid: int) -> bytes:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    return b""
