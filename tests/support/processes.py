"""Processes that a test starts: their end with this one, their workers, and waits for what they do."""

import contextlib
import os
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")

#: Seconds after which a test gives up: far longer than anything takes, on a machine however busy.
PATIENCE_S = 60
#: The folder of Debian's servers, which is not in the path of everyone.
SYSTEM_PROGRAMS = "/usr/sbin"


def found_tool(*names: str) -> str | None:
    """The path of the first of these programs that the machine has."""
    found = (shutil.which(name, path=f"{os.environ['PATH']}:{SYSTEM_PROGRAMS}") for name in names)
    return next(filter(None, found), None)


def until(condition: Callable[[], T], *, what: object, seconds: float = PATIENCE_S) -> T:
    """Wait until the condition holds, and return its value; `what` says, or is called to say, what did not happen."""
    end, pause = time.monotonic() + seconds, 0.02
    while not (found := condition()):
        assert time.monotonic() < end, f"not within {seconds} s: {what() if callable(what) else what}"
        time.sleep(pause)
        # Some conditions are pages, or all processes of the machine.
        pause = min(1.5 * pause, 0.1)
    return found


@contextlib.contextmanager
def process_group(command: Sequence[str | Path], **options: Any) -> Iterator[subprocess.Popen[str]]:
    """Start a command in a process group of its own, all of which is killed at the end of the block.

    :param options: of :class:`subprocess.Popen`.
    """
    process = subprocess.Popen(command, start_new_session=True, text=True, **options)
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def ending_with_this_process(*command: str) -> list[str]:
    """A command whose process gets SIGTERM when this process ends, also if this one is killed.

    The kernel watches the thread that starts it. So the command is unchanged for another thread than the main one,
    which may end long before the process, and on a machine that is not Linux.
    """
    setpriv = shutil.which("setpriv")
    if setpriv is None or threading.current_thread() is not threading.main_thread():
        return list(command)
    return [setpriv, "--pdeathsig", "TERM", *command]


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
