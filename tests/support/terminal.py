"""A terminal for tests: what a person would see and type."""

from __future__ import annotations

import contextlib
import os
import pty
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

from tests.support.processes import PATIENCE_S

#: A program that takes its input for its terminal, and becomes the shell of the command line in its argument.
IN_ITS_TERMINAL = "import os, sys; os.login_tty(0); os.execv('/bin/sh', ['sh', '-c', sys.argv[1]])"


class Terminal:
    """A command line with a terminal of its own, in which a test reads and types."""

    def __init__(self, command: str, *, folder: Path, variables: dict[str, str]) -> None:
        self._end, other = pty.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-c", IN_ITS_TERMINAL, command], cwd=folder, env=variables, stdin=other
        )
        os.close(other)
        self.shown = ""

    def wait_for(self, text: str) -> None:
        """Read until this text is shown; forget what came before it."""
        end = time.monotonic() + PATIENCE_S
        while text not in self.shown:
            assert time.monotonic() < end, f"not shown: {text}\n{self.shown}"
            if select.select([self._end], [], [], 0.1)[0]:
                self.shown += os.read(self._end, 65536).decode()
        self.shown = self.shown.partition(text)[2]

    def type(self, line: str) -> None:
        os.write(self._end, f"{line}\n".encode())

    def close(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        os.close(self._end)
