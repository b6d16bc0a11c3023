"""Connections to a backend that wait no longer than the call that uses them, and skip what is no answer."""

from __future__ import annotations

import http.client
import io
import threading
import time
from functools import lru_cache
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final, Self

import urllib3
from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.util.ssl_ import create_urllib3_context

if TYPE_CHECKING:
    import socket
    import ssl
    from collections.abc import Callable
    from pathlib import Path

    from portal.process import Deadline

#: Kept connections to the backend; at least as many as a worker has threads.
POOL_SIZE: Final = 64
#: Interim answers to one request that are left out; a backend that sends more is not waited for.
MAX_INTERIM_ANSWERS: Final = 100
#: How often a call that may be given up looks whether it is, seconds.
LOOK_S: Final = 0.5

_in_call = threading.local()


class Exchange:
    """What the connection in this thread has to know of the call that uses it.

    :param given_up: whether nobody waits for the answer any more; None where it is waited for whatever happens.
    """

    __slots__ = ("deadline", "given_up", "sent", "was_given_up")

    def __init__(self, *, deadline: Deadline, given_up: Callable[[], bool] | None) -> None:
        self.deadline = deadline
        self.given_up = given_up
        #: Whether something of the request has gone out; None before a connection is made or used.
        self.sent: bool | None = None
        self.was_given_up = False

    def __enter__(self) -> Self:
        _in_call.exchange = self
        return self

    def __exit__(self, *_: object) -> None:
        _in_call.exchange = None


def _exchange() -> Exchange | None:
    return getattr(_in_call, "exchange", None)


class DeadlineAdapter(HTTPAdapter):
    """An adapter whose answers, headers and body alike, end at the call's deadline.

    :param ca_file: authorities that are trusted beside the public ones.
    """

    def __init__(self, *, pool_maxsize: int = POOL_SIZE, ca_file: Path | None = None) -> None:
        self._ca_file = ca_file
        super().__init__(pool_connections=1, pool_maxsize=pool_maxsize)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def init_poolmanager(self, *args: Any, **kwargs: Any) -> None:
        """Make the pool manager with connections that know the deadline."""
        if self._ca_file is not None:
            kwargs["ssl_context"] = _trusting(self._ca_file)
        super().init_poolmanager(*args, **kwargs)
        self.poolmanager.pool_classes_by_scheme = {"http": _Pool, "https": _TlsPool}


@lru_cache(maxsize=8)
def _trusting(ca_file: Path) -> ssl.SSLContext:
    """A context that trusts these authorities; whoever connects with it adds the public ones (`verify=True`)."""
    context = create_urllib3_context()
    context.load_verify_locations(cafile=ca_file)
    return context


class _DeadlineReader(io.RawIOBase):
    """Reads from a socket, and waits no longer than the call's deadline, however the answer trickles."""

    def __init__(self, raw: io.RawIOBase, sock: socket.socket, exchange: Exchange) -> None:
        self._raw = raw
        self._sock = sock
        self._exchange = exchange
        self._silence_s = sock.gettimeout()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        exchange = self._exchange
        silent_until = None if self._silence_s is None else time.monotonic() + self._silence_s
        while True:
            wait = exchange.deadline.remaining()
            if wait <= 0:
                raise TimeoutError("the call's deadline has passed")
            if silent_until is not None:
                wait = min(wait, max(0.001, silent_until - time.monotonic()))
            look = exchange.given_up is not None and wait > LOOK_S
            self._sock.settimeout(LOOK_S if look else wait)
            try:
                # Of the socket itself: the reader that it makes refuses to read on after a wait in vain.
                return self._sock.recv_into(buffer)
            except TimeoutError:
                if not look:
                    raise
            if exchange.given_up is not None and exchange.given_up():
                exchange.was_given_up = True
                raise TimeoutError("nobody waits for this answer any more")

    def close(self) -> None:
        self._raw.close()
        super().close()


class _Response(http.client.HTTPResponse):
    def __init__(self, sock: socket.socket, *args: Any, **kwargs: Any) -> None:
        super().__init__(sock, *args, **kwargs)
        exchange = _exchange()
        if exchange is not None:
            raw = self.fp.detach()
            self.fp = io.BufferedReader(_DeadlineReader(raw, sock, exchange))

    def begin(self) -> None:
        """Read up to the final answer's body; interim answers (RFC 9110, section 15.2) are read and left out.

        Python's own client leaves out 100 alone. Any other one would pass for the answer, and the real answer
        would be read by whoever is sent next over this connection.
        """
        super().begin()
        for _ in range(MAX_INTERIM_ANSWERS):
            if self.status >= HTTPStatus.OK or self.status == HTTPStatus.SWITCHING_PROTOCOLS:
                break
            # What a response has before it begins.
            self.headers = self.msg = None  # type: ignore[assignment]  # the stubs know only what comes after
            super().begin()
        if self.status < HTTPStatus.OK:
            # Raised within the exchange, so the connection is closed.
            raise http.client.HTTPException(f"no final answer: status {self.status}")


class _Connection(HTTPConnection):
    """Connects and sends within the call's deadline, and says when something has gone out."""

    response_class = _Response

    def connect(self) -> None:
        """Connect; what took too long (a slow name server, many dead addresses) is used for nothing."""
        exchange = _exchange()
        if exchange is not None:
            exchange.sent = False
        super().connect()
        if exchange is not None and exchange.deadline.passed:
            self.close()
            raise urllib3.exceptions.ConnectTimeoutError(self, "the call's deadline passed while connecting")

    def send(self, data: Any) -> None:
        """Send one part of the request, connecting first where that is still to be done."""
        if self.sock is None and self.auto_open:
            self.connect()
        exchange = _exchange()
        if exchange is not None:
            if self.sock is not None:
                remaining = exchange.deadline.remaining()
                if remaining <= 0:
                    raise TimeoutError("the call's deadline has passed")
                # Set anew: a kept connection still has what was left of the last call.
                self.sock.settimeout(remaining if self.timeout is None else min(self.timeout, remaining))
            exchange.sent = True
        super().send(data)


class _TlsConnection(_Connection, HTTPSConnection):
    pass


class _Pool(HTTPConnectionPool):
    ConnectionCls = _Connection


class _TlsPool(HTTPSConnectionPool):
    ConnectionCls = _TlsConnection
