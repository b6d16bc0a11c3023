"""The platform registry, and what follows from it."""

from __future__ import annotations

from portal.config.locales import LOCALES
from portal.config.platforms import PLATFORMS
from portal.config.projects import GATEWAY, PROJECTS


def test_the_first_platforms_stand_in_the_order_of_the_requirements_with_its_permissions_and_prefixes() -> None:
    assert [(p.name, p.permission, p.prefix) for p in PLATFORMS[:3]] == [
        ("ENERGY", "ENERGY_APP", "/energy"),
        ("OPERATIONS", "OPERATIONS_APP", "/operations"),
        ("FINANCE", "FINANCE_APP", "/finance"),
    ]


def test_no_two_platforms_share_a_name_a_permission_a_prefix_or_a_folder() -> None:
    for values in zip(*((p.name, p.permission, p.prefix, p.app) for p in PLATFORMS), strict=True):
        assert len(set(values)) == len(PLATFORMS)


def test_no_prefix_is_a_language() -> None:
    assert {platform.prefix for platform in PLATFORMS} & {f"/{locale}" for locale in LOCALES} == set()


def test_the_projects_are_the_gateway_and_then_each_platform_on_the_next_port() -> None:
    apps = ["auth_app", *(platform.app for platform in PLATFORMS)]
    assert [(p.app, p.port_offset) for p in PROJECTS] == [(app, place) for place, app in enumerate(apps)]
    assert GATEWAY.url_variable == "APP_PUBLIC_GATEWAY_APP_URL"
    assert PROJECTS[1].url_variable == "APP_PUBLIC_ENERGY_APP_URL"
