"""How full a store is, and what a Redis is: for `/metrics`, and for a warning in the log before it is full.

What a Redis server tells about itself it tells in INFO: its eviction policy, its memory, its role. `/metrics` also
tells of the operations of the stores.
"""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, Final

from django.core.cache.backends.redis import RedisCache

from portal.errors import StoreUnavailableError
from portal.telemetry.metrics import OPERATION_BUCKETS_S, Counters, Label, Timings
from sqlite_cache import SQLiteCache

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from django.core.cache.backends.base import BaseCache

STORE_LABEL: Final = Label(name="store", says="`default` has what is cached, `refresh` what token refreshes share")


class StoreFailure(Enum):
    """Why an operation of a store failed."""

    #: The store did not answer, or not in time.
    NO_ANSWER = "no answer"
    #: Nothing was sent: the circuit is open.
    CIRCUIT_OPEN = "circuit open"
    #: The store has no room.
    FULL = "full"
    #: Other processes write to the file at the moment.
    BUSY = "busy"
    #: The store answered that it refuses.
    REFUSED = "refused"


store_timings: Final = Timings(
    "portal_store_operation_duration_seconds",
    "Time of one operation of the shared store, failed ones included, without those that an open circuit refused.",
    labels=[STORE_LABEL],
    buckets=OPERATION_BUCKETS_S,
)
store_failures: Final = Counters(
    "portal_store_errors_total",
    "Operations of the shared store that failed, by cause.",
    labels=[STORE_LABEL, Label(name="cause", says="why it failed", values=list(StoreFailure))],
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RedisInfo:
    """The fields of INFO that matter here. A field that the server does not tell is None.

    :param used: memory in use, bytes.
    :param limit: `maxmemory`, bytes; 0 for none.
    :param policy: `maxmemory-policy`.
    :param identity: `run_id`: two addresses with the same one lead to the same server.
    :param version: of the server.
    """

    used: int | None
    limit: int | None
    policy: str | None
    identity: str | None
    is_cluster: bool
    is_replica: bool
    is_sentinel: bool
    version: str | None


def read_info(backend: RedisCache) -> RedisInfo:
    """Ask the server.

    :raises TypeError: the address has an option that redis-py does not know.
    :raises Exception: any error of redis-py: the server is out of reach, or forbids INFO.
    """
    client = backend._cache.get_client(write=True)  # noqa: SLF001  Django offers no public way to its Redis client
    info: Mapping[str, Any] = client.info()
    return RedisInfo(
        used=info.get("used_memory"),
        limit=info.get("maxmemory"),
        policy=info.get("maxmemory_policy"),
        identity=info.get("run_id"),
        is_cluster=info.get("cluster_enabled") == 1,
        is_replica=info.get("role") == "slave",
        is_sentinel=info.get("redis_mode") == "sentinel",
        version=info.get("redis_version"),
    )


logger = logging.getLogger(__name__)

#: A size that is older is asked again, seconds.
SIZE_TTL_S: Final = 10.0
#: A process that writes looks at the size this often, seconds.
LOOK_EVERY_S: Final = 60.0
#: The share of the limit at which the log first warns, and the step to each further warning. After the share has
#: fallen a step below the first one, the warnings start again.
WARN_FROM: Final = 0.7
WARN_STEP: Final = 0.1
_MB: Final = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreSize:
    """Bytes in use, and the limit in bytes; None where the store has no limit, or does not tell it."""

    used: int
    limit: int | None


def read_size(backend: BaseCache) -> StoreSize | None:
    """The size of the store behind a Django cache; None where the store does not tell its size."""
    if isinstance(backend, SQLiteCache):
        return StoreSize(used=backend.size_in_bytes(), limit=backend.size_limit.max_bytes)
    if not isinstance(backend, RedisCache):
        return None
    info = read_info(backend)
    return None if info.used is None else StoreSize(used=info.used, limit=info.limit or None)


class SizeWatch:
    """Remembers the size of one store for some seconds. Safe for threads: one of them asks at a time.

    :param alias: names the store in the log.
    :param ask: gives the size, or raises `StoreUnavailableError`.
    :param clock: seconds, monotonic.
    """

    def __init__(
        self, *, alias: str, ask: Callable[[], StoreSize | None], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._alias = alias
        self._ask = ask
        self._clock = clock
        self._size: StoreSize | None = None
        self._asked_at: float | None = None
        self._next_look = clock() + LOOK_EVERY_S
        self._warn_from = WARN_FROM

    def size(self) -> StoreSize | None:
        """The size, some seconds old at most; None where it is unknown."""
        now = self._clock()
        if self._asked_at is None or now - self._asked_at >= SIZE_TTL_S:
            # Other threads get None while this one asks: they do not wait for a store that hangs.
            self._asked_at = now
            self._size = None
            self._look()
        return self._size

    def after_write(self) -> None:
        """Look at the size if the last look was long ago, because writes fill a store."""
        now = self._clock()
        if now >= self._next_look:
            self._next_look = now + LOOK_EVERY_S
            self.size()

    def _look(self) -> None:
        try:
            self._size = size = self._ask()
        except StoreUnavailableError as error:
            logger.debug("the size of a store is unknown: %s", error)
            return
        if size is None or size.limit is None:
            return
        share = size.used / size.limit
        if share < WARN_FROM - WARN_STEP:
            self._warn_from = WARN_FROM
        if share < self._warn_from:
            return
        while self._warn_from <= share:
            self._warn_from += WARN_STEP
        logger.warning(
            "store %r is %.0f%% full: %.0f of %.0f MB", self._alias, 100 * share, size.used / _MB, size.limit / _MB
        )
