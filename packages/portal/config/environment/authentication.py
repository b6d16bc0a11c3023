"""How access tokens are verified, and which OpenID provider signs people in."""

import os
import re
from collections.abc import Collection
from typing import Final
from urllib.parse import parse_qsl

from portal.config.environment.values import read_choice, read_secret, read_text, read_url, read_words
from portal.config.portal_config import ClaimMapping, OidcProvider, TokenVerification
from portal.errors import ConfigurationError

#: The shortest key for HS256 (RFC 7518, section 3.2).
_HS256_KEY_BYTES: Final = 32
#: What the portal itself says in an authorization request. A request object would say it again.
_OWN_AUTHORIZE_PARAMS: Final = frozenset(
    {"response_type", "response_mode", "client_id", "redirect_uri", "scope", "state", "nonce", "ui_locales"}
    | {"code_challenge", "code_challenge_method", "request", "request_uri"}
)
#: The same of a token request. `scope` is free: Entra ID wants it with each refresh.
_OWN_TOKEN_PARAMS: Final = frozenset(
    {"grant_type", "code", "redirect_uri", "code_verifier", "refresh_token"}
    | {"client_id", "client_secret", "client_assertion", "client_assertion_type"}
)


def read_verification(name: str) -> TokenVerification:
    """How the edge verifies access tokens: `APP_JWT_…`.

    :param name: of the variable with the key.
    :raises ConfigurationError: a value is malformed, or two exclude each other.
    """
    key = read_secret(name, "a key")
    jwks_url = read_url("APP_JWT_JWKS_URL", default="", whole=True) if read_text("APP_JWT_JWKS_URL") else ""
    if key and jwks_url:
        raise ConfigurationError("APP_JWT_KEY and APP_JWT_JWKS_URL exclude each other: one of them should be unset")
    pem = "-----BEGIN" in key
    algorithms = read_words("APP_JWT_ALGORITHMS") or (("RS256", "ES256") if jwks_url or pem else ("HS256",))
    known = {f"{family}{bits}" for family in ("HS", "RS", "ES", "PS") for bits in (256, 384, 512)} | {"EdDSA"}
    symmetric = {name for name in algorithms if name.startswith("HS")}
    if not set(algorithms) <= known or (symmetric and (jwks_url or pem)):
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
        issuer=read_text("APP_JWT_ISSUER"),
        audience=read_text("APP_JWT_AUDIENCE"),
    )


def read_oidc(name: str) -> OidcProvider:
    """The OpenID provider: `APP_OIDC_…`.

    :param name: of the variable with its address.
    :raises ConfigurationError: a value is missing or malformed.
    """
    if not read_text(name):
        return OidcProvider()
    client_id = read_text("APP_OIDC_CLIENT_ID")
    if not client_id:
        raise ConfigurationError("APP_OIDC_CLIENT_ID is missing: it should be this app's client id at APP_OIDC_ISSUER")
    scopes = read_text("APP_OIDC_SCOPES", "openid profile email offline_access").replace(",", " ").split()
    if "openid" not in scopes:
        raise ConfigurationError("APP_OIDC_SCOPES should name openid")
    authorize_params = _params(
        "APP_OIDC_AUTHORIZE_PARAMS", "audience=https://api.example.com&acr_values=mfa", own=_OWN_AUTHORIZE_PARAMS
    )
    token_params = _params("APP_OIDC_TOKEN_PARAMS", "scope=openid offline_access api://app/read", own=_OWN_TOKEN_PARAMS)
    if "resource" not in dict(token_params):
        # RFC 8707, section 2.2: else a provider may issue the token for something else.
        token_params += tuple(pair for pair in authorize_params if pair[0] == "resource")
    return OidcProvider(
        issuer=read_url(name, default=None, path=True),
        client_id=client_id,
        client_secret=read_secret("APP_OIDC_CLIENT_SECRET", "a secret"),
        scopes=tuple(scopes),
        mapping=_claim_mapping(),
        authorize_params=authorize_params,
        token_params=token_params,
        opaque_access_tokens=_access_tokens_are_opaque(),
    )


def _params(name: str, example: str, *, own: Collection[str]) -> tuple[tuple[str, str], ...]:
    """Parameters of a request, written as a query."""
    text = read_text(name).removeprefix("?")
    if not text:
        return ()
    should_be = f"{name} should be parameters as in a query, such as {example}"
    try:
        pairs = parse_qsl(text, keep_blank_values=True, strict_parsing=True, errors="strict")
    except ValueError as error:
        raise ConfigurationError(should_be) from error
    if not all(word and word.isprintable() for pair in pairs for word in pair):
        raise ConfigurationError(should_be)
    for key, _ in pairs:
        if key in own:
            instead = ": APP_OIDC_SCOPES has the scopes" if key == "scope" else ", which the portal itself sets"
            raise ConfigurationError(f"{name} should be without {key}{instead}")
    return tuple(pairs)


def _access_tokens_are_opaque() -> bool:
    """Whether access tokens say nothing to the portal.

    :raises ConfigurationError: another variable says what is read from them.
    """
    name = "APP_OIDC_ACCESS_TOKENS"
    if read_choice(name, ("jwt", "opaque")) == "jwt":
        return False
    for other, value in sorted(os.environ.items()):
        if value.strip() and (other == "APP_OIDC_PERMISSIONS" or other.startswith("APP_JWT_")):
            raise ConfigurationError(f"{name}=opaque and {other} exclude each other: nothing is read of such a token")
    return True


def _claim_mapping() -> ClaimMapping:
    """`groups: staff=ENERGY_APP, accounts=FINANCE_APP`: a claim, and what its values permit.

    The claim is one word, and may be an address or a URN: it ends at its last colon before a blank or the first `=`.
    """
    text = read_text("APP_OIDC_PERMISSIONS")
    if not text:
        return ClaimMapping()
    found = re.fullmatch(r"([^\s=]+)\s*:(.*)", text)
    claim, rest = found.groups() if found else ("", "")
    pairs = [tuple(part.strip() for part in pair.partition("=")) for pair in rest.split(",")]
    if not claim or any(not all(pair) or "=" in pair[-1] for pair in pairs):
        raise ConfigurationError(
            "APP_OIDC_PERMISSIONS should be a claim and what its values permit, "
            "such as groups: staff=ENERGY_APP, accounts=FINANCE_APP"
        )
    return ClaimMapping(claim=claim, permissions=tuple((value, permission) for value, _, permission in pairs))
