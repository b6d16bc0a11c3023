"""The servers of a developer's machine: the sandbox backend and every project (contract, section 2)."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from portal.config.places import PACKAGES, SOURCE_ROOT
from portal.config.platforms import PLATFORMS, PRODUCT
from portal.config.projects import BACKEND_PORT_OFFSET, PROJECTS
from portal.services.service_imports import services_folder
from portal_dev.local_servers.server_group import Server

#: The backend's name in a server group.
BACKEND = "sandbox_api"
#: Every server that can be started or left out.
SERVER_NAMES: Final = (BACKEND, *(project.app for project in PROJECTS))
#: Seconds that open requests have when the group stops: the group kills its servers soon after.
LOCAL_STOP_TIMEOUT_S: Final = 3
#: Packages whose code every project runs.
SHARED_PACKAGES: Final = (
    *("portal", "portal_dev", "portal_gateway", "portal_oidc", "portal_operate", "portal_pages", "portal_server"),
    *("sqlite_cache", "fork_safety"),
)
#: Accounts that the sandbox is seeded with, and their password; the contract names them.
DEMO_PASSWORD = "demo"  # noqa: S105  a demonstration account's, printed at every start
DEMO_ACCOUNTS: Final = tuple(
    f"{name}@example.com" for name in (*(platform.app for platform in PLATFORMS), "all", "none", "iam")
)


#: Values of `APP_BACKEND_OFFERS` for profiles of the sandbox; any other one offers all.
OFFERS: Final = {"document": "required", "contract": "contract", "strict": "contract"}


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalStack:
    """Names, ports and environment of the servers.

    :param port_base: the gateway's port; the others follow (`PORT_BASE`).
    :param environment: variables for all of them.
    :param development: whether the projects run on Django's development server. It starts in half the time, and static
        files are not collected.
    """

    port_base: int
    environment: Mapping[str, str | None]
    development: bool = False

    def ports(self) -> dict[str, int]:
        """Server name to port, in the order in which they are started."""
        offsets = {BACKEND: BACKEND_PORT_OFFSET, **{p.app: p.port_offset for p in PROJECTS}}
        return {name: self.port_base + offset for name, offset in offsets.items()}

    def servers(self) -> list[Server]:
        """The servers, for a :class:`ServerGroup`."""
        environment = {**self.environment, "PORT_BASE": str(self.port_base)}
        serve = ("serve", "--stop-timeout", str(LOCAL_STOP_TIMEOUT_S), "--port")
        serving = ("runserver", "--noreload") if self.development else serve
        commands = {**dict.fromkeys(SERVER_NAMES, serving), BACKEND: ("serve", "--port")}
        return [
            Server(name=name, command=command, port=port, environment=environment, code=_code_of(name))
            for name, port in self.ports().items()
            for command in [("manage.py", "--app", name, *commands[name], str(port), "--end-with-parent")]
        ]


def _code_of(name: str) -> tuple[Path, ...]:
    if name == BACKEND:
        own = [SOURCE_ROOT.joinpath(*PRODUCT.sandbox.split("."))] if PRODUCT.sandbox else []
        return (PACKAGES / BACKEND, *own)
    apps = SOURCE_ROOT / "apps"
    of_all = (apps / "product.py", apps / "locale", services_folder())
    return (apps / name, *of_all, *(PACKAGES / package for package in SHARED_PACKAGES))
