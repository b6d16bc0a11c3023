"""The environment, read once into one frozen object. Nothing else in the portal reads `os.environ`.

Source: requirements, "Environment variables"; contract, section 3. Whatever is missing or malformed raises
:class:`~portal.errors.ConfigurationError` with one line that names the variable and says what it should be.
"""

from __future__ import annotations

import os
import re
import ssl
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urlsplit

import environ

from portal.config import limits
from portal.config.environment.developer import complete_environment
from portal.config.environment.state_dir import kept_secret, private_dir
from portal.config.environment.store_urls import check_store_url
from portal.config.log_lines import LOG_FORMATS
from portal.config.portal_config import ClaimMapping, OidcProvider, PortalConfig, TokenVerification
from portal.config.projects import BACKEND_PORT_OFFSET, DEFAULT_PORT_BASE, PROJECTS, Project
from portal.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

T = TypeVar("T")

#: A name of `ALLOWED_HOSTS`, as Django holds it against a request's host: without scheme and port.
_ALLOWED_HOST = re.compile(r"\*|\.?[\w.-]+|\[[0-9a-f:.]+\]", re.ASCII | re.IGNORECASE)
#: Host and port of an address. A name outside of ASCII is written as browsers send it, `xn--…`.
_NETLOC = re.compile(r"[\w.\-:%\[\]]+", re.ASCII)

REPOSITORY = Path(__file__).resolve().parents[4]


def port_base(env: environ.Env | None = None) -> int:
    """The first of the local ports, from `PORT_BASE`."""
    value = _read((env or environ.Env()).int, "PORT_BASE", "a port number from 1024 to 65435", DEFAULT_PORT_BASE)
    if not 1024 <= value <= 65535 - BACKEND_PORT_OFFSET:  # noqa: PLR2004  the range is the message
        raise ConfigurationError("PORT_BASE should be a port number from 1024 to 65435")
    return value


def read_config(app: str) -> PortalConfig:
    """Read the configuration of the project in `apps/<app>` from the environment and the `.env` file.

    :raises ConfigurationError: a variable is missing or malformed.
    """
    project = next((candidate for candidate in PROJECTS if candidate.app == app), None)
    if project is None:
        raise ConfigurationError(f"{app!r} is no project: it should be one of {', '.join(p.app for p in PROJECTS)}")
    complete_environment(REPOSITORY)
    env = environ.Env()
    base = port_base(env)
    debug = _switch("DEBUG")
    state_dir = Path(_read(env.str, "APP_STATE_DIR", "a folder", str(REPOSITORY / ".state"))).expanduser().absolute()
    local_api = f"http://127.0.0.1:{base + BACKEND_PORT_OFFSET}"
    cookie_domain = _cookie_domain(env)
    cache_url = _cache_url(env, "CACHE_URL")
    return PortalConfig(
        project=project,
        debug=debug,
        secret_key=_secret_key(env, project, debug=debug, state_dir=state_dir),
        allowed_hosts=_allowed_hosts(env, debug=debug, cookie_domain=cookie_domain),
        api_base_url=_url(env, "APP_PUBLIC_API_BASE_URL", default=local_api if debug else None, path=True),
        cookie_domain=cookie_domain,
        origins=_origins(env, base, debug=debug, cookie_domain=cookie_domain),
        cache_url=cache_url,
        refresh_cache_url=_cache_url(env, "REFRESH_CACHE_URL") or cache_url,
        store_max_mb=_store_max_mb(env),
        state_dir=state_dir,
        behind_proxy=_switch("APP_BEHIND_PROXY"),
        verification=_verification(env),
        oidc=_oidc(env),
        connect_timeout_s=_seconds(env, "APP_API_CONNECT_TIMEOUT_S", limits.CONNECT_TIMEOUT_S),
        read_timeout_s=_seconds(env, "APP_API_READ_TIMEOUT_S", limits.READ_TIMEOUT_S),
        api_ca_file=_ca_file(env),
        sign_in_max_age_s=_sign_in_max_age_s(env),
        static_root=_folder(env, "APP_STATIC_ROOT"),
        counts_dir=_folder(env, "APP_COUNTS_DIR"),
        metrics_token=env.str("APP_METRICS_TOKEN", ""),
        debug_toolbar=_debug_toolbar(debug=debug),
        log_format=_log_format(env),
        offers_password_reset=_switch("APP_PASSWORD_RESET"),
    )


def _read(reader: Callable[..., T], name: str, should_be: str, default: T) -> T:
    """One variable through django-environ's reader; an empty value counts as unset."""
    if not os.environ.get(name, "").strip():
        return default
    try:
        return reader(name)
    except (ValueError, environ.ImproperlyConfigured) as error:
        raise ConfigurationError(f"{name} should be {should_be}") from error


def _missing(name: str, should_be: str) -> ConfigurationError:
    """What a variable that is required without `DEBUG` says."""
    instead = "" if os.environ.get("DEBUG") else "; or DEBUG=on, on a developer's machine"
    return ConfigurationError(f"{name} is missing: it should be {should_be}{instead}")


def _switch(name: str) -> bool:
    """On or off; django-environ takes any other word as off, and a typing error must not switch a thing off."""
    word = os.environ.get(name, "").strip().lower()
    if word not in {"", *environ.Env.BOOLEAN_TRUE_STRINGS, "false", "off", "n", "no", "0"}:
        raise ConfigurationError(f"{name} should be on or off")
    return word in environ.Env.BOOLEAN_TRUE_STRINGS


def _debug_toolbar(*, debug: bool) -> bool:
    wanted = _switch("APP_DEBUG_TOOLBAR") and debug
    if wanted and find_spec("debug_toolbar") is None:
        raise ConfigurationError("APP_DEBUG_TOOLBAR should be off: the toolbar comes with requirements/dev.txt")
    return wanted


def _log_format(env: environ.Env) -> str:
    word = _read(env.str, "APP_LOG_FORMAT", "text or json", "text").strip()
    if word not in LOG_FORMATS:
        raise ConfigurationError("APP_LOG_FORMAT should be text or json")
    return word


def _seconds(env: environ.Env, name: str, default: float) -> float:
    value = _read(env.float, name, "a number of seconds above 0", float(default))
    if not 0 < value < float("inf"):
        raise ConfigurationError(f"{name} should be a number of seconds above 0")
    return value


def _sign_in_max_age_s(env: environ.Env) -> int:
    """Whole seconds: none would remove each sign-in's cookies at once."""
    seconds = int(_seconds(env, "APP_SESSION_MAX_AGE_S", limits.SIGN_IN_MAX_AGE_S))
    if not seconds:
        raise ConfigurationError("APP_SESSION_MAX_AGE_S should be a number of seconds from 1 on")
    return seconds


def _ca_file(env: environ.Env) -> Path | None:
    """The file of a private certificate authority, read once here so that a wrong one stops the start."""
    should_be = "a PEM file with certificates of authorities"
    name = _read(env.str, "APP_API_CA_FILE", should_be, "")
    if not name:
        return None
    path = Path(name).expanduser().absolute()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    try:
        context.load_verify_locations(cafile=path)
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"APP_API_CA_FILE should be {should_be} that this process can read") from error
    return path


def _url(env: environ.Env, name: str, *, default: str | None, path: bool = False, whole: bool = False) -> str:
    """An http(s) address without credentials, query or fragment; an origin only, unless `path`.

    :param whole: with a query, if it has one, and kept as it is: a document's address, below which nothing lies.
    """
    path = path or whole
    should_be = f"an http:// or https:// {'address' if path else 'origin, without a path'}"
    value = _read(env.str, name, should_be, default)
    if value is None:
        raise _missing(name, should_be)
    value = value.strip() if whole else value.strip().rstrip("/")
    try:
        parts = urlsplit(value)
        sound = parts.port is None or parts.port > 0
    except ValueError:
        raise ConfigurationError(f"{name} should be {should_be}") from None
    sound = sound and parts.scheme in {"http", "https"} and bool(parts.hostname) and "@" not in parts.netloc
    sound = sound and _NETLOC.fullmatch(parts.netloc) is not None
    sound = sound and (not parts.query or whole) and not parts.fragment and (not parts.path or path)
    if not sound or not value.isprintable():
        raise ConfigurationError(f"{name} should be {should_be}")
    return value if path else f"{parts.scheme}://{parts.netloc.lower()}"


def _cookie_domain(env: environ.Env) -> str:
    domain = _read(env.str, "APP_PUBLIC_AUTH_COOKIE_DOMAIN", "a domain", "").strip().lstrip(".").lower()
    if domain and (domain == "localhost" or not re.fullmatch(r"[a-z0-9.-]+", domain)):
        # Browsers drop a cookie with Domain=localhost, or with a name outside of ASCII (`xn--…` is one within); without
        # the attribute localhost works.
        raise ConfigurationError(
            "APP_PUBLIC_AUTH_COOKIE_DOMAIN should be a parent domain such as example.com, and unset on localhost"
        )
    return domain


def _origins(env: environ.Env, base: int, *, debug: bool, cookie_domain: str) -> Mapping[str, str]:
    origins = {}
    for project in PROJECTS:
        default: str | None = project.local_url(port_base=base)
        if project.is_gateway:
            default = default if debug else None
        elif cookie_domain:
            default = f"https://{project.app}.{cookie_domain}"
        origins[project.app] = _url(env, project.url_variable, default=default)
    return origins


def _secret_key(env: environ.Env, project: Project, *, debug: bool, state_dir: Path) -> str:
    key = _read(env.str, "SECRET_KEY", "a long random text", "")
    if key:
        return key
    if not debug:
        raise _missing("SECRET_KEY", "a long random text")
    return kept_secret(private_dir(state_dir) / f"secret-key-{project.app}")


def _allowed_hosts(env: environ.Env, *, debug: bool, cookie_domain: str) -> tuple[str, ...]:
    names: list[str] = _read(env.list, "ALLOWED_HOSTS", "host names with commas between", [])
    hosts = tuple(name.strip() for name in names if name.strip())
    if not all(_ALLOWED_HOST.fullmatch(host) for host in hosts):
        raise ConfigurationError("ALLOWED_HOSTS should be host names with commas between, without https:// and ports")
    if hosts:
        return hosts
    if not debug:
        raise _missing("ALLOWED_HOSTS", "host names with commas between")
    local = ("localhost", ".localhost", "127.0.0.1", "[::1]")
    return (*local, f".{cookie_domain}") if cookie_domain else local


def _cache_url(env: environ.Env, name: str) -> str:
    url = _read(env.str, name, "redis://… or unset", "").strip()
    return check_store_url(name, url) if url else ""


def _store_max_mb(env: environ.Env) -> int:
    should_be = "a whole number of megabytes above 0"
    size = _read(env.int, "APP_STORE_MAX_MB", should_be, limits.STORE_MAX_MB)
    if size <= 0:
        raise ConfigurationError(f"APP_STORE_MAX_MB should be {should_be}")
    return size


def _verification(env: environ.Env) -> TokenVerification:
    key = _read(env.str, "APP_JWT_KEY", "a key", "")
    jwks_url = _url(env, "APP_JWT_JWKS_URL", default="", whole=True) if os.environ.get("APP_JWT_JWKS_URL") else ""
    if key and jwks_url:
        raise ConfigurationError("APP_JWT_KEY and APP_JWT_JWKS_URL exclude each other: one of them should be unset")
    pem = "-----BEGIN" in key
    default = ["RS256", "ES256"] if jwks_url or pem else ["HS256"]
    algorithms = tuple(_read(env.list, "APP_JWT_ALGORITHMS", "algorithm names with commas between", default))
    known = {f"{family}{bits}" for family in ("HS", "RS", "ES", "PS") for bits in (256, 384, 512)} | {"EdDSA"}
    symmetric = {name for name in algorithms if name.startswith("HS")}
    if not algorithms or not set(algorithms) <= known or (symmetric and (jwks_url or pem)):
        # A public key taken as an HMAC secret would let anyone sign.
        raise ConfigurationError(
            "APP_JWT_ALGORITHMS should be names such as RS256 or HS256 with commas between, HS… only with a secret"
        )
    if symmetric and key and len(key.encode()) < 32:  # noqa: PLR2004  RFC 7518, section 3.2
        raise ConfigurationError("APP_JWT_KEY should be at least 32 bytes long for HS256")
    return TokenVerification(
        key=key,
        jwks_url=jwks_url,
        algorithms=algorithms if key or jwks_url else (),
        issuer=env.str("APP_JWT_ISSUER", ""),
        audience=env.str("APP_JWT_AUDIENCE", ""),
    )


def _oidc(env: environ.Env) -> OidcProvider:
    if not os.environ.get("APP_OIDC_ISSUER", "").strip():
        return OidcProvider()
    client_id = env.str("APP_OIDC_CLIENT_ID", "")
    if not client_id:
        raise ConfigurationError("APP_OIDC_CLIENT_ID is missing: it should be this app's client id at APP_OIDC_ISSUER")
    scopes = env.str("APP_OIDC_SCOPES", "openid profile email offline_access").replace(",", " ").split()
    if "openid" not in scopes:
        raise ConfigurationError("APP_OIDC_SCOPES should name openid")
    return OidcProvider(
        issuer=_url(env, "APP_OIDC_ISSUER", default=None, path=True),
        client_id=client_id,
        client_secret=env.str("APP_OIDC_CLIENT_SECRET", ""),
        scopes=tuple(scopes),
        mapping=_claim_mapping(env),
    )


def _claim_mapping(env: environ.Env) -> ClaimMapping:
    """`groups: staff=ENERGY_APP, accounts=FINANCE_APP`: a claim, and what its values permit."""
    text = env.str("APP_OIDC_PERMISSIONS", "").strip()
    if not text:
        return ClaimMapping()
    claim, _, rest = (part.strip() for part in text.partition(":"))
    pairs = [tuple(part.strip() for part in pair.split("=")) for pair in rest.split(",")]
    if not claim or any(len(pair) != 2 or not all(pair) for pair in pairs):  # noqa: PLR2004  a pair has two parts
        raise ConfigurationError(
            "APP_OIDC_PERMISSIONS should be a claim and what its values permit, "
            "such as groups: staff=ENERGY_APP, accounts=FINANCE_APP"
        )
    return ClaimMapping(claim=claim, permissions=tuple((value, permission) for value, permission in pairs))


def _folder(env: environ.Env, name: str) -> Path | None:
    value = _read(env.str, name, "a folder", "")
    return Path(value) if value else None
