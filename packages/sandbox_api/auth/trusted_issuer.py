"""Access tokens of an OpenID provider that the sandbox was told to trust (`SANDBOX_TRUSTED_ISSUER`).

A JWT is verified against the keys that the issuer publishes; of any other token the issuer itself says whose it is, at
its userinfo endpoint. Who the caller is, is looked up here: by the address in the claim `email`, else by `sub`. What
the caller may do is the account's, as always, and not the token's.
"""

from functools import lru_cache
from http import HTTPStatus
from typing import Any

import jwt
import requests
from django.conf import settings

from sandbox_api.auth.models import Account

_ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"]
_TIMEOUT_S = 5
_KEYS_KEPT_S = 3600
_LEEWAY_S = 30
_DOTS_IN_A_JWT = 2


def account_of_trusted_token(*, token: str) -> Account | None:
    """Give the account that a trusted issuer's token names; `None` where it can't be accepted, for whatever reason."""
    issuer = settings.SANDBOX.trusted_issuer
    if not issuer:
        return None
    is_jwt = token.count(".") == _DOTS_IN_A_JWT
    claims = _verified_claims(token=token, issuer=issuer) if is_jwt else _userinfo(token=token, issuer=issuer)
    if claims is None:
        return None
    email = claims.get("email")
    if isinstance(email, str) and email:
        return Account.objects.filter(email=email.lower()).first()
    return Account.objects.filter(id=claims["sub"]).first()


def _verified_claims(*, token: str, issuer: str) -> dict[str, Any] | None:
    try:
        # Nothing of it is believed yet; it spares a look at the issuer's keys for every foreign token.
        unverified = jwt.decode(token, options={"verify_signature": False})
        if unverified.get("iss") != issuer or jwt.get_unverified_header(token).get("alg") not in _ALGORITHMS:
            return None
        key = _keys_of(issuer).get_signing_key_from_jwt(token)
        claims: dict[str, Any] = jwt.decode(
            token,
            key,
            algorithms=_ALGORITHMS,
            issuer=issuer,
            leeway=_LEEWAY_S,
            options={"require": ["sub", "iat", "exp"], "verify_aud": False},
        )
    except (jwt.PyJWTError, requests.RequestException, ValueError, TypeError):
        return None
    # An ID token says who signed in, and opens nothing: it carries the nonce of that sign-in.
    return claims if isinstance(claims["sub"], str) and "nonce" not in claims else None


def _userinfo(*, token: str, issuer: str) -> dict[str, Any] | None:
    """Give the claims of an opaque token; nothing is kept of them, so that a token ends when the issuer says so."""
    try:
        bearer = {"Authorization": f"Bearer {token}"}
        url = _discovered(issuer)["userinfo_endpoint"]
        answer = requests.get(url, headers=bearer, timeout=_TIMEOUT_S, allow_redirects=False)
        claims: Any = answer.json() if answer.status_code == HTTPStatus.OK else None
    except (requests.RequestException, LookupError, ValueError, TypeError):
        return None
    return claims if isinstance(claims, dict) and isinstance(claims.get("sub"), str) else None


@lru_cache(maxsize=4)
def _keys_of(issuer: str) -> jwt.PyJWKClient:
    """Give the issuer's keys, fetched when first asked for and anew for one that is not known.

    :raises requests.RequestException: the issuer does not answer; asked again next time.
    """
    return jwt.PyJWKClient(_discovered(issuer)["jwks_uri"], lifespan=_KEYS_KEPT_S, timeout=_TIMEOUT_S)


@lru_cache(maxsize=4)
def _discovered(issuer: str) -> dict[str, Any]:
    answer = requests.get(f"{issuer}/.well-known/openid-configuration", timeout=_TIMEOUT_S, allow_redirects=False)
    if answer.status_code != HTTPStatus.OK:
        raise requests.HTTPError("no discovery document")
    document: dict[str, Any] = answer.json()
    if document.get("issuer") != issuer:
        raise ValueError("the discovery document is another issuer's")
    return document
