"""Redis Cluster: the caches of its primaries, and which of them has a key.

redis-py's `RedisCluster` finds the nodes and keeps their connections. Each operation is one node's own, so timeouts
hold, a write can wait for a replica on its connection, and each node has a circuit. Nothing is tried again but what a
node refused because another one has the slot by now.

The keys of one user's caches, or of one sign-in, begin with the same hash. Its first three digits are their hash tag,
so they share a slot and are read and written in one operation. `{tag}` stands behind the prefix, on a cluster alone:
`portal:queries:1:{0a1}0a1b…:number`.

Settings::

    {"BACKEND": "portal.store.cluster.ClusterCache",
     "LOCATION": "redis+cluster://[user:password@]host[:port],…",  # portal.config.environment
     "OPTIONS": {"WAIT_FOR_REPLICA": True, …}}                     # as of SentinelCache
"""

from __future__ import annotations

import random
import re
import threading
import time
from collections.abc import Callable
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any, Final, TypeVar
from urllib.parse import urlencode

from django.core.cache.backends.base import BaseCache
from django.core.cache.backends.redis import RedisCache
from redis.cluster import ClusterNode, RedisCluster
from redis.connection import parse_url
from redis.crc import key_slot
from redis.exceptions import ClusterDownError, MovedError, RedisClusterException, RedisError, ResponseError

from portal.config.environment import read_shared_url
from portal.store.sentinel import PrimaryClient

if TYPE_CHECKING:
    from redis import Redis

T = TypeVar("T")

#: The nodes are asked for their slots this often at most, seconds, while one of them does not answer.
ASK_PAUSE_S: Final = 0.5
#: Nodes that are asked for their slots at most, one after another; and one of the address.
_ASKED: Final = 2
_TAGGED: Final = re.compile(r"(?:ns:)?([0-9a-f]{3})[0-9a-f]*(?::|$)")
_FAULTS: Final = (RedisError, RedisClusterException, OSError)


def tagged_key(key: str, prefix: str, version: int) -> str:
    """The key as the cluster has it."""
    tag = _TAGGED.match(key)
    return f"{prefix}:{version}:{f'{{{tag[1]}}}' if tag else ''}{key}"


class NodeClient(PrimaryClient):
    """Django's client of one node."""

    def __init__(self, servers: list[str], *, node: Redis, **options: Any) -> None:
        super().__init__(servers, **options)
        self._node = node

    def get_client(self, key: Any = None, *, write: bool = False) -> Redis:  # noqa: ARG002  Django's signature
        """The node's client."""
        return self._node


class NodeCache(RedisCache):
    """Django's cache on one node. It takes keys whose slot the node has."""

    def __init__(self, name: str, node: Redis, params: dict[str, Any]) -> None:
        super().__init__([name], params)
        self.key_func = tagged_key
        self._class = partial(NodeClient, node=node)


class ClusterCache(BaseCache):
    """The caches of a cluster's primaries. Safe for threads. Makes no connection before it is used.

    :cvar tags: all hash tags of users and sign-ins.
    """

    tags: Final = tuple(map("".join, product("0123456789abcdef", repeat=3)))

    def __init__(self, server: str | list[str], params: dict[str, Any]) -> None:
        super().__init__(params)
        self.key_func = tagged_key
        self._url = server if isinstance(server, str) else server[0]
        options = params.get("OPTIONS", {})
        own = {name: options[name] for name in ("serializer", "WAIT_FOR_REPLICA") if name in options}
        self._connection_options = {name: value for name, value in options.items() if name not in own}
        self._params = {**params, "OPTIONS": own}
        self._cluster: RedisCluster | None = None
        self._seeds: list[ClusterNode] = []
        self._caches: dict[str, NodeCache] = {}
        self._lock = threading.Lock()
        self._is_stale = False
        self._ask_at = 0.0
        self._failed_node: str | None = None

    def slot(self, key: str) -> int:
        """The slot of a key."""
        return key_slot(self.make_key(key).encode())

    def node_of(self, key: str) -> str | None:
        """Host and port of the primary that has a key; None where that is not known yet."""
        if self._cluster is None:
            return None
        if self._is_stale and time.monotonic() >= self._ask_at and self._lock.acquire(blocking=False):
            try:
                self._ask()
            except _FAULTS:
                self._is_stale = True
            finally:
                self._lock.release()
        return self._name_of(key)

    def at(self, key: str, operation: Callable[[BaseCache], T]) -> T:
        """Do an operation on the primary that has a key.

        :raises Exception: any error of redis-py.
        """
        manager = self._connected().nodes_manager
        try:
            try:
                return operation(self._cache_of(key))
            except MovedError as moved:
                manager.move_slot(moved)
                self._is_stale = True
                return operation(self._cache_of(key))
        except _FAULTS as error:
            if not isinstance(error, ResponseError) or isinstance(error, ClusterDownError):
                self._failed_node = self._name_of(key)
                self._is_stale = True
            raise

    def primaries(self) -> list[NodeCache]:
        """The cache of each primary."""
        return [self._cache_on(node) for node in self._connected().get_primaries()]  # type: ignore[no-untyped-call]

    def everywhere(self, key: str) -> list[str]:
        """A key for each primary: each lies on another one."""
        wanted, found = len(self.primaries()), dict[str | None, str]()
        for tag in self.tags:
            found.setdefault(self.node_of(f"{tag}:{key}"), f"{tag}:{key}")
            if len(found) == wanted:
                break
        return list(found.values())

    def _connected(self) -> RedisCluster:
        if self._cluster is None:
            with self._lock:
                if self._cluster is None:
                    if time.monotonic() < self._ask_at:
                        raise ConnectionError("no node of the cluster answers")
                    # Of all threads that come meanwhile, no other one waits for the same nodes in vain.
                    try:
                        self._cluster = self._connect()
                    finally:
                        self._ask_at = time.monotonic() + ASK_PAUSE_S
        return self._cluster

    def _connect(self) -> RedisCluster:
        address = read_shared_url(self._url)
        given = parse_url(f"redis://?{urlencode(address.options)}")  # type: ignore[no-untyped-call]  # as redis-py has it
        self._seeds = [ClusterNode(host, port) for host, port in address.hosts]  # type: ignore[no-untyped-call]
        users = {name: value for name in ("username", "password") if (value := getattr(address, name))}
        return RedisCluster(
            startup_nodes=list(self._seeds),
            require_full_coverage=False,
            ssl=address.tls,
            **{**users, **self._connection_options, **given},
        )

    def _ask(self) -> None:
        """Ask some of the known nodes for the slots anew, and one of the address that is not among them.

        The node that has failed is asked last: one that hangs would let a second caller wait.
        """
        manager = self._connected().nodes_manager
        self._ask_at, self._is_stale = time.monotonic() + ASK_PAUSE_S, False
        known = list(manager.nodes_cache.values())
        others = [node for node in self._seeds if node not in known]
        nodes = random.sample(known, min(_ASKED, len(known))) + random.sample(others, min(1, len(others)))
        manager.startup_nodes = {node.name: node for node in nodes}
        manager.initialize(last_failed_node_name=self._failed_node)

    def _primary_of(self, key: str) -> ClusterNode:
        cluster: Any = self._connected()  # redis-py gives this method no types
        node: ClusterNode = cluster.get_node_from_key(self.make_key(key))
        return node

    def _name_of(self, key: str) -> str | None:
        try:
            return str(self._primary_of(key).name)
        except _FAULTS:
            return None

    def _cache_of(self, key: str) -> NodeCache:
        return self._cache_on(self._primary_of(key))

    def _cache_on(self, node: ClusterNode) -> NodeCache:
        cache = self._caches.get(node.name)
        if cache is None:
            client = self._connected().get_redis_connection(node)
            cache = self._caches.setdefault(node.name, NodeCache(node.name, client, self._params))
        return cache
