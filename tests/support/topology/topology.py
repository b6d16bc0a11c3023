"""A topology: its names and ports, the servers with their variables, and restarts of its instances.

The variables and commands are those of a deployment, from the files of `deploy/`. All ports follow from one, as those
of `make run` do.
"""

import contextlib
import itertools
import os
import secrets
import signal
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

import requests

from portal.config.projects import BACKEND_PORT_OFFSET, DEFAULT_PORT_BASE, GATEWAY_APP, PROJECT_BY_APP, PROJECTS
from portal_dev.local_servers.server_group import Server, ServerGroup, ServerGroupError
from tests.deploy.files import (
    PROJECT_VARIABLES,
    SHARED_VARIABLES,
    example_variables,
    python_words,
    start_command,
    unit_settings,
    unit_variables,
)
from tests.support.harness import clean_environment, prepare_files, prepare_sandbox
from tests.support.http_browser import HttpBrowser
from tests.support.nginx_server import HTTPS_PORT, Site, running_site
from tests.support.processes import until
from tests.support.redis_sentinel import SENTINELS, SERVERS, WatchedRedis, watched_redis

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
#: As docs/how-to/deploy.md has it; the data survives a restart.
REDIS_OPTIONS = (
    *("--maxmemory-policy", "noeviction"),
    *("--appendonly", "yes"),
    *("--min-replicas-to-write", "1"),
    *("--min-replicas-max-lag", "10"),
)
BACKEND = "sandbox_api"
BACKEND_THREADS = 32
RESTARTED_WITHIN_S = 120


@dataclass(frozen=True, kw_only=True)
class Addresses:
    """Names and ports of everything.

    :param port_base: the first port; a topology takes those up to 443 above it.
    :param own_tls_port: of nginx, where it is not the 443rd after the first.
    """

    port_base: int
    own_tls_port: int | None = None

    @property
    def tls_port(self) -> int:
        return self.own_tls_port or self.port_base + TLS_OFFSET

    @property
    def backend_port(self) -> int:
        return self.port_base + BACKEND_PORT_OFFSET

    def host(self, app: str) -> str:
        """Return the project's name: `auth.portal.test`."""
        return f"{'auth' if app == GATEWAY_APP else app}.{DOMAIN}"

    def origin(self, app: str) -> str:
        """Return the address as a browser has it: `https://auth.portal.test:8443`."""
        port = "" if self.tls_port == HTTPS_PORT else f":{self.tls_port}"
        return f"https://{self.host(app)}{port}"


class Person(HttpBrowser):
    """A browser without scripts that trusts the topology's authority, and says where a form comes from.

    :param authority: the file of the authority that it trusts.
    """

    def __init__(self, authority: Path) -> None:
        super().__init__()
        self.http.verify = str(authority)

    def post(self, url: str, fields: dict[str, str], *, follow: bool = False, **headers: str) -> requests.Response:
        origin = "/".join(url.split("/", 3)[:3])
        return super().post(url, fields, follow=follow, **{"Origin": origin, **headers})


@dataclass(frozen=True, kw_only=True)
class Topology:
    """All that runs.

    :param instances: by name, such as `energy-1`, in the order in which a release restarts them.
    :param redis: None with the embedded store.
    :param log: of all instances and of the sandbox.
    """

    addresses: Addresses
    site: Site
    group: ServerGroup
    instances: dict[str, Server]
    backend: Server
    redis: WatchedRedis | None
    log: Path

    @property
    def authority(self) -> Path:
        """The file of the authority that signed nginx's certificate."""
        return self.site.certificate

    def url(self, app: str, path: str = "") -> str:
        """Return an address as a browser has it."""
        return self.addresses.origin(app) + path

    def restart(self, name: str) -> None:
        """Restart an instance as systemd does, and wait until it answers."""
        # As `KillMode=mixed`: SIGTERM to the main process alone, SIGKILL to what is left.
        os.kill(self.group.pid(name), signal.SIGTERM)
        ended: dict[str, int] = {}
        # An instance that does not end in time is stopped by the group.
        with contextlib.suppress(AssertionError):
            seconds = float(unit_settings()["TimeoutStopSec"][0])
            until(lambda: ended.update(self.group.take_ended()) or ended, what="the end", seconds=seconds)
        if ended.keys() - {name}:
            raise ServerGroupError(f"ended by themselves: {ended}")
        self.group.restart([self.instances[name]])
        self.group.wait_until_ready(timeout_s=RESTARTED_WITHIN_S)


@contextlib.contextmanager
def running_topology(
    folder: Path,
    *,
    port_base: int,
    tls_port: int | None = None,
    redis: bool = True,
    apps: Collection[str] = tuple(PROJECT_BY_APP),
    say: Callable[[str], None] = lambda _: None,
) -> Iterator[Topology]:
    """Run all of it inside the block; nothing of it runs afterwards.

    :param folder: takes all files; the caller removes it.
    :param redis: False for the embedded store.
    :param apps: the projects that are started; behind the names of the others there is nobody.
    """
    addresses = Addresses(port_base=port_base, own_tls_port=tls_port)
    log = folder / "servers.log"
    shared = {"APP_STATE_DIR": str(folder / "state"), "APP_JWT_KEY": secrets.token_urlsafe(48), "WORKERS": "1"}
    with contextlib.ExitStack() as stack:
        watched = None
        if redis:
            say("starting Redis and its Sentinels")
            ports = itertools.count(port_base + REDIS_OFFSET)
            watched = stack.enter_context(watched_redis(folder / "redis", *REDIS_OPTIONS, ports=ports))
            shared |= {"CACHE_URL": watched.url(), "REFRESH_CACHE_URL": watched.url()}
        service = _backend(addresses, state=folder / "sandbox", jwt_key=shared["APP_JWT_KEY"])
        say("filling the sandbox backend")
        prepare_sandbox(service.environment)
        prepare_files(folder / "state", *apps)
        # As a release restarts them: the first instance of each project, then the second.
        servers = [
            _instance(app, number, addresses, shared) for number in INSTANCES for app in PROJECT_BY_APP if app in apps
        ]
        group = ServerGroup(log=log)
        stack.callback(group.stop)
        say("starting the projects")
        group.start([service, *servers])
        group.wait_until_ready(timeout_s=180)
        site = running_site(
            folder,
            ports={
                project.instance_port(number, port_base=DEFAULT_PORT_BASE): project.instance_port(
                    number, port_base=port_base
                )
                for project in PROJECTS
                for number in INSTANCES
            },
            tls_port=addresses.tls_port,
            http_port=port_base + HTTP_OFFSET,
            domain=DOMAIN,
        )
        yield Topology(
            addresses=addresses,
            site=stack.enter_context(site),
            group=group,
            instances={server.name: server for server in servers},
            backend=service,
            redis=watched,
            log=log,
        )


def _instance(app: str, number: int, addresses: Addresses, shared: dict[str, str]) -> Server:
    """Build an instance of a project, started as its unit starts it, with the variables of the example files."""
    host = addresses.host(app)
    written = {
        **unit_variables(),
        **example_variables(SHARED_VARIABLES.read_text().replace("example.com", DOMAIN)),
        **example_variables(PROJECT_VARIABLES.read_text().replace("energy.example.com", host)),
    }
    here = {
        "PORT_BASE": str(addresses.port_base),
        "APP_STATIC_SHARED_DIR": f"{shared['APP_STATE_DIR']}/static",
        "APP_PUBLIC_API_BASE_URL": f"http://127.0.0.1:{addresses.backend_port}",
        # The sandbox signs with a key, and publishes no key set.
        **dict.fromkeys(("APP_JWT_JWKS_URL", "APP_JWT_ISSUER", "APP_JWT_AUDIENCE"), ""),
        "SECRET_KEY": secrets.token_urlsafe(64),
        # The addresses that the cookie domain gives, on the port of this topology.
        **{project.url_variable: addresses.origin(project.app) for project in PROJECTS},
    }
    environment = clean_environment(**{"DEBUG": None, **written, **here, **shared})
    values = {name: value for name, value in environment.items() if value is not None}
    # As in the unit of systemd: `energy-1`.
    name = f"{app}-{number}"
    command = python_words([*start_command(name, variables=values), "--end-with-parent"])
    port = PROJECT_BY_APP[app].instance_port(number, port_base=addresses.port_base)
    return Server(name=name, command=command, port=port, environment=environment)


def _backend(addresses: Addresses, *, state: Path, jwt_key: str) -> Server:
    """Build the sandbox, DEBUG off, with the demonstration accounts."""
    environment = clean_environment(
        DEBUG="off",
        SANDBOX_STATE_DIR=str(state),
        SANDBOX_SECRET_KEY=secrets.token_urlsafe(64),
        SANDBOX_JWT_KEY=jwt_key,
        SANDBOX_ALLOW_DEMO_ACCOUNTS="on",
        APP_PUBLIC_GATEWAY_APP_URL=addresses.origin(GATEWAY_APP),
    )
    port = addresses.backend_port
    options = ("--port", str(port), "--threads", str(BACKEND_THREADS), "--end-with-parent")
    return Server(name=BACKEND, command=("-m", "sandbox_api", "serve", *options), port=port, environment=environment)
