"""The package is loaded only if a provider is configured, when Django starts."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from portal.api import identity_provider
from portal.api.provider import _Current
from portal.config.portal_config import OidcProvider
from tests.support.env_file import unset_by_tests
from tests.support.harness import ROOT

PROVIDER = {"APP_OIDC_ISSUER": "http://id.test", "APP_OIDC_CLIENT_ID": "portal"}

#: One process of an application that has answered one request, and the modules that it holds then.
SERVE = """
import sys
from importlib import import_module

application = import_module("apps.{app}.wsgi").application
environ = {{
    "REQUEST_METHOD": "GET", "PATH_INFO": "{path}", "QUERY_STRING": "", "SERVER_PROTOCOL": "HTTP/1.1",
    "SERVER_NAME": "localhost", "SERVER_PORT": "8000", "HTTP_HOST": "localhost:8000", "HTTP_ACCEPT": "text/html",
    "wsgi.url_scheme": "http", "wsgi.input": sys.stdin.buffer, "wsgi.errors": sys.stderr,
}}
answered = []
b"".join(application(environ, lambda status, headers, *_: answered.append(status)))
print(*answered, *(name in sys.modules for name in ("portal.oidc", "authlib", "joserfc")), sep=",")
"""


def loaded_by(app: str, path: str, **variables: str) -> str:
    program = SERVE.format(app=app, path=path)
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("APP_", "DJANGO_SETTINGS_MODULE"))
    }
    environment |= unset_by_tests()
    environment |= {"SECRET_KEY": "x" * 50, "DEBUG": "True", "PYTHONPATH": f"{ROOT}:{ROOT / 'packages'}", **variables}
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


#: A command of an application, such as the end of all sign-ins: no server starts.
ASK = """
import sys
for missing in {missing!r}:
    sys.modules[missing] = None
import django
from portal.api import identity_provider

django.setup()
print(type(identity_provider()).__name__)
"""


def asked_by_a_command(*, missing: Sequence[str] = (), **variables: str) -> subprocess.CompletedProcess[str]:
    environment = unset_by_tests() | {"SECRET_KEY": "x" * 50, "DEBUG": "True", **variables}
    environment |= {"PYTHONPATH": f"{ROOT}:{ROOT / 'packages'}", "DJANGO_SETTINGS_MODULE": "apps.energy.settings"}
    return subprocess.run(
        [sys.executable, "-c", ASK.format(missing=missing)],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(("app", "path"), [("auth_app", "/en/login"), ("energy", "/healthz")])
def test_an_application_without_a_provider_loads_nothing_of_openid(app: str, path: str) -> None:
    assert loaded_by(app, path) == "200 OK,False,False,False"


@pytest.mark.parametrize(("app", "path"), [("auth_app", "/en/login"), ("energy", "/healthz")])
def test_with_a_provider_each_application_loads_the_room_when_it_starts(app: str, path: str) -> None:
    assert loaded_by(app, path, **PROVIDER) == "200 OK,True,True,True"


@pytest.mark.parametrize(("variables", "name"), [({}, "NoneType"), (PROVIDER, "OpenIdProvider")])
def test_a_command_asks_the_configured_provider(variables: dict[str, str], name: str) -> None:
    assert asked_by_a_command(**variables).stdout == f"{name}\n"


@pytest.mark.parametrize("missing", ["authlib", "joserfc"])
def test_without_its_libraries_a_configured_provider_ends_the_start_with_the_line_that_names_the_extra(
    missing: str,
) -> None:
    done = asked_by_a_command(missing=[missing], **PROVIDER)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "portal: APP_OIDC_ISSUER needs the packages of the extra `oidc`: pip install 'portal[oidc]'\n"
    )


def test_a_configured_provider_that_nothing_registered_is_an_error(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_Current, "provider", None)
    assert identity_provider() is None
    oidc = OidcProvider(issuer="https://id.test", client_id="portal")
    settings.PORTAL = replace(settings.PORTAL, oidc=oidc)
    with pytest.raises(RuntimeError, match="use_provider"):
        identity_provider()
