"""Servers in processes of their own, on one core: their start, and the CPU time and memory of their processes."""

import contextlib
import ctypes
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Final

from tests.support.ports import free_port
from tests.support.private_folder import share_prepared_files

ROOT: Final = Path(__file__).resolve().parents[2]
STARTS_WITHIN_S: Final = 180
#: Signs the access tokens of a run.
KEY: Final = "for-measuring-only-and-nothing-else-at-all"
_PSS: Final = re.compile(r"^Pss:\s+(\d+) kB$", re.MULTILINE)


def keep_to_one_core(*, smoke: bool) -> int | None:
    """Keep this process off one core, and return that core, for a server. None: the machine has no choice.

    :param smoke: True for a short run, which may share the machine: then every process may use each core.
    """
    cores = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set()
    if smoke or len(cores) < 2:
        return None
    os.sched_setaffinity(0, cores - {min(cores)})
    return min(cores)


def pss_mib(*processes: int) -> float:
    """Return the memory of these processes, MiB PSS: each page is divided by the number of processes that share it."""
    rollups = (Path(f"/proc/{pid}/smaps_rollup").read_text() for pid in processes)
    return sum(int(_PSS.findall(rollup)[0]) for rollup in rollups) / 1024


def children_of(pid: int) -> list[int]:
    """Return the child processes of a process."""
    tasks = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for children in tasks for child in children.read_text().split()]


@dataclass(frozen=True, kw_only=True)
class Server:
    """A server that answers."""

    pid: int
    port: int

    def cpu_s(self) -> float:
        """Return the CPU time so far of all its living processes and threads, seconds."""
        return sum(_cpu_s(pid) for pid in self._processes())

    def pss_mib(self) -> float:
        """Return the memory of all its processes."""
        return pss_mib(*self._processes())

    def _processes(self) -> list[int]:
        found = [self.pid]
        for pid in found:
            found += children_of(pid)
        return found


def _cpu_s(pid: int) -> float:
    # In nanoseconds; `/proc/<pid>/stat` counts in steps of 10 ms.
    clock = ctypes.c_int()
    if failed := ctypes.CDLL(None).clock_getcpuclockid(pid, ctypes.byref(clock)):
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

    :param core: the one core that it may use; None for all.
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
                last_words = log.read_text()[-2000:] if log is not None else ""
                raise RuntimeError(f"the server at port {port} ended with status {status}: {last_words}") from error
            raise
        finally:
            process.terminate()
            process.wait(timeout=10)


@contextlib.contextmanager
def wsgi_server(target: str, *, core: int | None, threads: int = 8, log: Path | None = None) -> Iterator[Server]:
    """Run the WSGI application `target` of this checkout on the production server, in this process's environment."""
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
    checkout: Path = ROOT,
    store: str = "",
) -> Iterator[Server]:
    """Run a project of a checkout by the command that users run, with the settings of production.

    :param folder: an empty one, for its state and its log.
    :param backend: address of the backend.
    :param checkout: its own environment is used if it has one.
    :param store: address of Redis; empty for the embedded store.
    """
    port = free_port()
    python = checkout / ".venv" / "bin" / "python"
    command = [
        *(str(python) if python.exists() else sys.executable, "manage.py", "--app", app, "serve", "--port", str(port)),
        *("--workers", "1", "--threads", str(threads), "--end-with-parent"),
    ]
    # Compiled modules are cached, as by default: compiling them at each start takes 50 MiB.
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("APP_", "PYTHON"))}
    environment = {
        **inherited,
        **settings_of_production(state=folder / "state", backend=backend),
        "CACHE_URL": store,
        "PYTHONPATH": str(Path(__file__).with_name("runtime_only")),
        "BENCH_HIDDEN_MODULES": " ".join(sorted(development_modules())),
    }
    # Another checkout prepares its own.
    if checkout == ROOT:
        share_prepared_files(folder / "state")
    log = folder / "log"
    with serving(command, port=port, core=core, log=log, cwd=checkout, environment=environment) as server:
        yield server


@cache
def development_modules() -> frozenset[str]:
    """Return the installed modules that no server has: `requirements/apps.txt` does not install them."""
    lines = (ROOT / "requirements" / "apps.txt").read_text().splitlines()
    installed = {re.split(r"[=\[ ]", line)[0].lower() for line in lines if line[:1].isalnum()} | {"portal"}
    return frozenset(
        module
        for module, distributions in metadata.packages_distributions().items()
        if not any(re.sub(r"[-_.]+", "-", name).lower() in installed for name in distributions)
    )


def settings_of_production(*, state: Path, backend: str, key: str = KEY) -> dict[str, str]:
    """Return the environment variables with which a project runs as on a server.

    :param key: signs access tokens.
    """
    return {
        "APP_STATE_DIR": str(state),
        "APP_PUBLIC_API_BASE_URL": backend,
        "APP_BACKEND_OFFERS": "all",
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
