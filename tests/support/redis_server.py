"""A Redis of one's own: started on a free port, with its data in a folder, stopped at the end."""

import contextlib
import subprocess
from collections.abc import Iterator
from pathlib import Path
from signal import SIGCONT, SIGSTOP, SIGTERM
from typing import Protocol, TypeVar

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from tests.support.harness import require_tool
from tests.support.ports import free_port
from tests.support.processes import ending_with_this_process, until

#: What replicas are quick with.
QUICK = ("--repl-diskless-sync-delay", "0", "--repl-ping-replica-period", "1")


class RedisServer:
    """One server process, which can be restarted with its data.

    :param port: None for a free one.
    :param sentinel: the configuration of a Sentinel, which names the port.
    """

    def __init__(self, folder: Path, *options: str, port: int | None = None, sentinel: Path | None = None) -> None:
        self.port = port or free_port()
        own = ("--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(folder), "--save", "")
        if sentinel is None:
            self._command = [require_tool("redis-server"), *own, *options]
        else:
            self._command = [require_tool("redis-sentinel"), str(sentinel)]
        self.process: subprocess.Popen[bytes] | None = None

    def url(self, database: int = 0) -> str:
        """Its address, as `CACHE_URL` has it."""
        return f"redis://127.0.0.1:{self.port}/{database}"

    def client(self) -> contextlib.AbstractContextManager[redis.Redis]:
        """A client of one's own, closed at the end of the block."""
        return contextlib.closing(redis.Redis(port=self.port, retry=Retry(NoBackoff(), 0)))

    def start(self) -> None:
        """Start it and wait until it has loaded its data."""
        command = ending_with_this_process(*self._command)
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with self.client() as client:
            until(lambda: _answers(client), what="redis-server answers")

    def signal(self, number: int) -> None:
        """Send the process a signal, if it runs."""
        if self.process is not None:
            self.process.send_signal(number)

    def stop(self, number: int = SIGTERM) -> None:
        """End it, in order unless another signal is named, and wait for that."""
        if self.process is not None:
            self.process.send_signal(number)
            self.process.wait(timeout=10)
            self.process = None


@contextlib.contextmanager
def suspended(*servers: RedisServer) -> Iterator[None]:
    """Inside the block, the servers hear and say nothing."""
    for server in servers:
        server.signal(SIGSTOP)
    try:
        yield
    finally:
        for server in servers:
            server.signal(SIGCONT)


class Startable(Protocol):
    def start(self) -> None: ...
    def stop(self) -> None: ...


Servers = TypeVar("Servers", bound=Startable)


@contextlib.contextmanager
def running(servers: Servers) -> Iterator[Servers]:
    """Start servers, and stop them at the end of the block."""
    try:
        servers.start()
        yield servers
    finally:
        servers.stop()


def running_redis(folder: Path, *options: str) -> contextlib.AbstractContextManager[RedisServer]:
    """A server that runs inside the block."""
    return running(RedisServer(folder, *options))


def _answers(client: redis.Redis) -> bool:
    try:
        return bool(client.ping())
    except redis.AuthenticationError:
        return True  # it answers, though not to just anybody
    except redis.RedisError:
        return False
