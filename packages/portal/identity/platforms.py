"""The platforms that a user may open: from permission strings, and from the cookie VAR_PERMITTED_PLATFORMS.

Sources: requirements, "Platform (type TPlatform)"; contract, section 4. The cookie carries the platforms of the last
`GET /me` to the edge.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from portal.config.contract_names import PROFILE_PERMISSIONS_FIELD
from portal.config.cookies import MAX_PLATFORMS_COOKIE_CHARS
from portal.config.platforms import PLATFORMS

if TYPE_CHECKING:
    from portal.config.platforms import TPlatform

_ESCAPED = re.compile(r"\\(.)", re.DOTALL)


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


def parse_platforms_cookie(raw: str | None) -> tuple[TPlatform, ...]:
    """The platforms in a cookie's value, in the registry's order.

    The percent-encoded, the plain and the quoted form are read. Any other value, or a longer one, counts as empty;
    members that are not a platform are dropped.
    """
    if not raw or len(raw) > MAX_PLATFORMS_COOKIE_CHARS:
        return ()
    value = unquote(raw) if "%" in raw else raw
    if len(value) > 1 and value[0] == value[-1] == '"':
        value = _ESCAPED.sub(r"\1", value[1:-1])
        # RFC 6265 allows quotes around a percent-encoded value.
        value = unquote(value) if "%" in value else value
    try:
        members = json.loads(value)
    except (ValueError, RecursionError):
        return ()
    return in_registry_order(members) if isinstance(members, list) else ()


@lru_cache(maxsize=64)
def dump_platforms_cookie(platforms: tuple[TPlatform, ...]) -> str:
    """The cookie's value: a percent-encoded JSON array in the registry's order. Every page compares it."""
    return quote(json.dumps(in_registry_order(platforms), separators=(",", ":")), safe="")
