"""Three Redis servers and three Sentinels of one's own: a primary that can be lost."""

import contextlib
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import redis

from tests.support.ports import free_port
from tests.support.processes import until
from tests.support.redis_server import QUICK, RedisServer, running

SERVICE = "portal"
SERVERS = SENTINELS = 3
QUORUM = 2
DOWN_AFTER_MS = 1000


class WatchedRedis:
    """A primary, its replicas and who watches them.

    :param options: of each server.
    :param monitor: further lines of each Sentinel, about the service: `auth-user portal …`.
    :param tls: files of a certificate and its key. The Sentinels then name ports that speak TLS, and speak it
        themselves beside their plain ports, as the servers do.
    :param ports: the ports in this order; None for free ones.
    """

    def __init__(
        self,
        folder: Path,
        *options: str,
        monitor: tuple[str, ...] = (),
        tls: tuple[Path, Path] | None = None,
        ports: Iterator[int] | None = None,
    ) -> None:
        ports = ports or iter(free_port, None)
        self.folder = folder
        self.monitor = monitor
        self.tls = _tls_options(*tls) if tls is not None else {}
        self.servers: list[RedisServer] = []
        #: As the Sentinels name them.
        self.named_ports: list[int] = []
        for number in range(SERVERS):
            data = folder / f"server-{number}"
            data.mkdir(parents=True)
            replica = ("--replicaof", f"127.0.0.1 {self.named_ports[0]}") if self.servers else ()
            tls_port = next(ports) if self.tls else 0
            secured = [word for name, value in self.tls.items() for word in (f"--{name}", value)]
            secured += ["--tls-port", str(tls_port)] if self.tls else []
            self.servers.append(RedisServer(data, *options, *QUICK, *secured, *replica, port=next(ports)))
            self.named_ports.append(tls_port if self.tls else self.servers[-1].port)
        self.ports = [next(ports) for _ in range(SENTINELS)]
        self.tls_ports = [next(ports) for _ in range(SENTINELS)] if self.tls else []
        self.sentinels: list[RedisServer] = []

    def url(self, database: int = 0, *, user: str = "") -> str:
        """Its address, as `CACHE_URL` has it."""
        hosts = ",".join(f"127.0.0.1:{port}" for port in (self.tls_ports if self.tls else self.ports))
        return f"{'rediss' if self.tls else 'redis'}+sentinel://{user}{hosts}/{SERVICE}/{database}"

    def start(self) -> None:
        """Start all of it, and wait until each knows of the others."""
        for server in self.servers:
            server.start()
        for number, port in enumerate(self.ports):
            file = self.folder / f"sentinel-{number}.conf"
            lines = [
                f"port {port}",
                "bind 127.0.0.1",
                f"dir {self.folder}",
                f"sentinel monitor {SERVICE} 127.0.0.1 {self.named_ports[0]} {QUORUM}",
                f"sentinel down-after-milliseconds {SERVICE} {DOWN_AFTER_MS}",
                f"sentinel failover-timeout {SERVICE} 5000",
                *(f"sentinel {line}" for line in self.monitor),
                *(f"{name} {value}" for name, value in self.tls.items()),
                *([f"tls-port {self.tls_ports[number]}"] if self.tls else []),
            ]
            file.write_text("\n".join(lines) + "\n")
            self.sentinels.append(RedisServer(self.folder, port=port, sentinel=file))
            self.sentinels[-1].start()
        until(lambda: all(map(self._knows_all, self.sentinels)), what="the Sentinels find each other")

    def primary(self) -> RedisServer:
        """The primary that the first Sentinel names."""
        with contextlib.closing(redis.Redis(port=self.ports[0])) as client:
            _, port = client.execute_command("SENTINEL", "GET-MASTER-ADDR-BY-NAME", SERVICE)
        return self.servers[self.named_ports.index(int(port))]

    def client(self) -> contextlib.AbstractContextManager[redis.Redis]:
        """A client of the primary, closed at the end of the block."""
        return self.primary().client()

    def replicas(self) -> list[RedisServer]:
        """The running others."""
        primary = self.primary()
        return [server for server in self.servers if server is not primary and server.process is not None]

    def kill_primary(self) -> RedisServer:
        """SIGKILL; gives the one that is gone."""
        gone = self.primary()
        gone.stop(signal.SIGKILL)
        return gone

    def wait_for_another_primary(self, *, than: RedisServer) -> None:
        """Wait until the Sentinels have named another one."""
        until(lambda: self.primary() is not than, what="failover")

    def is_whole(self) -> bool:
        """Return whether the primary sends its writes to both others."""
        with self.client() as client:
            return repr(client.info("replication")).count("'online'") == SERVERS - 1

    def stop(self) -> None:
        """End all of it at once: a primary that is asked to end waits up to 10 s for its replicas."""
        for server in (*self.sentinels, *self.servers):
            server.stop(signal.SIGKILL)

    def _knows_all(self, sentinel: RedisServer) -> bool:
        with sentinel.client() as client, contextlib.suppress(redis.RedisError):
            state = client.sentinel_master(SERVICE)
            others = (state["num-other-sentinels"], state["num-slaves"])
            return others == (SENTINELS - 1, SERVERS - 1) and len(client.sentinel_slaves(SERVICE)) == SERVERS - 1
        return False


def watched_redis(folder: Path, *options: str, **more: Any) -> contextlib.AbstractContextManager[WatchedRedis]:
    """Run all of it inside the block."""
    return running(WatchedRedis(folder, *options, **more))


def _tls_options(certificate: Path, key: Path) -> dict[str, str]:
    return {
        "tls-cert-file": str(certificate),
        "tls-key-file": str(key),
        "tls-ca-cert-file": str(certificate),
        "tls-auth-clients": "no",
        "tls-replication": "yes",
    }
