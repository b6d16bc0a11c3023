"""The room is loaded only if a provider is configured."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.support.env_file import unset_by_tests
from tests.support.harness import ROOT

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


@pytest.mark.parametrize(("app", "path"), [("auth_app", "/en/login"), ("energy", "/healthz")])
def test_an_application_without_a_provider_loads_nothing_of_openid(app: str, path: str) -> None:
    assert loaded_by(app, path) == "200 OK,False,False,False"


@pytest.mark.parametrize(("app", "path"), [("auth_app", "/en/login"), ("energy", "/healthz")])
def test_with_a_provider_each_application_loads_the_room_when_it_starts(app: str, path: str) -> None:
    provider = {"APP_OIDC_ISSUER": "http://id.test", "APP_OIDC_CLIENT_ID": "portal"}
    assert loaded_by(app, path, **provider) == "200 OK,True,True,True"
