"""A Redis of one's own: started on a free port, with its data in a folder, stopped at the end."""

from __future__ import annotations

import contextlib
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from tests.support.harness import require_tool
from tests.support.ports import free_port
from tests.support.processes import ending_with_this_process


class RedisServer:
    """One server process, which can be restarted with its data.

    :param port: None for a free one.
    """

    def __init__(self, folder: Path, *options: str, port: int | None = None) -> None:
        self.program = require_tool("redis-server")
        self.folder = folder
        self.options = options
        self.port = port or free_port()
        self.process: subprocess.Popen[bytes] | None = None

    def url(self, database: int = 0) -> str:
        """Its address, as `CACHE_URL` has it."""
        return f"redis://127.0.0.1:{self.port}/{database}"

    def client(self) -> contextlib.AbstractContextManager[redis.Redis]:
        """A client of one's own, closed at the end of the block."""
        return contextlib.closing(redis.Redis(port=self.port, retry=Retry(NoBackoff(), 0)))

    def start(self) -> None:
        """Start it and wait until it has loaded its data."""
        self.process = subprocess.Popen(
            ending_with_this_process(
                self.program,
                *("--port", str(self.port)),
                *("--bind", "127.0.0.1"),
                *("--dir", str(self.folder)),
                *("--save", ""),
                *self.options,
            ),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        end = time.monotonic() + 10
        with self.client() as client:
            while True:
                try:
                    client.ping()
                except redis.AuthenticationError:
                    return  # it answers, though not to just anybody
                except redis.RedisError:
                    pass
                else:
                    return
                if time.monotonic() > end:
                    raise RuntimeError("redis-server does not answer")
                time.sleep(0.02)

    def signal(self, number: int) -> None:
        """Send the process a signal, if it runs."""
        if self.process is not None:
            self.process.send_signal(number)

    def stop(self) -> None:
        """End it in order, and wait for that."""
        if self.process is not None:
            self.process.terminate()
            self.process.wait(timeout=10)
            self.process = None


@contextlib.contextmanager
def running_redis(folder: Path, *options: str) -> Iterator[RedisServer]:
    """A server that runs inside the block."""
    server = RedisServer(folder, *options)
    try:
        server.start()
        yield server
    finally:
        server.stop()
