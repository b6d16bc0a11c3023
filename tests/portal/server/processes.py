"""The processes of these tests, each in a group of its own, and waits for them."""

from __future__ import annotations

import contextlib
import http.client
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator

from tests.support.harness import ROOT

#: Seconds after which a test gives up.
PATIENCE_S = 60


def until(condition: Callable[[], object], *, what: str, seconds: float = PATIENCE_S) -> None:
    """Wait until the condition holds."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"not within {seconds} s: {what}"
        threading.Event().wait(0.02)


@contextlib.contextmanager
def started(
    code: str, *arguments: str, launcher: tuple[str, ...] = (), **variables: str
) -> Iterator[subprocess.Popen[str]]:
    """Run code; what is left of its group is killed at the end.

    :param launcher: words of a program that starts it in turn.
    """
    process = subprocess.Popen(
        [*launcher, sys.executable, "-c", code, *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": f"{ROOT}/packages:{ROOT}", **variables},
        start_new_session=True,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def ended(process: subprocess.Popen[str]) -> tuple[int, str]:
    """Its status, and what it has said."""
    _, said = process.communicate(timeout=PATIENCE_S)
    return process.returncode, said


def get(port: int, path: str = "/") -> tuple[int, bytes]:
    """The status and the body of a response."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
    with contextlib.closing(connection):
        connection.request("GET", path)
        response = connection.getresponse()
        return response.status, response.read()
