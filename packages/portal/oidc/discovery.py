"""Reads the discovery document, in which the provider publishes its endpoints (OpenID Connect Discovery 1.0)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from portal.errors import ApiMalformedError

if TYPE_CHECKING:
    from portal.config.portal_config import OidcProvider

DISCOVERY_PATH: Final = "/.well-known/openid-configuration"
#: Accepted signatures. Never `none`, and no shared secret: the client's secret signs nothing.
ALGORITHMS: Final = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512")


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderMetadata:
    """The part of the discovery document that is used. An endpoint that the provider lacks is empty.

    :param algorithms: the accepted ones of those with which the provider signs.
    :param auth_method: how the client authenticates: `none`, `client_secret_basic` or `client_secret_post`.
    :param names_itself: whether the callback carries `iss` (RFC 9207).
    """

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    end_session_endpoint: str
    revocation_endpoint: str
    algorithms: tuple[str, ...]
    auth_method: str
    names_itself: bool


def read_metadata(document: object, *, provider: OidcProvider) -> ProviderMetadata:
    """Check the discovery document (OpenID Connect Discovery, section 4.3). Pure.

    :raises ApiMalformedError: it is another issuer's, or lacks something that a sign-in needs.
    """
    issuer = document.get("issuer") if isinstance(document, dict) else None
    # The environment's addresses are read without a slash at the end; an issuer's name may have one.
    if not isinstance(document, dict) or not isinstance(issuer, str) or issuer.removesuffix("/") != provider.issuer:
        raise ApiMalformedError("discovery gave another issuer than APP_OIDC_ISSUER")
    schemes = {"https"} if provider.issuer.startswith("https://") else {"https", "http"}

    def endpoint(name: str, *, required: bool) -> str:
        value = document.get(name)
        if isinstance(value, str) and _is_url(value, schemes=schemes):
            return value
        if required or value is not None:
            raise ApiMalformedError(f"discovery gave no usable {name}")
        return ""

    def names(name: str, default: list[str]) -> list[str]:
        value = document.get(name)
        return value if isinstance(value, list) else default

    algorithms = tuple(name for name in ALGORITHMS if name in names("id_token_signing_alg_values_supported", ["RS256"]))
    if not algorithms:
        raise ApiMalformedError("the provider signs with nothing that is accepted")
    methods = names("token_endpoint_auth_methods_supported", ["client_secret_basic"])
    basic = "client_secret_basic" in methods or "client_secret_post" not in methods
    return ProviderMetadata(
        issuer=issuer,
        authorization_endpoint=endpoint("authorization_endpoint", required=True),
        token_endpoint=endpoint("token_endpoint", required=True),
        jwks_uri=endpoint("jwks_uri", required=True),
        end_session_endpoint=endpoint("end_session_endpoint", required=False),
        revocation_endpoint=endpoint("revocation_endpoint", required=False),
        algorithms=algorithms,
        auth_method=("client_secret_basic" if basic else "client_secret_post") if provider.client_secret else "none",
        names_itself=document.get("authorization_response_iss_parameter_supported") is True,
    )


def _is_url(value: str, *, schemes: set[str]) -> bool:
    try:
        parts = urlsplit(value)
        return value.isprintable() and parts.scheme in schemes and bool(parts.netloc) and parts.port != 0
    except ValueError:
        return False
