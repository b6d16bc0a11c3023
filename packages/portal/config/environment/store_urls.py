"""Addresses of the Redis that processes share: which are taken, and what one with Sentinels says. Pure.

One server, or the one that Sentinels name: what the refresh reads must be what it wrote. So an address of several
servers, whose replicas Django would read from, and Redis Cluster are refused. No message repeats an address: it may
carry a password.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final
from urllib.parse import SplitResult, parse_qsl, unquote, urlencode, urlsplit

from portal.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Mapping

DEFAULT_SENTINEL_PORT: Final = 26379
_PLAIN: Final = frozenset({"redis", "rediss", "unix"})
_SENTINEL: Final = frozenset({"redis+sentinel", "rediss+sentinel"})
#: Names of parameters that are the Sentinels' own.
_SENTINEL_PREFIX: Final = "sentinel_"
_MAX_PORT: Final = 65535


@dataclass(frozen=True, slots=True, kw_only=True)
class SentinelAddress:
    """`redis+sentinel://[user:password@]host[:port],…/service[/database][?option=…]`, read.

    :param hosts: the Sentinels.
    :param service: the name under which they watch the primary.
    :param tls: whether Sentinels and servers are spoken to by TLS (`rediss+sentinel`).
    :param options: the other parameters, for servers and Sentinels alike, by redis-py's names.
    :param sentinel_username: of the Sentinels, from `sentinel_username` and `sentinel_password`; the user before the
        hosts is the servers'.
    """

    hosts: tuple[tuple[str, int], ...]
    service: str
    database: int
    tls: bool
    username: str | None = field(repr=False)
    password: str | None = field(repr=False)
    sentinel_username: str | None = field(repr=False)
    sentinel_password: str | None = field(repr=False)
    options: Mapping[str, str]


def is_sentinel_url(url: str) -> bool:
    """Whether Sentinels name the server."""
    return url.partition("://")[0] in _SENTINEL


def check_store_url(name: str, url: str) -> str:
    """Give `url` back, if it is one that the store takes.

    :param name: of the variable that it comes from.
    :raises ConfigurationError: it is not.
    """
    scheme = url.partition("://")[0]
    if "cluster" in scheme:
        raise ConfigurationError(
            f"{name} should be the address of one Redis, or of its Sentinels: Redis Cluster is not supported"
        )
    if not url.isprintable() or " " in url or scheme not in _PLAIN | _SENTINEL:
        raise ConfigurationError(
            f"{name} should be redis://…, rediss://…, unix://… or redis+sentinel://…, or unset for the embedded store"
        )
    if scheme in _SENTINEL:
        try:
            read_sentinel_url(url)
        except ValueError:
            raise ConfigurationError(
                f"{name} should be {scheme}://[user:password@]host[:port],…/service[/database], percent-encoded"
            ) from None
        return url
    if "," in url or ";" in url:
        raise ConfigurationError(
            f"{name} should be the address of one server, since reads and writes must go to the same "
            "(in a password: %2C for a comma, %3B for a semicolon)"
        )
    if not _is_sound(url):
        form = "[user:password@]/path[?db=0]" if scheme == "unix" else "[user:password@]host[:port][/database]"
        raise ConfigurationError(f"{name} should be {scheme}://{form}, percent-encoded")
    return url


def split_credentials(url: str) -> tuple[str, dict[str, str]]:
    """An address that was checked, without users and passwords, and these by redis-py's names.

    Django shows settings on its technical pages, and hides those that are called a password.
    """
    parts = urlsplit(url)
    user, _, host = parts.netloc.rpartition("@")
    username, _, password = user.partition(":")
    found = {"username": unquote(username), "password": unquote(password)}
    given = parse_qsl(parts.query, keep_blank_values=True)
    found |= {name: value for name, value in given if name.endswith(("username", "password"))}
    options = urlencode([(name, value) for name, value in given if name not in found])
    bare = f"{parts.scheme}://{host}{parts.path}{'?' if options else ''}{options}"
    return bare, {name: value for name, value in found.items() if value}


def read_sentinel_url(url: str) -> SentinelAddress:
    """Read an address with Sentinels.

    :raises ValueError: it is malformed; the message does not repeat it.
    """
    parts = urlsplit(url)
    user, _, hosts = parts.netloc.rpartition("@")
    username, _, password = user.partition(":")
    service, _, database = parts.path.removeprefix("/").partition("/")
    if "@" in user or "," in user:  # each is written before one host, or a password is not encoded
        raise ValueError("malformed")
    if not service or not hosts or parts.fragment or (database and not database.isdecimal()):
        raise ValueError("malformed")
    given = dict(parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query)))
    sentinels = {key.removeprefix(_SENTINEL_PREFIX): given.pop(key) for key in list(given) if _is_sentinels(key)}
    if not sentinels.keys() <= {"username", "password"}:
        raise ValueError("malformed")
    return SentinelAddress(
        hosts=tuple(_host(text) for text in hosts.split(",")),
        service=unquote(service),
        database=int(database or 0),
        tls=parts.scheme == "rediss+sentinel",
        username=unquote(username) or None,
        password=unquote(password) or None,
        sentinel_username=sentinels.get("username"),
        sentinel_password=sentinels.get("password"),
        options=given,
    )


def _is_sentinels(key: str) -> bool:
    return key.startswith(_SENTINEL_PREFIX)


def _host(text: str) -> tuple[str, int]:
    parts = urlsplit(f"//{text}")
    if not parts.hostname or parts.path or parts.username is not None:
        raise ValueError("malformed")
    return parts.hostname, _port(parts) or DEFAULT_SENTINEL_PORT


def _is_sound(url: str) -> bool:
    try:
        parts = urlsplit(url)
        _port(parts)
    except ValueError:
        return False
    if parts.fragment:
        return False
    if parts.scheme == "unix":
        return len(parts.path) > 1 and not parts.hostname
    database = parts.path.removeprefix("/")
    return bool(parts.hostname) and (not database or database.isdecimal())


def _port(parts: SplitResult) -> int | None:
    port = parts.port
    if port is not None and not 0 < port <= _MAX_PORT:
        raise ValueError("malformed")
    return port
