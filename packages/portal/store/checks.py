"""System checks of the shared store: what would break the refresh must not start.

A refresh is safe only if `add` is atomic across all processes, if all of them read what was written, and if nothing of
what it shares is dropped to make room. No message repeats an address: it may carry a password.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning  # noqa: A004  Django's own name

from portal.errors import StoreUnavailableError
from portal.store.aliases import QUERY_ALIAS, REFRESH_ALIAS, SharedStore
from portal.store.redis_facts import RedisFacts, is_redis, read_facts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

#: Backends of Django whose `add` two processes can both win; measured, not presumed.
NOT_ATOMIC: Final = {
    "django.core.cache.backends.locmem.LocMemCache": "each process has its own",
    "django.core.cache.backends.dummy.DummyCache": "it keeps nothing",
    "django.core.cache.backends.filebased.FileBasedCache": "several processes can win the same `add`",
    "django.core.cache.backends.db.DatabaseCache": "it evicts what is in use, and several processes win the same `add`",
}
#: Atomic across processes, but they evict under memory pressure and give no way to forbid it.
EVICTING: Final = frozenset(
    {
        "django.core.cache.backends.memcached.PyMemcacheCache",
        "django.core.cache.backends.memcached.PyLibMCCache",
    }
)
#: Redis policies that drop only what they may, or nothing; with `volatile-*` every record may go, since all expire.
SAFE_POLICY: Final = "noeviction"
_EMBEDDED: Final = "sqlite_cache.SQLiteCache"
_REDIS: Final = frozenset(
    {"django.core.cache.backends.redis.RedisCache", "portal.store.sentinel.SentinelCache"},
)
#: The variable that each alias's address comes from.
_VARIABLES: Final = {REFRESH_ALIAS: "REFRESH_CACHE_URL (by default CACHE_URL)", QUERY_ALIAS: "CACHE_URL"}


def check_refresh_store(app_configs: object = None, **_: object) -> Sequence[CheckMessage]:  # noqa: ARG001  Django's signature
    """The store of the refresh is one that can carry it."""
    entry: Mapping[str, Any] = settings.CACHES.get(REFRESH_ALIAS, {})
    backend = str(entry.get("BACKEND", ""))
    if not backend:
        return [Error(f"CACHES has no {REFRESH_ALIAS!r} alias, which the token refresh needs.", id="portal.store.E001")]
    if backend in NOT_ATOMIC:
        return [
            Error(
                f"CACHES[{REFRESH_ALIAS!r}] can't carry the token refresh: with {backend} {NOT_ATOMIC[backend]}.",
                hint="Use the embedded store (leave CACHE_URL unset), or Redis (CACHE_URL=redis://…).",
                id="portal.store.E002",
            )
        ]
    if backend in EVICTING:
        return [_evicts(backend)]
    if backend == _EMBEDDED:
        refuses = entry.get("OPTIONS", {}).get("WHEN_FULL") == "refuse"
        return [] if refuses else [_evicts(f'{backend} without "WHEN_FULL": "refuse"')]
    if backend in _REDIS:
        return _check_redis()
    return [
        Warning(
            f"CACHES[{REFRESH_ALIAS!r}] is {backend}, of which nothing is known here.",
            hint="Its `add` must be atomic across processes, and it must never evict.",
            id="portal.store.W001",
        )
    ]


def check_embedded_store(app_configs: object = None, **_: object) -> Sequence[CheckMessage]:  # noqa: ARG001  Django's signature
    """The files of the embedded store can be opened: on a machine of one's own, nothing but a mistake prevents it."""
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


def _check_redis() -> Sequence[CheckMessage]:
    found = _facts_of(REFRESH_ALIAS)
    of_queries = _facts_of(QUERY_ALIAS) if _is_redis(QUERY_ALIAS) else None
    # A mistake in either address is told also while the other's server is away.
    wrong = [answer for answer in (found, of_queries) if isinstance(answer, Error)]
    if wrong:
        return wrong[:1]
    if not isinstance(found, RedisFacts):
        return [found]
    if found.is_cluster or found.is_replica:
        what = "a node of a Redis Cluster, which is not supported" if found.is_cluster else "a replica"
        return [
            Error(
                f"The Redis in {_VARIABLES[REFRESH_ALIAS]} is {what}.",
                hint="Name one primary, or the Sentinels that know it (redis+sentinel://…).",
                id="portal.store.E006",
            )
        ]
    if found.policy is None:
        return [_unread(REFRESH_ALIAS, "it does not tell its maxmemory-policy")]
    if found.policy != SAFE_POLICY:
        return [_evicts(f"Redis with maxmemory-policy {found.policy}")]
    return _check_room(found, of_queries)


def _is_redis(alias: str) -> bool:
    return str(settings.CACHES.get(alias, {}).get("BACKEND", "")) in _REDIS


def _check_room(of_refresh: RedisFacts, of_queries: RedisFacts | CheckMessage | None) -> Sequence[CheckMessage]:
    """What is cached can't take the room of the refresh."""
    if of_queries is None:
        return [
            Warning(
                "REFRESH_CACHE_URL is a Redis, and what is cached lies on each machine by itself.",
                hint="With more than one machine set CACHE_URL too, or a sign-out drops what is cached on one of them.",
                id="portal.store.W004",
            )
        ]
    if not isinstance(of_queries, RedisFacts):
        return [of_queries]
    one = of_queries.identity is not None and of_queries.identity == of_refresh.identity
    if not one or not of_refresh.limit:
        return []
    return [
        Warning(
            "What is cached and what the token refresh shares lie in one Redis that has a limit (maxmemory) and evicts "
            "nothing: cached data can fill it, and then no token is refreshed.",
            hint="Set REFRESH_CACHE_URL to a Redis of its own; the one in CACHE_URL may then evict (allkeys-lru).",
            id="portal.store.W003",
        )
    ]


def _facts_of(alias: str) -> RedisFacts | CheckMessage:
    try:
        backend = SharedStore(alias=alias).backend()
        return read_facts(backend) if is_redis(backend) else _unread(alias, "it is no Redis")
    except (TypeError, ValueError):
        return Error(
            f"The address in {_VARIABLES[alias]} has an option that redis-py does not know, or can't read.",
            hint="Options after the ? have redis-py's names and values, such as ssl_ca_certs and the path of a file.",
            id="portal.store.E004",
        )
    except Exception as error:  # noqa: BLE001  a server may be out of reach, or forbid the command, in any way
        return _unread(alias, type(error).__name__)


def _unread(alias: str, why: str) -> Warning:
    """The kind of the failure alone: redis-py's words may name the user, and the address."""
    return Warning(
        f"The Redis in {_VARIABLES[alias]} can't be asked what it is and how it evicts: {why}.",
        hint=f"It should be reachable, no node of a Cluster; that of the refresh with maxmemory-policy {SAFE_POLICY}.",
        id="portal.store.W002",
    )


def _evicts(what: str) -> Error:
    return Error(
        f"CACHES[{REFRESH_ALIAS!r}] is {what}, which drops entries to make room: tokens in use would be lost.",
        hint=f"Set its maxmemory-policy to {SAFE_POLICY}, or REFRESH_CACHE_URL to a Redis that has it.",
        id="portal.store.E003",
    )
