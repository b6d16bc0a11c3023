"""The parent of worker processes: replaces those that end, stops them all, and takes a signal at any moment."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from textwrap import indent

import pytest

from portal.server.workers import RESTART_INTERVAL_S
from tests.support.harness import ROOT

PATIENCE_S = 60
#: Each worker writes a line when it begins, and one when it has finished.
PARENT = """
import multiprocessing, os, signal, sys, threading, time
from multiprocessing.context import ForkProcess
from pathlib import Path
from portal.server.workers import Workers

lines = open(sys.argv[1], "ab", buffering=0)

def work():
    told = threading.Event()
    signal.signal(signal.SIGUSR1, lambda *_: told.set())
    lines.write(f"began {{os.getpid()}} {{time.monotonic()}}\\n".encode())
{work}
    told.wait()
    lines.write(f"finished {{os.getpid()}}\\n".encode())

{before}
Workers(work, count={count}, stop_timeout_s=600).run()
"""


@dataclass
class Parent:
    process: subprocess.Popen[str]
    file: Path

    def lines(self, first: str) -> list[list[str]]:
        """The lines that begin with a word, each as the words after it."""
        found = self.file.read_text().splitlines() if self.file.exists() else []
        return [words for word, *words in map(str.split, found) if word == first]

    def began(self, count: int) -> list[int]:
        """The process ids of the first workers, in the order in which they began."""
        until(lambda: len(self.lines("began")) >= count, what=f"{count} workers have begun")
        return [int(pid) for pid, _ in self.lines("began")]

    def ended(self) -> tuple[int, str]:
        """Its status, and what it has said."""
        _, said = self.process.communicate(timeout=PATIENCE_S)
        return self.process.returncode, said


def until(condition: Callable[[], object], *, what: str) -> None:
    end = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end, f"not within {PATIENCE_S} s: {what}"
        threading.Event().wait(0.02)


@contextlib.contextmanager
def running(folder: Path, *, count: int = 1, work: str = "pass", before: str = "") -> Iterator[Parent]:
    code = PARENT.format(work=indent(work, "    "), before=before, count=count)
    file = folder / "lines"
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(file)],
        env={**os.environ, "PYTHONPATH": f"{ROOT}/packages"},
        start_new_session=True,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield Parent(process, file)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_each_worker_finishes_when_the_parent_is_told_to_stop(tmp_path: Path, number: signal.Signals) -> None:
    with running(tmp_path, count=3) as parent:
        pids = parent.began(3)
        parent.process.send_signal(number)
        assert parent.ended() == (0, "")
        assert {int(pid) for (pid,) in parent.lines("finished")} == set(pids)


def test_workers_that_are_killed_at_once_are_all_replaced(tmp_path: Path) -> None:
    with running(tmp_path, count=3) as parent:
        killed = parent.began(3)
        for pid in killed:
            os.kill(pid, signal.SIGKILL)
        new = parent.began(6)[3:]
        parent.process.send_signal(signal.SIGTERM)
        status, said = parent.ended()
        assert status == 0
        assert all(f"worker {pid} has ended by itself, with status -9" in said for pid in killed)
        assert {int(pid) for (pid,) in parent.lines("finished")} == set(new)


def test_a_worker_that_ends_at_once_is_started_again_after_a_pause(tmp_path: Path) -> None:
    with running(tmp_path, work="sys.exit(3)") as parent:
        parent.began(3)
        parent.process.send_signal(signal.SIGTERM)
        status, said = parent.ended()
        assert status == 0
        assert "with status 3" in said
        times = [float(at) for _, at in parent.lines("began")]
        # A worker tells the time a moment after its parent has taken it.
        assert all(later - earlier > RESTART_INTERVAL_S / 2 for earlier, later in pairwise(times))


def test_it_stops_at_once_while_a_worker_waits_for_its_start(tmp_path: Path) -> None:
    never = "import portal.server.workers as module\nmodule.RESTART_INTERVAL_S = 3600"
    with running(tmp_path, work="sys.exit(3)", before=never) as parent:
        parent.began(1)
        assert "has ended by itself" in parent.process.stderr.readline()
        parent.process.send_signal(signal.SIGTERM)
        assert parent.ended() == (0, "")


def test_a_process_that_the_kernel_refuses_is_tried_again(tmp_path: Path) -> None:
    refuse = """
start, refusals = ForkProcess.start, [OSError(11, "Resource temporarily unavailable")]
def start_or_refuse(process):
    if refusals:
        raise refusals.pop()
    start(process)
ForkProcess.start = start_or_refuse
"""
    with running(tmp_path, before=refuse) as parent:
        parent.began(1)
        parent.process.send_signal(signal.SIGTERM)
        status, said = parent.ended()
        assert status == 0
        assert "could not be started, and is tried again: [Errno 11]" in said


def test_a_signal_that_the_kernel_gives_to_another_thread_is_taken(tmp_path: Path) -> None:
    thread = """
def signal_itself():
    while not Path(sys.argv[1] + ".now").exists():
        time.sleep(0.01)
    signal.pthread_kill(threading.get_ident(), signal.SIGTERM)
threading.Thread(target=signal_itself, daemon=True).start()
"""
    with running(tmp_path, before=thread) as parent:
        parent.began(1)
        (tmp_path / "lines.now").touch()
        assert parent.ended() == (0, "")
        assert len(parent.lines("finished")) == 1


def test_a_terminal_that_is_closed_ends_no_worker(tmp_path: Path) -> None:
    with running(tmp_path, count=2) as parent:
        parent.began(2)
        os.killpg(parent.process.pid, signal.SIGHUP)
        assert "SIGHUP does nothing" in parent.process.stderr.readline()
        parent.process.send_signal(signal.SIGTERM)
        assert parent.ended() == (0, "")
        assert len(parent.lines("finished")) == 2


def test_a_worker_that_has_not_begun_ends_with_the_parent(tmp_path: Path) -> None:
    late = "signal.signal(signal.SIGUSR1, signal.SIG_DFL); time.sleep(3600)"
    with running(tmp_path, work=late) as parent:
        parent.began(1)
        parent.process.send_signal(signal.SIGTERM)
        assert parent.ended() == (0, "")


def test_the_parent_of_one_worker_imports_neither_granian_nor_what_it_needs() -> None:
    code = "import sys, portal.server.supervisor; print(*sys.modules)"
    command = [sys.executable, "-c", code]
    environment = {"PYTHONPATH": f"{ROOT}/packages"}
    imported = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.split()
    assert not {"granian", "asyncio", "ssl", "http.client", "logging.config", "structlog"}.intersection(imported)
