"""A started `manage.py run`, for tests."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

from portal.config.projects import BACKEND_PORT_OFFSET, PROJECTS
from tests.support.checkout_copy import in_copy
from tests.support.harness import ROOT
from tests.support.linked_environment import bare_shell
from tests.support.processes import PATIENCE_S, until

MARKER = "PORTAL_TEST_RUN"


class Run(contextlib.AbstractContextManager["Run", None]):
    """A started `manage.py run`, with all that it has printed so far; it ends with the block.

    :param options: of the command.
    :param checkout: this checkout, or a copy of it.
    :param command: another program that starts servers and then says `ready`.
    :param typed: a command line in place of the command, typed in a shell in which no environment was activated.
    :ivar variables: the environment of its processes.
    """

    def __init__(
        self,
        folder: Path,
        port_base: int,
        *options: str,
        checkout: Path = ROOT,
        command: tuple[str, ...] = (sys.executable, "manage.py", "run"),
        typed: str | None = None,
    ) -> None:
        self.port_base = port_base
        self.ports = [port_base + p.port_offset for p in PROJECTS] + [port_base + BACKEND_PORT_OFFSET]
        self.marker = f"{MARKER}={folder}"
        own = {
            "PORT_BASE": str(port_base),
            "APP_STATE_DIR": str(folder / "state"),
            "SANDBOX_STATE_DIR": str(folder / "sandbox"),
            "PYTHONUNBUFFERED": "1",
            MARKER: str(folder),
        }
        merged = bare_shell(**own) if typed else {**os.environ, **in_copy(checkout, DEBUG=None, **own)}
        self.variables = {name: value for name, value in merged.items() if value is not None}
        self.process = subprocess.Popen(
            ["sh", "-c", typed] if typed else [*command, *options],
            cwd=checkout,
            env=self.variables,
            start_new_session=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.lines: list[str] = []
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        for line in self.process.stdout:
            self.lines.append(line.rstrip("\n"))

    def wait_for(self, line: str, *, seconds: float) -> None:
        self.wait_until(lambda: line in self.lines, what=line, seconds=seconds)

    def wait_until(self, condition: Callable[[], object], *, what: str, seconds: float = PATIENCE_S) -> None:
        def ended_or_holds() -> object:
            assert self.process.poll() is None, "\n".join(self.lines)
            return condition()

        until(ended_or_holds, what=lambda: "\n".join([what, *self.lines]), seconds=seconds)

    def left_behind(self) -> list[int]:
        """Process ids that still carry this run's mark."""
        found = []
        for path in Path("/proc").glob("[0-9]*/environ"):
            with contextlib.suppress(OSError):
                if self.marker.encode() in path.read_bytes().split(b"\0"):
                    found.append(int(path.parent.name))
        return found

    def wait_until_nothing_is_left(self) -> None:
        until(lambda: not self.left_behind(), what=lambda: f"the end of {self.left_behind()}")

    def __exit__(self, *_: object) -> None:
        for pid in self.left_behind():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait()
        self._reader.join()
        self.process.stdin.close()
        self.process.stdout.close()
