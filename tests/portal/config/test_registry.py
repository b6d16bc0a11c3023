"""The platform registry, and what follows from it."""

from __future__ import annotations

from portal.config.platforms import PLATFORMS
from portal.config.projects import GATEWAY, PROJECTS


def test_the_platforms_stand_in_the_documents_order_with_its_permissions_and_prefixes() -> None:
    assert [(p.name, p.permission, p.prefix) for p in PLATFORMS] == [
        ("ENERGY", "ENERGY_APP", "/energy"),
        ("OPERATIONS", "OPERATIONS_APP", "/operations"),
        ("FINANCE", "FINANCE_APP", "/finance"),
    ]


def test_the_projects_are_the_gateway_and_then_each_platform_on_the_next_port() -> None:
    assert [(p.app, p.port_offset) for p in PROJECTS] == [
        ("auth_app", 0),
        ("energy", 1),
        ("operations", 2),
        ("finance", 3),
    ]
    assert GATEWAY.url_variable == "APP_PUBLIC_GATEWAY_APP_URL"
    assert PROJECTS[1].url_variable == "APP_PUBLIC_ENERGY_APP_URL"
