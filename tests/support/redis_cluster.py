"""A Redis Cluster of one's own: three primaries, each with a replica. A primary can be lost."""

import contextlib
import signal
from collections.abc import Iterator
from pathlib import Path

import redis
from redis.crc import key_slot

from tests.support.ports import free_port
from tests.support.processes import until
from tests.support.redis_server import QUICK, RedisServer, running

PRIMARIES = 3
NODE_TIMEOUT_MS = 1000
_SLOTS = 16384


class ClusteredRedis:
    """Six servers: the first three are the primaries at the beginning, the other three their replicas.

    :param options: of each server.
    :param login: user and password of a client, before the hosts of the address: `user:password@`.
    """

    def __init__(self, folder: Path, *options: str, login: str = "") -> None:
        self.login = login
        self.servers: list[RedisServer] = []
        self._bus_ports: list[int] = []
        for number in range(2 * PRIMARIES):
            data = folder / f"node-{number}"
            data.mkdir(parents=True)
            self._bus_ports.append(free_port())
            own = (
                *("--cluster-enabled", "yes", "--cluster-node-timeout", str(NODE_TIMEOUT_MS)),
                # By default the nodes talk on the port + 10,000, which a high port does not leave room for.
                *("--cluster-port", str(self._bus_ports[-1])),
                *("--cluster-require-full-coverage", "no", "--cluster-replica-validity-factor", "0"),
                *QUICK,
            )
            self.servers.append(RedisServer(data, *own, *options, port=free_port()))

    def url(self, database: int = 0) -> str:
        """Its address, as `CACHE_URL` has it."""
        hosts = ",".join(f"127.0.0.1:{server.port}" for server in self.servers[:PRIMARIES])
        return f"redis+cluster://{self.login}{hosts}"

    def start(self) -> None:
        """Start all of it, and wait until each node knows of all slots and replicas."""
        for server in self.servers:
            server.start()
        for number, server in enumerate(self.servers):
            with server.client() as client:
                if number < PRIMARIES:
                    first, end = (_SLOTS * part // PRIMARIES for part in (number, number + 1))
                    client.execute_command("CLUSTER", "ADDSLOTSRANGE", first, end - 1)
                client.execute_command("CLUSTER", "SET-CONFIG-EPOCH", number + 1)
                client.execute_command("CLUSTER", "MEET", "127.0.0.1", self.servers[0].port, self._bus_ports[0])
        until(
            lambda: all(self._known_by(server) == len(self.servers) for server in self.servers),
            what="all nodes know each other",
        )
        for primary, replica in zip(self.servers[:PRIMARIES], self.servers[PRIMARIES:], strict=True):
            with primary.client() as client, replica.client() as of_replica:
                of_replica.execute_command("CLUSTER", "REPLICATE", client.execute_command("CLUSTER", "MYID"))
        until(lambda: all(map(self._is_whole, self.servers)), what="each node knows all slots and replicas")

    @contextlib.contextmanager
    def client(self) -> Iterator[redis.RedisCluster]:
        """A client of the whole cluster, closed at the end of the block."""
        server = next(server for server in self.servers if server.process is not None)
        with contextlib.closing(redis.RedisCluster(host="127.0.0.1", port=server.port)) as client:
            yield client

    def primary_of(self, key: str) -> RedisServer:
        """The server that has a key now."""
        slot = key_slot(key.encode())
        for server in self.servers:
            if server.process is None:
                continue
            with server.client() as client:
                ranges = client.execute_command("CLUSTER", "SLOTS")
            port = next((int(owner[1]) for first, last, owner, *_ in ranges if first <= slot <= last), None)
            if port is not None:
                return next(each for each in self.servers if each.port == port)
        raise RuntimeError("nobody has that slot")

    def primaries(self) -> list[RedisServer]:
        """Those that say so themselves."""
        found = []
        for server in self.servers:
            if server.process is not None:
                with server.client() as client:
                    if client.info("replication")["role"] == "master":
                        found.append(server)
        return found

    def wait_for_failover(self, gone: RedisServer) -> None:
        """Wait until the slots of a server that is gone have another primary, everywhere."""
        alive = [server for server in self.servers if server.process is not None]
        until(lambda: not any(gone.port in self._owners(server) for server in alive), what="failover")

    def stop(self) -> None:
        """End all of it."""
        for server in self.servers:
            server.stop(signal.SIGKILL)

    def _known_by(self, server: RedisServer) -> int:
        with server.client() as client:
            return int(client.execute_command("CLUSTER INFO")["cluster_known_nodes"])

    def _owners(self, server: RedisServer) -> set[int]:
        with server.client() as client:
            return {int(owner[1]) for _, _, owner, *_ in client.execute_command("CLUSTER", "SLOTS")}

    def _is_whole(self, server: RedisServer) -> bool:
        with server.client() as client:
            state = client.execute_command("CLUSTER INFO")
            ranges = client.execute_command("CLUSTER", "SLOTS")
            mine = client.info("replication")
        linked = mine.get("master_link_status") == "up" or mine.get("connected_slaves") == 1
        return state["cluster_state"] == "ok" and linked and [len(each) for each in ranges] == [4] * PRIMARIES


def clustered_redis(folder: Path, *options: str, login: str = "") -> contextlib.AbstractContextManager[ClusteredRedis]:
    """All of it, running inside the block."""
    return running(ClusteredRedis(folder, *options, login=login))
