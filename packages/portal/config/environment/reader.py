"""The environment, read once into one frozen object. Nothing else in the portal reads `os.environ`.

Source: requirements, "Environment variables"; contract, section 3. Whatever is missing or malformed raises
:class:`~portal.errors.ConfigurationError` with one line that names the variable and says what it should be.
"""

from __future__ import annotations

import re
import secrets
import ssl
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

import environ

from portal.config import limits
from portal.config.environment.authentication import read_oidc, read_verification
from portal.config.environment.developer import complete_environment
from portal.config.environment.log_targets import STDERR, check_audit_log, read_otlp
from portal.config.environment.state_dir import kept_secret, private_dir
from portal.config.environment.store_urls import check_store_url
from portal.config.environment.values import (
    missing,
    read_contacts,
    read_folder,
    read_seconds,
    read_secret,
    read_switch,
    read_url,
    read_value,
)
from portal.config.log_lines import LOG_FORMATS
from portal.config.places import IN_CHECKOUT, SOURCE_ROOT
from portal.config.portal_config import OidcProvider, PortalConfig, TokenVerification
from portal.config.projects import BACKEND_PORT_OFFSET, DEFAULT_PORT_BASE, PROJECTS, Project
from portal.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Callable

    from portal.config.portal_config import ReadsClaims

T = TypeVar("T")

#: A name of `ALLOWED_HOSTS`, as Django holds it against a request's host: without scheme and port.
_ALLOWED_HOST = re.compile(r"\*|\.?[\w.-]+|\[[0-9a-f:.]+\]", re.ASCII | re.IGNORECASE)

#: Where an installed portal keeps its state: the folder that the unit of systemd makes, too.
INSTALLED_STATE_DIR: Final = Path("/var/lib/portal")


def port_base(env: environ.Env | None = None) -> int:
    """The first of the local ports, from `PORT_BASE`."""
    value = read_value((env or environ.Env()).int, "PORT_BASE", "a port number from 1024 to 65435", DEFAULT_PORT_BASE)
    if not 1024 <= value <= 65535 - BACKEND_PORT_OFFSET:  # noqa: PLR2004  the range is the message
        raise ConfigurationError("PORT_BASE should be a port number from 1024 to 65435")
    return value


def read_config(app: str) -> PortalConfig:
    """Read the configuration of the project in `apps/<app>` from the environment and the `.env` file.

    :raises ConfigurationError: a variable is missing or malformed; the first one, if there are several.
    """
    attempt = try_config(app)
    for problem in attempt.problems:
        raise problem.error
    return attempt.config


class Problem(NamedTuple):
    """A value that can't be read: its field of `PortalConfig`, and the error with its one line."""

    field: str
    error: ConfigurationError


class ConfigReading(NamedTuple):
    """A configuration, as far as it can be read. A field that has a problem holds a harmless value in its place."""

    config: PortalConfig
    problems: list[Problem]

    @property
    def unread(self) -> frozenset[str]:
        """The fields that hold another value in their place."""
        return frozenset(problem.field for problem in self.problems)


def try_config(app: str) -> ConfigReading:
    """Read the configuration of the project in `apps/<app>`, with all that is wrong instead of the first.

    :raises ConfigurationError: there is no such project.
    """
    project = next((candidate for candidate in PROJECTS if candidate.app == app), None)
    if project is None:
        raise ConfigurationError(f"{app!r} is no project: it should be one of {', '.join(p.app for p in PROJECTS)}")
    complete_environment(SOURCE_ROOT)
    env = environ.Env()
    problems: list[Problem] = []

    def take(field: str, read: Callable[[], T], instead: T) -> T:
        try:
            return read()
        except ConfigurationError as error:
            problems.append(Problem(field, error))
            return instead

    base = take("origins", lambda: port_base(env), DEFAULT_PORT_BASE)
    debug = take("debug", lambda: read_switch("DEBUG"), instead=False)
    state_dir = _state_dir(env)
    own_key = partial(_secret_key, env, project, debug=debug, state_dir=state_dir)
    secret_key = take("secret_key", own_key, secrets.token_urlsafe())  # no process serves with a random one
    cookie_domain = take("cookie_domain", lambda: _cookie_domain(env), "")
    cache_url = take("cache_url", lambda: _cache_url(env, "CACHE_URL"), "")
    local_api = f"http://127.0.0.1:{base + BACKEND_PORT_OFFSET}" if debug else None
    config = PortalConfig(
        project=project,
        debug=debug,
        secret_key=secret_key,
        allowed_hosts=take("allowed_hosts", lambda: _allowed_hosts(env, debug=debug, cookie_domain=cookie_domain), ()),
        api_base_url=take(
            "api_base_url", lambda: read_url(env, "APP_PUBLIC_API_BASE_URL", default=local_api, path=True), ""
        ),
        cookie_domain=cookie_domain,
        origins={
            each.app: take("origins", partial(_origin, env, each, base, debug=debug, cookie_domain=cookie_domain), "")
            for each in PROJECTS
        },
        cache_url=cache_url,
        refresh_cache_url=take("refresh_cache_url", lambda: _cache_url(env, "REFRESH_CACHE_URL"), "") or cache_url,
        store_max_mb=take("store_max_mb", lambda: _store_max_mb(env), limits.STORE_MAX_MB),
        state_dir=state_dir,
        behind_proxy=take("behind_proxy", lambda: read_switch("APP_BEHIND_PROXY"), instead=False),
        verification=take("verification", lambda: read_verification(env), TokenVerification()),
        oidc=take("oidc", lambda: read_oidc(env), OidcProvider()),
        connect_timeout_s=take(
            "connect_timeout_s",
            lambda: read_seconds(env, "APP_API_CONNECT_TIMEOUT_S", limits.CONNECT_TIMEOUT_S),
            limits.CONNECT_TIMEOUT_S,
        ),
        read_timeout_s=take(
            "read_timeout_s",
            lambda: read_seconds(env, "APP_API_READ_TIMEOUT_S", limits.READ_TIMEOUT_S),
            limits.READ_TIMEOUT_S,
        ),
        backend=take("backend", lambda: _backend(env), None),
        api_ca_file=take("api_ca_file", lambda: _ca_file(env), None),
        sign_in_max_age_s=take("sign_in_max_age_s", lambda: _sign_in_max_age_s(env), limits.SIGN_IN_MAX_AGE_S),
        static_root=read_folder(env, "APP_STATIC_ROOT"),
        compiled_templates_dir=read_folder(env, "APP_COMPILED_TEMPLATES_DIR"),
        static_shared_dir=read_folder(env, "APP_STATIC_SHARED_DIR"),
        metrics_token=take("metrics_token", lambda: read_secret(env, "APP_METRICS_TOKEN", "a token"), ""),
        debug_toolbar=take("debug_toolbar", lambda: _debug_toolbar(debug=debug), instead=False),
        log_format=take("log_format", lambda: _log_format(env), "text"),
        audit_log=take("audit_log", lambda: check_audit_log(env.str("APP_AUDIT_LOG", "") or STDERR), STDERR),
        audit_key=take("audit_key", lambda: read_secret(env, "APP_AUDIT_KEY", "a long random text").strip(), "")
        or secret_key,
        traces_to=take("traces_to", lambda: read_otlp(env, "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_TRACES_EXPORTER"), ""),
        offers_password_reset=take("offers_password_reset", lambda: read_switch("APP_PASSWORD_RESET"), instead=False),
        honours_idempotency_key=take(
            "honours_idempotency_key", lambda: read_switch("APP_API_HONOURS_IDEMPOTENCY_KEY"), instead=False
        ),
        forwards_browser=take("forwards_browser", lambda: read_switch("APP_API_FORWARD_BROWSER"), instead=False),
        security_contacts=take("security_contacts", lambda: read_contacts(env, "APP_SECURITY_CONTACT"), ()),
    )
    return ConfigReading(config, problems)


def _state_dir(env: environ.Env) -> Path:
    """Never a folder of the environment that a wheel is installed in: it is not the portal's, and may be read-only."""
    default = SOURCE_ROOT / ".state" if IN_CHECKOUT else INSTALLED_STATE_DIR
    return Path(read_value(env.str, "APP_STATE_DIR", "a folder", str(default))).expanduser().absolute()


def _debug_toolbar(*, debug: bool) -> bool:
    wanted = read_switch("APP_DEBUG_TOOLBAR") and debug
    if wanted and not (find_spec("debug_toolbar") and find_spec("portal_dev")):
        raise ConfigurationError("APP_DEBUG_TOOLBAR should be off: the toolbar comes with requirements/dev.txt")
    return wanted


def _log_format(env: environ.Env) -> str:
    word = read_value(env.str, "APP_LOG_FORMAT", "text or json", "text").strip()
    if word not in LOG_FORMATS:
        raise ConfigurationError("APP_LOG_FORMAT should be text or json")
    return word


def _sign_in_max_age_s(env: environ.Env) -> int:
    """Whole seconds: none would remove each sign-in's cookies at once."""
    seconds = int(read_seconds(env, "APP_SESSION_MAX_AGE_S", limits.SIGN_IN_MAX_AGE_S))
    if not seconds:
        raise ConfigurationError("APP_SESSION_MAX_AGE_S should be a number of seconds from 1 on")
    return seconds


def _backend(env: environ.Env) -> ReadsClaims | None:
    """An object of the backend's class. The base class is named and not imported: it stands in a layer above."""
    should_be = "APP_BACKEND should be the dotted path of a class that derives from portal.api.Backend"
    path = env.str("APP_BACKEND", "").strip()
    if not path:
        return None
    module, _, name = path.rpartition(".")
    try:
        found: Any = getattr(import_module(module), name)
        if isinstance(found, type) and issubclass(found, import_module("portal.api.backend").Backend):
            made: ReadsClaims = found()
            return made
    except Exception as error:
        # A team's module, which may raise anything.
        raise ConfigurationError(f"{should_be}: {' '.join(f'{type(error).__name__}: {error}'.split())}") from error
    raise ConfigurationError(f"{should_be}: this is another object")


def _ca_file(env: environ.Env) -> Path | None:
    """The file of a private certificate authority, read once here so that a wrong one stops the start."""
    should_be = "a PEM file with certificates of authorities"
    name = read_value(env.str, "APP_API_CA_FILE", should_be, "")
    if not name:
        return None
    path = Path(name).expanduser().absolute()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    try:
        context.load_verify_locations(cafile=path)
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"APP_API_CA_FILE should be {should_be} that this process can read") from error
    return path


def _cookie_domain(env: environ.Env) -> str:
    domain = read_value(env.str, "APP_PUBLIC_AUTH_COOKIE_DOMAIN", "a domain", "").strip().lstrip(".").lower()
    if domain and (domain == "localhost" or not re.fullmatch(r"[a-z0-9.-]+", domain)):
        # Browsers drop a cookie with Domain=localhost, or with a name outside of ASCII (`xn--…` is one within); without
        # the attribute localhost works.
        raise ConfigurationError(
            "APP_PUBLIC_AUTH_COOKIE_DOMAIN should be a parent domain such as example.com, and unset on localhost"
        )
    return domain


def _origin(env: environ.Env, project: Project, base: int, *, debug: bool, cookie_domain: str) -> str:
    default: str | None = project.local_url(port_base=base)
    if project.is_gateway:
        default = default if debug else None
    elif cookie_domain:
        default = f"https://{project.app}.{cookie_domain}"
    return read_url(env, project.url_variable, default=default)


def _secret_key(env: environ.Env, project: Project, *, debug: bool, state_dir: Path) -> str:
    key = read_secret(env, "SECRET_KEY", "a long random text")
    if key:
        return key
    if not debug:
        raise missing("SECRET_KEY", "a long random text")
    return kept_secret(private_dir(state_dir) / f"secret-key-{project.app}")


def _allowed_hosts(env: environ.Env, *, debug: bool, cookie_domain: str) -> tuple[str, ...]:
    names: list[str] = read_value(env.list, "ALLOWED_HOSTS", "host names with commas between", [])
    hosts = tuple(name.strip() for name in names if name.strip())
    if not all(_ALLOWED_HOST.fullmatch(host) for host in hosts):
        raise ConfigurationError("ALLOWED_HOSTS should be host names with commas between, without https:// and ports")
    if hosts:
        return hosts
    if not debug:
        raise missing("ALLOWED_HOSTS", "host names with commas between")
    local = ("localhost", ".localhost", "127.0.0.1", "[::1]")
    return (*local, f".{cookie_domain}") if cookie_domain else local


def _cache_url(env: environ.Env, name: str) -> str:
    url = read_secret(env, name, "redis://… or unset").strip()
    return check_store_url(name, url) if url else ""


def _store_max_mb(env: environ.Env) -> int:
    should_be = "a whole number of megabytes above 0"
    size = read_value(env.int, "APP_STORE_MAX_MB", should_be, limits.STORE_MAX_MB)
    if size <= 0:
        raise ConfigurationError(f"APP_STORE_MAX_MB should be {should_be}")
    return size
