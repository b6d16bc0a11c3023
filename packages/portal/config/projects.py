"""The Django projects: the gateway, then one for each platform, in registry order.

Source: contract, section 2. Ports and addresses derive from the registry, so a new platform edits nothing here.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

from portal.config.places import IN_CHECKOUT, STATE_DIR
from portal.config.platforms import PLATFORMS, PRODUCT, Platform
from portal.config.product import GATEWAY_APP

DEFAULT_PORT_BASE = 8000
#: The backend's port lies this far above `PORT_BASE`.
BACKEND_PORT_OFFSET = 100
#: The first server of a project has its own port, each further one a port that is so much higher: above all of those.
INSTANCE_PORT_STEP = 200
#: What the sandbox backend of a checkout is told, where its environment says nothing else.
SANDBOX_VARIABLES: Final[Mapping[str, str]] = {
    "SANDBOX_APP": PRODUCT.sandbox,
    **({"SANDBOX_STATE_DIR": str(STATE_DIR / "sandbox")} if IN_CHECKOUT else {}),
}


class Project(NamedTuple):
    """One deployable Django project. No dataclass: those import a megabyte, into the parent of each server's workers.

    :param app: folder below `apps/`.
    :param platform: the platform that it serves; None for the gateway.
    :param port_offset: its local port's distance from `PORT_BASE`.
    """

    app: str
    platform: Platform | None
    port_offset: int

    @property
    def is_gateway(self) -> bool:
        """Whether this is the project that signs people in."""
        return self.platform is None

    @property
    def settings_module(self) -> str:
        """Dotted path of the project's settings."""
        return f"apps.{self.app}.settings"

    @property
    def url_variable(self) -> str:
        """Environment variable that names this project's origin."""
        return f"APP_PUBLIC_{'GATEWAY' if self.platform is None else self.app.upper()}_APP_URL"

    def instance_port(self, instance: int, *, port_base: int) -> int:
        """Port of one server of this project.

        :param instance: 1 for the first, at the project's own port.
        """
        return port_base + self.port_offset + (instance - 1) * INSTANCE_PORT_STEP

    def local_url(self, *, port_base: int) -> str:
        """Origin on the developer's machine."""
        return f"http://localhost:{port_base + self.port_offset}"


PROJECTS: tuple[Project, ...] = (
    Project(app=GATEWAY_APP, platform=None, port_offset=0),
    *(
        Project(app=platform.app, platform=platform, port_offset=position)
        for position, platform in enumerate(PLATFORMS, start=1)
    ),
)

PROJECT_BY_APP: dict[str, Project] = {project.app: project for project in PROJECTS}
GATEWAY: Project = PROJECT_BY_APP[GATEWAY_APP]
