"""Servers in processes of their own, on one core: how they start, and what CPU time and memory their processes take."""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
import socket
import subprocess
import sys
import time
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from tests.support.ports import free_port

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

ROOT = Path(__file__).resolve().parent.parent
STARTS_WITHIN_S = 90


def cores_for_server_and_load(*, smoke: bool) -> tuple[int | None, set[int]]:
    """The core that the server gets, None where there is no choice; and those that everything else gets.

    :param smoke: whether it is a short run, which may share the machine with others: then all may use each core.
    """
    cores = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set()
    if smoke or len(cores) < 2:
        return None, cores
    server = min(cores)
    return server, cores - {server}


@dataclass(frozen=True, kw_only=True)
class Memory:
    """Of all processes of a server, MiB.

    :param rss: resident, pages that processes share counted for each of them.
    :param pss: resident, each page divided by the number of processes that share it.
    """

    rss: float
    pss: float


@dataclass(frozen=True, kw_only=True)
class Server:
    """A server that answers."""

    pid: int
    port: int

    def cpu_s(self) -> float:
        """CPU time of all its processes and threads so far, seconds; of those that live."""
        return sum(_cpu_s(pid) for pid in self._processes())

    def whole_cpu_s(self) -> float:
        """The same since its start, also of processes that have ended; in steps of 10 ms."""
        stats = [Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split() for pid in self._processes()]
        # Of itself, and of the children that it has waited for: utime, stime, cutime, cstime.
        return sum(int(ticks) for stat in stats for ticks in stat[11:15]) / os.sysconf("SC_CLK_TCK")

    def memory(self) -> Memory:
        """What it takes now."""
        return memory_of(self._processes())

    def workers_memory(self) -> Memory:
        """The same without the process that was started."""
        return memory_of(self._processes()[1:])

    def _processes(self) -> list[int]:
        """The process and its descendants."""
        found = [self.pid]
        for pid in found:
            for children in Path(f"/proc/{pid}/task").glob("*/children"):
                found += map(int, children.read_text().split())
        return found


def memory_of(processes: Sequence[int]) -> Memory:
    """What these processes take now, all together."""
    sums = {"Rss": 0, "Pss": 0}
    for pid in processes:
        rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
        for name in sums:
            found = re.search(rf"^{name}:\s+(\d+) kB$", rollup, re.MULTILINE)
            assert found, rollup
            sums[name] += int(found[1])
    return Memory(rss=sums["Rss"] / 1024, pss=sums["Pss"] / 1024)


def _cpu_s(pid: int) -> float:
    """CPU time of a process in nanoseconds' precision; `/proc/<pid>/stat` counts in steps of 10 ms."""
    clock = ctypes.c_int()
    failed = ctypes.CDLL(None).clock_getcpuclockid(pid, ctypes.byref(clock))
    if failed:
        raise OSError(failed, os.strerror(failed))
    return time.clock_gettime(clock.value)


@contextlib.contextmanager
def serving(
    command: Sequence[str],
    *,
    port: int,
    core: int | None,
    log: Path | None = None,
    cwd: Path = ROOT,
    environment: Mapping[str, str] | None = None,
) -> Iterator[Server]:
    """Run a server while the block lasts.

    :param core: the one core that it may use; None where the machine has no choice.
    :param log: takes its output; None for the output of this process.
    :param environment: all of its variables; None for those of this process.
    """
    with contextlib.ExitStack() as stack:
        output = stack.enter_context(log.open("wb")) if log is not None else None
        process = subprocess.Popen(command, cwd=cwd, env=environment, stdout=output, stderr=output)
        try:
            if core is not None:
                os.sched_setaffinity(process.pid, {core})
            _wait_until_it_answers(port, process)
            yield Server(pid=process.pid, port=port)
        except Exception as error:
            # Among several servers, this names the one that has ended, which may take a moment.
            with contextlib.suppress(subprocess.TimeoutExpired):
                status = process.wait(timeout=1)
                said = log.read_text()[-2000:] if log is not None else ""
                raise RuntimeError(f"the server at port {port} ended with status {status}: {said}") from error
            raise
        finally:
            process.terminate()
            process.wait(timeout=10)


@contextlib.contextmanager
def wsgi_server(target: str, *, core: int | None, threads: int = 8, log: Path | None = None) -> Iterator[Server]:
    """The WSGI application `target` of this checkout on the production server, in the environment of this process."""
    port = free_port()
    command = [sys.executable, "-m", "tests.support.wsgi_server", target, str(port), str(threads)]
    with serving(command, port=port, core=core, log=log) as server:
        yield server


@contextlib.contextmanager
def project_server(
    app: str,
    *,
    core: int | None,
    threads: int,
    folder: Path,
    backend: str,
    key: str,
    checkout: Path = ROOT,
    workers: int = 1,
    store: str = "",
) -> Iterator[Server]:
    """A project of a checkout by the command that users run, with the settings of production.

    :param folder: an empty one, for its state and its log.
    :param backend: address of the backend.
    :param key: signs access tokens (`APP_JWT_KEY`).
    :param checkout: its own environment is used if it has one.
    :param store: address of Redis; empty for the embedded store.
    """
    port = free_port()
    python = checkout / ".venv" / "bin" / "python"
    options = {"--port": port, "--workers": workers, "--threads": threads}
    command = [
        *(str(python) if python.exists() else sys.executable, "manage.py", "--app", app, "serve"),
        *(word for option in options.items() for word in map(str, option)),
        "--end-with-parent",
    ]
    # Compiled modules are kept, as where nothing else is said: compiling them at each start takes 50 MiB.
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("APP_", "PYTHON"))}
    environment = {
        **kept,
        **settings_of_production(state=folder / "state", backend=backend, key=key),
        "CACHE_URL": store,
        "PYTHONPATH": str(Path(__file__).with_name("_runtime_only")),
        "BENCH_HIDDEN_MODULES": " ".join(sorted(development_modules())),
    }
    log = folder / "log"
    with serving(command, port=port, core=core, log=log, cwd=checkout, environment=environment) as server:
        yield server


def development_modules() -> set[str]:
    """Names of the installed modules that no server has: `requirements/apps.txt` does not install them."""
    lines = (ROOT / "requirements" / "apps.txt").read_text().splitlines()
    installed = {re.split(r"[=\[ ]", line)[0].lower() for line in lines if line[:1].isalnum()} | {"portal"}
    return {
        module
        for module, distributions in metadata.packages_distributions().items()
        if not any(re.sub(r"[-_.]+", "-", name).lower() in installed for name in distributions)
    }


def settings_of_production(*, state: Path, backend: str, key: str) -> dict[str, str]:
    """Variables of the environment with which a project runs as on a server.

    :param key: signs access tokens.
    """
    return {
        "APP_STATE_DIR": str(state),
        "APP_PUBLIC_API_BASE_URL": backend,
        "APP_PUBLIC_GATEWAY_APP_URL": "http://localhost:8000",
        "APP_JWT_KEY": key,
        "SECRET_KEY": "for-measuring-only-and-nothing-else-at-all-of-any-kind",
        "ALLOWED_HOSTS": "localhost",
        "DEBUG": "off",
        "CACHE_URL": "",
        "REFRESH_CACHE_URL": "",
        # As in deploy/systemd.
        "MALLOC_ARENA_MAX": "1",
        "GLIBC_TUNABLES": "glibc.malloc.tcache_count=0",
        "_RJEM_MALLOC_CONF": "narenas:1,tcache:false",
        "PYTHONNODEBUGRANGES": "1",
    }


def _wait_until_it_answers(port: int, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + STARTS_WITHIN_S
    while time.monotonic() < end and process.poll() is None:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.1)
    raise RuntimeError(f"nothing answers on port {port}")
