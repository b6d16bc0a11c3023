"""Free ports for servers of tests and benchmarks.

They lie below the ports that Linux gives to clients (32768 to 60999, `net.ipv4.ip_local_port_range`). A port that a test
gets from the kernel by binding to 0 is one of those: before the test's server has started and listens there, a
connection of any other process may leave from it, and the server finds it taken.
"""

import os
import random

from portal.config.projects import BACKEND_PORT_OFFSET, PROJECTS
from portal_server.ports import port_is_free

HOST = "127.0.0.1"
_LOWEST, _HIGHEST = 20000, 32600
#: The processes of a parallel run take a share of the range each.
_PROCESSES = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
_PROCESS = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
_SHARE = (_HIGHEST - _LOWEST) // _PROCESSES
#: What this process has given out already: two servers that are both about to start must not get the same one.
_given: set[int] = set()


def free_port_base(*more: int) -> int:
    """A base of ports for the projects and their backend, all of them free now.

    :param more: distances of further ports from the base.
    """
    return _take([*(project.port_offset for project in PROJECTS), BACKEND_PORT_OFFSET, *more])


def free_port() -> int:
    """A port of this machine that is free now; another one each time."""
    return _take([0])


def _take(offsets: list[int]) -> int:
    for _ in range(1000):
        base = _LOWEST + _PROCESS * _SHARE + random.randrange(_SHARE - max(offsets))
        ports = {base + offset for offset in offsets}
        if ports.isdisjoint(_given) and all(port_is_free(HOST, port) for port in ports):
            _given.update(ports)
            return base
    raise RuntimeError("no free ports")
