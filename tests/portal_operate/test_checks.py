"""System checks that concern the whole portal."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.core.checks import CheckMessage, registry

from portal.config.portal_config import TokenVerification
from portal.config.projects import GATEWAY, PROJECT_BY_APP
from portal_operate import checks
from portal_operate.checks import (
    check_a_key_sets_tokens_are_told_apart,
    check_debug_stays_on_this_machine,
    check_every_project_gets_the_cookies,
    check_every_project_has_its_folder,
    check_every_project_has_its_own_address,
    check_the_key_fits_its_algorithms,
)
from tests.settings import PORTAL

LOCAL = {app: f"http://localhost:{port}" for port, app in enumerate(PROJECT_BY_APP, start=8000)}
BELOW_ONE_DOMAIN = {app: f"https://{app.replace('_', '-')}.example.com" for app in PROJECT_BY_APP}


def messages_of(settings, check, **changes: Any) -> list[CheckMessage]:
    settings.PORTAL = replace(PORTAL, **changes)
    return list(check(None))


@pytest.mark.parametrize(
    ("origins", "cookie_domain", "strangers"),
    [
        (LOCAL, "", ""),
        (BELOW_ONE_DOMAIN, "example.com", ""),
        (BELOW_ONE_DOMAIN | {GATEWAY.app: "https://example.com"}, "example.com", ""),
        (BELOW_ONE_DOMAIN, "", "auth-app.example.com, energy.example.com"),
        (LOCAL | {"energy": "http://127.0.0.1:8001"}, "", "127.0.0.1, localhost"),
        (BELOW_ONE_DOMAIN | {GATEWAY.app: "https://sign-in.test"}, "example.com", "sign-in.test"),
        (BELOW_ONE_DOMAIN | {GATEWAY.app: "https://notexample.com"}, "example.com", "notexample.com"),
        (dict.fromkeys(BELOW_ONE_DOMAIN, "https://portal.co.uk"), "co.uk", "portal.co.uk"),
        (dict.fromkeys(BELOW_ONE_DOMAIN, "https://portal.bmw.de"), "bmw.de", ""),
    ],
)
def test_hosts_that_do_not_share_the_sign_in_cookies_are_named(
    settings, origins: dict[str, str], cookie_domain: str, strangers: str
) -> None:
    told = {"origins": origins, "cookie_domain": cookie_domain}
    messages = messages_of(settings, check_every_project_gets_the_cookies, **told)
    assert [message.msg.partition(" do not share")[0] for message in messages] == ([strangers] if strangers else [])


def test_a_platforms_project_need_not_know_where_the_others_are(settings) -> None:
    """Only the gateway leads to them (contract, section 3)."""
    told = {"origins": BELOW_ONE_DOMAIN | {"finance": "http://localhost:8003"}, "cookie_domain": "example.com"}
    assert messages_of(settings, check_every_project_gets_the_cookies, **told) == []
    (warning,) = messages_of(settings, check_every_project_gets_the_cookies, project=GATEWAY, **told)
    assert warning.id == "portal.W001"


def test_registry_and_folders_that_differ_stop_the_start(settings, monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setattr(checks, "SOURCE_ROOT", tmp_path)
    for app in (*(PROJECT_BY_APP.keys() - {"finance"}), "fleet"):
        (tmp_path / "apps" / app).mkdir(parents=True)
        (tmp_path / "apps" / app / "settings.py").touch()
    assert check_every_project_has_its_folder in registry.registry.get_checks()
    assert [(each.id, each.msg) for each in messages_of(settings, check_every_project_has_its_folder)] == [
        ("portal.E001", "apps/finance is missing, and the platform registry names it"),
        ("portal.E002", "apps/fleet is no platform of the registry"),
    ]


@pytest.mark.parametrize(
    ("project", "changed", "said"),
    [
        (PORTAL.project, {}, []),
        (
            PORTAL.project,
            {"energy": "https://auth-app.example.com"},
            ["auth_app and energy have the same address, https://auth-app.example.com"],
        ),
        (PORTAL.project, {"finance": "https://operations.example.com"}, []),
        # The gateway looks at the addresses of all.
        (
            GATEWAY,
            {"finance": "https://operations.example.com"},
            ["finance and operations have the same address, https://operations.example.com"],
        ),
    ],
)
def test_two_projects_at_one_address_stop_the_start(
    settings, project, changed: dict[str, str], said: list[str]
) -> None:
    told = {"origins": BELOW_ONE_DOMAIN | changed, "project": project}
    messages = messages_of(settings, check_every_project_has_its_own_address, **told)
    assert [(message.id, message.msg) for message in messages] == [("portal.E006", each) for each in said]
    if project is GATEWAY:
        assert messages[0].hint == "set APP_PUBLIC_FINANCE_APP_URL or APP_PUBLIC_OPERATIONS_APP_URL to another one"


@pytest.mark.parametrize(
    ("origins", "debug", "named"),
    [
        (LOCAL, True, ""),
        (LOCAL | {"energy": "http://energy.localhost:8001", GATEWAY.app: "http://[::1]:8000"}, True, ""),
        (BELOW_ONE_DOMAIN, False, ""),
        (BELOW_ONE_DOMAIN, True, "https://auth-app.example.com and https://energy.example.com"),
        (LOCAL | {GATEWAY.app: "http://192.168.1.9:8000"}, True, "http://192.168.1.9:8000"),
    ],
)
def test_debug_at_an_address_of_others_is_warned_of(settings, origins: dict[str, str], debug: bool, named: str) -> None:
    messages = messages_of(settings, check_debug_stays_on_this_machine, origins=origins, debug=debug)
    assert [message.msg for message in messages] == (
        [f"DEBUG is on at {named}: each user can see code and variables of an error"] if named else []
    )


KEYS = "https://id.example.com/keys"


@pytest.mark.parametrize(
    ("verification", "missing"),
    [
        ({"jwks_url": KEYS}, "APP_JWT_ISSUER and APP_JWT_AUDIENCE"),
        ({"jwks_url": KEYS, "issuer": "https://id.example.com"}, "APP_JWT_AUDIENCE"),
        ({"jwks_url": KEYS, "audience": "api"}, "APP_JWT_ISSUER"),
        ({"jwks_url": KEYS, "audience": "api", "issuer": "https://id.example.com"}, ""),
        ({"key": "a key that the backend alone has, and no other service"}, ""),
        ({}, ""),
    ],
)
def test_a_key_set_without_issuer_or_audience_is_warned_of(
    settings, verification: dict[str, str], missing: str
) -> None:
    verified = TokenVerification(**verification)
    messages = messages_of(settings, check_a_key_sets_tokens_are_told_apart, verification=verified)
    assert [message.msg.partition(" is set without ")[2].partition(":")[0] for message in messages] == (
        [missing] if missing else []
    )


@pytest.mark.parametrize(
    ("verification", "ids"),
    [
        ({"key": "-----BEGIN PUBLIC KEY-----\\nnone", "algorithms": ("RS256",)}, ["portal.E003"]),
        ({"key": "a secret, where a public key is needed", "algorithms": ("ES256",)}, ["portal.E003"]),
        ({"key": "a secret that is long enough for HS256", "algorithms": ("HS256",)}, []),
        ({}, []),
    ],
)
def test_a_key_that_no_worker_could_start_with_stops_the_start(
    settings, verification: dict[str, Any], ids: list[str]
) -> None:
    verified = TokenVerification(**verification)
    messages = messages_of(settings, check_the_key_fits_its_algorithms, verification=verified)
    assert [message.id for message in messages] == ids
    assert all("APP_JWT_KEY should be a key for" in message.msg for message in messages)
    assert check_the_key_fits_its_algorithms in registry.registry.registered_checks
