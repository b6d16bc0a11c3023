"""The servers of a developer's machine: the sandbox backend and every project (contract, section 2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from portal.config.projects import BACKEND_PORT_OFFSET, PROJECTS
from portal.server.server_group import Server

if TYPE_CHECKING:
    from collections.abc import Mapping

#: The backend's name in a server group.
BACKEND = "sandbox_api"
#: Accounts that the sandbox is seeded with, and their password; the contract names them.
DEMO_PASSWORD = "demo"  # noqa: S105  a demonstration account's, printed at every start
DEMO_ACCOUNTS = (
    "energy@example.com",
    "operations@example.com",
    "finance@example.com",
    "all@example.com",
    "none@example.com",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalStack:
    """Names, ports and environment of the five servers.

    :param port_base: the gateway's port; the others follow (`PORT_BASE`).
    :param environment: variables for all of them.
    """

    port_base: int
    environment: Mapping[str, str | None]

    @property
    def backend_port(self) -> int:
        """Port of the sandbox backend."""
        return self.port_base + BACKEND_PORT_OFFSET

    def ports(self) -> dict[str, int]:
        """Server name to port, in the order in which they are started."""
        return {BACKEND: self.backend_port} | {p.app: self.port_base + p.port_offset for p in PROJECTS}

    def servers(self) -> list[Server]:
        """The five servers, for a :class:`ServerGroup`."""
        environment = {**self.environment, "PORT_BASE": str(self.port_base)}
        commands = {
            BACKEND: ("-m", "sandbox_api", "serve", "--end-with-parent"),
            **{p.app: ("manage.py", "--app", p.app, "serve", "--end-with-parent") for p in PROJECTS},
        }
        return [
            Server(name=name, command=(*commands[name], "--port", str(port)), port=port, environment=environment)
            for name, port in self.ports().items()
        ]
