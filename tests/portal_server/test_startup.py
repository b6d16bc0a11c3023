"""A server process has its code, and the keys of its JWKS address, before its first request."""

import dataclasses
import json
import sys
from pathlib import Path

import pytest

from portal.config.cookies import VAR_ACCESS_TOKEN, VAR_PERMITTED_PLATFORMS, VAR_REFRESH_TOKEN
from portal.config.current import portal_config
from portal.config.portal_config import PortalConfig, TokenVerification
from portal.identity import verification
from portal.services.service_imports import import_services
from portal.testing import access_token
from portal.testing.sign_ins import new_account
from portal_server.startup import fetch_keys, say_what_is_not_offered
from tests.functional.test_serve import production_environment
from tests.portal_server.processes import compiled_templates
from tests.support.harness import run_program
from tests.support.http_server import reply, scripted_server

KEY = {"kty": "oct", "kid": "one", "alg": "HS256", "k": "c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0"}


@pytest.fixture(autouse=True)
def no_key_source():
    verification.use_key_source(None)
    yield
    verification.use_key_source(None)


def config_with(jwks_url: str) -> PortalConfig:
    verified = TokenVerification(jwks_url=jwks_url, algorithms=("HS256",)) if jwks_url else TokenVerification()
    return dataclasses.replace(portal_config(), verification=verified)


def test_the_keys_are_there_when_the_start_is_done():
    document = json.dumps({"keys": [KEY]}).encode()
    with scripted_server(lambda _, out: out.sendall(reply(document))) as server:
        fetch_keys(config_with(f"{server.url}/keys"))
        source = verification._Current.source
        assert source is not None
        assert source.succeeded == 1
        assert [key.key_id for key in source.keys_for("one")] == ["one"]


FIRST_PAGES = """
import sys
from wsgiref.util import setup_testing_defaults
from portal_server.startup import wsgi_application

app, path, *visits = sys.argv[1:]
application = wsgi_application(settings=f"apps.{app}.settings")
there = set(sys.modules)
for cookies in visits:
    request = {"PATH_INFO": path, "HTTP_HOST": "localhost", "HTTP_ACCEPT": "text/html", "HTTP_COOKIE": cookies}
    setup_testing_defaults(request)
    for _ in application(request, lambda status, headers: print(status)):
        pass
print(*sorted(set(sys.modules) - there))
"""


@pytest.mark.parametrize(
    ("app", "path", "cache_url", "statuses"),
    [
        ("energy", "/en/energy/clients", "", "503 Service Unavailable\n" * 2),
        ("energy", "/en/energy/clients", "redis://127.0.0.1:1/0", "503 Service Unavailable\n" * 2),
        ("auth_app", "/en/login", "", "200 OK\n"),
    ],
    ids=["embedded store", "Redis", "a form"],
)
def test_first_pages_import_nothing_more(tmp_path: Path, app: str, path: str, cache_url: str, statuses: str) -> None:
    """Nor does the first operation of a store: on Redis, the circuit would count it as slow."""
    visits = [""]
    if app == "energy":
        tokens = [access_token(new_account(), "ENERGY_APP", lifetime_s=lifetime_s) for lifetime_s in (300, -60)]
        platforms = f"{VAR_PERMITTED_PLATFORMS}=%5B%22ENERGY%22%5D"
        visits = [f"{VAR_ACCESS_TOKEN}={token}; {VAR_REFRESH_TOKEN}=r; {platforms}" for token in tokens]
    stored = {"CACHE_URL": cache_url, "APP_COMPILED_TEMPLATES_DIR": compiled_templates(app)}
    environment = production_environment(tmp_path, **stored)
    result = run_program(sys.executable, "-c", FIRST_PAGES, app, path, *visits, env=environment)
    assert result.stdout == f"{statuses}\n"


@pytest.mark.parametrize(("offers", "lines"), [(None, 1), (frozenset(), 0), (frozenset({"*"}), 0)])
def test_start_without_declaration_says_what_is_hidden(settings, caplog, offers, lines):
    import_services()
    settings.PORTAL = dataclasses.replace(portal_config(), offers=offers, offers_password_reset=False)
    say_what_is_not_offered()
    assert len(caplog.messages) == lines
    assert all("such as auth.logout, energy." in text for text in caplog.messages)
