"""How access tokens are verified, and which OpenID provider signs people in."""

from __future__ import annotations

import os
from typing import Final

from portal.config.environment.values import ENV, read_secret, read_url, read_value
from portal.config.portal_config import ClaimMapping, OidcProvider, TokenVerification
from portal.errors import ConfigurationError

#: The shortest key for HS256 (RFC 7518, section 3.2).
_HS256_KEY_BYTES: Final = 32


def read_verification(name: str) -> TokenVerification:
    """How the edge verifies access tokens: `APP_JWT_…`.

    :param name: of the variable with the key.
    :raises ConfigurationError: a value is malformed, or two exclude each other.
    """
    key = read_secret(name, "a key")
    jwks_url = read_url("APP_JWT_JWKS_URL", default="", whole=True) if os.environ.get("APP_JWT_JWKS_URL") else ""
    if key and jwks_url:
        raise ConfigurationError("APP_JWT_KEY and APP_JWT_JWKS_URL exclude each other: one of them should be unset")
    pem = "-----BEGIN" in key
    default = ["RS256", "ES256"] if jwks_url or pem else ["HS256"]
    algorithms = tuple(read_value(ENV.list, "APP_JWT_ALGORITHMS", "algorithm names with commas between", default))
    known = {f"{family}{bits}" for family in ("HS", "RS", "ES", "PS") for bits in (256, 384, 512)} | {"EdDSA"}
    symmetric = {name for name in algorithms if name.startswith("HS")}
    if not algorithms or not set(algorithms) <= known or (symmetric and (jwks_url or pem)):
        # A public key taken as an HMAC secret would let anyone sign.
        raise ConfigurationError(
            "APP_JWT_ALGORITHMS should be names such as RS256 or HS256 with commas between, HS… only with a secret"
        )
    if symmetric and key and len(key.encode()) < _HS256_KEY_BYTES:
        raise ConfigurationError("APP_JWT_KEY should be at least 32 bytes long for HS256")
    return TokenVerification(
        key=key,
        jwks_url=jwks_url,
        algorithms=algorithms if key or jwks_url else (),
        issuer=ENV.str("APP_JWT_ISSUER", ""),
        audience=ENV.str("APP_JWT_AUDIENCE", ""),
    )


def read_oidc(name: str) -> OidcProvider:
    """The OpenID provider: `APP_OIDC_…`.

    :param name: of the variable with its address.
    :raises ConfigurationError: a value is missing or malformed.
    """
    if not os.environ.get(name, "").strip():
        return OidcProvider()
    client_id = ENV.str("APP_OIDC_CLIENT_ID", "")
    if not client_id:
        raise ConfigurationError("APP_OIDC_CLIENT_ID is missing: it should be this app's client id at APP_OIDC_ISSUER")
    scopes = ENV.str("APP_OIDC_SCOPES", "openid profile email offline_access").replace(",", " ").split()
    if "openid" not in scopes:
        raise ConfigurationError("APP_OIDC_SCOPES should name openid")
    return OidcProvider(
        issuer=read_url(name, default=None, path=True),
        client_id=client_id,
        client_secret=read_secret("APP_OIDC_CLIENT_SECRET", "a secret"),
        scopes=tuple(scopes),
        mapping=_claim_mapping(),
    )


def _claim_mapping() -> ClaimMapping:
    """`groups: staff=ENERGY_APP, accounts=FINANCE_APP`: a claim, and what its values permit."""
    text = ENV.str("APP_OIDC_PERMISSIONS", "").strip()
    if not text:
        return ClaimMapping()
    claim, _, rest = (part.strip() for part in text.partition(":"))
    pairs = [tuple(part.strip() for part in pair.partition("=")) for pair in rest.split(",")]
    if not claim or any(not all(pair) or "=" in pair[-1] for pair in pairs):
        raise ConfigurationError(
            "APP_OIDC_PERMISSIONS should be a claim and what its values permit, "
            "such as groups: staff=ENERGY_APP, accounts=FINANCE_APP"
        )
    return ClaimMapping(claim=claim, permissions=tuple((value, permission) for value, _, permission in pairs))
