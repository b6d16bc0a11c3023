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

    from benchmarks._witness import Witness
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
    :param staying: browsers that nobody signs out.
    :param access_lifetime_s: of the access tokens; a short storm has shorter ones, of `least_lifetime_s` at least.
    :param back_within_s: how soon after the storm all that stayed must get a page.
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
    staying: int = 6
    access_lifetime_s: float = 2
    least_lifetime_s: float = 2
    back_within_s: float = 30
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
    seen: Witness
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
        gone.stop(signal.SIGKILL)
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


def answer_rubbish(storm: Storm) -> None:
    """No refresh gets a usable answer, until the storm is over; the backend sees none of them."""
    storm.seen.rubbish = "instead"
    storm.stop.wait()
    storm.seen.rubbish = None


def lose_in_rubbish(storm: Storm) -> None:
    """The same, but that the backend has taken each token before."""
    storm.seen.rubbish = "after"
    storm.stop.wait()
    storm.seen.rubbish = None


def hang_endpoint(storm: Storm) -> None:
    """Nobody's list of clients is answered, until the storm is over."""
    storm.seen.hangs = "/energy/clients"
    storm.stop.wait()
    storm.seen.hangs = ""
    storm.seen.goes_on.set()


SCENARIOS = [
    Scenario("plain"),
    Scenario("40% of refreshes answered 503", {"SANDBOX_FAULT_REFRESH_503_RATE": "0.4"}),
    # A token that ended before its successor comes would be of no use.
    Scenario(
        "slow refreshes",
        {"SANDBOX_FAULT_REFRESH_DELAY_MS": str(SLOW_MS)},
        access_lifetime_s=9,
        least_lifetime_s=9,
    ),
    # 404, 429, 500, HTML, JSON without tokens, another shape: no verdict on a token, whether keys are honoured or not.
    Scenario(
        "refreshes answered with rubbish, not honoured",
        meanwhile=answer_rubbish,
        projects=UNKEYED,
        staying=20,
        access_lifetime_s=15,
        back_within_s=10,
    ),
    Scenario(
        "rubbish after the token was taken, honoured",
        {"SANDBOX_HONOUR_IDEMPOTENCY_KEY": "on"},
        lose_in_rubbish,
        staying=20,
        access_lifetime_s=15,
        back_within_s=10,
    ),
    Scenario("an endpoint of the backend hung", meanwhile=hang_endpoint),
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
