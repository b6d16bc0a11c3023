"""Real servers for tests: the sandbox backend and the projects, in processes of their own, on free ports."""

import contextlib
import dataclasses
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any, NoReturn

import pytest
import requests

from portal.config.cookies import VAR_ACCESS_TOKEN
from portal.config.projects import BACKEND_PORT_OFFSET, PROJECTS, Project
from portal_dev.local_servers.local_stack import BACKEND, OFFERS, LocalStack
from portal_dev.local_servers.server_group import ServerGroup, ServerGroupError
from tests.support.backend_proxy import BackendProxy, backend_proxy
from tests.support.env_file import unset_by_tests
from tests.support.ports import free_port_base
from tests.support.private_folder import made_once, run_folder, share_prepared_files
from tests.support.processes import PATIENCE_S, found_tool, until

ROOT = Path(__file__).resolve().parents[2]
#: The variable with a filled state folder of the sandbox, for a run whose data is there already.
FILLED_SANDBOX = "TEST_FILLED_SANDBOX"
#: Variables that a project needs outside of `DEBUG`.
PRODUCTION = {
    "DEBUG": "off",
    "SECRET_KEY": "k" * 50,
    "ALLOWED_HOSTS": "localhost,127.0.0.1",
    "APP_PUBLIC_GATEWAY_APP_URL": "http://gateway.test",
}


def require_tool(*names: str) -> str:
    """:func:`found_tool`; without one it skips the test, or in CI fails it."""
    path = found_tool(*names)
    if path is None:
        leave_out(f"needs {' or '.join(names)} on this machine")
    return path


def leave_out(reason: str) -> NoReturn:
    """Skip the test, or in CI fail it."""
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


def run_program(*words: object, status: int | None = 0, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run a program from the root of the checkout, and assert that it ends with this status.

    :param status: None for any.
    """
    given = {"cwd": ROOT, "capture_output": True, "text": True, **options}
    done: subprocess.CompletedProcess[str] = subprocess.run([*map(str, words)], check=False, **given)
    assert status in {None, done.returncode}, done.stdout[-20_000:] + done.stderr
    return done


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


def with_own(variables: Mapping[str, str | None]) -> dict[str, str]:
    """This process's variables with these, of which None takes one away."""
    return {name: value for name, value in {**os.environ, **variables}.items() if value is not None}


def create_account(variables: Mapping[str, str | None], email: str, *permissions: str, password: str = "demo") -> None:
    """Add an account to the sandbox of these variables."""
    command = [sys.executable, "-m", BACKEND, "create_account", "--email", email]
    if permissions:
        command += ["--permissions", *permissions]
    run_program(*command, env=with_own(variables), input=f"{password}\n")


def tokens_of(email: str, *, backend: str) -> dict[str, str]:
    """Return the token pair of a new sign-in at the backend itself."""
    credentials = {"email": email, "password": "demo"}
    pair: dict[str, str] = requests.post(f"{backend}/auth/login", json=credentials, timeout=PATIENCE_S).json()
    return pair


def prepare_sandbox(environment: Mapping[str, str | None], seeded: Path | None = None) -> None:
    """Give the sandbox of these variables a database with all its data, or the one of another state folder."""
    folder = environment["SANDBOX_STATE_DIR"]
    assert folder is not None
    shutil.copytree(seeded or seeded_sandbox(), folder, dirs_exist_ok=True)


def prepare_files(state: Path, *apps: str) -> None:
    """Let the servers of this state folder find the static files and templates of these apps, made once in a run.

    Of servers that start together, each would make them.
    """
    share_prepared_files(state)
    for app in apps:
        made_once(f"prepared-{app}", partial(_prepare, app))


def _prepare(app: str, folder: Path) -> None:
    share_prepared_files(folder / "state")
    variables = {"APP_STATE_DIR": str(folder / "state"), "APP_PUBLIC_API_BASE_URL": "http://127.0.0.1:9", **PRODUCTION}
    command = (sys.executable, "manage.py", "--app", app, "serve", "--skip-checks", "--only-prepare")
    run_program(*command, env=with_own(clean_environment(**variables)))


@cache
def seeded_sandbox() -> Path:
    """Return a state folder of the sandbox with all its data, to be copied."""

    def seed(folder: Path) -> None:
        state = {"SANDBOX_STATE_DIR": str(folder), "APP_STATE_DIR": str(run_folder() / "state")}
        environment = clean_environment(DEBUG="on", **state)
        run_program(sys.executable, "manage.py", "--app", "auth_app", "seed_sandbox", env=with_own(environment))

    return Path(os.environ.get(FILLED_SANDBOX) or made_once("sandbox", seed))


@dataclasses.dataclass(frozen=True)
class RunningStack:
    """Five servers that answer.

    :ivar proxy: stands between the projects and the sandbox, if the stack was started so.
    """

    local: LocalStack
    group: ServerGroup
    log: Path
    proxy: BackendProxy

    @property
    def variables(self) -> dict[str, str]:
        """For a command beside the servers."""
        given = {name: value for name, value in self.local.environment.items() if value is not None}
        return {**given, "PORT_BASE": str(self.local.port_base)}

    @property
    def backend(self) -> str:
        """Address of the sandbox backend."""
        return f"http://127.0.0.1:{self.local.ports()[BACKEND]}"

    def url(self, app: str, path: str = "") -> str:
        """An address of one project, as a browser on this machine names it."""
        return f"http://localhost:{self.local.ports()[app]}{path}"

    def lines(self, wanted: str) -> list[str]:
        """The lines of the servers' log that have this text in them."""
        return [line for line in self.log.read_text().splitlines() if wanted in line]

    def tokens(self, email: str) -> dict[str, str]:
        return tokens_of(email, backend=self.backend)

    def wait_until_the_backend_is_asked_again(self) -> None:
        """A circuit that opened while a test let the backend fail must not refuse the calls of the next test."""
        cookies = {VAR_ACCESS_TOKEN: self.tokens("all@example.com")["accessToken"]}

        def asks(project: Project) -> bool:
            metrics = requests.get(self.url(project.app, "/metrics"), timeout=PATIENCE_S).text
            if re.search(r"^portal_circuit_open\{[^\n]*\} 1", metrics, re.MULTILINE) is None:
                return True
            page = "profile" if project.is_gateway else project.app
            requests.get(self.url(project.app, f"/en/{page}"), cookies=cookies, timeout=PATIENCE_S)
            return False

        for project in PROJECTS:
            until(partial(asks, project), what=f"{project.app} asks the backend")


@contextlib.contextmanager
def running_stack(
    folder: Path,
    *,
    without: tuple[str, ...] = (),
    port_base: int | None = None,
    through_proxy: bool = False,
    development: bool = False,
    seeded: Path | None = None,
    **variables: str | None,
) -> Iterator[RunningStack]:
    """Seed a database in `folder`, start all servers but those in `without`, and stop them at the end.

    `variables` are environment variables for all servers; None takes one away. `port_base` is for variables that
    name ports; any free one otherwise. `through_proxy`: the projects call the sandbox by way of `proxy`.
    `development`: the projects run as `make dev` runs them.
    `seeded`: a state folder of the sandbox that is copied in place of one with all its data.
    """
    base = port_base or free_port_base()
    with backend_proxy(backend_port=base + BACKEND_PORT_OFFSET) as proxy:
        if through_proxy:
            variables = {"APP_PUBLIC_API_BASE_URL": proxy.url, **variables}
        environment: Mapping[str, str | None] = clean_environment(
            **{
                "DEBUG": "on",
                "APP_PASSWORD_RESET": "on",
                # What `make run` sets for the sandbox.
                "APP_API_HONOURS_IDEMPOTENCY_KEY": "on",
                "APP_API_FORWARD_BROWSER": "on",
                "APP_BACKEND_OFFERS": OFFERS.get(variables.get("SANDBOX_PROFILE") or "", "all"),
                "APP_STATE_DIR": str(folder / "state"),
                "SANDBOX_STATE_DIR": str(folder / "sandbox"),
                **variables,
            }
        )
        local = LocalStack(port_base=base, environment=environment, development=development)
        log = folder / "servers.log"
        if BACKEND not in without:
            prepare_sandbox(environment, seeded)
        if (state := environment["APP_STATE_DIR"]) and environment["DEBUG"] == "off":
            prepare_files(Path(state), *(project.app for project in PROJECTS if project.app not in without))
        group = ServerGroup(log=log)
        try:
            group.start(server for server in local.servers() if server.name not in without)
            try:
                group.wait_until_ready()
            except ServerGroupError as error:
                error.add_note(log.read_text()[-3000:])
                raise
            yield RunningStack(local=local, group=group, log=log, proxy=proxy)
        finally:
            group.stop()
