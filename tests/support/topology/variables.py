"""The environment of each server of a topology, and its command: those of a deployment, from the files of `deploy/`."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from pathlib import Path

from portal.config.projects import PROJECTS
from portal_dev.local_servers.server_group import Server
from tests.deploy.files import (
    PROJECT_VARIABLES,
    SHARED_VARIABLES,
    example_variables,
    python_words,
    start_command,
    unit_settings,
    unit_variables,
)
from tests.support.harness import clean_environment
from tests.support.topology.addresses import DOMAIN, Addresses, first_label

BACKEND = "sandbox_api"
BACKEND_THREADS = 32


def instance_name(app: str, number: int) -> str:
    """As in the unit of systemd: `energy-1`."""
    return f"{app}-{number}"


def instance(
    app: str, number: int, *, addresses: Addresses, state: Path, jwt_key: str, workers: int, more: Mapping[str, str]
) -> Server:
    """One instance of a project, started as its unit starts it, with the variables of the example files.

    :param state: the folder that the instances on a machine share (`APP_STATE_DIR`).
    :param more: variables beside those of every topology.
    """
    label = first_label(app)
    written = {
        **unit_variables(),
        **example_variables(SHARED_VARIABLES.read_text().replace("example.com", DOMAIN)),
        **example_variables(PROJECT_VARIABLES.read_text().replace("energy.example.com", f"{label}.{DOMAIN}")),
    }
    port = addresses.instance_port(app, number)
    here = {
        "PORT_BASE": str(addresses.port_base),
        "APP_STATE_DIR": str(state),
        "APP_STATIC_SHARED_DIR": str(state / "static"),
        "APP_PUBLIC_API_BASE_URL": f"http://127.0.0.1:{addresses.backend_port}",
        # The sandbox signs with a key, and publishes no key set.
        **dict.fromkeys(("APP_JWT_JWKS_URL", "APP_JWT_ISSUER", "APP_JWT_AUDIENCE"), ""),
        "APP_JWT_KEY": jwt_key,
        "SECRET_KEY": secrets.token_urlsafe(64),
        "WORKERS": str(workers),
        # The addresses that the cookie domain gives, on the port of this topology.
        **{project.url_variable: addresses.origin(project.app) for project in PROJECTS},
        **more,
    }
    environment = clean_environment(**{"DEBUG": None, **written, **here})
    values = {name: value for name, value in environment.items() if value is not None}
    name = instance_name(app, number)
    command = python_words([*start_command(name, variables=values), "--end-with-parent"])
    return Server(name=name, command=command, port=port, environment=environment)


def backend(*, addresses: Addresses, state: Path, jwt_key: str, more: Mapping[str, str]) -> Server:
    """The sandbox, DEBUG off, with the demonstration accounts."""
    environment = clean_environment(
        **{
            "DEBUG": "off",
            "SANDBOX_STATE_DIR": str(state),
            "SANDBOX_SECRET_KEY": secrets.token_urlsafe(64),
            "SANDBOX_JWT_KEY": jwt_key,
            "SANDBOX_ALLOW_DEMO_ACCOUNTS": "on",
            "APP_PUBLIC_GATEWAY_APP_URL": addresses.origin("auth_app"),
            **more,
        }
    )
    port = addresses.backend_port
    options = ("--port", str(port), "--threads", str(BACKEND_THREADS), "--end-with-parent")
    return Server(name=BACKEND, command=("-m", "sandbox_api", "serve", *options), port=port, environment=environment)


def stop_time_s() -> float:
    """How long systemd waits for the end of an instance, seconds."""
    return float(unit_settings()["TimeoutStopSec"][0])
