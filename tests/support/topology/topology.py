"""A running topology, and what may happen to it: restarts, killed workers, failovers, outages, clocks that differ."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

from portal_dev.local_servers.server_group import POLL_INTERVAL_S, Server, ServerGroup, ServerGroupError
from tests.support.nginx_server import Site
from tests.support.processes import workers_of
from tests.support.redis_sentinel import WatchedRedis
from tests.support.redis_server import suspended
from tests.support.topology import small_disk
from tests.support.topology.addresses import Addresses
from tests.support.topology.variables import BACKEND, stop_time_s

SHIFTED_CLOCK = Path(__file__).with_name("shifted_clock")
RESTARTED_WITHIN_S = 120


@dataclasses.dataclass(frozen=True, kw_only=True)
class Topology:
    """All that runs.

    :param instances: by name, such as `energy-1`, in the order in which a release restarts them.
    :param redis: None with the embedded store.
    :param state: the folder of the embedded store, which all instances share.
    :param log: of all instances and of the sandbox.
    """

    addresses: Addresses
    site: Site
    group: ServerGroup
    instances: dict[str, Server]
    backend: Server
    redis: WatchedRedis | None
    state: Path
    log: Path

    @property
    def authority(self) -> Path:
        """The file of the authority that signed nginx's certificate."""
        return self.site.certificate

    def url(self, app: str, path: str = "") -> str:
        """An address as a browser has it."""
        return self.addresses.origin(app) + path

    # --- instances ---

    def restart(self, name: str, *, server: Server | None = None) -> None:
        """Restart an instance as systemd does, and wait until it answers.

        :param server: what to start in its place; None for the same.
        """
        # As `KillMode=mixed`: SIGTERM to the main process alone, SIGKILL to what is left.
        os.kill(self.group.pid(name), signal.SIGTERM)
        end = time.monotonic() + stop_time_s()
        ended: dict[str, int] = {}
        while not ended and time.monotonic() < end:
            ended = self.group.take_ended()
            time.sleep(POLL_INTERVAL_S)
        if ended.keys() - {name}:
            raise ServerGroupError(f"ended by themselves: {ended}")
        # Starts it; stops it first if it has not ended in time.
        self.group.restart([server or self.instances[name]])
        self.group.wait_until_ready(timeout_s=RESTARTED_WITHIN_S)

    def workers(self, name: str) -> list[int]:
        """The process ids of an instance's workers."""
        return workers_of(self.group.pid(name))

    def kill_worker(self, name: str) -> None:
        """SIGKILL to the first of its workers."""
        os.kill(self.workers(name)[0], signal.SIGKILL)

    @contextlib.contextmanager
    def clock_shifted(self, name: str, seconds: int) -> Iterator[None]:
        """Inside the block, the time of day of an instance differs by so many seconds."""
        server = self.instances[name]
        path = os.pathsep.join(filter(None, [str(SHIFTED_CLOCK), os.environ.get("PYTHONPATH")]))
        shift = {"CLOCK_SHIFT_S": str(seconds), "PYTHONPATH": path}
        self.restart(name, server=dataclasses.replace(server, environment={**server.environment, **shift}))
        try:
            yield
        finally:
            self.restart(name)

    # --- the backend ---

    @contextlib.contextmanager
    def backend_stopped(self) -> Iterator[None]:
        """Inside the block, the backend's port refuses connections."""
        self.group.stop(BACKEND)
        try:
            yield
        finally:
            self.group.start([self.backend])
            self.group.wait_until_ready()

    @contextlib.contextmanager
    def backend_hung(self) -> Iterator[None]:
        """Inside the block, the backend accepts connections and does nothing."""
        group = self.group.pid(BACKEND)
        os.killpg(group, signal.SIGSTOP)
        try:
            yield
        finally:
            os.killpg(group, signal.SIGCONT)

    # --- the store ---

    def fail_over(self) -> None:
        """SIGKILL to Redis's primary; another one takes its place, and it comes back as a replica."""
        redis = self._redis()
        gone = redis.kill_primary()
        redis.wait_for_another_primary(than=gone)
        gone.start()

    @contextlib.contextmanager
    def redis_stopped(self) -> Iterator[None]:
        """Inside the block, no Redis runs; the Sentinels do."""
        servers = self._redis().servers
        for server in servers:
            server.stop()
        try:
            yield
        finally:
            for server in servers:
                server.start()

    @contextlib.contextmanager
    def redis_hung(self) -> Iterator[None]:
        """Inside the block, no Redis says anything, so that there is nothing to fail over to."""
        with suspended(*self._redis().servers):
            yield

    @contextlib.contextmanager
    def disk_full(self) -> Iterator[None]:
        """Inside the block, nothing more can be written where the embedded store is. It needs a small disk."""
        small_disk.fill(self.state)
        try:
            yield
        finally:
            small_disk.empty(self.state)

    def _redis(self) -> WatchedRedis:
        assert self.redis is not None, "this topology has the embedded store"
        return self.redis
