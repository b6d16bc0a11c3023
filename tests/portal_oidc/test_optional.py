"""The package is loaded only if a provider is configured, when Django starts."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from portal.api import identity_provider
from portal.api.provider import _Current
from portal.config.portal_config import OidcProvider
from tests.functional.test_serve import environment
from tests.support.harness import run_program
from tests.support.one_request import ONE_REQUEST

PROVIDER = {"APP_OIDC_ISSUER": "http://id.test", "APP_OIDC_CLIENT_ID": "portal"}

#: And the modules that the process holds then.
SERVE = f"""{ONE_REQUEST}
print(*answered, *(name in sys.modules for name in ("portal_oidc", "authlib", "joserfc")), sep=",")
"""
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


def run(program: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    return run_program(sys.executable, "-c", program, status=None, env=environment(folder, **variables))


@pytest.mark.parametrize(("variables", "loaded"), [({}, False), (PROVIDER, True)], ids=["no provider", "a provider"])
def test_openid_is_loaded_only_with_a_provider(variables: dict[str, str], loaded: bool, tmp_path: Path) -> None:
    done = run(SERVE.format(app="auth_app", path="/en/login"), tmp_path, **variables)
    assert done.stdout == f"200 OK,{loaded},{loaded},{loaded}\n", done.stderr


NEEDS = "portal: APP_OIDC_ISSUER needs the packages of the extra `oidc`: pip install 'portal-library[oidc]'\n"


@pytest.mark.parametrize(("missing", "told"), [((), ("OpenIdProvider\n", "")), (("joserfc",), ("", NEEDS))])
def test_command_asks_provider_or_names_extra(tmp_path: Path, missing: tuple[str, ...], told: tuple[str, str]) -> None:
    done = run(ASK.format(missing=missing), tmp_path, DJANGO_SETTINGS_MODULE="apps.energy.settings", **PROVIDER)
    assert (done.stdout, done.stderr, done.returncode) == (*told, int(bool(missing)))


def test_unregistered_provider_is_an_error(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_Current, "provider", None)
    assert identity_provider() is None
    settings.PORTAL = replace(settings.PORTAL, oidc=OidcProvider(issuer="https://id.test", client_id="portal"))
    with pytest.raises(RuntimeError, match="use_provider"):
        identity_provider()
