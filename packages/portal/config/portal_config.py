"""The configuration of one project: frozen values, which `portal.config.environment` reads once at start."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from secrets import token_urlsafe
from typing import Any, Protocol

from portal.config.limits import CONNECT_TIMEOUT_S, READ_TIMEOUT_S, REQUEST_BUDGET_S, SIGN_IN_MAX_AGE_S, STORE_MAX_MB
from portal.config.places import STATE_DIR
from portal.config.projects import GATEWAY, Project


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenVerification:
    """How access tokens are verified at the edge; with neither key nor JWKS they are only decoded."""

    key: str = field(default="", repr=False)
    jwks_url: str = ""
    algorithms: tuple[str, ...] = ()
    issuer: str = ""
    audience: str = ""

    @property
    def enabled(self) -> bool:
        """Whether signatures are checked."""
        return bool(self.key or self.jwks_url)

    @property
    def unset_claims(self) -> list[str]:
        """The variables of the issuer and the audience that are unset, so that the claim is not checked."""
        values = {"APP_JWT_ISSUER": self.issuer, "APP_JWT_AUDIENCE": self.audience}
        return [name for name, value in values.items() if not value]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimMapping:
    """Permissions from a claim of the provider's own: its groups or roles, say (`APP_OIDC_PERMISSIONS`).

    :param claim: its name; empty where tokens carry permissions as they are.
    :param permissions: a value of the claim, and the permission that it gives; a value may give several.
    """

    claim: str = ""
    permissions: tuple[tuple[str, str], ...] = ()


class ReadsClaims(Protocol):
    """What the layers below `portal.api` ask the backend's class (:class:`portal.api.backend.Backend`)."""

    def read_claims(self, claims: Mapping[str, Any]) -> Mapping[str, Any]:
        """The payload of an access token, by the contract's names."""
        ...


@dataclass(frozen=True, kw_only=True)
class OidcProvider:
    """The OpenID provider that replaces the password form; `issuer` is empty where there is none.

    :param authorize_params: what the authorization request carries beside the portal's own parameters.
    :param token_params: what the token requests carry beside them, for a code and for a refresh token.
    :param opaque_access_tokens: nothing is read from access tokens (`APP_OIDC_ACCESS_TOKENS`).
    """

    issuer: str = ""
    client_id: str = ""
    client_secret: str = field(default="", repr=False)
    scopes: tuple[str, ...] = ("openid",)
    mapping: ClaimMapping = ClaimMapping()
    authorize_params: tuple[tuple[str, str], ...] = ()
    token_params: tuple[tuple[str, str], ...] = ()
    opaque_access_tokens: bool = False

    @cached_property
    def enabled(self) -> bool:
        """Whether sign-in and refresh go to this provider."""
        return bool(self.issuer)


@dataclass(frozen=True, kw_only=True)
class PortalConfig:
    """All that one project's process knows about its surroundings. A field that can't be read has its default.

    :param origins: project folder to its origin (`scheme://host[:port]`, no slash at the end).
    :param api_base_url: backend address, without a slash at the end.
    :param cookie_domain: shared parent domain of the cookies; empty on localhost.
    :param state_dir: private folder that all processes on this machine share.
    :param cache_url: `redis://…` of what is cached; empty for the embedded store in `state_dir`.
    :param refresh_cache_url: `redis://…` of what the refresh shares; the same as `cache_url` unless it has its own.
    :param store_max_mb: size of each file of the embedded store, in 1,048,576 bytes.
    :param log_format: one of `portal.config.log_lines.LOG_FORMATS`.
    :param audit_log: `stderr`, `off`, or the absolute path of a file.
    :param audit_key: the key under which the names that people enter are hashed for the audit log.
    :param traces_to: address of the OpenTelemetry collector; empty for no traces.
    :param api_ca_file: PEM file of authorities that are trusted beside the public ones, for all calls.
    :param backend: an object of the class in `APP_BACKEND`; None for the contract's shapes. `current_backend` of
        `portal.api` gives it with all of its methods.
    :param offers: names of the optional calls and parameters that the backend has; None where nobody has declared it.
    :param request_budget_s: seconds that the backend calls of one request have together.
    :param offers_password_reset: whether the backend sends mails to who has forgotten the password.
    :param honours_idempotency_key: whether the backend does what has a known `Idempotency-Key` only once. If not, what
        has no answer is not sent again (contract, section 8).
    :param forwards_browser: whether calls carry the browser's address and its `User-Agent`.
    :param security_contacts: URIs of those who take reports of weaknesses, for `security.txt`.
    :param debug_toolbar: whether pages carry django-debug-toolbar; in `DEBUG` only.
    """

    project: Project
    origins: Mapping[str, str]
    state_dir: Path = STATE_DIR
    debug: bool = False
    #: A random one is for commands that tell what is wrong: no process serves with it.
    secret_key: str = field(default_factory=token_urlsafe, repr=False)
    allowed_hosts: tuple[str, ...] = ()
    api_base_url: str = ""
    cookie_domain: str = ""
    cache_url: str = field(default="", repr=False)
    refresh_cache_url: str = field(default="", repr=False)
    store_max_mb: int = STORE_MAX_MB
    behind_proxy: bool = False
    verification: TokenVerification = TokenVerification()
    oidc: OidcProvider = OidcProvider()
    connect_timeout_s: float = CONNECT_TIMEOUT_S
    read_timeout_s: float = READ_TIMEOUT_S
    api_ca_file: Path | None = None
    sign_in_max_age_s: int = SIGN_IN_MAX_AGE_S
    static_root: Path | None = None
    static_shared_dir: Path | None = None
    compiled_templates_dir: Path | None = None
    metrics_token: str = field(default="", repr=False)
    debug_toolbar: bool = False
    log_format: str = "text"
    audit_log: str = "stderr"
    audit_key: str = field(default="", repr=False)
    traces_to: str = field(default="", repr=False)
    backend: ReadsClaims | None = None
    offers: frozenset[str] | None = None
    request_budget_s: float = REQUEST_BUDGET_S
    offers_password_reset: bool = False
    honours_idempotency_key: bool = False
    forwards_browser: bool = False
    security_contacts: tuple[str, ...] = ()

    @cached_property
    def gateway_url(self) -> str:
        """Origin of the gateway."""
        return self.origins[GATEWAY.app]

    @property
    def own_origin(self) -> str:
        """Origin of this project."""
        return self.origins[self.project.app]

    @property
    def known_origins(self) -> dict[str, str]:
        """The origins that concern this project: a platform's and the gateway's; all are the gateway's business."""
        apps = self.origins if self.project.is_gateway else (GATEWAY.app, self.project.app)
        return {app: self.origins[app] for app in apps}

    @property
    def static_shared_folder(self) -> Path | None:
        """Where this project's static files of all releases are; each project has a part of the shared folder."""
        return self.static_shared_dir / self.project.app if self.static_root and self.static_shared_dir else None

    @cached_property
    def secure(self) -> bool:
        """Whether cookies are `Secure`: where the gateway's address is https."""
        return self.gateway_url.startswith("https://")
