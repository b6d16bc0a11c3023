"""Checks and reads the addresses of the Redis that processes share. Pure.

An address leads to one server, to the primary that Sentinels name, or to the primaries of a Redis Cluster, because the
token refresh must read what it has written. Another address of several servers is an error, since Django would read
from replicas. No message repeats an address, because an address may contain a password.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import SplitResult, parse_qsl, unquote, urlencode, urlsplit

from portal.errors import ConfigurationError

DEFAULT_PORT: Final = 6379
DEFAULT_SENTINEL_PORT: Final = 26379
_PLAIN: Final = frozenset({"redis", "rediss", "unix"})
_SENTINEL: Final = frozenset({"redis+sentinel", "rediss+sentinel"})
_CLUSTER: Final = frozenset({"redis+cluster", "rediss+cluster"})
#: Prefix of the parameters for the Sentinels alone.
_SENTINEL_PREFIX: Final = "sentinel_"
_MAX_PORT: Final = 65535


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedAddress:
    """An address of several hosts, parsed.

    `redis+sentinel://[user:password@]host[:port],…/service[/database][?option=…]`, or
    `redis+cluster://[user:password@]host[:port],…[?option=…]`.

    :param hosts: host and port of each Sentinel, or of some nodes of the cluster.
    :param service: the name under which Sentinels watch the primary; empty for a cluster.
    :param tls: whether the connections to all of them use TLS (`rediss+…`).
    :param options: the other parameters, for servers and Sentinels alike, by redis-py's names.
    :param username: the user of the servers, before the hosts.
    :param sentinel_username: the user of the Sentinels, from the parameter of that name.
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
    """Whether the address names Sentinels."""
    return url.partition("://")[0] in _SENTINEL


def is_cluster_url(url: str) -> bool:
    """Whether the address names nodes of a Redis Cluster."""
    return url.partition("://")[0] in _CLUSTER


def check_store_url(name: str, url: str) -> str:
    """Return `url` if the store can use it.

    :param name: the environment variable of the address.
    :raises ConfigurationError: the store can't use it.
    """
    scheme = url.partition("://")[0]
    if not url.isprintable() or " " in url or scheme not in _PLAIN | _SENTINEL | _CLUSTER:
        raise ConfigurationError(
            f"{name} should be redis://…, rediss://…, unix://…, redis+sentinel://… or redis+cluster://…, "
            "or unset for the embedded store"
        )
    if scheme in _SENTINEL | _CLUSTER:
        try:
            read_shared_url(url)
        except ValueError:
            path = "/service[/database]" if scheme in _SENTINEL else ""
            raise ConfigurationError(
                f"{name} should be {scheme}://[user:password@]host[:port],…{path}, percent-encoded"
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
    """Split a checked address into the address without users and passwords, and these under redis-py's names.

    Django's technical pages show the settings, and hide those whose name contains "password".
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


def server_of(url: str) -> str:
    """The server that an address leads to, without user and password. All databases of one Redis are one server."""
    scheme, separator, rest = url.partition("://")
    if not separator:
        return url
    server, _, path = rest.partition("/")
    server, path = server.rpartition("@")[2], path.partition("?")[0]
    # The path names a socket, or one of the services of Sentinels.
    if not server:
        server = f"/{path}"
    elif is_sentinel_url(url):
        server = f"{server}/{path.partition('/')[0]}"
    return f"{scheme}://{server}"


def read_shared_url(url: str) -> SharedAddress:
    """Parse an address with Sentinels, or with nodes of a cluster.

    :raises ValueError: the address is malformed; the message does not repeat it.
    """
    parts = urlsplit(url)
    of_cluster = is_cluster_url(url)
    user, _, hosts = parts.netloc.rpartition("@")
    username, _, password = user.partition(":")
    service, _, database = parts.path.removeprefix("/").partition("/")
    if "@" in user or "," in user:  # one user before each host, or a password that is not percent-encoded
        raise ValueError("malformed")
    if bool(service) == of_cluster or not hosts or parts.fragment or (database and not database.isdecimal()):
        raise ValueError("malformed")
    given = dict(parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query)))
    sentinels = {
        key.removeprefix(_SENTINEL_PREFIX): given.pop(key) for key in list(given) if key.startswith(_SENTINEL_PREFIX)
    }
    if not sentinels.keys() <= (set() if of_cluster else {"username", "password"}):
        raise ValueError("malformed")
    port = DEFAULT_PORT if of_cluster else DEFAULT_SENTINEL_PORT
    return SharedAddress(
        hosts=tuple(_host(text, port) for text in hosts.split(",")),
        service=unquote(service),
        database=int(database or 0),
        tls=parts.scheme.startswith("rediss"),
        username=unquote(username) or None,
        password=unquote(password) or None,
        sentinel_username=sentinels.get("username"),
        sentinel_password=sentinels.get("password"),
        options=given,
    )


def _host(text: str, default_port: int) -> tuple[str, int]:
    parts = urlsplit(f"//{text}")
    if not parts.hostname or parts.path or parts.username is not None:
        raise ValueError("malformed")
    return parts.hostname, _port(parts) or default_port


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
