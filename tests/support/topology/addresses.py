"""Names and ports of a topology: all of its ports follow from one, as those of `make run` do."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass

from portal.config.projects import BACKEND_PORT_OFFSET, GATEWAY_APP, PROJECT_BY_APP, PROJECTS
from tests.support.nginx_server import HTTPS_PORT
from tests.support.redis_sentinel import SENTINELS, SERVERS

#: The names end with it: `test` is no domain of the internet (RFC 2606).
DOMAIN = "portal.test"
#: Instances of each project that the site file has.
INSTANCES = (1, 2)
HTTP_OFFSET, TLS_OFFSET = 80, 443
#: The first of the ports of Redis and its Sentinels.
REDIS_OFFSET = 120
#: Distances of all ports from the first, beside those of `make run`.
OFFSETS = (
    *(project.instance_port(2, port_base=0) for project in PROJECTS),
    *(HTTP_OFFSET, TLS_OFFSET),
    *range(REDIS_OFFSET, REDIS_OFFSET + SERVERS + SENTINELS),
)


@dataclass(frozen=True, kw_only=True)
class Addresses:
    """Where everything is.

    :param port_base: the first port; a topology takes those up to 443 above it.
    :param own_tls_port: of nginx, where it is not the 443rd after the first.
    """

    port_base: int
    own_tls_port: int | None = None

    @property
    def tls_port(self) -> int:
        return self.own_tls_port or self.port_base + TLS_OFFSET

    @property
    def http_port(self) -> int:
        return self.port_base + HTTP_OFFSET

    @property
    def backend_port(self) -> int:
        return self.port_base + BACKEND_PORT_OFFSET

    def instance_port(self, app: str, number: int) -> int:
        """The port of an instance, 1 or more."""
        return PROJECT_BY_APP[app].instance_port(number, port_base=self.port_base)

    def redis_ports(self) -> Callable[[], int]:
        """Gives another port at each call."""
        counted = itertools.count(self.port_base + REDIS_OFFSET)
        return lambda: next(counted)

    def host(self, app: str) -> str:
        """The project's name: `auth.portal.test`."""
        return f"{first_label(app)}.{DOMAIN}"

    def origin(self, app: str) -> str:
        """As a browser has it: `https://auth.portal.test:8443`."""
        port = "" if self.tls_port == HTTPS_PORT else f":{self.tls_port}"
        return f"https://{self.host(app)}{port}"


def first_label(app: str) -> str:
    """What a project is called in its name."""
    return "auth" if app == GATEWAY_APP else app
