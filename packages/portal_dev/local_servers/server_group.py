"""A group of servers that start, are watched and stop together. `make run` and the tests use it."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from portal.config.places import SOURCE_ROOT
from portal_server.ports import answers

#: Seconds that a server has to end by itself. Stopping a group takes little longer.
STOP_TIMEOUT_S = 4.0
#: Seconds in which a server must answer after its start.
START_TIMEOUT_S = 60.0
POLL_INTERVAL_S = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """One server of the group.

    :param command: arguments after the Python interpreter.
    :param port: on 127.0.0.1; `GET /healthz` answers 200 there once it serves.
    :param environment: variables beside those of this process; None takes one away.
    :param code: folders whose code it runs.
    """

    name: str
    command: tuple[str, ...]
    port: int
    environment: Mapping[str, str | None] = field(default_factory=dict)
    code: tuple[Path, ...] = ()


class ServerGroupError(Exception):
    """A server did not start, or ended by itself; the message says which, and how."""


class ServerGroup:
    """Starts each server as a process group of its own, so that stopping it stops all its workers."""

    def __init__(self, *, log: Path | None = None) -> None:
        self._log = log
        self._running: dict[str, tuple[Server, subprocess.Popen[bytes]]] = {}

    def start(self, servers: Iterable[Server]) -> None:
        """Start all servers. They are up when :meth:`wait_until_ready` returns."""
        for server in servers:
            merged = {**os.environ, **server.environment}
            environment = {name: value for name, value in merged.items() if value is not None}
            command = [sys.executable, *server.command]
            with self._log.open("ab") if self._log else contextlib.nullcontext() as log:
                process = subprocess.Popen(
                    command, cwd=SOURCE_ROOT, env=environment, stdout=log, stderr=log, start_new_session=True
                )
            self._running[server.name] = (server, process)

    def wait_until_ready(self, *, timeout_s: float = START_TIMEOUT_S, may_end: bool = False) -> None:
        """Return as soon as every server answers its health check.

        :param may_end: do not wait for a server that has ended.
        :raises ServerGroupError: one ended, unless it may, or does not answer in time.
        """
        end = time.monotonic() + timeout_s
        for server, process in self._running.values():
            while not answers(server.port):
                if not may_end:
                    self.check()
                elif process.poll() is not None:
                    break
                if time.monotonic() > end:
                    raise ServerGroupError(
                        f"{server.name} does not answer at port {server.port} after {timeout_s:.0f} s"
                    )
                time.sleep(POLL_INTERVAL_S)

    def check(self) -> None:
        """Raise :class:`ServerGroupError` if a server has ended by itself."""
        for name, status in self.take_ended().items():
            raise ServerGroupError(f"{name} ended by itself, with status {status}")

    def take_ended(self) -> dict[str, int]:
        """Forget the servers that have ended by themselves; gives their names and statuses."""
        ended = {name: process.returncode for name, (_, process) in self._running.items() if process.poll() is not None}
        for name in ended:
            # What it has started may be left.
            _signal_group(self._running.pop(name)[1], signal.SIGKILL)
        return ended

    def restart(self, servers: Sequence[Server]) -> None:
        """Stop those of the servers that run, and start all of them. The others of the group go on."""
        self.stop(*(server.name for server in servers))
        self.start(servers)

    def pid(self, name: str) -> int:
        """Process id of one server: the leader of its process group."""
        return self._running[name][1].pid

    def stop(self, *names: str) -> None:
        """Stop the named servers, or all: SIGTERM, then SIGKILL for each process left after `STOP_TIMEOUT_S`."""
        ending = [self._running.pop(name)[1] for name in [*self._running] if not names or name in names]
        for process in ending:
            _signal_group(process, signal.SIGTERM)
        end = time.monotonic() + STOP_TIMEOUT_S
        for process in ending:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(max(0.0, end - time.monotonic()))
            # Also if the leader has ended in time: its workers may be left.
            _signal_group(process, signal.SIGKILL)
            process.wait()


def _signal_group(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, number)
