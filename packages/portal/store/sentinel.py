"""Django's Redis cache on the primary that Sentinels name. It can wait until a replica has each write.

Redis sends a write to its replicas after it has answered the client. If the primary dies in between, the confirmed
write is lost. For the token refresh that would mean to submit a token twice. So with `WAIT_FOR_REPLICA` a write that no
replica has within half a second is an error, as if the store were down, unless the primary has no replica at all.

Settings::

    {"BACKEND": "portal.store.sentinel.SentinelCache",
     "LOCATION": "redis+sentinel://[user:password@]host[:port],…/service[/database]",  # portal.config.environment
     "OPTIONS": {"WAIT_FOR_REPLICA": True,
                 "username": …, "password": …, "sentinel_username": …, "sentinel_password": …,
                 …}}     # and those of Django's RedisCache
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

from django.core.cache.backends.redis import RedisCache, RedisCacheClient
from redis.backoff import NoBackoff
from redis.connection import parse_url
from redis.exceptions import ResponseError
from redis.retry import Retry
from redis.sentinel import Sentinel, SentinelConnectionPool

from portal.config.environment import read_shared_url

if TYPE_CHECKING:
    from redis.client import Pipeline

#: Longest wait for a replica, milliseconds: shorter than the limit of one operation.
WAIT_MS: Final = 500
#: After a primary without replicas was seen, no write waits for this long, seconds.
NO_REPLICA_TTL_S: Final = 2.0
#: Shortest timeout of a request to one Sentinel, seconds.
MIN_SENTINEL_TIMEOUT_S: Final = 0.2


class NoReplicaError(ResponseError):
    """No replica has the write, so it may be lost with the primary. The server answers, as with other such errors."""


class PrimaryPool(SentinelConnectionPool):
    """Connections to the primary that the Sentinels name. Each new connection asks the Sentinels."""

    @classmethod
    def from_url(cls, url: str, **options: Any) -> PrimaryPool:
        """Make the pool; Django's cache calls this.

        Nothing is retried, so that timeouts hold: a connection that fails asks the Sentinels on its next use. All
        Sentinels together may take as long as one operation.
        """
        address = read_shared_url(url)
        given = parse_url(f"redis://?{urlencode(address.options)}")  # type: ignore[no-untyped-call]  # as redis-py has it
        sentinel_users = {
            name: options.pop(f"sentinel_{name}", None) or getattr(address, f"sentinel_{name}")
            for name in ("username", "password")
        }
        users = {name: options.pop(name, None) or getattr(address, name) for name in ("username", "password")}
        limit = float(options.get("socket_timeout") or 0)
        each = max(MIN_SENTINEL_TIMEOUT_S, limit / len(address.hosts)) if limit else None
        common = {"ssl": address.tls, "retry": Retry(NoBackoff(), 0), **given}
        sentinels = Sentinel(  # type: ignore[no-untyped-call]  # as redis-py has it
            address.hosts,
            sentinel_kwargs={**common, **sentinel_users, "socket_timeout": each, "socket_connect_timeout": each},
        )
        return cls(address.service, sentinels, **{**options, **common, **users, "db": address.database})


class PrimaryClient(RedisCacheClient):
    """Django's client on such a pool. With `WAIT_FOR_REPLICA` a write succeeds when a replica has it."""

    _serializer: Any

    def __init__(self, servers: list[str], *, WAIT_FOR_REPLICA: bool = False, **options: Any) -> None:  # noqa: N803  as in the settings
        super().__init__(servers, pool_class=PrimaryPool, **options)
        self._waits = WAIT_FOR_REPLICA
        self._no_replica_until = 0.0

    def add(self, key: Any, value: Any, timeout: Any) -> bool:
        """Set a missing key, as Django's client."""
        if self._is_plain(timeout):
            return super().add(key, value, timeout)
        text = self._serializer.dumps(value)
        (added,) = self._replicated(lambda pipe: pipe.set(key, text, ex=timeout, nx=True))
        return bool(added)

    def set(self, key: Any, value: Any, timeout: Any) -> None:
        """Set a key, as Django's client."""
        if self._is_plain(timeout):
            super().set(key, value, timeout)
        else:
            text = self._serializer.dumps(value)
            self._replicated(lambda pipe: pipe.set(key, text, ex=timeout))

    def set_many(self, data: Any, timeout: Any) -> None:
        """Set several keys in one transaction, as Django's client."""
        if self._is_plain(timeout):
            super().set_many(data, timeout)
            return
        texts = {key: self._serializer.dumps(value) for key, value in data.items()}

        def write(pipe: Pipeline) -> None:
            pipe.execute_command("MULTI")  # type: ignore[no-untyped-call]  # as redis-py has it
            pipe.mset(texts)
            if timeout is not None:
                for key in texts:
                    pipe.expire(key, timeout)
            pipe.execute_command("EXEC")  # type: ignore[no-untyped-call]  # as redis-py has it

        self._replicated(write)

    def confirm(self, key: str, text: str, timeout: int) -> None:
        """Wait until a replica has a value that a transaction has set on another connection.

        A replica takes writes in their order, so one that has the new lifetime has the value.

        :raises NoReplicaError: no replica has it, or this primary has another value by now.
        """
        if self._is_plain(timeout):
            return

        def prolong(pipe: Pipeline) -> None:
            pipe.expire(key, timeout)
            pipe.get(key)

        if self._replicated(prolong)[1] != text.encode():
            raise NoReplicaError("the write is lost with its primary, or somebody has changed it")

    def _is_plain(self, timeout: Any) -> bool:
        """Whether the write does not wait: the option is off, no replica was seen, or the value expires at once."""
        return not self._waits or timeout == 0 or time.monotonic() < self._no_replica_until

    def _replicated(self, write: Callable[[Pipeline], object]) -> list[Any]:
        """Write, wait for a replica, and ask for the list of replicas, in one round trip on one connection.

        WAIT concerns the writes of its own connection, and another connection might lead to another primary by now.

        :raises NoReplicaError: the primary has replicas, and none of them has the write.
        """
        pipe = self.get_client(write=True).pipeline(transaction=False)
        write(pipe)
        pipe.wait(1, WAIT_MS)
        pipe.info("replication")
        *answers, taken, replication = pipe.execute()
        if not taken:
            if any(isinstance(one, dict) and one.get("state") == "online" for one in replication.values()):
                raise NoReplicaError("no replica has the write")
            self._no_replica_until = time.monotonic() + NO_REPLICA_TTL_S
        return answers


class SentinelCache(RedisCache):
    """Django's Redis cache on the primary that Sentinels name; the module lists the settings."""

    def __init__(self, server: str | list[str], params: dict[str, Any]) -> None:
        # Django would split a string at commas and take each Sentinel for a server.
        super().__init__([server] if isinstance(server, str) else server, params)
        self._class = PrimaryClient
