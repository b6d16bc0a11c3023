"""Scenarios of the storm: faults of the backend, of workers and of the store."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Literal

from benchmarks.refresh.token_recorder import TokenRecorder
from portal_dev.local_servers.server_group import Server, ServerGroup
from tests.support.processes import workers_of
from tests.support.redis_cluster import ClusteredRedis
from tests.support.redis_sentinel import WatchedRedis
from tests.support.redis_server import RedisServer

Redis = RedisServer | WatchedRedis | ClusteredRedis
KILL_EVERY_S = 5.0
#: Longer than a follower waits, shorter than the call's own deadline.
SLOW_MS = 6500
#: Tells a project that its backend does not honour the Idempotency-Key.
UNKEYED = {"APP_API_HONOURS_IDEMPOTENCY_KEY": "off"}
KEYED_BACKEND = {"SANDBOX_HONOUR_IDEMPOTENCY_KEY": "on"}
DELAYED = {"SANDBOX_FAULT_REFRESH_DELAY_MS": "500"}


@dataclass(frozen=True)
class Scenario:
    """One scenario.

    :param backend: environment of the sandbox.
    :param meanwhile: runs beside the browsers until they stop.
    :param projects: more environment of the projects.
    :param harmless: True if nobody may be signed out.
    :param once: True if most-per-token must be 1.
    :param apart: True if each project has a store of its own: shows that the storm can notice a fault.
    :param redis: kind of Redis that it needs; such a scenario is for no other store.
    :param staying: number of browsers that nobody signs out.
    :param access_lifetime_s: of the access tokens; a short storm has shorter ones, of `least_lifetime_s` at least.
    :param back_within_s: how soon after the storm all that stayed must get a page.
    """

    name: str
    backend: dict[str, str] = field(default_factory=dict)
    meanwhile: Callable[[Storm], None] | None = None
    projects: dict[str, str] = field(default_factory=dict)
    harmless: bool = True
    once: bool = True
    apart: bool = False
    redis: Literal["", "sentinel", "cluster"] = ""
    staying: int = 6
    access_lifetime_s: float = 2
    least_lifetime_s: float = 2
    back_within_s: float = 30


@dataclass
class Storm:
    """Servers of one scenario."""

    group: ServerGroup
    servers: list[Server]
    redis: Redis | None
    state: Path
    seconds: float
    tokens: TokenRecorder
    stop: threading.Event = field(default_factory=threading.Event)


def kill_workers(storm: Storm) -> None:
    """SIGKILL one worker of any project every five seconds."""
    while not storm.stop.wait(KILL_EVERY_S):
        workers = [pid for server in storm.servers for pid in workers_of(storm.group.pid(server.name))]
        if workers:
            with contextlib.suppress(ProcessLookupError):
                os.kill(random.choice(workers), signal.SIGKILL)


def restart_store(storm: Storm) -> None:
    """Stop the store in the middle, and start it with its data: Redis itself, or all that has the file open."""
    if storm.stop.wait(storm.seconds / 2):
        return
    if isinstance(storm.redis, RedisServer):
        storm.redis.stop()
        storm.stop.wait(1)
        storm.redis.start()
    else:
        storm.group.stop(*(server.name for server in storm.servers))
        storm.group.start(storm.servers)
        storm.group.wait_until_ready()


def lose_primaries(storm: Storm) -> None:
    """SIGKILL a primary of Redis, twice; another takes its part, and it comes back as a replica.

    With Sentinels the second is killed when both others follow it, about 10 s later: a short storm is over then.
    """
    for number in range(2):
        if storm.stop.wait(storm.seconds / 4):
            return
        if isinstance(storm.redis, WatchedRedis):
            # Before that, the Sentinels may choose one without the last writes.
            while not storm.redis.is_whole():
                if storm.stop.wait(0.2):
                    return
            gone = storm.redis.kill_primary()
            storm.redis.wait_for_another_primary(than=gone)
        else:
            assert isinstance(storm.redis, ClusteredRedis)
            gone = storm.redis.servers[number]
            gone.stop(signal.SIGKILL)
            storm.redis.wait_for_failover(gone)
        gone.start()


def empty_store(storm: Storm) -> None:
    """Delete everything in the store in the middle."""
    if storm.stop.wait(storm.seconds / 2):
        return
    if isinstance(storm.redis, RedisServer):
        with storm.redis.client() as client:
            client.flushall()
    else:
        for file in (storm.state / "store").iterdir():
            file.unlink()


def answer_rubbish(storm: Storm, when: Literal["instead", "after"]) -> None:
    """Give no refresh a usable answer until the storm is over, instead of asking the backend, or after it."""
    storm.tokens.rubbish = when
    storm.stop.wait()
    storm.tokens.rubbish = None


def hang_endpoint(storm: Storm) -> None:
    """Answer nobody's list of clients until the storm is over."""
    storm.tokens.hangs = "/energy/clients"
    storm.stop.wait()
    storm.tokens.hangs = ""
    storm.tokens.goes_on.set()


# 404, 429, 500, HTML, JSON without tokens, another shape: no verdict on a token, whether keys are honoured or not.
_rubbish = partial(Scenario, staying=20, access_lifetime_s=15, back_within_s=10)
SCENARIOS = [
    Scenario("plain"),
    Scenario("40% of refreshes answered 503", {"SANDBOX_FAULT_REFRESH_503_RATE": "0.4"}),
    # A token that ended before its successor comes would be of no use.
    Scenario(
        *("slow refreshes", {"SANDBOX_FAULT_REFRESH_DELAY_MS": str(SLOW_MS)}), access_lifetime_s=9, least_lifetime_s=9
    ),
    _rubbish(
        "refreshes answered with rubbish, not honoured",
        meanwhile=partial(answer_rubbish, when="instead"),
        projects=UNKEYED,
    ),
    _rubbish(
        "rubbish after the token was taken, honoured", KEYED_BACKEND, meanwhile=partial(answer_rubbish, when="after")
    ),
    Scenario("an endpoint of the backend hung", meanwhile=hang_endpoint),
    # Half a second each, so that some worker dies in the middle of one.
    Scenario("workers killed, Idempotency-Key honoured", DELAYED | KEYED_BACKEND, kill_workers),
    # The users whose worker died are led to the sign-in page; but no token is submitted a second time.
    Scenario("workers killed, not honoured", DELAYED, kill_workers, projects=UNKEYED, harmless=False),
    Scenario("store restarted with its data", meanwhile=restart_store),
    Scenario("primary killed twice, Sentinel failover", meanwhile=lose_primaries, redis="sentinel"),
    Scenario("Cluster, two primaries killed", meanwhile=lose_primaries, redis="cluster"),
    Scenario("store emptied in the middle", meanwhile=empty_store, harmless=False, once=False),
    Scenario("control: a store for each project", harmless=False, once=False, apart=True),
]
