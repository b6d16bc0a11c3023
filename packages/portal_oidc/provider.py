"""The client of the OpenID provider: discovery, keys, addresses, and calls to its endpoints (contract, section 3).

Authlib writes the requests, and :class:`portal.api.transport.Transport` sends them: with a deadline, a body limit, no
redirects and no cookies. Each request has a new connection. A kept connection may break while it carries a code
or a refresh token, and neither may be sent twice.
"""

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final, TypeVar
from urllib.parse import urlsplit

from authlib.common.urls import add_params_to_qs, add_params_to_uri
from authlib.oauth2.auth import ClientAuth
from authlib.oauth2.rfc6749.parameters import prepare_grant_uri, prepare_token_request
from authlib.oauth2.rfc7009 import prepare_revoke_token_request
from authlib.oauth2.rfc7636 import create_s256_code_challenge

from fork_safety import ForkSafeLock
from portal.api import RawResponse, Transport
from portal.config.current import portal_config
from portal.config.portal_config import OidcProvider
from portal.errors import ApiMalformedError, ApiUnavailableError
from portal.process import Deadline
from portal_oidc.id_tokens import Expected, InvalidJwtError, JwtProblem
from portal_oidc.login_attempts import LoginAttempt

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
    if document.get("require_pushed_authorization_requests") is True:
        raise ApiMalformedError("the provider requires pushed authorization requests (RFC 9126), which are not sent")
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


logger = logging.getLogger("portal.oidc.provider")

_Claims = TypeVar("_Claims")

#: How long discovery and keys are cached, and the shortest time between two fetches of the keys, seconds.
METADATA_MAX_AGE_S: Final = 3600.0
KEYS_REFETCH_AFTER_S: Final = 10.0
_FORM: Final = {"Content-Type": "application/x-www-form-urlencoded"}


class OidcClient:
    """One project as a client of the provider. Safe for threads.

    :param clock: seconds, of a clock that only goes forward.
    """

    def __init__(
        self,
        *,
        provider: OidcProvider,
        connect_timeout_s: float,
        read_timeout_s: float,
        ca_file: Path | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.provider = provider
        self._clock = clock
        self._limits = {"connect_timeout_s": connect_timeout_s, "read_timeout_s": read_timeout_s}
        self._ca_file = ca_file
        self._metadata: tuple[float, ProviderMetadata] | None = None
        self._keys: tuple[float, Mapping[str, Any]] | None = None
        self._fetching = ForkSafeLock()

    # --- discovery and keys ---

    def metadata(self, *, deadline: Deadline) -> ProviderMetadata:
        """The provider's endpoints, fetched once an hour. While the provider does not answer, the old ones stay.

        :raises ApiUnavailableError: no usable answer, and none before it.
        """
        known = self._metadata
        if known is not None and self._clock() - known[0] < METADATA_MAX_AGE_S:
            return known[1]
        with self._fetching:
            if self._metadata is not known and self._metadata is not None:
                return self._metadata[1]
            try:
                document = self._get_json(self.provider.issuer + DISCOVERY_PATH, deadline=deadline)
                fresh = read_metadata(document, provider=self.provider)
            except ApiUnavailableError as error:
                if known is None:
                    raise
                logger.warning("provider: discovery failed, the old answer serves on: %s", error)
                fresh = known[1]
            self._metadata = (self._clock(), fresh)
            return fresh

    def keys(self, *, deadline: Deadline, refetch: bool = False) -> Mapping[str, Any]:
        """The provider's key set (RFC 7517), cached for an hour.

        :param refetch: fetch the keys again, unless they are younger than `KEYS_REFETCH_AFTER_S`.
        :raises ApiUnavailableError: no usable answer.
        """
        known = self._keys
        max_age_s = KEYS_REFETCH_AFTER_S if refetch else METADATA_MAX_AGE_S
        if known is not None and self._clock() - known[0] < max_age_s:
            return known[1]
        document = self._get_json(self.metadata(deadline=deadline).jwks_uri, deadline=deadline)
        if not isinstance(document, dict) or not isinstance(document.get("keys"), list):
            raise ApiMalformedError("the provider's key set is none")
        self._keys = (self._clock(), document)
        return document

    def check_token(self, check: Callable[..., _Claims], metadata: ProviderMetadata, *, deadline: Deadline) -> _Claims:
        """Check a token with the provider's keys; if none of them signed it, once more with keys fetched anew.

        :param check: a check of :mod:`portal_oidc.id_tokens` that lacks `keys` and `expected`.
        :raises InvalidJwtError: the token is not accepted.
        :raises ApiUnavailableError: the keys can't be had.
        """
        expected = Expected(issuer=metadata.issuer, client_id=self.provider.client_id, algorithms=metadata.algorithms)
        try:
            return check(keys=self.keys(deadline=deadline), expected=expected)
        except InvalidJwtError as error:
            if error.problem is not JwtProblem.UNKNOWN_KEY:
                raise
        return check(keys=self.keys(deadline=deadline, refetch=True), expected=expected)

    # --- addresses for the browser ---

    def authorization_url(self, metadata: ProviderMetadata, attempt: LoginAttempt, *, redirect_uri: str) -> str:
        """The address where a sign-in starts: code flow with PKCE (S256)."""
        uri = add_params_to_uri(metadata.authorization_endpoint, list(self.provider.authorize_params))
        return str(
            prepare_grant_uri(
                uri,
                client_id=self.provider.client_id,
                response_type="code",
                redirect_uri=redirect_uri,
                scope=" ".join(self.provider.scopes),
                state=attempt.state,
                code_challenge=create_s256_code_challenge(attempt.verifier),
                code_challenge_method="S256",
                nonce=attempt.nonce,
                ui_locales=attempt.locale,
            )
        )

    def end_session_url(self, metadata: ProviderMetadata, *, id_token: str | None, return_to: str) -> str:
        """The address of the provider's sign-out page (RP-Initiated Logout 1.0, section 2)."""
        params = [("client_id", self.provider.client_id), ("post_logout_redirect_uri", return_to)]
        if id_token:
            params.append(("id_token_hint", id_token))
        return str(add_params_to_uri(metadata.end_session_endpoint, params))

    # --- calls; each may raise ApiUnavailableError, whose `was_sent` is True if the provider may have read it ---

    def redeem(
        self, metadata: ProviderMetadata, *, code: str, verifier: str, redirect_uri: str, deadline: Deadline
    ) -> RawResponse:
        """Exchange a code for tokens."""
        body = prepare_token_request("authorization_code", code=code, redirect_uri=redirect_uri, code_verifier=verifier)
        return self._post_for_tokens(metadata, body=body, deadline=deadline)

    def refresh(self, metadata: ProviderMetadata, *, refresh: str, deadline: Deadline) -> RawResponse:
        """Submit a refresh token, once."""
        body = prepare_token_request("refresh_token", refresh_token=refresh)
        return self._post_for_tokens(metadata, body=body, deadline=deadline)

    def revoke(self, metadata: ProviderMetadata, *, refresh: str, deadline: Deadline) -> RawResponse | None:
        """Revoke a refresh token (RFC 7009); None if the provider has no endpoint for it."""
        if not metadata.revocation_endpoint:
            return None
        body, _ = prepare_revoke_token_request(refresh, token_type_hint="refresh_token")  # noqa: S106  a kind
        return self._post(metadata, metadata.revocation_endpoint, body=body, deadline=deadline)

    def _post_for_tokens(self, metadata: ProviderMetadata, *, body: str, deadline: Deadline) -> RawResponse:
        body = add_params_to_qs(body, list(self.provider.token_params))
        return self._post(metadata, metadata.token_endpoint, body=body, deadline=deadline)

    def _post(self, metadata: ProviderMetadata, url: str, *, body: str, deadline: Deadline) -> RawResponse:
        auth = ClientAuth(self.provider.client_id, self.provider.client_secret, metadata.auth_method)
        url, headers, body = auth.prepare("POST", url, dict(_FORM), body)
        return self._send("POST", url, headers=headers, body=body.encode(), deadline=deadline)

    def _get_json(self, url: str, *, deadline: Deadline) -> Any:
        reply = self._send("GET", url, deadline=deadline)
        if reply.status != HTTPStatus.OK:
            raise ApiUnavailableError(f"the provider answered {reply.status}", status=reply.status)
        try:
            return reply.json()
        except ValueError as error:
            raise ApiMalformedError("the provider's answer is no JSON") from error

    def _send(self, method: str, url: str, **options: Any) -> RawResponse:
        with Transport(base_url="", **self._limits, ca_file=self._ca_file, to="provider") as transport:
            return transport.exchange(method=method, target=url, new_connection=True, **options)


_client_of = cache(OidcClient)


def oidc_client() -> OidcClient:
    """The process's client of the configured provider."""
    config = portal_config()
    return _client_of(
        provider=config.oidc,
        connect_timeout_s=config.connect_timeout_s,
        read_timeout_s=config.read_timeout_s,
        ca_file=config.api_ca_file,
    )
