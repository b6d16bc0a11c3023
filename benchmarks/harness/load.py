"""A load generator: one thread that sends requests on keep-alive connections, each the next when it has the answer."""

import selectors
import socket
import time
from collections.abc import Iterator
from dataclasses import dataclass

CONNECTIONS = 16
_LENGTH = b"\r\ncontent-length:"
_CHUNKED = b"\r\ntransfer-encoding: chunked"
_LAST_CHUNK = b"\r\n0\r\n\r\n"


@dataclass(frozen=True, kw_only=True)
class Answers:
    """Result of one stretch of load.

    :param seconds: from the first request to the last answer.
    :param latencies_s: of each request, from its sending to the last octet of its answer.
    """

    seconds: float
    latencies_s: list[float]

    @property
    def number(self) -> int:
        return len(self.latencies_s)

    @property
    def rate(self) -> float:
        """Answers in a second."""
        return self.number / self.seconds


class _Connection:
    """One connection, and the answer that is on its way.

    :ivar missing: octets of the answer that have not come; None before its head is complete, and in a chunked body.
    """

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=30)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def send(self, request: bytes) -> None:
        self.received = bytearray()
        self.missing: int | None = None
        self.sent_at = time.perf_counter()
        self.socket.sendall(request)

    def receive(self) -> bool:
        """Read the next octets, and return whether the answer is complete."""
        part = self.socket.recv(262_144)
        if not part:
            raise RuntimeError(f"the server closed a connection after {bytes(self.received[:200])!r}")
        self.received += part
        if self.missing is not None:
            self.missing -= len(part)
            return self.missing <= 0
        end = self.received.find(b"\r\n\r\n")
        if end < 0:
            return False
        head = bytes(self.received[:end]).lower()
        if _CHUNKED in head:
            # A text of these seven octets does not occur in the pages that are measured.
            return self.received.endswith(_LAST_CHUNK)
        _, found, length = head.partition(_LENGTH)
        self.missing = end + 4 + (int(length.partition(b"\r\n")[0]) if found else 0) - len(self.received)
        return self.missing <= 0


def answer_to(port: int, request: bytes) -> bytes:
    """Return one answer, head and body."""
    connection = _Connection(port)
    with connection.socket:
        connection.send(request)
        while not connection.receive():
            pass
        return bytes(connection.received)


def drive(
    port: int, requests: Iterator[bytes], *, seconds: float, status: int = 200, connections: int = CONNECTIONS
) -> Answers:
    """Send requests for so long, and wait for the answers to all of them.

    :param requests: endless.
    :param status: of every answer; another one is an error.
    """
    selector = selectors.DefaultSelector()
    opened = [_Connection(port) for _ in range(connections)]
    latencies: list[float] = []
    try:
        for connection in opened:
            selector.register(connection.socket, selectors.EVENT_READ, connection)
        began = now = time.perf_counter()
        for connection in opened:
            connection.send(next(requests))
        waiting = connections
        while waiting:
            ready = selector.select(timeout=30)
            if not ready:
                raise RuntimeError("no answer for 30 s")
            for key, _ in ready:
                connection = key.data
                if not connection.receive():
                    continue
                now = time.perf_counter()
                latencies.append(now - connection.sent_at)
                if connection.received[9:12] != str(status).encode():
                    raise RuntimeError(f"{bytes(connection.received[:200])!r} in place of status {status}")
                if now - began < seconds:
                    connection.send(next(requests))
                else:
                    waiting -= 1
        return Answers(seconds=now - began, latencies_s=latencies)
    finally:
        selector.close()
        for connection in opened:
            connection.socket.close()
