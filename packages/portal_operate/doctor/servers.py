"""Servers that the portal calls: the backend, the key set, the OpenID provider."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from http import HTTPStatus
from typing import TYPE_CHECKING, Final

from django.core.checks import CheckMessage

from portal.api import jwks_keys, read_keys
from portal.config.portal_config import PortalConfig
from portal.errors import ConfigurationError
from portal.identity import TokenVerifier, make_verifier, use_key_source, why_not_verified
from portal.rows import read_json
from portal_operate.doctor.findings import Patient, clock, error, ok, warning
from portal_operate.probe import Probe, probe_url

if TYPE_CHECKING:
    import jwt


#: A clock that differs by more than this is worth a look, seconds. The header `Date` has whole ones.
_CLOCK_WARNING_S: Final = 5.0
#: What to do when a step fails.
_REMEDIES: Final = {
    "DNS": "correct the name in {}, or this machine's DNS",
    "TCP": "start that server, or open the way to it: address, port, firewall, proxy",
    "TLS": "APP_API_CA_FILE for an authority of your own, or a certificate for this name",
    "HTTP": "ask who runs that server; APP_API_READ_TIMEOUT_S is how long an answer may take",
}


def look_at_backend(patient: Patient) -> Iterator[CheckMessage]:
    """Try GET `/me` without a token, which the backend should refuse."""
    probe = probe_url(f"{patient.config.api_base_url}/me", config=patient.config)
    yield from _steps("backend", probe, "APP_PUBLIC_API_BASE_URL")
    subject, seen = "backend answer", f"GET /me without a token is answered {probe.status}"
    match probe.status:
        case None:
            return
        case HTTPStatus.UNAUTHORIZED:
            yield ok(subject, f"{seen}, as it should be")
        case HTTPStatus.NOT_FOUND:
            yield error(subject, seen, "correct the path in APP_PUBLIC_API_BASE_URL")
        case status if status < HTTPStatus.BAD_REQUEST:
            yield error(subject, seen, "it should be 401: is a page there in place of the API?")
        case status if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            yield error(subject, seen, "ask who runs the backend")
        case _:
            yield warning(subject, seen, "it should be 401: a token that is refused is renewed after a 401 alone")


def look_at_key_set(patient: Patient) -> Iterator[CheckMessage]:
    """Check the key that is configured, or those at the configured address; and the token that is given, by them."""
    config, verification = patient.config, patient.config.verification
    if config.oidc.opaque_access_tokens:
        yield ok("keys", "access tokens are opaque: the backend alone reads them")
        return
    if not verification.enabled:
        yield ok("keys", "tokens are decoded only")
        return
    try:
        verifier = make_verifier(verification)
    except ConfigurationError as fault:
        yield error("keys", str(fault), "APP_JWT_KEY and APP_JWT_ALGORITHMS belong together")
        return
    if verification.key:
        kind = "a public key" if "-----BEGIN" in verification.key else f"a secret of {len(verification.key)} characters"
        yield ok("keys", f"{kind}, for {', '.join(verification.algorithms)}")
    else:
        yield from _key_set(config)
    if patient.access is not None and verifier is not None:
        yield from _token(patient.access, config, verifier)
    yield ok("issuer and audience", f"{verification.issuer or 'not checked'}, {verification.audience or 'not checked'}")


def look_at_provider(patient: Patient) -> Iterator[CheckMessage]:
    """Hold the provider's description of itself against the configuration."""
    issuer = patient.config.oidc.issuer
    if not patient.config.oidc.enabled:
        yield ok("OpenID provider", "none: people sign in with a password")
        return
    probe = probe_url(f"{issuer}/.well-known/openid-configuration", config=patient.config)
    yield from _steps("OpenID provider", probe, "APP_OIDC_ISSUER")
    if probe.status is None:
        return
    document = None
    with suppress(ValueError):
        document = read_json(probe.body)
    if probe.status != HTTPStatus.OK or not isinstance(document, dict):
        remedy = "APP_OIDC_ISSUER should be the address before /.well-known/openid-configuration"
        yield error("OpenID discovery", f"answered {probe.status} with {probe.content_type}", remedy)
        return
    needed = ("authorization_endpoint", "token_endpoint", "jwks_uri")
    missing = ", ".join(name for name in needed if not document.get(name))
    own = str(document.get("issuer", ""))
    if own.rstrip("/") != issuer.rstrip("/"):
        yield error("OpenID issuer", f"it calls itself {own}", "set APP_OIDC_ISSUER to exactly that")
    elif missing:
        yield error("OpenID discovery", f"it names no {missing}", "ask who runs the provider")
    else:
        yield ok("OpenID discovery", f"issuer {own}")


def _key_set(config: PortalConfig) -> Iterator[CheckMessage]:
    probe = probe_url(config.verification.jwks_url, config=config)
    yield from _steps("key set", probe, "APP_JWT_JWKS_URL")
    if probe.status is None:
        return
    if probe.status != HTTPStatus.OK:
        yield error("key set", f"answered {probe.status}", "correct the path in APP_JWT_JWKS_URL")
        return
    try:
        keys = read_keys(probe.body)
    except ValueError:
        yield error("key set", f"no JWKS document with a usable key ({probe.content_type})", "correct APP_JWT_JWKS_URL")
        return
    algorithms = config.verification.algorithms
    told = ", ".join(f"{key.key_id or 'without an id'} ({key.algorithm_name})" for key in keys)
    if any(_fits(key, algorithms) for key in keys):
        yield ok("key set", f"{len(keys)} keys: {told}")
    else:
        remedy = "set APP_JWT_ALGORITHMS to what the backend signs with"
        yield error("key set", f"no key for {', '.join(algorithms)}: {told}", remedy)


def _token(access: str, config: PortalConfig, verifier: TokenVerifier) -> Iterator[CheckMessage]:
    verification = config.verification
    if verification.jwks_url:
        keys = jwks_keys(config)
        if not keys.fetch_now():
            return
        use_key_source(keys)
    variable = "APP_JWT_KEY" if verification.key else "APP_JWT_JWKS_URL"
    if reason := why_not_verified(access, verification, verifier):
        remedy = f"set {variable}, or the variable that is named, to the backend's; decode_token says more"
        yield error("token", f"the edge does not accept it: {reason}", remedy)
    else:
        yield ok("token", f"it is signed with {'a key of ' if verification.jwks_url else ''}{variable}")


def _fits(key: jwt.PyJWK, algorithms: tuple[str, ...]) -> bool:
    families = {"RSA": ("RS", "PS"), "EC": ("ES",), "OKP": ("Ed",)}.get(str(key.key_type), ())
    return any(name.startswith(families) for name in algorithms) if families else False


def _steps(subject: str, probe: Probe, variable: str) -> Iterator[CheckMessage]:
    """Give a message for each step that was reached, and for the clock."""
    for step, took_ms in probe.times_ms.items():
        found = f"{', '.join(probe.addresses)} in " if step == "DNS" else ""
        yield ok(f"{subject} {step}", f"{found}{took_ms:g} ms")
    if probe.failed is not None:
        yield error(f"{subject} {probe.failed}", probe.cause, _REMEDIES[probe.failed].format(variable))
    elif probe.clock_ahead_s is None:
        yield ok(f"{subject} clock", "it does not say its time")
    else:
        yield clock(f"{subject} clock", probe.clock_ahead_s, may_differ_s=_CLOCK_WARNING_S)
