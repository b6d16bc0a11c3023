"""Redis with Sentinels: the primary that they name, and for what must not be lost, a replica's word that it has it.

Redis sends its replicas a write after it has answered. A primary that dies in between takes with it what it has
confirmed. For the refresh that would mean a token presented twice. So with `WAIT_FOR_REPLICA` a write that no replica
has taken within half a second is an error, as if the store were down, unless there is no replica at all.

Settings::

    {"BACKEND": "portal.store.sentinel.SentinelCache",
     "LOCATION": "redis+sentinel://[user:password@]host[:port],…/service[/database]",    # portal.config.store_urls
     "OPTIONS": {"WAIT_FOR_REPLICA": True,
                 "username": …, "password": …, "sentinel_username": …, "sentinel_password": …,
                 …}}     # and those of Django's RedisCache
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

from django.core.cache.backends.redis import RedisCache, RedisCacheClient
from redis.backoff import NoBackoff
from redis.connection import parse_url
from redis.exceptions import ResponseError
from redis.retry import Retry
from redis.sentinel import Sentinel, SentinelConnectionPool

from portal.config.store_urls import read_sentinel_url

if TYPE_CHECKING:
    from collections.abc import Callable

    from redis.client import Pipeline

#: Longest wait for a replica's word, milliseconds: below the limit of one operation.
WAIT_MS: Final = 500
#: How long it is believed that there are no replicas, seconds.
ALONE_FOR_S: Final = 2.0
#: Shortest limit of asking one Sentinel, seconds.
MIN_SENTINEL_TIMEOUT_S: Final = 0.2


class NoReplicaError(ResponseError):
    """No replica has taken a write: it may be lost with the primary."""


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
        watchers = {
            name: options.pop(f"sentinel_{name}", None) or getattr(address, f"sentinel_{name}")
            for name in ("username", "password")
        }
        users = {name: options.pop(name, None) or getattr(address, name) for name in ("username", "password")}
        limit = float(options.get("socket_timeout") or 0)
        each = max(MIN_SENTINEL_TIMEOUT_S, limit / len(address.hosts)) if limit else None
        common = {"ssl": address.tls, "retry": Retry(NoBackoff(), 0), **given}
        sentinels = Sentinel(  # type: ignore[no-untyped-call]  # as redis-py has it
            address.hosts,
            sentinel_kwargs={**common, **watchers, "socket_timeout": each, "socket_connect_timeout": each},
        )
        return cls(address.service, sentinels, **{**options, **common, **users, "db": address.database})


class PrimaryClient(RedisCacheClient):
    """Django's client on such a pool; with `WAIT_FOR_REPLICA` what it writes counts when a replica has it."""

    _serializer: Any

    def __init__(self, servers: list[str], *, WAIT_FOR_REPLICA: bool = False, **options: Any) -> None:  # noqa: N803  as in the settings
        super().__init__(servers, pool_class=PrimaryPool, **options)
        self._waits = WAIT_FOR_REPLICA
        self._alone_until = 0.0

    def add(self, key: Any, value: Any, timeout: Any) -> bool:
        """As Django's."""
        if self._is_plain(timeout):
            return super().add(key, value, timeout)
        text = self._serializer.dumps(value)
        (added,) = self._kept(lambda pipe: pipe.set(key, text, ex=timeout, nx=True))
        return bool(added)

    def set(self, key: Any, value: Any, timeout: Any) -> None:
        """As Django's."""
        if self._is_plain(timeout):
            super().set(key, value, timeout)
        else:
            text = self._serializer.dumps(value)
            self._kept(lambda pipe: pipe.set(key, text, ex=timeout))

    def set_many(self, data: Any, timeout: Any) -> None:
        """As Django's: all of it is seen, or none."""
        if self._is_plain(timeout):
            super().set_many(data, timeout)
            return
        texts = {key: self._serializer.dumps(value) for key, value in data.items()}

        def write(pipe: Pipeline) -> None:
            pipe.execute_command("MULTI")  # type: ignore[no-untyped-call]  # as redis-py has it
            pipe.mset(texts)
            for key in texts if timeout is not None else ():
                pipe.expire(key, timeout)
            pipe.execute_command("EXEC")  # type: ignore[no-untyped-call]  # as redis-py has it

        self._kept(write)

    def _is_plain(self, timeout: Any) -> bool:
        """Whether nothing is waited for: also while there is no replica, and for what ends at once."""
        return not self._waits or timeout == 0 or time.monotonic() < self._alone_until

    def _kept(self, write: Callable[[Pipeline], object]) -> list[Any]:
        """Write, wait for a replica, and ask whether there is one: in one go, and all on the connection of the write.

        Redis knows by it which write is meant; another one might lead to another primary by now.

        :raises NoReplicaError: there are replicas, and none has the write.
        """
        pipe = self.get_client(write=True).pipeline(transaction=False)
        write(pipe)
        pipe.wait(1, WAIT_MS)
        pipe.info("replication")
        *answers, taken, replication = pipe.execute()
        if not taken:
            if any(isinstance(one, dict) and one.get("state") == "online" for one in replication.values()):
                raise NoReplicaError("no replica has taken the write")
            self._alone_until = time.monotonic() + ALONE_FOR_S
        return answers


class SentinelCache(RedisCache):
    """Django's Redis cache on the primary that Sentinels name; see the module."""

    def __init__(self, server: str | list[str], params: dict[str, Any]) -> None:
        # As a text Django would take the Sentinels for servers.
        super().__init__([server] if isinstance(server, str) else server, params)
        self._class = PrimaryClient
