"""Starts a topology, and stops it at the end of a block."""

from __future__ import annotations

import contextlib
import secrets
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path

from portal.config.projects import DEFAULT_PORT_BASE, PROJECT_BY_APP, PROJECTS
from portal_dev.local_servers.server_group import Server, ServerGroup
from tests.support.authority import Authority
from tests.support.harness import found_tool, prepare_sandbox, run_program, with_own
from tests.support.nginx_server import running_site
from tests.support.redis_sentinel import watched_redis
from tests.support.topology.addresses import DOMAIN, INSTANCES, Addresses
from tests.support.topology.topology import Topology
from tests.support.topology.variables import backend, instance, instance_name

#: Program to the package of Debian that has it.
PROGRAMS = {"nginx": "nginx-light", "redis-server": "redis-server", "redis-sentinel": "redis-sentinel"}
#: As docs/how-to/deploy.md has it; the data survives a restart.
REDIS_OPTIONS = (
    *("--maxmemory-policy", "noeviction"),
    *("--appendonly", "yes"),
    *("--min-replicas-to-write", "1"),
    *("--min-replicas-max-lag", "10"),
)
#: Accounts of people who may open all platforms, made in one process.
_MAKE_ACCOUNTS = """
import sys
from django.contrib.auth.hashers import make_password
from sandbox_api.auth.models import Account
kept = make_password("demo")
permissions = ["ENERGY_APP", "OPERATIONS_APP", "FINANCE_APP"]
for email in {emails!r}:
    Account.objects.create(email=email, name=email.partition("@")[0], password=kept, permissions=permissions)
"""


def missing_programs(*, redis: bool = True) -> list[str]:
    """Packages of Debian that a topology needs and this machine lacks."""
    needed = PROGRAMS if redis else {"nginx": PROGRAMS["nginx"]}
    return [package for program, package in needed.items() if found_tool(program) is None]


@contextlib.contextmanager
def running_topology(
    folder: Path,
    *,
    port_base: int,
    tls_port: int | None = None,
    instances: int = 2,
    workers: int = 2,
    redis: bool = True,
    apps: Collection[str] = tuple(PROJECT_BY_APP),
    accounts: tuple[str, ...] = (),
    sandbox: Mapping[str, str] | None = None,
    more: Mapping[str, str] | None = None,
    say: Callable[[str], None] = lambda _: None,
) -> Iterator[Topology]:
    """All of it, running inside the block; nothing of it runs afterwards.

    :param folder: takes all files; the caller removes it.
    :param instances: of each project, 1 or 2.
    :param redis: False for the embedded store.
    :param apps: the projects that are started; behind the names of the others there is nobody.
    :param accounts: email addresses of further people, who may open all platforms; their password is `demo`.
    :param sandbox: further variables of the sandbox.
    :param more: further variables of the instances.
    """
    addresses = Addresses(port_base=port_base, own_tls_port=tls_port)
    jwt_key = secrets.token_urlsafe(48)
    state, log = folder / "state", folder / "servers.log"
    authority = Authority(folder / "authority", "the authority of a topology on this machine")
    with contextlib.ExitStack() as stack:
        watched = None
        if redis:
            say("starting Redis and its Sentinels")
            ports = addresses.redis_ports()
            watched = stack.enter_context(watched_redis(folder / "redis", *REDIS_OPTIONS, next_port=ports))
        service = backend(addresses=addresses, state=folder / "sandbox", jwt_key=jwt_key, more=sandbox or {})
        say("filling the sandbox backend")
        prepare_sandbox(service.environment)
        _make_accounts(service, accounts)
        store = {} if watched is None else {"CACHE_URL": watched.url(), "REFRESH_CACHE_URL": watched.url()}
        # As a release restarts them: the first instance of each project, then the second.
        servers = {
            instance_name(project.app, number): instance(
                project.app,
                number,
                addresses=addresses,
                state=state,
                jwt_key=jwt_key,
                workers=workers,
                more={**store, **(more or {})},
            )
            for number in range(1, instances + 1)
            for project in PROJECTS
            if project.app in apps
        }
        group = ServerGroup(log=log)
        stack.callback(group.stop)
        say("starting the projects")
        group.start([service, *servers.values()])
        group.wait_until_ready(timeout_s=180)
        site = stack.enter_context(
            running_site(
                folder,
                ports={
                    project.instance_port(number, port_base=DEFAULT_PORT_BASE): (
                        addresses.instance_port(project.app, number) if number <= instances else None
                    )
                    for project in PROJECTS
                    for number in INSTANCES
                },
                tls_port=addresses.tls_port,
                http_port=addresses.http_port,
                domain=DOMAIN,
                authority=authority,
            )
        )
        yield Topology(
            addresses=addresses,
            site=site,
            group=group,
            instances=servers,
            backend=service,
            redis=watched,
            state=state,
            log=log,
        )


def _make_accounts(service: Server, emails: tuple[str, ...]) -> None:
    if emails:
        code = _MAKE_ACCOUNTS.format(emails=list(emails))
        run_program(sys.executable, "-m", "sandbox_api", "shell", "-c", code, env=with_own(service.environment))
