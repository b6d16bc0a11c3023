"""The weathers of the storm: what the backend does, and what happens to workers and store meanwhile."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tests.support.processes import workers_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from portal_dev.local_servers.server_group import Server, ServerGroup
    from tests.support.redis_cluster import ClusteredRedis
    from tests.support.redis_sentinel import WatchedRedis
    from tests.support.redis_server import RedisServer

KILL_EVERY_S = 5.0
#: Longer than a follower waits, shorter than the call's own deadline.
SLOW_MS = 6500
#: Tells a project that its backend does not honour the Idempotency-Key.
UNKEYED = {"APP_API_HONOURS_IDEMPOTENCY_KEY": "off"}


@dataclass(frozen=True)
class Scenario:
    """One kind of weather.

    :param backend: environment of the sandbox.
    :param projects: more environment of the projects.
    :param meanwhile: runs beside the browsers until they stop.
    :param harmless: whether nobody may be signed out.
    :param once: whether most-per-token must be 1.
    :param watched: Redis with replicas and Sentinels; such a weather is for no other store.
    :param clustered: a Redis Cluster, in the same way.
    :param apart: each project has a store of its own, as if nothing had been designed: shows that the storm can tell.
    """

    name: str
    backend: dict[str, str] = field(default_factory=dict)
    meanwhile: Callable[[Storm], None] | None = None
    projects: dict[str, str] = field(default_factory=dict)
    harmless: bool = True
    once: bool = True
    apart: bool = False
    watched: bool = False
    clustered: bool = False


@dataclass
class Storm:
    """What runs during one scenario."""

    group: ServerGroup
    servers: list[Server]
    redis: RedisServer | None
    watched: WatchedRedis | None
    clustered: ClusteredRedis | None
    state: Path
    seconds: float
    stop: threading.Event = field(default_factory=threading.Event)


def kill_workers(storm: Storm) -> None:
    """SIGKILL one worker of any project every five seconds."""
    while not storm.stop.wait(KILL_EVERY_S):
        workers = [pid for server in storm.servers for pid in workers_of(storm.group.pid(server.name))]
        if workers:
            with contextlib.suppress(ProcessLookupError):
                os.kill(random.choice(workers), signal.SIGKILL)


def restart_store(storm: Storm) -> None:
    """In the middle, the store goes away and comes back with its data: Redis itself, or all that has the file open."""
    if storm.stop.wait(storm.seconds / 2):
        return
    if storm.redis is not None:
        storm.redis.stop()
        storm.stop.wait(1)
        storm.redis.start()
    else:
        storm.group.stop(*(server.name for server in storm.servers))
        storm.group.start(storm.servers)
        storm.group.wait_until_ready()


def lose_primaries(storm: Storm) -> None:
    """Twice: SIGKILL to Redis's primary; another takes its part, and it comes back as a replica."""
    for _ in range(2):
        if storm.watched is None or storm.stop.wait(storm.seconds / 3):
            return
        gone = storm.watched.kill_primary()
        storm.watched.wait_for_another_primary(than=gone)
        gone.start()


def lose_primaries_of_a_cluster(storm: Storm) -> None:
    """Twice: SIGKILL to a primary of the cluster; its replica takes its part, and it comes back as a replica."""
    for number in range(2):
        if storm.clustered is None or storm.stop.wait(storm.seconds / 3):
            return
        gone = storm.clustered.servers[number]
        storm.clustered.kill(gone)
        storm.clustered.wait_for_failover(gone)
        gone.start()


def empty_store(storm: Storm) -> None:
    """In the middle, everything in the store is gone."""
    if storm.stop.wait(storm.seconds / 2):
        return
    if storm.redis is not None:
        with storm.redis.client() as client:
            client.flushall()
    else:
        for file in (storm.state / "store").iterdir():
            file.unlink()


SCENARIOS = [
    Scenario("plain"),
    Scenario("40% of refreshes answered 503", {"SANDBOX_FAULT_REFRESH_503_RATE": "0.4"}),
    Scenario(
        "slow refreshes", {"SANDBOX_FAULT_REFRESH_DELAY_MS": str(SLOW_MS), "SANDBOX_ACCESS_TOKEN_LIFETIME_S": "9"}
    ),
    # Half a second each, so that some worker dies in the middle of one.
    Scenario(
        "workers killed, Idempotency-Key honoured",
        {"SANDBOX_FAULT_REFRESH_DELAY_MS": "500", "SANDBOX_HONOUR_IDEMPOTENCY_KEY": "on"},
        kill_workers,
    ),
    # Whoever's worker died is led to the sign-in page; but no token is submitted a second time.
    Scenario(
        "workers killed, not honoured",
        {"SANDBOX_FAULT_REFRESH_DELAY_MS": "500"},
        kill_workers,
        projects=UNKEYED,
        harmless=False,
    ),
    Scenario("store restarted with its data", meanwhile=restart_store),
    Scenario("primary killed twice, Sentinel failover", meanwhile=lose_primaries, watched=True),
    Scenario("Cluster, two primaries killed", meanwhile=lose_primaries_of_a_cluster, clustered=True),
    Scenario("store emptied in the middle", meanwhile=empty_store, harmless=False, once=False),
    Scenario("control: a store for each project", harmless=False, once=False, apart=True),
]
