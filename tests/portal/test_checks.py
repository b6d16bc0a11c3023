"""System checks that concern the whole house."""

from __future__ import annotations

from dataclasses import replace

import pytest

from portal.checks import check_every_project_gets_the_cookies
from portal.config.projects import GATEWAY, PROJECT_BY_APP
from tests.settings import PORTAL

LOCAL = {app: f"http://localhost:{port}" for port, app in enumerate(PROJECT_BY_APP, start=8000)}
BELOW_ONE_DOMAIN = {app: f"https://{app.replace('_', '-')}.example.com" for app in PROJECT_BY_APP}


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
    ],
)
def test_hosts_that_do_not_share_the_sign_in_cookies_are_named(
    settings, origins: dict[str, str], cookie_domain: str, strangers: str
) -> None:
    settings.PORTAL = replace(PORTAL, origins=origins, cookie_domain=cookie_domain)
    messages = check_every_project_gets_the_cookies(None)
    assert [message.msg.partition(" do not share")[0] for message in messages] == ([strangers] if strangers else [])


def test_a_platforms_project_need_not_know_where_the_others_are(settings) -> None:
    """Only the gateway leads to them (contract, section 3)."""
    origins = BELOW_ONE_DOMAIN | {"finance": "http://localhost:8003"}
    settings.PORTAL = replace(PORTAL, origins=origins, cookie_domain="example.com")
    assert check_every_project_gets_the_cookies(None) == []
    settings.PORTAL = replace(settings.PORTAL, project=GATEWAY)
    assert [message.id for message in check_every_project_gets_the_cookies(None)] == ["portal.W001"]
