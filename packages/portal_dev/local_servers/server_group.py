"""A group of servers that start, are watched and stop together. `make run` and the tests use it."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from portal.config.places import SOURCE_ROOT
from portal.server.ports import answers

if TYPE_CHECKING:
    import socket
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path
    from typing import IO

#: Seconds that a server has to end by itself. Stopping a group takes little longer.
STOP_TIMEOUT_S = 4.0
#: Seconds in which a server must answer after its start.
START_TIMEOUT_S = 60.0
POLL_INTERVAL_S = 0.05
#: Bytes of what a server wrote last.
MOST_WORDS = 64 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """One server of the group.

    :param command: arguments after the Python interpreter.
    :param port: on 127.0.0.1; `GET /healthz` answers 200 there once it serves.
    :param environment: variables beside those of this process; None takes one away.
    :param code: folders whose code it runs.
    :param listener: the socket that it takes its connections from, open in this process (:mod:`.held_ports`); without
        one it listens itself.
    """

    name: str
    command: tuple[str, ...]
    port: int
    environment: Mapping[str, str | None] = field(default_factory=dict)
    code: tuple[Path, ...] = ()
    listener: socket.socket | None = None


class LastWords:
    """What a process writes to its stderr: copied to that of this process, and the end of it kept.

    :param stream: where it can be read.
    """

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._kept = b""
        self._reader = threading.Thread(target=self._copy, daemon=True)
        self._reader.start()

    def _copy(self) -> None:
        for line in self._stream:
            sys.stderr.buffer.write(line)
            sys.stderr.buffer.flush()
            self._kept = (self._kept + line)[-MOST_WORDS:]

    def text(self) -> str:
        """All of it, of a process that has ended. One that it has started, and left, may hold the stream open."""
        self._reader.join(timeout=1)
        return self._kept.decode(errors="replace")


class ServerGroupError(Exception):
    """A server did not start, or ended by itself; the message says which, and how."""


class ServerGroup:
    """Starts each server as a process group of its own, so that stopping it stops all its workers."""

    def __init__(self, *, log: Path | None = None) -> None:
        self._log = log
        self._running: list[tuple[Server, subprocess.Popen[bytes]]] = []
        self._words: dict[str, LastWords] = {}

    def start(self, servers: Iterable[Server]) -> None:
        """Start all servers. They are up when :meth:`wait_until_ready` returns."""
        for server in servers:
            self._running.append((server, self._spawn(server)))

    def _spawn(self, server: Server) -> subprocess.Popen[bytes]:
        merged = {**os.environ, **server.environment}
        environment = {name: value for name, value in merged.items() if value is not None}
        command = [sys.executable, *server.command]
        options: dict[str, Any] = {"cwd": SOURCE_ROOT, "env": environment, "start_new_session": True}
        if server.listener is not None:
            number = server.listener.fileno()
            command += ["--listener", str(number)]
            process = subprocess.Popen(command, pass_fds=[number], stderr=subprocess.PIPE, **options)
            self._words[server.name] = LastWords(process.stderr)
            return process
        with self._log.open("ab") if self._log else contextlib.nullcontext() as log:
            return subprocess.Popen(command, stdout=log, stderr=log, **options)

    def wait_until_ready(self, *, timeout_s: float = START_TIMEOUT_S, may_end: bool = False) -> None:
        """Return as soon as every server answers its health check.

        :param may_end: do not wait for a server that has ended.
        :raises ServerGroupError: one ended, unless it may, or does not answer in time.
        """
        end = time.monotonic() + timeout_s
        for server, process in self._running:
            while not answers(server.port):
                if not may_end:
                    self.check()
                elif process.poll() is not None:
                    break
                if time.monotonic() > end:
                    place = f"{server.name} does not answer at port {server.port}"
                    raise ServerGroupError(f"{place} after {timeout_s:.0f} s")
                time.sleep(POLL_INTERVAL_S)

    def check(self) -> None:
        """Raise :class:`ServerGroupError` if a server has ended by itself."""
        for server, process in self._running:
            if process.poll() is not None:
                raise ServerGroupError(f"{server.name} ended by itself, with status {process.returncode}")

    def take_ended(self) -> dict[str, int]:
        """Forget the servers that have ended by themselves; gives their names and statuses."""
        ended = [(server, process) for server, process in self._running if process.poll() is not None]
        self._running = [entry for entry in self._running if entry not in ended]
        for _, process in ended:
            # What it has started may be left.
            _signal_group(process, signal.SIGKILL)
        return {server.name: process.returncode for server, process in ended}

    def last_words(self, name: str) -> str:
        """What a server with a listener, that has ended, wrote to its stderr."""
        return self._words[name].text()

    def restart(self, servers: Sequence[Server]) -> None:
        """Stop those of the servers that run, and start all of them. The others of the group go on."""
        if servers:
            self.stop(*(server.name for server in servers))
            self.start(servers)

    def pid(self, name: str) -> int:
        """Process id of one server: the leader of its process group."""
        return next(process.pid for server, process in self._running if server.name == name)

    def stop(self, *names: str) -> None:
        """Stop the named servers, or all: SIGTERM, then SIGKILL for each process left after `STOP_TIMEOUT_S`."""
        ending = [(server, process) for server, process in self._running if not names or server.name in names]
        self._running = [entry for entry in self._running if entry not in ending]
        for _, process in ending:
            _signal_group(process, signal.SIGTERM)
        end = time.monotonic() + STOP_TIMEOUT_S
        for _, process in ending:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(max(0.0, end - time.monotonic()))
            # Also if the leader has ended in time: its workers may be left.
            _signal_group(process, signal.SIGKILL)
            process.wait()


def _signal_group(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, number)
