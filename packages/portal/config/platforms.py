"""The platform registry: the one place where a product platform is named.

Source: requirements, "Platform (type TPlatform)". Order matters: it decides the primary platform.
A new platform is one line here and one folder below `apps/`; `./manage.py startplatform` writes both.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

#: A platform's name, as it stands in claims, in the platforms cookie and in `PLATFORMS`.
TPlatform: TypeAlias = str


class Platform(NamedTuple):
    """One product platform. No dataclass: those import a megabyte, into the parent of each server's workers.

    :param name: the registry's name, upper case.
    :param permission: the permission string that opens it; matched exactly.
    :param prefix: first path segment after the locale, with its leading slash.
    :param app: folder below `apps/`, and the host name below a shared cookie domain.
    """

    name: TPlatform
    permission: str
    prefix: str
    app: str


PLATFORMS: tuple[Platform, ...] = (
    Platform(name="ENERGY", permission="ENERGY_APP", prefix="/energy", app="energy"),
    Platform(name="OPERATIONS", permission="OPERATIONS_APP", prefix="/operations", app="operations"),
    Platform(name="FINANCE", permission="FINANCE_APP", prefix="/finance", app="finance"),
)

PLATFORM_BY_NAME: dict[TPlatform, Platform] = {platform.name: platform for platform in PLATFORMS}
PLATFORM_BY_PREFIX: dict[str, Platform] = {platform.prefix: platform for platform in PLATFORMS}
