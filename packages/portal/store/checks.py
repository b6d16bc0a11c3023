"""System checks of the shared stores: a project does not start with a store that would break the token refresh.

A refresh is safe only if `add` is atomic across all processes, if all of them read what one has written, and if the
store evicts nothing. No message repeats an address, because an address may contain a password.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from django.conf import settings
from django.core.cache.backends.redis import RedisCache
from django.core.checks import CheckMessage, Error, Warning  # noqa: A004  Django's own name

from portal.errors import StoreUnavailableError
from portal.store.shared_store import QUERY_ALIAS, REFRESH_ALIAS, SharedStore
from portal.store.size import RedisInfo, read_info

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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
#: The only policy that evicts nothing: `volatile-*` may evict each of our records, because all of them expire.
SAFE_POLICY: Final = "noeviction"
_EMBEDDED: Final = "sqlite_cache.SQLiteCache"
_REDIS: Final = frozenset(
    {"django.core.cache.backends.redis.RedisCache", "portal.store.sentinel.SentinelCache"},
)
#: The message about a Redis that may be there in some seconds: `serve` waits for it (ADR 45).
STORE_IS_AWAY: Final = "portal.store.E007"
#: How long the key of the check's own write is kept, seconds.
_PROBE_LIFETIME_S: Final = 60


def check_refresh_store(app_configs: object = None, **_: object) -> Sequence[CheckMessage]:  # noqa: ARG001  Django's signature
    """The refresh store is atomic across processes and never evicts."""
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
    found = _redis_info(QUERY_ALIAS)
    return [found] if isinstance(found, Error) else _wrong_role(found, QUERY_ALIAS)


def _check_redis() -> Sequence[CheckMessage]:
    found = _redis_info(REFRESH_ALIAS)
    query_info = _redis_info(QUERY_ALIAS) if _is_redis(QUERY_ALIAS) else None
    # A mistake in one address is reported also while the server of the other address is down.
    wrong = [one for one in (found, query_info) if isinstance(one, Error)]
    wrong.sort(key=lambda message: message.id == STORE_IS_AWAY)
    if wrong:
        return wrong[:1]
    wrong_role = [*_wrong_role(found, REFRESH_ALIAS), *_wrong_role(query_info, QUERY_ALIAS)]
    if wrong_role:
        return wrong_role[:1]
    if not isinstance(found, RedisInfo):
        return [found]
    if found.policy is None:
        return [_unknown(REFRESH_ALIAS, "it does not tell its maxmemory-policy")]
    if found.policy != SAFE_POLICY:
        return [_evicts(f"Redis with maxmemory-policy {found.policy}")]
    return _check_room(found, query_info)


def _wrong_role(info: RedisInfo | CheckMessage | None, alias: str) -> Sequence[CheckMessage]:
    """A server that reads and writes can't go to."""
    if not isinstance(info, RedisInfo) or not (info.is_cluster or info.is_replica):
        return []
    what = "a node of a Redis Cluster, which is not supported" if info.is_cluster else "a replica"
    return [
        Error(
            f"{_variable(alias)} leads to {what}.",
            hint="Name one primary, or the Sentinels that know it (redis+sentinel://…).",
            id="portal.store.E006",
        )
    ]


def _is_redis(alias: str) -> bool:
    return str(settings.CACHES.get(alias, {}).get("BACKEND", "")) in _REDIS


def _check_room(refresh_info: RedisInfo, query_info: RedisInfo | CheckMessage | None) -> Sequence[CheckMessage]:
    """Cached queries can't fill the Redis of the refresh."""
    if query_info is None:
        return [
            Warning(
                "REFRESH_CACHE_URL is a Redis, and what is cached lies on each machine by itself.",
                hint="With more than one machine set CACHE_URL too, or a sign-out drops what is cached on one of them.",
                id="portal.store.W004",
            )
        ]
    if not isinstance(query_info, RedisInfo):
        return [query_info]
    one = query_info.identity is not None and query_info.identity == refresh_info.identity
    if not one or not refresh_info.limit:
        return []
    return [
        Warning(
            "What is cached and what the token refresh shares lie in one Redis that has a limit (maxmemory) and evicts "
            "nothing: cached data can fill it, and then no token is refreshed.",
            hint="Set REFRESH_CACHE_URL to a Redis of its own; the one in CACHE_URL may then evict (allkeys-lru).",
            id="portal.store.W003",
        )
    ]


def _redis_info(alias: str) -> RedisInfo | CheckMessage:
    """What the server tells of itself, once it has taken a write; else the message about it."""
    # Only here, so that a project on the embedded store never imports redis.
    from portal.store.redis_faults import explain_fault  # noqa: PLC0415

    try:
        backend = SharedStore(alias=alias).backend()
        if not isinstance(backend, RedisCache):
            return _unknown(alias, "it is no Redis")
        info, untold = _info_if_told(backend)
        if info is not None and (info.is_cluster or info.is_replica):
            return info
        if info is not None and info.is_sentinel:
            return _refused(alias, "it is a Sentinel: its form is redis+sentinel://…/service")
        backend.set("start", 1, _PROBE_LIFETIME_S)
    except (TypeError, ValueError):
        return Error(
            f"The address in {_variable(alias)} has an option that redis-py does not know, or can't read.",
            hint="Options after the ? have redis-py's names and values, such as ssl_ca_certs and the path of a file.",
            id="portal.store.E004",
        )
    except Exception as error:  # noqa: BLE001  redis-py, and the system below it, have many errors
        return _faulty(alias, explain_fault(error))
    return info or _unknown(alias, untold)


def _info_if_told(backend: RedisCache) -> tuple[RedisInfo | None, str]:
    """What INFO tells; with the reason where the server forbids it. Other errors are raised."""
    from redis.exceptions import AuthenticationError, ResponseError  # noqa: PLC0415  as above

    try:
        return read_info(backend), ""
    except AuthenticationError:
        raise
    except ResponseError as error:
        return None, f"it forbids INFO ({type(error).__name__})"


def _variable(alias: str) -> str:
    """The environment variable that the alias has its address from."""
    one = settings.CACHES.get(REFRESH_ALIAS, {}).get("LOCATION") == settings.CACHES.get(QUERY_ALIAS, {}).get("LOCATION")
    return "CACHE_URL" if alias == QUERY_ALIAS or one else "REFRESH_CACHE_URL"


def _faulty(alias: str, fault: RedisFault) -> CheckMessage:
    match fault.kind.value:
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
        hint=f"It should be no node of a Cluster; that of the refresh with maxmemory-policy {SAFE_POLICY}.",
        id="portal.store.W002",
    )


def _evicts(what: str) -> Error:
    return Error(
        f"CACHES[{REFRESH_ALIAS!r}] is {what}, which drops entries to make room: tokens in use would be lost.",
        hint=f"Set its maxmemory-policy to {SAFE_POLICY}, or REFRESH_CACHE_URL to a Redis that has it.",
        id="portal.store.E003",
    )
