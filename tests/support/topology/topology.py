"""A running topology, and restarts of its instances."""

from __future__ import annotations

import dataclasses
import os
import signal
import time
from pathlib import Path

from portal_dev.local_servers.server_group import POLL_INTERVAL_S, Server, ServerGroup, ServerGroupError
from tests.support.nginx_server import Site
from tests.support.redis_sentinel import WatchedRedis
from tests.support.topology.addresses import Addresses
from tests.support.topology.variables import stop_time_s

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

    def restart(self, name: str) -> None:
        """Restart an instance as systemd does, and wait until it answers."""
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
        self.group.restart([self.instances[name]])
        self.group.wait_until_ready(timeout_s=RESTARTED_WITHIN_S)
