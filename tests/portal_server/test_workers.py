"""The parent of worker processes: replaces those that end, stops them all, and takes a signal at any moment."""

import contextlib
import os
import signal
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from textwrap import indent

import pytest

from portal_server.workers import RESTART_INTERVAL_S
from tests.portal_server.processes import PATIENCE_S, ended, started, until

LISTENS = 'socket.create_server(("127.0.0.1", 0))'
#: Each worker writes a line when it begins, and one when it has finished.
PARENT = """
import os, signal, socket, sys, threading, time
from pathlib import Path
from portal_server import workers
from portal_server.workers import Workers

lines = open(sys.argv[1], "ab", buffering=0)

def work():
    told = threading.Event()
    signal.signal(signal.SIGUSR1, lambda *_: told.set())
    lines.write(f"began {{os.getpid()}} {{time.monotonic()}}\\n".encode())
{work}
    told.wait()
    lines.write(f"finished {{os.getpid()}}\\n".encode())

{before}
Workers(work, {listener}, count={count}, stop_timeout_s=600).run()
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

    def stopped(self) -> tuple[int, str]:
        """Tell it to stop. Gives its status, and what it has said."""
        self.process.terminate()
        return ended(self.process)


@contextlib.contextmanager
def running(
    folder: Path, *, count: int = 1, work: str = "pass", before: str = "", listener: str = LISTENS
) -> Iterator[Parent]:
    file = folder / "lines"
    code = PARENT.format(work=indent(work, "    "), before=before, count=count, listener=listener)
    with started(code, str(file)) as process:
        yield Parent(process, file)


def test_killed_workers_are_replaced_and_finish_at_stop(tmp_path: Path) -> None:
    with running(tmp_path, count=3) as parent:
        killed = parent.began(3)
        for pid in killed:
            os.kill(pid, signal.SIGKILL)
        new = parent.began(6)[3:]
        status, said = parent.stopped()
        assert status == 0
        assert all(f"worker {pid} has ended by itself, with status -9" in said for pid in killed)
        assert {int(pid) for (pid,) in parent.lines("finished")} == set(new)


@pytest.mark.parametrize(("end", "status"), [("sys.exit('why')", 1), ("1 / 0", 1)])
def test_ended_worker_is_started_again_after_a_pause(tmp_path: Path, end: str, status: int) -> None:
    with running(tmp_path, work=end) as parent:
        parent.began(3)
        own_status, said = parent.stopped()
        assert own_status == 0
        assert f"has ended by itself, with status {status}:" in said
        assert ("why" in said, "ZeroDivisionError" in said) == ("why" in end, "/" in end)
        times = [float(at) for _, at in parent.lines("began")]
        # A worker tells the time a moment after its parent has taken it.
        assert all(later - earlier > RESTART_INTERVAL_S / 2 for earlier, later in pairwise(times))


@pytest.mark.parametrize(("end", "status"), [("sys.exit(3)", 3), ("os.kill(os.getpid(), signal.SIGKILL)", 137)])
def test_worker_that_ends_unprepared_ends_server(tmp_path: Path, end: str, status: int) -> None:
    with running(tmp_path, work=end, listener="socket.socket()") as parent:
        assert ended(parent.process) == (status, "")
        assert len(parent.lines("began")) == 1


def test_it_stops_at_once_while_a_worker_waits_for_its_start(tmp_path: Path) -> None:
    never = "import portal_server.workers as module\nmodule.RESTART_INTERVAL_S = 3600"
    with running(tmp_path, work="sys.exit(3)", before=never) as parent:
        parent.began(1)
        assert "has ended by itself" in parent.process.stderr.readline()
        assert parent.stopped() == (0, "")


def test_a_process_that_the_kernel_refuses_is_tried_again_and_leaves_nothing_open(tmp_path: Path) -> None:
    refuse = """
import portal_server.workers as module
module.RESTART_INTERVAL_S = 0.01
fork, refusals = os.fork, [OSError(11, "Resource temporarily unavailable")] * 50
def fork_or_refuse():
    if refusals:
        raise refusals.pop()
    return fork()
os.fork = fork_or_refuse
"""
    with running(tmp_path) as usual:
        usual.began(1)
        descriptors = len(list(Path(f"/proc/{usual.process.pid}/fd").iterdir()))
    (tmp_path / "lines").unlink()
    with running(tmp_path, before=refuse) as parent:
        parent.began(1)
        assert len(list(Path(f"/proc/{parent.process.pid}/fd").iterdir())) == descriptors
        status, said = parent.stopped()
        assert status == 0
        assert said.count("could not be started, and is tried again: [Errno 11]") == 50


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
        assert ended(parent.process) == (0, "")
        assert len(parent.lines("finished")) == 1


def test_a_terminal_that_is_closed_ends_no_worker(tmp_path: Path) -> None:
    """The first line imports what gives it its form, which takes a while: meanwhile more signals come."""
    log = 'import logging; logging.getLogger().addHandler(workers.LineHandler("energy"))'
    with running(tmp_path, count=2, before=log) as parent:
        parent.began(2)
        for _ in range(20):
            os.killpg(parent.process.pid, signal.SIGHUP)
            threading.Event().wait(0.002)
        assert "ERROR energy portal.server SIGHUP does nothing" in parent.process.stderr.readline()
        assert parent.stopped()[0] == 0
        assert len(parent.lines("finished")) == 2


def test_a_worker_that_ends_with_the_parent_is_not_called_lost(tmp_path: Path) -> None:
    """As by Ctrl-C in a terminal, which sends the signal to all processes."""
    ends = "signal.signal(signal.SIGINT, signal.SIG_DFL)"
    with running(tmp_path, count=3, work=ends) as parent:
        parent.began(3)
        os.killpg(parent.process.pid, signal.SIGINT)
        assert ended(parent.process) == (0, "")


def test_a_worker_is_replaced_while_a_process_of_its_own_goes_on(tmp_path: Path) -> None:
    child = """
if os.fork() == 0:
    time.sleep(3600)
"""
    with running(tmp_path, work=child) as parent:
        (killed,) = parent.began(1)
        until(lambda: Path(f"/proc/{killed}/task/{killed}/children").read_text(), what="it has a process of its own")
        os.kill(killed, signal.SIGKILL)
        assert parent.began(2)[1] != killed
        parent.process.send_signal(signal.SIGTERM)
        # What it has said is not asked for: the processes that go on could say more.
        assert parent.process.wait(PATIENCE_S) == 0


def test_a_worker_that_has_not_begun_ends_with_the_parent(tmp_path: Path) -> None:
    late = "signal.signal(signal.SIGUSR1, signal.SIG_DFL); time.sleep(3600)"
    with running(tmp_path, work=late) as parent:
        parent.began(1)
        assert parent.stopped() == (0, "")
