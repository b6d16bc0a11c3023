"""The four apps and a sandbox of one profile, in processes of their own, with a listener between them."""

import contextlib
import shutil
import sqlite3
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import requests

from portal.config.environment.offers import read_offers_file
from portal.config.projects import PROJECTS
from portal_dev.local_servers.local_stack import OFFERS
from tests.support.backend_proxy import BackendProxy
from tests.support.harness import (
    PRODUCTION,
    clean_environment,
    create_account,
    run_program,
    running_stack,
    seeded_sandbox,
    with_own,
)
from tests.support.ports import free_port_base
from tests.support.snake_backend import SnakeBackend, in_snake_case

#: The kind of backend that the sandbox has to be translated for.
SNAKE = "snake"
#: All of them hold all permissions.
ADMIN, PASSWORD = "everything@example.com", "a password for tests"
OTHER_ADMINS = ("everything-too@example.com", "everything-three@example.com")
PERMISSIONS = ("IAM_ADMIN", "ENERGY_APP", "OPERATIONS_APP", "FINANCE_APP")
#: Sessions and invoices of each status that are left, with their clients: an export reads all of them.
OF_A_STATUS = 25
_KEYS = {"SANDBOX_SECRET_KEY": "s" * 40, "SANDBOX_JWT_KEY": "j" * 40, "SANDBOX_ALLOW_DEMO_ACCOUNTS": "on"}


@dataclass(frozen=True, kw_only=True)
class Portal:
    """Servers that answer.

    :ivar backend: stands between the apps and the sandbox.
    :ivar offers: the words or names of what the backend is declared to offer.
    """

    origins: dict[str, str]
    backend: BackendProxy
    log: Path
    offers: tuple[str, ...]

    def app_at(self, url: str) -> str | None:
        """Whose address it is."""
        return next((app for app, origin in self.origins.items() if f"{url}/".startswith(f"{origin}/")), None)

    @property
    def sandbox(self) -> str:
        """The address behind the listener."""
        return f"http://127.0.0.1:{self.backend.backend_port}"


def admin_token(sandbox: str) -> str:
    """An access token of a new sign-in at the sandbox itself."""
    answer = requests.post(f"{sandbox}/auth/login", json={"email": ADMIN, "password": PASSWORD}, timeout=10)
    return str(answer.json()["accessToken"])


def sandbox_to_walk(folder: Path) -> Path:
    """A state folder of the sandbox, to be copied: some of its rows, and the accounts of all administrators."""
    shutil.copytree(seeded_sandbox(), folder)
    with contextlib.closing(sqlite3.connect(folder / "sandbox.sqlite3")) as database, database:
        for table in ("chargingsession", "invoice"):
            numbered = (
                f"SELECT rowid AS row, row_number() OVER (PARTITION BY status) AS number FROM sandbox_api_{table}"
            )
            database.execute(
                f"DELETE FROM sandbox_api_{table} WHERE rowid IN (SELECT row FROM ({numbered}) WHERE number > {OF_A_STATUS})"
            )
        ids = "SELECT client_id FROM sandbox_api_chargingsession UNION SELECT client_id FROM sandbox_api_invoice"
        database.execute(
            f"DELETE FROM sandbox_api_client WHERE id NOT IN (SELECT * FROM ({ids}) WHERE client_id NOTNULL)"
        )
    variables = clean_environment(DEBUG="on", SANDBOX_STATE_DIR=str(folder))
    for email in (ADMIN, *OTHER_ADMINS):
        create_account(variables, email, *PERMISSIONS, password=PASSWORD)
    return folder


def snake_offers(folder: Path, *, seeded: Path) -> dict[str, str]:
    """The variables for a backend of snake_case names: what it offers is written by the product's own command."""
    file = folder / "offers.txt"
    names = {"APP_BACKEND": f"{SnakeBackend.__module__}.{SnakeBackend.__name__}"}
    without = tuple(project.app for project in PROJECTS)
    with running_stack(
        folder / "probed", without=without, through_proxy=True, seeded=seeded, **_KEYS, **names
    ) as stack:
        stack.proxy.instead = in_snake_case(stack.proxy.ask)
        command = (*(sys.executable, "manage.py", "--app", "energy", "check_services", "--live"), "--write", file)
        run_program(*command, env=with_own(stack.variables), input=admin_token(stack.backend))
    return {**names, "APP_BACKEND_OFFERS": str(file)}


@contextlib.contextmanager
def running_portal(
    folder: Path, *, seeded: Path, profile: str, is_debug: bool = False, **variables: str
) -> Iterator[Portal]:
    """All of it, running inside the block.

    :param seeded: of :func:`sandbox_to_walk`; it is copied.
    :param profile: of the sandbox, or `snake`.
    :param is_debug: as `make dev` runs it: a name that a template misspells is an error. Else as in production.
    """
    port_base = free_port_base()
    origins = {project.app: project.local_url(port_base=port_base) for project in PROJECTS}
    addresses = {project.url_variable: origins[project.app] for project in PROJECTS}
    is_snake = profile == SNAKE
    own = {"APP_BACKEND_OFFERS": OFFERS.get(profile, "all"), **variables}
    own |= snake_offers(folder, seeded=seeded) if is_snake else {}
    offers = tuple(read_offers_file(Path(own["APP_BACKEND_OFFERS"]))) if is_snake else (own["APP_BACKEND_OFFERS"],)
    with running_stack(
        folder,
        port_base=port_base,
        through_proxy=True,
        seeded=seeded,
        development=is_debug,
        APP_API_HONOURS_IDEMPOTENCY_KEY=None,
        APP_API_FORWARD_BROWSER=None,
        SANDBOX_PROFILE="full" if is_snake else profile,
        **_KEYS,
        **own,
        **{**PRODUCTION, **addresses, "DEBUG": "on" if is_debug else "off"},
    ) as stack:
        stack.proxy.instead = in_snake_case(stack.proxy.ask) if is_snake else None
        yield Portal(origins=origins, backend=stack.proxy, log=stack.log, offers=offers)
