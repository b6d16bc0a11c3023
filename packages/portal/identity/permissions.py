"""From permission strings to platforms (requirements, "Platform (type TPlatform)")."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from portal.config.platforms import PLATFORMS
from portal.config.wire_names import PROFILE_PERMISSIONS_FIELD

if TYPE_CHECKING:
    from portal.config.platforms import TPlatform


def derive_platforms_from_me(permissions: object) -> tuple[TPlatform, ...]:
    """The platforms of these permissions, in the registry's order.

    :param permissions: a profile (the mapping from `GET /me`) or its permissions array. Any other value, and every
        member that is not a string, gives no platform. Strings match exactly.
    """
    if isinstance(permissions, Mapping):
        permissions = permissions.get(PROFILE_PERMISSIONS_FIELD)
    held = frozenset(permission_strings(permissions))
    return tuple(platform.name for platform in PLATFORMS if platform.permission in held)


def permission_strings(permissions: object) -> tuple[str, ...]:
    """The strings in a permissions array; empty if the value is not an array."""
    if not isinstance(permissions, list | tuple):
        return ()
    return tuple(item for item in permissions if isinstance(item, str))


def in_registry_order(names: Iterable[object]) -> tuple[TPlatform, ...]:
    """Those of `names` that are platforms, each once, in the registry's order."""
    known = frozenset(name for name in names if isinstance(name, str))
    return tuple(platform.name for platform in PLATFORMS if platform.name in known)


def primary_platform(platforms: tuple[TPlatform, ...], *, role: TPlatform | None) -> TPlatform | None:
    """The platform whose home is the user's home: `role` if it is permitted, else the first.

    :param platforms: the permitted ones, in the registry's order.
    """
    if role in platforms:
        return role
    return platforms[0] if platforms else None
