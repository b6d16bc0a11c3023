"""Real servers for tests: the sandbox backend and the projects, in processes of their own, on free ports."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from portal_dev.local_servers.local_stack import BACKEND, LocalStack
from portal_dev.local_servers.server_group import ServerGroup, ServerGroupError
from tests.support.env_file import unset_by_tests
from tests.support.ports import free_port_base

ROOT = Path(__file__).resolve().parents[2]
#: Where Debian keeps servers; not in the path of everyone.
SYSTEM_PROGRAMS = "/usr/sbin"


def found_tool(*names: str) -> str | None:
    """The path of the first of these programs that the machine has."""
    found = (shutil.which(name, path=f"{os.environ['PATH']}:{SYSTEM_PROGRAMS}") for name in names)
    return next(filter(None, found), None)


def require_tool(*names: str) -> str:
    """:func:`found_tool`; without one it skips the test, or in CI fails it."""
    if path := found_tool(*names):
        return path
    reason = f"needs {' or '.join(names)} on this machine"
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


def clean_environment(**variables: str | None) -> dict[str, str | None]:
    """Variables for a child process in which nothing of this test process's own settings remains."""
    foreign = [name for name in os.environ if name.startswith(("APP_", "SANDBOX_", "PROMETHEUS_"))]
    gone = [
        *foreign,
        "DJANGO_SETTINGS_MODULE",
        "SECRET_KEY",
        "ALLOWED_HOSTS",
        "CACHE_URL",
        "REFRESH_CACHE_URL",
        "DATABASE_URL",
        "PORT_BASE",
    ]
    wanted = {**dict.fromkeys(gone), **variables}
    return wanted | {name: nothing for name, nothing in unset_by_tests().items() if wanted.get(name) is None}


def prepare_sandbox(environment: Mapping[str, str | None]) -> None:
    """Make the sandbox's database and fill it, with these variables beside those of this process."""
    merged = {name: value for name, value in {**os.environ, **environment}.items() if value is not None}
    for step in ("migrate", "seed"):
        command = [sys.executable, "-m", BACKEND, step]
        subprocess.run(command, cwd=ROOT, env=merged, check=True, capture_output=True)


@dataclasses.dataclass(frozen=True)
class RunningStack:
    """Five servers that answer."""

    local: LocalStack
    group: ServerGroup
    log: Path

    @property
    def backend(self) -> str:
        """Address of the sandbox backend."""
        return f"http://127.0.0.1:{self.local.backend_port}"

    def url(self, app: str, path: str = "") -> str:
        """An address of one project, as a browser on this machine names it."""
        return f"http://localhost:{self.local.ports()[app]}{path}"


@contextlib.contextmanager
def running_stack(
    folder: Path, *, without: tuple[str, ...] = (), port_base: int | None = None, **variables: str | None
) -> Iterator[RunningStack]:
    """Seed a database in `folder`, start all servers but those in `without`, and stop them at the end.

    `variables` are environment variables for all servers; None takes one away. `port_base` is for variables that
    name ports; any free one otherwise.
    """
    environment: Mapping[str, str | None] = clean_environment(
        **{
            "DEBUG": "on",
            "APP_PASSWORD_RESET": "on",
            # What `make run` sets for the sandbox.
            "APP_API_HONOURS_IDEMPOTENCY_KEY": "on",
            "APP_API_FORWARD_BROWSER": "on",
            "APP_STATE_DIR": str(folder / "state"),
            "SANDBOX_STATE_DIR": str(folder / "sandbox"),
            **variables,
        }
    )
    local = LocalStack(port_base=port_base or free_port_base(), environment=environment)
    log = folder / "servers.log"
    if BACKEND not in without:
        prepare_sandbox(environment)
    group = ServerGroup(log=log)
    try:
        group.start(server for server in local.servers() if server.name not in without)
        try:
            group.wait_until_ready()
        except ServerGroupError as error:
            error.add_note(log.read_text()[-3000:])
            raise
        yield RunningStack(local=local, group=group, log=log)
    finally:
        group.stop()
