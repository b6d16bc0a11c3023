"""The platform registry, and what follows from it."""

from __future__ import annotations

from portal.config.locales import LOCALES
from portal.config.platforms import PLATFORMS
from portal.config.projects import GATEWAY, PROJECTS


def test_the_first_platforms_are_those_of_the_requirements_and_no_two_share_anything() -> None:
    rows = [(platform.name, platform.permission, platform.prefix, platform.app) for platform in PLATFORMS]
    apps = ("energy", "operations", "finance")
    assert rows[:3] == [(app.upper(), f"{app.upper()}_APP", f"/{app}", app) for app in apps]
    assert all(len(set(column)) == len(rows) for column in zip(*rows, strict=True))
    assert {prefix for _, _, prefix, _ in rows} & {f"/{locale}" for locale in LOCALES} == set()


def test_the_projects_are_the_gateway_and_then_each_platform_on_the_next_port() -> None:
    apps = ["auth_app", *(platform.app for platform in PLATFORMS)]
    assert [(p.app, p.port_offset) for p in PROJECTS] == [(app, place) for place, app in enumerate(apps)]
    assert GATEWAY.url_variable == "APP_PUBLIC_GATEWAY_APP_URL"
    assert PROJECTS[1].url_variable == "APP_PUBLIC_ENERGY_APP_URL"
