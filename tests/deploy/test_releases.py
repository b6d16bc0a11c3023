"""Folders of releases, the link `current`, and the two programs of `deploy/` that read it, on a tree of this machine."""

import contextlib
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from portal_server.ports import answers
from tests.functional.test_serve import environment
from tests.portal_server.processes import get
from tests.support.checkout_copy import copy_of_checkout
from tests.support.harness import ROOT, run_program
from tests.support.linked_environment import link_environment
from tests.support.ports import free_port_base
from tests.support.processes import process_group, until, workers_of

HEALTH = "packages/portal/web/views/for_machines.py"
#: In place of systemd's: it notes each restart, and fails that of the unit in `FAILING`, which then may not be started
#: again, as after `StartLimitBurst` starts, until that is reset. At a restart, it runs what is in `DURING_RESTART`.
SYSTEMCTL = """#!/bin/sh
case $1 in
    list-units)
        printf 'portal@energy-%s.service loaded active running Portal\\n' 1 2
        exit
        ;;
    reset-failed)
        rm -f "$ROOT_FOLDER/limit-hit-$2"
        exit
        ;;
esac
printf '%s -> %s\\n' "$*" "$(readlink "$ROOT_FOLDER/current")" >> "$ROOT_FOLDER/restarts"
sh -c "$DURING_RESTART"
if [ "$2" = "$FAILING" ]; then touch "$ROOT_FOLDER/limit-hit-$2"; fi
! [ -e "$ROOT_FOLDER/limit-hit-$2" ]
"""


@dataclass(frozen=True)
class Server:
    """What is deployed on a machine."""

    root: Path

    def switch(self, version: str, *, failing: str = "", meanwhile: str = "") -> subprocess.CompletedProcess[str]:
        """Run the `switch-release` of a release."""
        variables = {"PATH": f"{self.root / 'bin'}:{os.environ['PATH']}", "FAILING": failing}
        variables["DURING_RESTART"] = meanwhile
        program = self.root / "releases" / version / "deploy" / "switch-release"
        return run_program(program, status=None, env={**variables, "ROOT_FOLDER": str(self.root)})

    @property
    def current(self) -> str:
        return str((self.root / "current").readlink())

    def restarts(self) -> list[str]:
        return (self.root / "restarts").read_text().splitlines()


@pytest.fixture
def server(tmp_path: Path) -> Server:
    """With two releases that have their programs and nothing else, of which the first is the current one."""
    for version in ("v1", "v2"):
        folder = tmp_path / "portal" / "releases" / version
        (folder / ".venv").mkdir(parents=True)
        (folder / ".venv" / ".runtime").touch()
        (folder / "deploy").mkdir()
        for program in ("start-server", "switch-release"):
            copy = folder / "deploy" / program
            copy.write_bytes((ROOT / "deploy" / program).read_bytes())
            copy.chmod(0o755)
    made = Server(tmp_path / "portal")
    (made.root / "current").symlink_to("releases/v1")
    (made.root / "bin").mkdir()
    (made.root / "bin" / "systemctl").write_text(SYSTEMCTL)
    (made.root / "bin" / "systemctl").chmod(0o755)
    return made


def test_a_release_becomes_the_current_one_and_each_server_is_restarted_in_turn(server: Server) -> None:
    done = server.switch("v2")
    assert (done.returncode, done.stderr) == (0, "")
    assert server.current == "releases/v2"
    restarts = [f"restart portal@energy-{number}.service -> releases/v2" for number in (1, 2)]
    assert server.restarts() == restarts
    assert server.switch("v1").returncode == 0, "the release before comes back in the same way"
    assert server.current == "releases/v1"
    assert len(server.restarts()) == 4


def test_after_a_server_that_does_not_start_the_release_before_is_current_again(server: Server) -> None:
    done = server.switch("v2", failing="portal@energy-2.service")
    assert done.returncode == 1
    assert f"{server.root}/releases/v1/deploy/switch-release" in done.stderr
    assert server.current == "releases/v1"
    assert server.restarts() == [
        "restart portal@energy-1.service -> releases/v2",
        "restart portal@energy-2.service -> releases/v2",
        "restart portal@energy-2.service -> releases/v1",
    ]


def test_a_server_that_failed_until_systemd_gave_up_starts_with_the_release_before(server: Server) -> None:
    server.switch("v2", failing="portal@energy-1.service")
    done = server.switch("v1")
    assert (done.returncode, done.stderr) == (0, "")
    assert server.current == "releases/v1"


def test_a_second_one_at_the_same_time_is_refused(server: Server) -> None:
    second = server.root / "releases" / "v1" / "deploy" / "switch-release"
    done = server.switch("v2", meanwhile=f"DURING_RESTART= {second} 2>> $ROOT_FOLDER/second")
    assert done.returncode == 0
    assert server.current == "releases/v2"
    assert len(server.restarts()) == 2
    assert (server.root / "second").read_text() == "another switch-release is at work\n" * 2


def test_a_release_without_an_environment_is_refused(server: Server) -> None:
    (server.root / "releases" / "v2" / ".venv" / ".runtime").unlink()
    done = server.switch("v2")
    assert done.returncode == 2
    assert "make -C" in done.stderr
    assert server.current == "releases/v1"


@contextlib.contextmanager
def started(root: Path, instance: str, base: int, port: int) -> Iterator[int]:
    """A server as the unit starts it; gives its process id."""
    # In DEBUG, it prepares no templates.
    variables = environment(root / "state", PORT_BASE=str(base), PYTHONPATH=None)
    command = [root / "current" / "deploy" / "start-server", instance]
    with process_group(command, cwd="/", env=variables, stderr=subprocess.PIPE) as process:
        until(lambda: answers(port) or process.poll() is not None, seconds=60, what="the server answers")
        assert process.poll() is None, process.stderr.read()
        yield process.pid


def test_a_server_runs_its_release_until_it_ends_also_in_a_worker_that_is_replaced(tmp_path: Path) -> None:
    root = tmp_path / "portal"
    (root / "releases").mkdir(parents=True)
    for version in ("v1", "v2"):
        folder = copy_of_checkout(root / "releases" / version)
        shutil.copytree(ROOT / "deploy", folder / "deploy")
        code = (folder / HEALTH).read_text()
        (folder / HEALTH).write_text(code.replace('"ok\\n"', f'"{version}\\n"'))
        link_environment(folder, server=True)
    (root / "current").symlink_to("releases/v1")
    base = free_port_base(200, 201)
    first, second = base + 1, base + 201
    with started(root, "energy-1", base, first) as pid:
        # By its own path: what Python loads later, it loads from there too.
        program = Path(f"/proc/{pid}/cmdline").read_text().split("\0")[0]
        assert program == str(root / "releases" / "v1" / ".venv" / "bin" / "python")
        (root / "new").symlink_to("releases/v2")
        (root / "new").replace(root / "current")
        [worker] = workers_of(pid)
        os.kill(worker, signal.SIGKILL)
        until(lambda: set(workers_of(pid)) - {worker} and answers(first), seconds=60, what="the worker is replaced")
        assert get(first, "/healthz") == (200, b"v1\n")
        with started(root, "energy-2", base, second):
            assert [get(port, "/healthz")[1] for port in (first, second)] == [b"v1\n", b"v2\n"]
