"""Every environment variable, one row each. The reader, the reference page and `.env.example` follow it."""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from enum import Enum
from functools import partial
from typing import Any, Final

from portal.config import limits
from portal.config.environment.authentication import read_oidc, read_verification
from portal.config.environment.offers import read_offers
from portal.config.environment.single_variables import (
    read_allowed_hosts,
    read_audit_key,
    read_audit_log,
    read_backend,
    read_backend_url,
    read_ca_file,
    read_cache_url,
    read_cookie_domain,
    read_debug_toolbar,
    read_origin,
    read_otlp,
    read_port_base,
    read_secret_key,
)
from portal.config.environment.values import (
    read_choice,
    read_contacts,
    read_path,
    read_seconds,
    read_secret,
    read_switch,
    read_whole_number,
)
from portal.config.log_lines import LOG_FORMATS
from portal.config.places import STATE_DIR
from portal.config.projects import GATEWAY, PROJECTS


class Secrecy(Enum):
    """What of a value may be shown."""

    #: All of it.
    OPEN = "open"
    #: It is an address, and all but its user and password may be shown.
    HAS_PASSWORD = "has a password"  # noqa: S105  a word of this list, no password
    #: Nothing.
    SECRET = "secret"  # noqa: S105  a word of this list


class VariablePart(Enum):
    """The parts of the list, in the order of the page; each value is the part's heading."""

    START = "What every server needs"
    ADDRESSES = "Addresses"
    BACKEND = "Calls to the backend"
    STORE = "The shared store"
    TOKENS = "Access tokens"
    SIGN_IN = "Sign-in"
    LOG = "Log and metrics"
    PROCESS = "Folders and ports of this machine"


@dataclass(frozen=True, slots=True)
class Variable:
    """One environment variable. Texts are Markdown, with links as from `docs/reference`.

    :param default: what holds where the variable is unset, in words. "required otherwise" where none holds outside of
        `DEBUG`.
    :param field: the field of `PortalConfig` that it gives, or what other fields need; empty where it is read together
        with another one, or by another library.
    :param read: gives the field's value. It gets the name, and by keyword the fields of `needs`; a field that can't be
        read is None there.
    :param example: a value that the reader takes; empty for a secret, and where a file or a command makes the value.
    :param read_by: who needs it.
    :param in_env_file: whether a person sets it, so that `.env.example` has it.
    """

    name: str
    part: VariablePart
    _: KW_ONLY
    default: str
    meaning: str
    field: str = ""
    read: Callable[..., Any] = read_switch
    needs: tuple[str, ...] = ()
    example: str = ""
    secrecy: Secrecy = Secrecy.OPEN
    read_by: str = "every project"
    in_env_file: bool = True


Part = VariablePart
#: Begins the field of a project's origin.
ORIGIN_OF: Final = "origin of "
_NEEDS_OF_ORIGINS: Final = ("port_base", "debug", "cookie_domain")
_GATEWAY: Final = "the gateway"

# fmt: off
VARIABLES: Final[tuple[Variable, ...]] = (
    Variable("DEBUG", Part.START, field="debug", example="on",
        default="off; on in a developer's environment, if none of the four variables is set that a server needs "
        "([ADR 30](../adr/0030-debug-without-a-word.md))", meaning="on: a developer's machine"),
    Variable("SECRET_KEY", Part.START, field="secret_key", read=read_secret_key,
        needs=("project", "debug", "state_dir"), secrecy=Secrecy.SECRET,
        default="in `DEBUG` made and kept in `APP_STATE_DIR`; required otherwise",
        meaning="Django's, 32 characters or more; projects may have different ones"),
    Variable("ALLOWED_HOSTS", Part.START, field="allowed_hosts", read=read_allowed_hosts,
        needs=("debug", "cookie_domain"), example="auth.example.com",
        default="in `DEBUG` the local names; required otherwise",
        meaning="Django's: names without scheme and port, commas between"),
    Variable("APP_PUBLIC_API_BASE_URL", Part.START, field="api_base_url", read=read_backend_url,
        needs=("debug", "port_base"), example="https://api.example.com",
        default="in `DEBUG` the sandbox, `http://127.0.0.1:8100`; required otherwise",
        meaning="the backend's address, with a path if it has one"),
    Variable("APP_PUBLIC_GATEWAY_APP_URL", Part.START, field=f"{ORIGIN_OF}{GATEWAY.app}",
        read=partial(read_origin, of=GATEWAY), needs=_NEEDS_OF_ORIGINS, example="https://auth.example.com",
        default="in `DEBUG` `http://localhost:8000`; required otherwise",
        meaning="the gateway's origin. If it is https, all cookies are `Secure`"),
    Variable("APP_PUBLIC_AUTH_COOKIE_DOMAIN", Part.ADDRESSES, field="cookie_domain", read=read_cookie_domain,
        example="example.com", default="unset",
        meaning="the parent domain of all projects; not on localhost. Non-ASCII names as `xn--…`"),
    *(
        Variable(project.url_variable, Part.ADDRESSES, field=f"{ORIGIN_OF}{project.app}",
            read=partial(read_origin, of=project), needs=_NEEDS_OF_ORIGINS, read_by="the gateway, and that project",
            example=f"https://{project.app}.example.com", meaning="that project's origin",
            default="the local address; with a cookie domain `https://<app>.<cookie domain>`")
        for project in PROJECTS if not project.is_gateway
    ),
    Variable("APP_BEHIND_PROXY", Part.ADDRESSES, field="behind_proxy", example="on", default="off",
        meaning="on: `X-Forwarded-Proto`, and the rightmost `X-Forwarded-For`, are trusted; [of two proxies]"
        "(../how-to/deploy.md#what-holds-wherever-it-runs) the inner one writes the browser's address there"),
    Variable("APP_SECURITY_CONTACT", Part.ADDRESSES, field="security_contacts", read=read_contacts,
        example="mailto:security@example.com", default="unset: there is no such file",
        meaning="for `/.well-known/security.txt`: `mailto:…`, `https://…`, `tel:…`, commas between"),
    Variable("APP_API_CONNECT_TIMEOUT_S", Part.BACKEND, field="connect_timeout_s",
        read=partial(read_seconds, default=limits.CONNECT_TIMEOUT_S), example="3.05", default="3.05",
        meaning="seconds for a connection to the backend"),
    Variable("APP_API_READ_TIMEOUT_S", Part.BACKEND, field="read_timeout_s",
        read=partial(read_seconds, default=limits.READ_TIMEOUT_S), example="10", default="10",
        meaning="seconds for each wait for its answer"),
    Variable("APP_BACKEND", Part.BACKEND, field="backend", read=read_backend, example="portal.api.Backend",
        default="unset: the shapes of [the contract](contract.md#7-backend-api)",
        meaning="the dotted path of the class that says what the backend names or shapes otherwise: [use another "
        "backend](../how-to/use-another-backend.md)"),
    Variable("APP_BACKEND_OFFERS", Part.BACKEND, field="offers", read=read_offers, needs=("backend",),
        example="contract", default="`required`, or what the class of `APP_BACKEND` says; `all` with `make run`",
        meaning="what the backend has beyond the required calls: `required`, `contract`, `all`, or the path of a file "
        "with a name a line: [declare what it offers](what-we-ask-of-a-backend.md#declare-what-you-offer)"),
    Variable("APP_API_CA_FILE", Part.BACKEND, field="api_ca_file", read=read_ca_file,
        example="/etc/ssl/example-ca.pem", default="unset",
        meaning="a PEM file of private authorities, trusted beside the public ones for every call"),
    Variable("APP_API_HONOURS_IDEMPOTENCY_KEY", Part.BACKEND, field="honours_idempotency_key", example="on",
        default="off; on with `make run`",
        meaning="on: the backend does a write or refresh with a known key once, so it may be sent again"),
    Variable("APP_API_FORWARD_BROWSER", Part.BACKEND, field="forwards_browser", example="on",
        default="off; on with `make run`",
        meaning="on: calls carry the browser's address (`X-Forwarded-For`) and `User-Agent`"),
    Variable("CACHE_URL", Part.STORE, field="cache_url", read=read_cache_url, secrecy=Secrecy.HAS_PASSWORD,
        example="redis://localhost:6379/0", default="unset: the embedded store in `APP_STATE_DIR`",
        meaning="a Redis, for more than one machine: forms below"),
    Variable("REFRESH_CACHE_URL", Part.STORE, field="refresh_cache_url", read=read_cache_url, needs=("cache_url",),
        secrecy=Secrecy.HAS_PASSWORD, example="redis://localhost:6380/0", default="as `CACHE_URL`",
        meaning="a Redis for the token refresh alone, `noeviction`; `CACHE_URL` may then evict"),
    Variable("APP_STORE_MAX_MB", Part.STORE, field="store_max_mb",
        read=partial(read_whole_number, what="a whole number of megabytes", default=limits.STORE_MAX_MB), example="256",
        default="256", meaning="size of each file of the embedded store, MB of 1,048,576 bytes"),
    Variable("APP_JWT_KEY", Part.TOKENS, field="verification", read=read_verification, secrecy=Secrecy.SECRET,
        default="unset", meaning="verifies access tokens: a secret of 32 bytes or more (HS…), or a public key in PEM"),
    Variable("APP_JWT_JWKS_URL", Part.TOKENS, example="https://id.example.com/.well-known/jwks.json", default="unset",
        meaning="the address of a key set that verifies them. Excludes `APP_JWT_KEY`"),
    Variable("APP_JWT_ALGORITHMS", Part.TOKENS, example="RS256", default="`HS256` with a secret, else `RS256,ES256`",
        meaning="the only algorithms accepted; HS… never with public keys"),
    Variable("APP_JWT_ISSUER", Part.TOKENS, example="https://id.example.com", default="unset",
        meaning="the exact value of `iss`"),
    Variable("APP_JWT_AUDIENCE", Part.TOKENS, example="portal", default="unset", meaning="the exact value of `aud`"),
    Variable("APP_SESSION_MAX_AGE_S", Part.SIGN_IN, field="sign_in_max_age_s",
        read=partial(read_whole_number, what="a whole number of seconds", default=limits.SIGN_IN_MAX_AGE_S),
        example="2592000", default="2592000 (30 days)",
        meaning="seconds of the sign-in cookies, if the refresh token names none"),
    Variable("APP_PASSWORD_RESET", Part.SIGN_IN, field="offers_password_reset", read_by=_GATEWAY, example="on",
        default="off; on with `make run`",
        meaning="on: the backend mails a link for a new password, and the sign-in page offers it"),
    Variable("APP_OIDC_ISSUER", Part.SIGN_IN, field="oidc", read=read_oidc, example="https://id.example.com",
        default="unset", meaning="the provider, in every project: [how-to](../how-to/sign-in-with-openid-connect.md)"),
    Variable("APP_OIDC_CLIENT_ID", Part.SIGN_IN, example="portal", default="unset; required with `APP_OIDC_ISSUER`",
        meaning="the client id there"),
    Variable("APP_OIDC_CLIENT_SECRET", Part.SIGN_IN, secrecy=Secrecy.SECRET, default="unset: a public client",
        meaning="the client secret there"),
    Variable("APP_OIDC_SCOPES", Part.SIGN_IN, example="openid profile email offline_access",
        default="`openid profile email offline_access`",
        meaning="scopes to ask for, spaces or commas between; `openid` is one"),
    Variable("APP_OIDC_PERMISSIONS", Part.SIGN_IN, example="groups: staff=ENERGY_APP, accounts=FINANCE_APP",
        default="unset: the claims `permissions`, `Permissions`",
        meaning="the claim of the permissions, and the permission for each of its values"),
    Variable("APP_OIDC_AUTHORIZE_PARAMS", Part.SIGN_IN, example="audience=https://api.example.com&acr_values=mfa",
        default="unset", meaning="more parameters of the sign-in request, as a query. `resource` goes into token "
        "requests too"),
    Variable("APP_OIDC_TOKEN_PARAMS", Part.SIGN_IN, example="scope=openid offline_access api://portal/read",
        default="unset", meaning="more parameters of token requests, as a query"),
    Variable("APP_OIDC_ACCESS_TOKENS", Part.SIGN_IN, example="opaque", default="`jwt`",
        meaning="`opaque`: nothing is read of access tokens"),
    Variable("APP_LOG_FORMAT", Part.LOG, field="log_format", read=partial(read_choice, choices=LOG_FORMATS),
        example="json", default="`text`", meaning="`json`: one object a line. See [the log](log.md)"),
    Variable("APP_AUDIT_LOG", Part.LOG, field="audit_log", read=read_audit_log, in_env_file=False,
        example="/var/log/portal/audit.jsonl", default="`stderr`",
        meaning="where [the audit log](audit-log.md) goes: `stderr`, `off`, or a file's absolute path"),
    Variable("APP_AUDIT_KEY", Part.LOG, field="audit_key", read=read_audit_key, needs=("secret_key",),
        secrecy=Secrecy.SECRET, read_by=_GATEWAY, default="`SECRET_KEY`",
        meaning="hashes entered names in the audit log; the same on all machines of the gateway"),
    Variable("OTEL_EXPORTER_OTLP_ENDPOINT", Part.LOG, field="traces_to", read=read_otlp,
        example="http://127.0.0.1:4318", default="unset: no traces",
        meaning="the address to which [traces](../how-to/trace-a-request.md) are sent, by OTLP over HTTP, with the "
        "requirements of `requirements/tracing.txt`. OpenTelemetry's other variables "
        "(`OTEL_TRACES_SAMPLER`, `OTEL_TRACES_SAMPLER_ARG`, `OTEL_EXPORTER_OTLP_HEADERS`, "
        "`OTEL_RESOURCE_ATTRIBUTES` …) are read by its own library"),
    Variable("OTEL_TRACES_EXPORTER", Part.LOG, example="none", default="`otlp`",
        meaning="`none`: no traces, whatever the address says"),
    Variable("APP_METRICS_TOKEN", Part.LOG, field="metrics_token", read=partial(read_secret, should_be="a token"),
        secrecy=Secrecy.SECRET, default="unset",
        meaning="opens `/metrics` to other machines; with `APP_BEHIND_PROXY` on also to loopback"),
    Variable("PROMETHEUS_MULTIPROC_DIR", Part.LOG, in_env_file=False, default="set by `serve`",
        meaning="the folder with the counts of this server's workers. Unset: each gives its own"),
    Variable("PORT_BASE", Part.PROCESS, field="port_base", read=read_port_base, example="9000", default="8000",
        meaning="the gateway's local port; platforms follow in order, the sandbox at +100"),
    Variable("APP_STATE_DIR", Part.PROCESS, field="state_dir",
        read=partial(read_path, default=STATE_DIR), example="/var/lib/portal",
        default="`.state` in the checkout; `/var/lib/portal` where a wheel is installed",
        meaning="a private (0700) folder for all processes of the machine, on a local disk"),
    Variable("APP_STATIC_ROOT", Part.PROCESS, field="static_root", read=read_path, in_env_file=False,
        default="set by `serve`", meaning="this server's collected static files"),
    Variable("APP_COMPILED_TEMPLATES_DIR", Part.PROCESS, field="compiled_templates_dir", read=read_path,
        in_env_file=False, default="set by `serve`", meaning="this server's compiled templates, a private folder"),
    Variable("APP_STATIC_SHARED_DIR", Part.PROCESS, field="static_shared_dir", read=read_path,
        example="/var/lib/portal/static", default="unset: a server has its own static files alone",
        meaning="a folder with the static files of this release and of those before, which the servers of all "
        "releases serve ([ADR 40](../adr/0040-static-files-of-the-release-before.md)). Made if it is "
        "missing"),
    Variable("APP_DEBUG_TOOLBAR", Part.PROCESS, field="debug_toolbar", read=read_debug_toolbar, needs=("debug",),
        read_by="a developer's machine", example="on", default="off",
        meaning="on, in `DEBUG` and with the development requirements: pages seen from this machine carry "
        "django-debug-toolbar, with [a panel](../how-to/work-on-one-app.md#see-what-a-page-did) of their "
        "queries and mutations"),
)
# fmt: on
