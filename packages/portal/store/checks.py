"""System checks of the shared store: what would break the refresh must not start.

A refresh is safe only if `add` is atomic across all processes, and if nothing of what it shares is dropped to make
room.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning  # noqa: A004  Django's own name
from django.core.exceptions import ImproperlyConfigured

from portal.errors import StoreUnavailableError
from portal.store.aliases import REFRESH_ALIAS, SharedStore, refresh_store

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
_EMBEDDED: Final = "portal.store.sqlite.SqliteCache"
_REDIS: Final = "django.core.cache.backends.redis.RedisCache"


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
    if backend == _REDIS:
        return check_redis_policy(refresh_store())
    return [
        Warning(
            f"CACHES[{REFRESH_ALIAS!r}] is {backend}, of which nothing is known here.",
            hint="Its `add` must be atomic across processes, and it must never evict.",
            id="portal.store.W001",
        )
    ]


def check_redis_policy(store: SharedStore) -> Sequence[CheckMessage]:
    """Redis drops nothing of its own accord; where it does not say (managed servers), a warning."""
    policy = _redis_policy(store)
    if policy is None:
        return [
            Warning(
                "The eviction policy of the Redis in CACHE_URL can't be read.",
                hint=f"Make sure that its maxmemory-policy is {SAFE_POLICY}.",
                id="portal.store.W002",
            )
        ]
    if policy != SAFE_POLICY:
        return [_evicts(f"Redis with maxmemory-policy {policy}")]
    return []


def _redis_policy(store: SharedStore) -> str | None:
    """The server's `maxmemory-policy`; None where it is out of reach, or does not say."""
    try:
        client = store.backend()._cache.get_client(write=True)  # type: ignore[attr-defined]  # noqa: SLF001  Django offers no public way to its Redis client
        answer = client.config_get("maxmemory-policy")
    except (StoreUnavailableError, ImproperlyConfigured):
        return None
    except Exception:  # noqa: BLE001  redis-py may be absent, and a managed server may forbid the command in any way
        return None
    policy = answer.get("maxmemory-policy") if isinstance(answer, dict) else None
    return policy.decode() if isinstance(policy, bytes) else policy


def _evicts(what: str) -> Error:
    return Error(
        f"CACHES[{REFRESH_ALIAS!r}] is {what}, which drops entries to make room: tokens in use would be lost.",
        hint=f"On Redis set maxmemory-policy to {SAFE_POLICY}.",
        id="portal.store.E003",
    )
