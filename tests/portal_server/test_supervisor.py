"""The parent of a server's workers: prepared in a child process, ended in each way, its private folder removed."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from textwrap import indent

import pytest

from portal_server.ports import answers, port_is_free
from portal_server.static_files import PRIVATE_FOLDERS
from tests.portal_server.processes import PATIENCE_S, ended, get, started, until
from tests.support.harness import run_program
from tests.support.ports import free_port

#: A server whose preparation is given as lines of code, and an application that tells what its worker sees.
SERVER = """
import atexit, os, signal, sys, time
from argparse import Namespace
from portal_server.ports import listen
from portal_server.supervisor import supervise

{module}

def prepare(listener):
{preparation}
    if refusal := listen(listener, "127.0.0.1", {port}):
        sys.exit(refusal)

def load():
    os.environ["LOADED_BY"] = str(os.getpid())

supervise(
    Namespace(host="127.0.0.1", workers={workers}, threads=1, stop_timeout=600, end_with_parent={ends_with_parent}),
    app="energy", target="tests.portal_server.told_application:application", load=load, prepare=prepare,
)
"""


@dataclass
class Server:
    """A server's process, its port, and the folder in which it may make its own."""

    process: subprocess.Popen[str]
    port: int
    folder: Path

    def private_folders(self) -> list[Path]:
        return list(self.folder.iterdir())

    def wait_until_it_is_prepared(self) -> None:
        """For a preparation that begins with `BEGIN`."""
        until(lambda: list(self.folder.glob("*/*/begun")), what="the preparation has begun")

    def wait_until_it_serves(self) -> None:
        until(lambda: answers(self.port) or self.process.poll() is not None, what="the server answers")
        assert self.process.poll() is None, self.process.stderr.read()

    def told(self) -> dict[str, str]:
        """What the worker says of itself, once it serves."""
        self.wait_until_it_serves()
        told: dict[str, str] = json.loads(get(self.port)[1])
        return told

    def assert_it_leaves_nothing(self) -> None:
        assert self.private_folders() == []
        assert processes_of(self.process.pid) == set()


BEGIN = 'open(os.environ["APP_STATIC_ROOT"] + "/begun", "w").close()'


@contextlib.contextmanager
def serving(
    folder: Path,
    preparation: str = "pass",
    *,
    module: str = "",
    workers: int = 1,
    ends_with_parent: bool = False,
    port: int | None = None,
    launcher: tuple[str, ...] = (),
    **variables: str,
) -> Iterator[Server]:
    port, own = port or free_port(), folder / "tmp"
    own.mkdir()
    code = SERVER.format(
        module=module,
        preparation=indent(preparation, "    "),
        port=port,
        workers=workers,
        ends_with_parent=ends_with_parent,
    )
    with started(code, launcher=launcher, TMPDIR=str(own), **variables) as process:
        yield Server(process, port, own)


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


@pytest.mark.parametrize("workers", [1, 2])
def test_started_process_prepares_and_supervises_until_stopped(tmp_path: Path, workers: int) -> None:
    """One worker loads the application itself; several share what their parent has loaded. The preparation has ended."""
    tell = 'atexit.register(lambda: print(*{"plistlib", "granian"} & sys.modules.keys(), file=sys.stderr))'
    with serving(tmp_path, "import plistlib", module=tell, workers=workers) as server:
        told = server.told()
        assert told["parent"] == server.process.pid
        assert told["LOADED_BY"] == str(told["worker"] if workers == 1 else told["parent"])
        assert len(processes_of(server.process.pid)) == 1 + workers
        [private] = server.private_folders()
        assert {told[variable] for variable in PRIVATE_FOLDERS} == set(map(str, private.iterdir()))
        server.process.terminate()
        assert ended(server.process) == (0, "\n" if workers == 1 else "granian\n")
        server.assert_it_leaves_nothing()


def stop(pid: int) -> None:
    """Stop a process, and wait until each of its threads is."""
    os.kill(pid, signal.SIGSTOP)
    threads = Path(f"/proc/{pid}/task")
    until(
        lambda: {path.read_text().rpartition(")")[2].split()[0] for path in threads.glob("*/stat")} == {"T"},
        what="it is stopped",
    )


def test_stopped_worker_holds_no_unaccepted_connection(tmp_path: Path) -> None:
    with serving(tmp_path, workers=2) as server:
        told = server.told()
        stop(int(told["worker"]))
        assert {json.loads(get(server.port)[1])["worker"] for _ in range(20)}.isdisjoint({told["worker"]})


def test_next_worker_answers_who_waited_for_the_killed(tmp_path: Path) -> None:
    with serving(tmp_path) as server, contextlib.closing(socket.socket()) as browser:
        killed = int(server.told()["worker"])
        stop(killed)
        browser.settimeout(PATIENCE_S)
        browser.connect(("127.0.0.1", server.port))
        browser.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        os.kill(killed, signal.SIGKILL)
        assert browser.recv(12) == b"HTTP/1.1 200"
        told = server.told()
        assert (told["parent"], told["LOADED_BY"]) == (server.process.pid, str(told["worker"]))


def test_a_port_that_was_taken_while_it_was_prepared_is_told_and_nothing_serves(tmp_path: Path) -> None:
    take = f"{BEGIN}\nwhile not os.path.exists({str(tmp_path / 'taken')!r}): time.sleep(0.01)"
    with serving(tmp_path, take) as server, socket.socket() as other:
        server.wait_until_it_is_prepared()
        other.bind(("127.0.0.1", server.port))
        other.listen()
        (tmp_path / "taken").touch()
        status, said = ended(server.process)
        assert (status, said.startswith(f"port {server.port} is taken")) == (1, True)
        server.assert_it_leaves_nothing()


@pytest.mark.parametrize(
    ("modules", "unwanted"),
    [
        (("portal_operate.program.entry", "portal_server.supervisor"), {"django", "environ", "requests", "inspect"}),
        (("portal_server.supervisor",), {"granian", "asyncio", "ssl", "http.client", "logging.config", "structlog"}),
    ],
)
def test_the_parent_imports_neither_django_nor_what_serves(modules: tuple[str, ...], unwanted: set[str]) -> None:
    code = f"import sys, {', '.join(modules)}; print(*sys.modules)"
    assert unwanted & set(run_program(sys.executable, "-c", code).stdout.split()) == set()


@pytest.mark.parametrize("is_file", [True, False], ids=["a file", "abstract"])
def test_server_says_that_it_is_ready_and_lives(tmp_path: Path, is_file: bool) -> None:
    """A thread asks whether it answers while the parent forks: a lock that it holds then is never free in the worker."""
    address = str(tmp_path / "notify") if is_file else f"@portal-test-{os.getpid()}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(address if is_file else f"\0{address[1:]}")
        manager.settimeout(PATIENCE_S)
        with serving(tmp_path, NOTIFY_SOCKET=address, WATCHDOG_USEC="30000000") as server:
            until(lambda: manager.recv(100) == b"READY=1", what="it is ready")
            assert answers(server.port), "it is not told before"
            assert "NOTIFY_SOCKET" not in server.told(), "no child process speaks for the server"
            for _ in range(2):
                assert manager.recv(100) == b"WATCHDOG=1"
            server.process.terminate()
            assert ended(server.process) == (0, "")


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize(
    ("send", "number"),
    [(os.kill, signal.SIGTERM), (os.killpg, signal.SIGINT)],
    ids=["as systemd does", "as a terminal does"],
)
def test_server_stopped_while_prepared_leaves_nothing(
    tmp_path: Path, send: Callable[[int, signal.Signals], None], number: signal.Signals, workers: int
) -> None:
    with serving(tmp_path, f"{BEGIN}; time.sleep(60)", workers=workers) as server:
        server.wait_until_it_is_prepared()
        send(server.process.pid, number)
        assert ended(server.process)[1] == ""
        server.assert_it_leaves_nothing()


TOLD_AFTER_THE_FORK = """
import os, signal, time
from portal_server import workers

signal.signal(signal.SIGTERM, workers.stop)
fork = os.fork

def told_at_once():
    if child := fork():
        print(child, flush=True)
        os.kill(os.getpid(), signal.SIGTERM)
    return child

os.fork = told_at_once
workers.in_child_process(lambda: time.sleep(60))
"""


def test_stop_right_after_the_fork_ends_the_child() -> None:
    done = run_program(sys.executable, "-c", TOLD_AFTER_THE_FORK, timeout=30)
    assert not Path(f"/proc/{int(done.stdout)}").exists()


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize(
    ("preparation", "status", "said"),
    [
        ("sys.exit()", 0, ""),
        ('sys.exit("energy: a variable is missing")', 1, "energy: a variable is missing"),
        ("sys.exit(3)", 3, ""),
        ("os.kill(os.getpid(), signal.SIGKILL)", 128 + signal.SIGKILL, ""),
        ("1 / 0", 1, "ZeroDivisionError: division by zero"),
    ],
    ids=["nothing to serve", "words", "status", "killed", "fault"],
)
def test_preparation_that_ends_early_ends_the_start(
    tmp_path: Path, preparation: str, status: int, said: str, workers: int
) -> None:
    with serving(tmp_path, preparation, workers=workers) as server:
        own_status, own_said = ended(server.process)
        assert (own_status, "".join(own_said.splitlines()[-1:])) == (status, said)
        server.assert_it_leaves_nothing()


def test_why_a_start_fails_is_one_line_of_json_where_the_log_is(tmp_path: Path) -> None:
    words = 'two lines:\n"quoted"'
    with serving(tmp_path, f"sys.exit({words!r})", APP_LOG_FORMAT="json") as server:
        status, said = ended(server.process)
        (line,) = map(json.loads, said.splitlines())
        assert (status, line["level"], line["message"]) == (1, "CRITICAL", words)


#: Starts its arguments as a process of its own, and waits for it.
LAUNCHER = (sys.executable, "-c", "import subprocess, sys; sys.exit(subprocess.run(sys.argv[1:]).returncode)")


@pytest.mark.parametrize(
    ("launcher", "early"),
    [((), False), (LAUNCHER, True), (LAUNCHER, False)],
    ids=["its supervisor", "who started it, while it is prepared", "who started it, while it serves"],
)
def test_it_ends_with_a_process_above_it_that_is_killed(tmp_path: Path, launcher: tuple[str, ...], early: bool) -> None:
    preparation = f"{BEGIN}; time.sleep(1)" if early else "pass"
    with serving(tmp_path, preparation, ends_with_parent=bool(launcher), launcher=launcher) as server:
        (server.wait_until_it_is_prepared if early else server.wait_until_it_serves)()
        server.process.kill()
        until(lambda: not processes_of(server.process.pid), what="the server ends")
        assert port_is_free("127.0.0.1", server.port)
        assert not launcher or server.private_folders() == []


def test_worker_does_not_guess_encodings() -> None:
    program = """
import sys
from portal_server.supervisor import import_requests
import_requests()
print(sorted({"chardet", "charset_normalizer", "requests"} & {*sys.modules}), sys.modules["requests.compat"].chardet)
response = sys.modules["requests"].Response()
response._content = "\N{SNOWMAN}".encode()
import charset_normalizer
print(ascii(response.text))
"""
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("['requests'] None\n'\\u2603'\n", "")
