"""The parent of a server's workers: prepared in a child process, ended in each way, its private folder removed."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from textwrap import indent

import pytest

from portal.server.ports import answers, port_is_free
from portal.server.static_files import PRIVATE_FOLDERS
from tests.portal.server.waiting import PATIENCE_S, until
from tests.support.harness import ROOT
from tests.support.ports import free_port

#: A server whose preparation is given as lines of code, and an application that tells what its worker sees.
SERVER = """
import atexit, json, os, signal, sys, time
from portal.server.supervisor import PreparedServer, supervise

{module}

def prepare():
{preparation}
    return PreparedServer(
        target="tests.portal.server.told_application:application", host="127.0.0.1", port={port}, workers={workers},
        threads=1, ends_with_parent={ends_with_parent}, log_config=None,
    )

def load():
    os.environ["LOADED_BY"] = str(os.getpid())

supervise(prepare, load=load, app="energy")
"""


@dataclass
class Started:
    """A server's process, its port, and the folder in which it may make its own."""

    process: subprocess.Popen[bytes]
    port: int
    folder: Path

    def private_folders(self) -> list[Path]:
        return list(self.folder.iterdir())

    def wait_until_it_serves(self) -> None:
        until(lambda: answers(self.port) or self.process.poll() is not None, what="the server answers")
        assert self.process.poll() is None, self.process.stderr.read().decode()

    def told(self) -> dict[str, str]:
        """What the worker says of itself."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
        with contextlib.closing(connection):
            connection.request("GET", "/")
            told: dict[str, str] = json.loads(connection.getresponse().read())
        return told

    def ended(self) -> tuple[int, str]:
        """Its status, and what it has said."""
        _, said = self.process.communicate(timeout=PATIENCE_S)
        return self.process.returncode, said.decode()


@contextlib.contextmanager
def started(
    folder: Path,
    preparation: str = "pass",
    *,
    module: str = "",
    workers: int = 1,
    ends_with_parent: bool = False,
    port: int | None = None,
    launcher: tuple[str, ...] = (),
) -> Iterator[Started]:
    """Start a server; `launcher` are words of a program that starts it in turn."""
    port = port or free_port()
    code = SERVER.format(
        module=module,
        preparation=indent(preparation, "    "),
        port=port,
        workers=workers,
        ends_with_parent=ends_with_parent,
    )
    folder.mkdir(exist_ok=True)
    process = subprocess.Popen(
        [*launcher, sys.executable, "-c", code],
        cwd=ROOT,
        env={**os.environ, "TMPDIR": str(folder)},
        start_new_session=True,
        stderr=subprocess.PIPE,
    )
    try:
        yield Started(process, port, folder)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        process.stderr.close()


def processes_of(group: int) -> set[int]:
    """The processes of a group that have not ended."""
    found = set()
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            pid, _, rest = path.read_text().partition(" ")
            state, _, of_group = rest.rpartition(")")[2].split()[:3]
            if int(of_group) == group and state != "Z":
                found.add(int(pid))
    return found


def test_the_process_that_was_started_is_the_parent_of_the_worker(tmp_path: Path) -> None:
    with started(tmp_path / "tmp") as server:
        server.wait_until_it_serves()
        assert server.told()["parent"] == server.process.pid
        assert len(processes_of(server.process.pid)) == 2, "the process that prepared the server has ended"


def test_what_the_preparation_has_imported_is_not_in_the_parent(tmp_path: Path) -> None:
    tell = 'atexit.register(lambda: print("imported" if "plistlib" in sys.modules else "light", file=sys.stderr))'
    with started(tmp_path / "tmp", "import plistlib", module=tell) as server:
        server.wait_until_it_serves()
        server.process.terminate()
        assert server.ended() == (0, "light\n")


def test_the_supervisor_is_imported_without_django() -> None:
    code = (
        "import sys, portal.operate.program.entry, portal.operate.program.serving;"
        "print({'django', 'environ', 'requests'} & {name.partition('.')[0] for name in sys.modules})"
    )
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert result.stdout == "set()\n"


def test_a_worker_sees_the_environment_that_was_prepared(tmp_path: Path) -> None:
    with started(tmp_path / "tmp", 'os.environ["FROM_A_FILE"] = "read once"') as server:
        server.wait_until_it_serves()
        assert server.told()["FROM_A_FILE"] == "read once"
        command_line = Path(f"/proc/{server.process.pid}/cmdline").read_bytes()
        assert command_line.count(b"read once") == 1, "in the code of this test alone"


def test_several_workers_share_what_their_parent_has_loaded(tmp_path: Path) -> None:
    with started(tmp_path / "tmp", workers=2) as server:
        server.wait_until_it_serves()
        assert server.told()["LOADED_BY"] == str(server.process.pid)


def test_one_worker_loads_for_itself(tmp_path: Path) -> None:
    with started(tmp_path / "tmp") as server:
        server.wait_until_it_serves()
        assert "LOADED_BY" not in server.told()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_the_private_folders_last_as_long_as_the_server(tmp_path: Path, number: signal.Signals) -> None:
    with started(tmp_path / "tmp") as server:
        server.wait_until_it_serves()
        told = server.told()
        [private] = server.private_folders()
        assert {told[variable] for variable in PRIVATE_FOLDERS} == set(map(str, private.iterdir()))
        server.process.send_signal(number)
        assert server.ended() == (0, "")
        assert server.private_folders() == []
        assert processes_of(server.process.pid) == set()


def test_the_folders_outlive_a_worker(tmp_path: Path) -> None:
    with started(tmp_path / "tmp") as server:
        server.wait_until_it_serves()
        worker = server.told()["worker"]
        os.kill(worker, signal.SIGKILL)
        until(lambda: answers(server.port) and server.told()["worker"] != worker, what="the worker is replaced")
        assert len(server.private_folders()) == 1


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("whole_group", [True, False], ids=["as a terminal does", "as systemd does"])
def test_told_to_stop_while_it_is_prepared_it_leaves_nothing(
    tmp_path: Path, number: signal.Signals, whole_group: bool
) -> None:
    preparation = 'open(os.environ["APP_STATIC_ROOT"] + "/begun", "w").close(); time.sleep(60)'
    with started(tmp_path / "tmp", preparation) as server:
        until(lambda: list(server.folder.glob("*/*/begun")), what="the preparation has begun")
        (os.killpg if whole_group else os.kill)(server.process.pid, number)
        _, said = server.ended()
        assert said == ""
        assert server.private_folders() == []
        assert processes_of(server.process.pid) == set()


@pytest.mark.parametrize(
    ("preparation", "status", "said"),
    [
        ('sys.exit("energy: a variable is missing")', 1, "energy: a variable is missing\n"),
        ("sys.exit(3)", 3, ""),
        ("sys.exit(0)", 0, ""),
        ("os.kill(os.getpid(), signal.SIGKILL)", 128 + signal.SIGKILL, ""),
    ],
    ids=["words", "status", "help", "killed"],
)
def test_a_preparation_that_ends_early_ends_the_start(tmp_path: Path, preparation: str, status: int, said: str) -> None:
    with started(tmp_path / "tmp", preparation) as server:
        assert server.ended() == (status, said)
        assert server.private_folders() == []
        assert port_is_free("127.0.0.1", server.port)


def test_a_fault_of_the_preparation_is_shown_and_ends_the_start(tmp_path: Path) -> None:
    with started(tmp_path / "tmp", "1 / 0") as server:
        status, said = server.ended()
        assert status == 1
        assert "ZeroDivisionError" in said
        assert server.private_folders() == []


def test_a_port_that_is_taken_after_the_preparation_ends_the_start(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen(1)
        with started(tmp_path / "tmp", port=taken.getsockname()[1]) as server:
            status, said = server.ended()
            assert status == 1
            assert "is taken" in said
            assert server.private_folders() == []


def test_the_worker_ends_with_a_supervisor_that_is_killed(tmp_path: Path) -> None:
    with started(tmp_path / "tmp") as server:
        server.wait_until_it_serves()
        server.process.kill()
        until(lambda: not processes_of(server.process.pid), what="the worker ends")
        assert port_is_free("127.0.0.1", server.port)


#: Starts its arguments as a process of its own, and waits for it.
LAUNCHER = "import subprocess, sys; sys.exit(subprocess.run(sys.argv[1:]).returncode)"


@pytest.mark.parametrize("early", [True, False], ids=["while it is prepared", "while it serves"])
def test_it_ends_with_the_process_that_started_it(tmp_path: Path, early: bool) -> None:
    preparation = 'open(os.environ["APP_STATIC_ROOT"] + "/begun", "w").close(); time.sleep(1)' if early else "pass"
    launcher = (sys.executable, "-c", LAUNCHER)
    with started(tmp_path / "tmp", preparation, ends_with_parent=True, launcher=launcher) as server:
        if early:
            until(lambda: list(server.folder.glob("*/*/begun")), what="the preparation has begun")
        else:
            server.wait_until_it_serves()
        server.process.kill()
        until(lambda: not processes_of(server.process.pid), what="the server ends")
        assert server.private_folders() == []
