"""Redis with Sentinels: the primary that they name, and for what must not be lost, a replica's word that it has it.

Redis sends its replicas a write after it has answered. A primary that dies in between takes with it what it has
confirmed. For the refresh that would mean a token presented twice. So with `WAIT_FOR_REPLICA` a write that no replica
has taken within half a second is an error, as if the store were down, unless there is no replica at all.

Settings::

    {"BACKEND": "portal.store.sentinel.SentinelCache",
     "LOCATION": "redis+sentinel://[user:password@]host[:port],…/service[/database]",    # portal.config.store_urls
     "OPTIONS": {"WAIT_FOR_REPLICA": True, …}}     # and those of Django's RedisCache
"""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, TypeVar
from urllib.parse import urlencode

from django.core.cache.backends.base import DEFAULT_TIMEOUT
from django.core.cache.backends.redis import RedisCache, RedisCacheClient
from redis import Redis
from redis.backoff import NoBackoff
from redis.connection import parse_url
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.retry import Retry
from redis.sentinel import Sentinel, SentinelConnectionPool

from portal.config.store_urls import read_sentinel_url

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

T = TypeVar("T")

#: Longest wait for a replica's word, milliseconds: below the limit of one operation.
WAIT_MS: Final = 500
#: How long it is believed that there are no replicas, seconds.
ALONE_FOR_S: Final = 2.0
#: Shortest limit of asking one Sentinel, seconds.
MIN_SENTINEL_TIMEOUT_S: Final = 0.2


class ReplicaError(RedisConnectionError):
    """No replica has taken a write: it may be lost with the primary."""

    #: For `portal.store.aliases`: this is no silence, which would keep everybody from the store for a second.
    store_answers = True


class PrimaryPool(SentinelConnectionPool):
    """Connections to the primary that the Sentinels name; each new one asks them."""

    @classmethod
    def from_url(cls, url: str, **options: Any) -> PrimaryPool:
        """Make it as Django's cache makes its pools.

        Nothing is tried twice: a connection that fails asks anew on its next use, and limits stay limits. All
        Sentinels together may take as long as one operation.
        """
        address = read_sentinel_url(url)
        given = parse_url(f"redis://?{urlencode(address.options)}")  # type: ignore[no-untyped-call]  # as redis-py has it
        limit = float(options.get("socket_timeout") or 0)
        each = max(MIN_SENTINEL_TIMEOUT_S, limit / len(address.hosts)) if limit else None
        common = {"ssl": address.tls, "retry": Retry(NoBackoff(), 0), **given}
        sentinels = Sentinel(  # type: ignore[no-untyped-call]  # as redis-py has it
            address.hosts,
            sentinel_kwargs={
                **common,
                "socket_timeout": each,
                "socket_connect_timeout": each,
                "username": address.sentinel_username,
                "password": address.sentinel_password,
            },
        )
        return cls(
            address.service,
            sentinels,
            **{
                **options,
                **common,
                "db": address.database,
                "username": address.username,
                "password": address.password,
            },
        )


class PrimaryClient(RedisCacheClient):
    """Django's client on such a pool."""

    def __init__(self, servers: list[str], **options: Any) -> None:
        super().__init__(servers, pool_class=PrimaryPool, **options)
        self._own = threading.local()

    def get_client(self, key: Any = None, *, write: bool = False) -> Redis:
        """The client of this thread's own connection, if it has one now; else one on the pool."""
        own: Redis | None = getattr(self._own, "client", None)
        return own or super().get_client(key, write=write)

    @contextmanager
    def own_connection(self) -> Iterator[Redis]:
        """All that this thread does in the block goes over one connection."""
        pool = super().get_client(write=True).connection_pool
        client = Redis(connection_pool=pool, single_connection_client=True)
        self._own.client = client
        try:
            yield client
        finally:
            self._own.client = None
            client.close()


class SentinelCache(RedisCache):
    """Django's Redis cache on the primary that Sentinels name; see the module."""

    _cache: PrimaryClient

    def __init__(self, server: str | list[str], params: dict[str, Any]) -> None:
        options = dict(params.get("OPTIONS", {}))
        self._waits = bool(options.pop("WAIT_FOR_REPLICA", False))
        # As a text Django would take the Sentinels for servers.
        super().__init__([server] if isinstance(server, str) else server, {**params, "OPTIONS": options})
        self._class = PrimaryClient
        self._alone_until = 0.0

    def add(self, key: Any, value: Any, timeout: float | None = DEFAULT_TIMEOUT, version: int | None = None) -> bool:
        """As Django's; kept by a replica too."""
        return self._kept(lambda: super(SentinelCache, self).add(key, value, timeout, version))

    def set(self, key: Any, value: Any, timeout: float | None = DEFAULT_TIMEOUT, version: int | None = None) -> None:
        """As Django's; kept by a replica too."""
        self._kept(lambda: super(SentinelCache, self).set(key, value, timeout, version))

    def set_many(
        self, data: Mapping[Any, Any], timeout: float | None = DEFAULT_TIMEOUT, version: int | None = None
    ) -> list[Any]:
        """As Django's; kept by a replica too."""
        return self._kept(lambda: super(SentinelCache, self).set_many(dict(data), timeout, version))

    def _kept(self, write: Callable[[], T]) -> T:
        """Write, then wait for a replica, on one connection: Redis knows by it which write is meant.

        :raises ReplicaError: there are replicas, and none has the write.
        """
        if not self._waits or time.monotonic() < self._alone_until:
            return write()
        with self._cache.own_connection() as client:
            written = write()
            if not client.wait(1, WAIT_MS):
                self._without_replica(client)
        return written

    def _without_replica(self, client: Redis) -> None:
        replication = client.info("replication")
        if any(isinstance(one, dict) and one.get("state") == "online" for one in replication.values()):
            raise ReplicaError("no replica has taken the write")
        self._alone_until = time.monotonic() + ALONE_FOR_S
