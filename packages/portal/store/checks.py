"""System checks of the shared stores: a project does not start with a store that would break the token refresh.

A refresh is safe only if `add` is atomic across all processes, if all of them read what one has written, and if the
store evicts nothing. No message repeats an address, because an address may contain a password.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import methodcaller
from typing import TYPE_CHECKING, Any, Final

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning  # noqa: A004  Django's own name

from portal.errors import StoreUnavailableError
from portal.store.inspection import SAFE_POLICY, StoreServer, inspect
from portal.store.shared_store import QUERY_ALIAS, REFRESH_ALIAS, SharedStore, query_store, refresh_store

if TYPE_CHECKING:
    # It imports redis.
    from portal.store.redis_faults import RedisFault

#: Django's backends with which two processes can win the same `add`, and why (packages/sqlite_cache/README.md).
NOT_ATOMIC: Final = {
    "django.core.cache.backends.locmem.LocMemCache": "each process has its own",
    "django.core.cache.backends.dummy.DummyCache": "it keeps nothing",
    "django.core.cache.backends.filebased.FileBasedCache": "several processes can win the same `add`",
    "django.core.cache.backends.db.DatabaseCache": "it evicts what is in use, and several processes win the same `add`",
}
#: Backends that are atomic across processes, but evict entries when memory is short, and can't be told not to.
EVICTING: Final = frozenset(
    {
        "django.core.cache.backends.memcached.PyMemcacheCache",
        "django.core.cache.backends.memcached.PyLibMCCache",
    }
)
_EMBEDDED: Final = "sqlite_cache.SQLiteCache"
_CLUSTER: Final = "portal.store.cluster.ClusterCache"
_REDIS: Final = frozenset(
    {
        "django.core.cache.backends.redis.RedisCache",
        "portal.store.sentinel.SentinelCache",
        _CLUSTER,
    },
)
#: The message about a Redis that may be there in some seconds: `serve` waits for it (ADR 45).
STORE_IS_AWAY: Final = "portal.store.E007"
#: How long the key of the check's own write is kept, seconds.
_PROBE_LIFETIME_S: Final = 60


def check_refresh_store(app_configs: object = None, **_: object) -> Sequence[CheckMessage]:  # noqa: ARG001  Django's signature
    """The refresh store is atomic across processes and never evicts."""
    found = _wrong_with_refresh(settings.CACHES.get(REFRESH_ALIAS, {}))
    return [found] if found else []


def _wrong_with_refresh(entry: Mapping[str, Any]) -> CheckMessage | None:
    backend = str(entry.get("BACKEND", ""))
    if not backend:
        return Error(f"CACHES has no {REFRESH_ALIAS!r} alias, which the token refresh needs.", id="portal.store.E001")
    if backend in NOT_ATOMIC:
        return Error(
            f"CACHES[{REFRESH_ALIAS!r}] can't carry the token refresh: with {backend} {NOT_ATOMIC[backend]}.",
            hint="Use the embedded store (leave CACHE_URL unset), or Redis (CACHE_URL=redis://…).",
            id="portal.store.E002",
        )
    if backend in EVICTING:
        return _evicts(backend)
    if backend == _EMBEDDED:
        refuses = entry.get("OPTIONS", {}).get("WHEN_FULL") == "refuse"
        return None if refuses else _evicts(f'{backend} without "WHEN_FULL": "refuse"')
    if backend in _REDIS:
        return _wrong_with_redis()
    return Warning(
        f"CACHES[{REFRESH_ALIAS!r}] is {backend}, of which nothing is known here.",
        hint="Its `add` must be atomic across processes, and it must never evict.",
        id="portal.store.W001",
    )


def check_embedded_store(app_configs: object = None, **_: object) -> Sequence[CheckMessage]:  # noqa: ARG001  Django's signature
    """The files of the embedded stores can be opened: on a local disk, only a mistake prevents that."""
    messages = []
    for alias in (QUERY_ALIAS, REFRESH_ALIAS):
        entry: Mapping[str, Any] = settings.CACHES.get(alias, {})
        if entry.get("BACKEND") != _EMBEDDED:
            continue
        try:
            SharedStore(alias=alias).get("start")
        except StoreUnavailableError as error:
            why = error.__cause__ or error
            messages.append(
                Error(
                    f"{entry.get('LOCATION')}, a file of the embedded store, can't be opened: {why}",
                    hint="APP_STATE_DIR should be a folder of this user's own, on a local disk.",
                    id="portal.store.E005",
                )
            )
    return messages


def check_query_store(app_configs: object = None, **_: object) -> Sequence[CheckMessage]:  # noqa: ARG001  Django's signature
    """The Redis of what is cached can be used, where the refresh does not use Redis: else its own check says so."""
    if not _is_redis(QUERY_ALIAS) or _is_redis(REFRESH_ALIAS):
        return []
    found = _redis_servers(QUERY_ALIAS)
    return [found] if isinstance(found, Error) else []


def _wrong_with_redis() -> CheckMessage | None:
    found = _redis_servers(REFRESH_ALIAS)
    queries = _redis_servers(QUERY_ALIAS) if _is_redis(QUERY_ALIAS) else None
    # A mistake in one address is reported also while the server of the other address is down.
    wrong = [one for one in (found, queries) if isinstance(one, Error)]
    if wrong:
        return min(wrong, key=lambda message: message.id == STORE_IS_AWAY)
    if isinstance(found, CheckMessage):
        return found
    policies = {server.policy for server in found}
    if None in policies:
        return _unknown(REFRESH_ALIAS, "it does not tell its maxmemory-policy")
    if policies != {SAFE_POLICY}:
        return _evicts(f"Redis with maxmemory-policy {max(map(str, policies - {SAFE_POLICY}))}")
    return _wrong_with_room(found, queries)


def _is_redis(alias: str) -> bool:
    return str(settings.CACHES.get(alias, {}).get("BACKEND", "")) in _REDIS


def _wrong_with_room(
    refresh: list[StoreServer], queries: list[StoreServer] | CheckMessage | None
) -> CheckMessage | None:
    """Cached queries can't fill the Redis of the refresh."""
    if queries is None:
        return Warning(
            "REFRESH_CACHE_URL is a Redis, and what is cached lies on each machine by itself.",
            hint="With more than one machine set CACHE_URL too, or a sign-out drops what is cached on one of them.",
            id="portal.store.W004",
        )
    if isinstance(queries, CheckMessage):
        return queries
    limited = {server.identity for server in refresh if server.limit} - {None}
    if limited.isdisjoint(server.identity for server in queries):
        return None
    return Warning(
        "What is cached and what the token refresh shares lie in one Redis that has a limit (maxmemory) and evicts "
        "nothing: cached data can fill it, and then no token is refreshed.",
        hint="Set REFRESH_CACHE_URL to a Redis of its own; the one in CACHE_URL may then evict (allkeys-lru).",
        id="portal.store.W003",
    )


def _redis_servers(alias: str) -> list[StoreServer] | CheckMessage:
    """What each server tells of itself, once it has taken a write; else the message about it."""
    # Only here, so that a project on the embedded store never imports redis.
    from redis.exceptions import AuthenticationError, ResponseError  # noqa: PLC0415

    from portal.store.redis_faults import explain_fault  # noqa: PLC0415

    is_cluster = settings.CACHES[alias]["BACKEND"] == _CLUSTER
    servers, untold = list[StoreServer](), ""
    try:
        # The process's own, which uses the connection afterwards.
        backend: Any = (query_store() if alias == QUERY_ALIAS else refresh_store()).backend()
        try:
            servers = inspect(backend)
        except AuthenticationError:
            raise
        except ResponseError as error:
            untold = f"it forbids INFO ({type(error).__name__})"
        for server in servers:
            if server.is_sentinel:
                return _refused(alias, "it is a Sentinel: its form is redis+sentinel://…/service")
            if server.is_replica or server.is_cluster is not is_cluster:
                return _wrong_role(server, alias)
        for key in backend.everywhere("start") if is_cluster else ["start"]:
            write = methodcaller("set", key, 1, _PROBE_LIFETIME_S)
            backend.at(key, write) if is_cluster else write(backend)
    except (TypeError, ValueError):
        return Error(
            f"The address in {_variable(alias)} has an option that redis-py does not know, or can't read.",
            hint="Options after the ? have redis-py's names and values, such as ssl_ca_certs and the path of a file.",
            id="portal.store.E004",
        )
    except Exception as error:  # noqa: BLE001  redis-py, and the system below it, have many errors
        return _faulty(alias, explain_fault(error))
    return servers or _unknown(alias, untold)


def _wrong_role(server: StoreServer, alias: str) -> Error:
    return Error(
        f"{_variable(alias)} leads to {'a replica' if server.is_replica else 'a node of a Redis Cluster'}.",
        hint="Name one primary, the Sentinels that know it (redis+sentinel://…), or a cluster (redis+cluster://…).",
        id="portal.store.E006",
    )


def _variable(alias: str) -> str:
    """The environment variable that the alias has its address from."""
    one = settings.CACHES.get(REFRESH_ALIAS, {}).get("LOCATION") == settings.CACHES.get(QUERY_ALIAS, {}).get("LOCATION")
    return "CACHE_URL" if alias == QUERY_ALIAS or one else "REFRESH_CACHE_URL"


def _faulty(alias: str, fault: RedisFault) -> CheckMessage:
    match fault.kind:
        case "mistake":
            return _refused(alias, fault.cause)
        case "away":
            return Error(
                f"{_variable(alias)} can't be reached: {fault.cause}.",
                hint="Start that Redis, or set the variable to the address of one that runs.",
                id=STORE_IS_AWAY,
            )
        case _:
            # The configuration is right: pages are served, and /readyz says what is wrong.
            return Warning(
                f"The Redis in {_variable(alias)} can't be written to: {fault.cause}.",
                hint="Without it no token is refreshed: docs/explanation/store-failures.md.",
                id="portal.store.W005",
            )


def _refused(alias: str, cause: str) -> Error:
    return Error(
        f"{_variable(alias)} can't work: {cause}.",
        hint="docs/reference/environment.md has the forms of its address.",
        id="portal.store.E008",
    )


def _unknown(alias: str, why: str) -> Warning:
    """A warning that names only the kind of the failure: redis-py's message may name the user and the address."""
    return Warning(
        f"The Redis in {_variable(alias)} can't be asked what it is and how it evicts: {why}.",
        hint=f"That of the refresh should have maxmemory-policy {SAFE_POLICY}.",
        id="portal.store.W002",
    )


def _evicts(what: str) -> Error:
    return Error(
        f"CACHES[{REFRESH_ALIAS!r}] is {what}, which drops entries to make room: tokens in use would be lost.",
        hint=f"Set its maxmemory-policy to {SAFE_POLICY}, or REFRESH_CACHE_URL to a Redis that has it.",
        id="portal.store.E003",
    )
