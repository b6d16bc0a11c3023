"""The cookie VAR_PERMITTED_PLATFORMS: the platforms of the last `GET /me`, for the edge (contract, section 4)."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from portal.config.cookies import MAX_PLATFORMS_COOKIE_CHARS
from portal.identity.permissions import in_registry_order

if TYPE_CHECKING:
    from collections.abc import Iterable

    from portal.config.platforms import TPlatform

_ESCAPED = re.compile(r"\\(.)", re.DOTALL)


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


def dump_platforms_cookie(platforms: Iterable[TPlatform]) -> str:
    """The cookie's value: a percent-encoded JSON array in the registry's order."""
    return quote(json.dumps(in_registry_order(platforms), separators=(",", ":")), safe="")
