"""How those variables are read that have a rule of their own, one function for each.

A function gets the variable's name, and by keyword the fields that its row in `variables` needs; one that can't be read
is None.
"""

import contextlib
import os
import re
import secrets
import ssl
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from portal.config.environment.store_urls import check_store_url
from portal.config.environment.values import (
    missing,
    read_choice,
    read_path,
    read_secret,
    read_switch,
    read_text,
    read_url,
    read_whole_number,
    read_words,
)
from portal.config.portal_config import ReadsClaims
from portal.config.projects import BACKEND_PORT_OFFSET, DEFAULT_PORT_BASE, Project
from portal.errors import ConfigurationError

STDERR: Final = "stderr"
OFF: Final = "off"
_KEY_CHARS: Final = 32


def read_audit_log(name: str) -> str:
    """Where the audit log goes: `stderr`, `off`, or a file that this process can write. Nothing is created here.

    :raises ConfigurationError: it is none of these.
    """
    value = read_text(name, STDERR)
    if value in {STDERR, OFF}:
        return value
    path, should_be = Path(value), f"{name} should be stderr, off, or the absolute path of a file"
    if not path.is_absolute() or not value.isprintable():
        raise ConfigurationError(should_be)
    if path.exists():
        if not path.is_file() or not os.access(path, os.R_OK | os.W_OK):
            raise ConfigurationError(f"{should_be} that this process can write: {value} is none")
    elif not os.access(path.parent, os.W_OK | os.X_OK):
        raise ConfigurationError(f"{should_be} that this process can write: {path.parent} does not let it")
    return value


def read_otlp(name: str) -> str:
    """The collector's address; empty for no traces. OpenTelemetry's own library reads it too.

    :raises ConfigurationError: no address, another exporter, or the library is not installed.
    """
    if read_choice("OTEL_TRACES_EXPORTER", ("otlp", "none")) == "none" or not read_text(name):
        return ""
    address = read_url(name, default=None, path=True)
    if find_spec("opentelemetry") is None:
        raise ConfigurationError(
            f"{name} should be unset, or the extra `tracing` be installed: pip install 'portal-library[tracing]'"
        )
    return address


def private_dir(path: Path) -> Path:
    """Make the folder `path` with mode 0700. A folder of this user that others may enter is made private.

    Root could make another user's folder private, but that user could open it again: such a folder is an error.

    :raises ConfigurationError: the folder belongs to another user, or can't be made or made private.
    """
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = path.stat()
        if status.st_uid != os.geteuid():
            raise ConfigurationError(
                f"APP_STATE_DIR should be a folder of this user's own: {path} belongs to user {status.st_uid}"
            )
        if status.st_mode & 0o077:
            path.chmod(0o700)
    except OSError as error:
        raise ConfigurationError(f"APP_STATE_DIR should be a folder of this user's own: {error}") from error
    return path


def kept_secret(path: Path) -> str:
    """The secret in the file `path`. The first use makes it; of several processes that start at once, exactly one does.

    :raises ConfigurationError: the file belongs to another user, others may read it, it is empty, or it can't be read.
    """
    try:
        if not path.exists():
            _make_secret(path)
        return _read_secret(path)
    except OSError as error:
        raise ConfigurationError(f"APP_STATE_DIR should hold a secret that can be read: {error}") from error


def _make_secret(path: Path) -> None:
    fresh = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "w") as file:
            file.write(secrets.token_urlsafe(64))
        # A hard link never replaces an existing file: the first process wins, with a complete secret.
        with contextlib.suppress(FileExistsError):
            os.link(fresh, path)
    finally:
        fresh.unlink()


def _read_secret(path: Path) -> str:
    """Read the secret. Owner and mode are those of the open file, which can't be replaced between check and read."""
    with path.open() as file:
        status = os.fstat(file.fileno())
        if status.st_uid != os.geteuid() or status.st_mode & 0o077:
            raise ConfigurationError(f"APP_STATE_DIR should hold {path.name} for this user alone: remove that file")
        secret = file.read().strip()
    if not secret:
        raise ConfigurationError(f"APP_STATE_DIR should hold a secret in {path.name}, which is empty: remove that file")
    return secret


#: A name of `ALLOWED_HOSTS`, as Django holds it against a request's host: without scheme and port.
_ALLOWED_HOST = re.compile(r"\*|\.?[\w.-]+|\[[0-9a-f:.]+\]", re.ASCII | re.IGNORECASE)


def read_port_base(name: str = "PORT_BASE") -> int:
    """The first of the local ports."""
    most = 65535 - BACKEND_PORT_OFFSET
    return read_whole_number(name, "a port number", DEFAULT_PORT_BASE, least=1024, most=most)


def read_debug_toolbar(name: str, *, debug: bool) -> bool:
    """Whether pages carry the toolbar."""
    wanted = read_switch(name) and debug
    if wanted and find_spec("debug_toolbar") is None:
        raise ConfigurationError(
            f"{name} should be off, or the extra `dev` be installed: pip install 'portal-library[dev]'"
        )
    return wanted


def read_backend(name: str) -> ReadsClaims | None:
    """An object of the backend's class. The base class is named and not imported: it stands in a layer above."""
    should_be = f"{name} should be the dotted path of a class that derives from portal.api.Backend"
    path = read_text(name)
    if not path:
        return None
    module, _, class_name = path.rpartition(".")
    try:
        found: Any = getattr(import_module(module), class_name)
        if isinstance(found, type) and issubclass(found, import_module("portal.api.backend").Backend):
            made: ReadsClaims = found()
            return made
    except Exception as error:
        # A team's module, which may raise anything.
        raise ConfigurationError(f"{should_be}: {' '.join(f'{type(error).__name__}: {error}'.split())}") from error
    raise ConfigurationError(f"{should_be}: this is another object")


def read_backend_url(name: str, *, debug: bool, port_base: int | None) -> str:
    """The backend's address; in `DEBUG` the sandbox's."""
    local = f"http://127.0.0.1:{(port_base or DEFAULT_PORT_BASE) + BACKEND_PORT_OFFSET}"
    return read_url(name, default=local if debug else None, path=True)


def read_ca_file(name: str) -> Path | None:
    """The file of a private certificate authority, read once here so that a wrong one stops the start."""
    should_be = "a PEM file with certificates of authorities"
    path = read_path(name, should_be)
    if path is None:
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    try:
        context.load_verify_locations(cafile=path)
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"{name} should be {should_be} that this process can read") from error
    return path


def read_cookie_domain(name: str) -> str:
    """The parent domain; empty where there is none."""
    domain = read_text(name).lstrip(".").lower()
    # Browsers drop a cookie for a single label, an IP address, or a name outside of ASCII (`xn--…` is one within).
    if domain and not re.fullmatch(r"([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]", domain):
        raise ConfigurationError(f"{name} should be a parent domain such as example.com, and unset on localhost")
    return domain


def read_origin(name: str, *, of: Project, port_base: int | None, debug: bool, cookie_domain: str | None) -> str:
    """The origin of one project, whoever reads it."""
    default: str | None = of.local_url(port_base=port_base or DEFAULT_PORT_BASE)
    if of.is_gateway:
        default = default if debug else None
    elif cookie_domain:
        default = f"https://{of.app}.{cookie_domain}"
    origin = read_url(name, default=default)
    if of.is_gateway and cookie_domain and not f".{urlsplit(origin).hostname}".endswith(f".{cookie_domain}"):
        raise ConfigurationError(f"APP_PUBLIC_AUTH_COOKIE_DOMAIN should be a parent domain of {name}, or its host")
    return origin


def read_secret_key(name: str, *, project: Project, debug: bool, state_dir: Path | None) -> str | None:
    """Django's; in `DEBUG` one that is made and kept."""
    key, should_be = read_secret(name, "a long random text"), "a long random text"
    if not debug and not key:
        raise missing(name, should_be)
    if not debug and len(key) < _KEY_CHARS:
        raise ConfigurationError(f"{name} should be {should_be}, of {_KEY_CHARS} characters or more")
    return key or (kept_secret(private_dir(state_dir) / f"secret-key-{project.app}") if state_dir else None)


def read_audit_key(name: str, *, secret_key: str | None) -> str | None:
    """The key of the audit log; without one of its own, Django's."""
    return read_secret(name, "a long random text").strip() or secret_key


def read_allowed_hosts(name: str, *, debug: bool, cookie_domain: str | None) -> tuple[str, ...]:
    """The names under which the project is reached."""
    hosts = read_words(name)
    if not all(_ALLOWED_HOST.fullmatch(host) for host in hosts):
        raise ConfigurationError(f"{name} should be host names with commas between, without https:// and ports")
    if hosts:
        return hosts
    if not debug:
        raise missing(name, "host names with commas between")
    local = ("localhost", ".localhost", "127.0.0.1", "[::1]")
    return (*local, f".{cookie_domain}") if cookie_domain else local


def read_cache_url(name: str, *, cache_url: str | None = None) -> str:
    """The address of a Redis, checked; without one, the address of the other."""
    url = read_secret(name, "redis://… or unset").strip()
    return check_store_url(name, url) if url else cache_url or ""
