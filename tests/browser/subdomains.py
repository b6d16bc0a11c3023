"""The four projects below one domain, each on a name of its own."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from portal.config.projects import PROJECTS
from tests.support.harness import RunningStack, running_stack

DOMAIN = "portal.localhost"


@dataclass(frozen=True)
class Site:
    """The projects, and the backend behind them."""

    stack: RunningStack

    def url(self, app: str, path: str = "") -> str:
        return f"http://{host_of(app)}:{self.stack.local.ports()[app]}{path}"


def host_of(app: str) -> str:
    return f"{'auth' if app == 'auth_app' else app}.{DOMAIN}"


@contextlib.contextmanager
def running_below_one_domain(folder: Path, *, port_base: int, **options: Any) -> Iterator[RunningStack]:
    """A stack whose projects share their cookies."""
    origins = {
        project.url_variable: f"http://{host_of(project.app)}:{port_base + project.port_offset}" for project in PROJECTS
    }
    with running_stack(
        folder, port_base=port_base, APP_PUBLIC_AUTH_COOKIE_DOMAIN=DOMAIN, **origins, **options
    ) as stack:
        yield stack
