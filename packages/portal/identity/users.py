"""The decoded user (requirements, "Decoded user"; contract, section 5, "Authenticated" and "Platforms").

Malformed members of a token count as absent, and a string that is not a token gives None. The token cache checks
the times at each use.
"""

import json
import logging
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from urllib.parse import quote, unquote

import jwt

from portal.config.contract_names import PERMISSION_CLAIMS, PRIMARY_ROLE_CLAIM, PROFILE_PERMISSIONS_FIELD, SUBJECT_CLAIM
from portal.config.cookies import MAX_COOKIE_BYTES, MAX_PLATFORMS_COOKIE_CHARS
from portal.config.platforms import PLATFORM_BY_NAME, PLATFORMS, TPlatform
from portal.config.portal_config import ClaimMapping, ReadsClaims
from portal.identity.verification import NOT_A_TOKEN, TokenVerifier

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


logger = logging.getLogger(__name__)

#: Browsers keep no larger cookie, so a longer token was not set by us. It is not decoded.
MAX_TOKEN_CHARS = MAX_COOKIE_BYTES


@dataclass(frozen=True, slots=True, kw_only=True)
class DecodedUser:
    """A user as the access token describes them.

    :param subject: the claim `sub`, of a number its text; None for anything else.
    :param platforms: permitted by the token, in the registry's order.
    :param primary_role: the platform whose home is this user's home; None without platforms.
    :param permissions: the strings of the permissions claim.
    :param role: the platform that the claim `primaryRole` names, permitted or not.
    :param expires_at: `exp`, in seconds since the epoch; None if the token does not expire.
    :param not_before: `nbf`, in seconds since the epoch; only of verified tokens.
    :param issuer: the claim `iss`; None if absent or not a string.
    """

    subject: str | None
    platforms: tuple[TPlatform, ...]
    primary_role: TPlatform | None
    permissions: tuple[str, ...]
    expires_at: float | None
    role: TPlatform | None = None
    not_before: float | None = None
    issuer: str | None = None


def get_user_from_token(
    token: str,
    *,
    verifier: TokenVerifier | None = None,
    mapping: ClaimMapping | None = None,
    backend: ReadsClaims | None = None,
) -> DecodedUser | None:
    """Decode a token, and verify it if there is a verifier.

    :param mapping: for a provider that has its own claim for permissions.
    :param backend: for a backend whose claims have other names; None for those of the contract.
    :returns: None if the string is not a token, has `alg: none`, or does not verify. An expired token
        still gives its user: see :attr:`DecodedUser.expires_at`.
    """
    if not token or len(token) > MAX_TOKEN_CHARS:
        return None
    try:
        return decode_user(token, verifier=verifier, mapping=mapping, backend=backend)
    except NOT_A_TOKEN:
        return None


def decode_user(
    token: str,
    *,
    verifier: TokenVerifier | None,
    mapping: ClaimMapping | None = None,
    backend: ReadsClaims | None = None,
) -> DecodedUser:
    """Like :func:`get_user_from_token`, with an error that tells the reason.

    :raises NOT_A_TOKEN: one of these errors, if the token is not valid.
    """
    claims: Mapping[str, Any] = verifier.verified_claims(token) if verifier else _decoded_claims(token)
    if backend is not None:
        claims = contract_claims(claims, backend)
    return user_from_claims(claims, verified=verifier is not None, mapping=mapping)


def contract_claims(claims: Mapping[str, Any], backend: ReadsClaims) -> Mapping[str, Any]:
    """A token's payload by the contract's names; as it came, and a line in the log, where the backend's class fails."""
    try:
        found: object = backend.read_claims(claims)
    except Exception as error:  # noqa: BLE001  a team's code; the edge decides all the same
        found = error
    if isinstance(found, Mapping):
        return found
    # The name of the type alone: the text of an error may hold a claim.
    method, what = f"{type(backend).__module__}.{type(backend).__qualname__}.read_claims", type(found).__name__
    logger.error("the claims of a token can't be read: %s should give a dict of claims, not %s", method, what)
    return claims


def user_from_claims(
    claims: Mapping[str, Any], *, verified: bool = False, mapping: ClaimMapping | None = None
) -> DecodedUser:
    """The user in a token's payload, by the contract's names.

    :raises ValueError: a time claim is not a number, so the token's validity is unknown.
    """
    permissions = _permissions(claims, mapping)
    platforms = derive_platforms_from_me(permissions)
    role = claims.get(PRIMARY_ROLE_CLAIM)
    named = role if isinstance(role, str) and role in PLATFORM_BY_NAME else None
    issuer = claims.get("iss")
    return DecodedUser(
        subject=subject_in(claims),
        platforms=platforms,
        primary_role=primary_platform(platforms, role=named),
        permissions=permissions,
        expires_at=_numeric_date(claims, "exp"),
        role=named,
        not_before=_numeric_date(claims, "nbf") if verified else None,
        issuer=issuer if isinstance(issuer, str) else None,
    )


def subject_in(claims: Mapping[str, Any]) -> str | None:
    """Return the claim `sub`, of a number its text; None for anything else."""
    subject = claims.get(SUBJECT_CLAIM)
    return str(subject) if isinstance(subject, str | int) and not isinstance(subject, bool) else None


def _permissions(claims: Mapping[str, Any], mapping: ClaimMapping | None) -> tuple[str, ...]:
    if mapping is not None and mapping.claim:
        held: Any = claims.get(mapping.claim)
        if held is None:  # Keycloak's `realm_access.roles`
            held = claims
            for name in mapping.claim.split("."):
                held = held.get(name) if isinstance(held, Mapping) else None
        # RFC 8693, section 4.2: `scope` is one text.
        values = {held, *held.split()} if isinstance(held, str) else set(permission_strings(held))
        return tuple(permission for value, permission in mapping.permissions if value in values)
    # A claim that is an object counts as empty: it must not be read like a profile.
    return permission_strings(next((claims[name] for name in PERMISSION_CLAIMS if name in claims), None))


def _decoded_claims(token: str) -> dict[str, Any]:
    decoded = jwt.decode_complete(token, options={"verify_signature": False})
    algorithm = decoded["header"].get("alg")
    if not isinstance(algorithm, str) or algorithm.strip().lower() in {"", "none"}:
        raise jwt.InvalidAlgorithmError("a token without a signature is no token")
    claims: dict[str, Any] = decoded["payload"]
    return claims


def _numeric_date(claims: Mapping[str, Any], name: str) -> float | None:
    """RFC 7519, section 2, "NumericDate"; None when the claim is absent."""
    if name not in claims:
        return None
    value = claims[name]
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"the claim {name} is no time")
    return float(value)
