"""Connections that wait no longer than the call that uses them, and skip interim responses."""

from __future__ import annotations

import http.client
import io
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

import requests
import urllib3
from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.util.ssl_ import create_urllib3_context

from portal.errors import ApiTimeoutError, ApiUnavailableError
from portal.process import CircuitBreaker, Deadline

if TYPE_CHECKING:
    import socket
    import ssl


#: Kept connections to the backend; at least as many as a worker has threads.
POOL_SIZE: Final = 64
#: Interim responses to one request that are skipped; a backend that sends more is not waited for.
MAX_INTERIM_RESPONSES: Final = 100
#: How often a call that may be given up looks at the circuit, seconds.
LOOK_S: Final = 0.5

_in_call = threading.local()


@dataclass(slots=True, kw_only=True)
class CallState:
    """What the connection in this thread knows about the call that uses it.

    :param new_connection: use no kept connection.
    :param circuit: the call is given up when this circuit opens; None if the response is waited for whatever happens.
    :param connected: called when a new connection was made.
    :ivar sent: whether something of the request has gone out; None before a connection is made or used.
    :ivar response: the response that has begun.
    :ivar is_whole: whether its body has come whole.
    """

    deadline: Deadline
    new_connection: bool = False
    circuit: CircuitBreaker | None = None
    connected: Callable[[], None] | None = None
    sent: bool | None = None
    was_given_up: bool = False
    response: requests.Response | None = None
    is_whole: bool = False
    _outer: CallState | None = None

    @property
    def begun(self) -> int | None:
        """The status of the response that has begun."""
        return None if self.response is None else self.response.status_code

    def __enter__(self) -> Self:
        # A hook of `requests` may make a call within a call.
        self._outer, _in_call.state = _call_state(), self
        return self

    def __exit__(self, *_: object) -> None:
        _in_call.state = self._outer


def _call_state() -> CallState | None:
    return getattr(_in_call, "state", None)


class DeadlineAdapter(HTTPAdapter):
    """An adapter whose responses, headers and body alike, end at the call's deadline.

    :param ca_file: authorities that are trusted beside the public ones.
    """

    def __init__(self, *, ca_file: Path | None = None) -> None:
        self._ca_file = ca_file
        super().__init__(pool_maxsize=POOL_SIZE)

    def init_poolmanager(self, *args: Any, **kwargs: Any) -> None:
        """Make the pool manager with connections that know the deadline."""
        if self._ca_file is not None:
            kwargs["ssl_context"] = _trusting(self._ca_file)
        super().init_poolmanager(*args, **kwargs)
        self.poolmanager.pool_classes_by_scheme = {"http": _Pool, "https": _TlsPool}


def renew_connections(session: requests.Session) -> None:
    """Give a session connections of its own, in a process that was forked; what was set up on it stays."""
    for adapter in session.adapters.values():
        if isinstance(adapter, HTTPAdapter):
            own = vars(adapter)
            adapter.proxy_manager = {}
            adapter.init_poolmanager(own["_pool_connections"], own["_pool_maxsize"], block=own["_pool_block"])


@lru_cache(maxsize=8)
def _trusting(ca_file: Path) -> ssl.SSLContext:
    """A context that trusts these authorities. The connection adds the public ones (`verify=True`)."""
    context = create_urllib3_context()
    context.load_verify_locations(cafile=ca_file)
    return context


class _DeadlineReader(io.RawIOBase):
    """Reads from a socket, and waits no longer than the call's deadline, however slowly the bytes come."""

    def __init__(self, raw: io.RawIOBase, sock: socket.socket, state: CallState) -> None:
        self._raw = raw
        self._sock = sock
        self._state = state
        self._silence_s = sock.gettimeout()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        state = self._state
        silent_until = None if self._silence_s is None else time.monotonic() + self._silence_s
        while True:
            wait = state.deadline.remaining()
            if wait <= 0:
                raise TimeoutError("the call's deadline has passed")
            if silent_until is not None:
                wait = min(wait, max(0.001, silent_until - time.monotonic()))
            look = state.circuit is not None and wait > LOOK_S
            self._sock.settimeout(LOOK_S if look else wait)
            try:
                # From the socket itself: the socket's own reader refuses to go on after a timeout.
                return self._sock.recv_into(buffer)
            except TimeoutError:
                if not look:
                    raise
            if state.circuit is not None and state.circuit.is_open:
                state.was_given_up = True
                raise TimeoutError("the circuit has opened")

    def close(self) -> None:
        self._raw.close()
        super().close()


class _Response(http.client.HTTPResponse):
    def __init__(self, sock: socket.socket, *args: Any, **kwargs: Any) -> None:
        super().__init__(sock, *args, **kwargs)
        state = _call_state()
        if state is not None:
            raw = self.fp.detach()
            self.fp = io.BufferedReader(_DeadlineReader(raw, sock, state))

    def begin(self) -> None:
        """Read up to the final response's body, and skip interim responses (RFC 9110, section 15.2).

        Python's own client skips 100 only. Any other one would pass for the response, and the next request on this
        connection would read the real one.
        """
        super().begin()
        for _ in range(MAX_INTERIM_RESPONSES):
            if self.status >= HTTPStatus.OK or self.status == HTTPStatus.SWITCHING_PROTOCOLS:
                break
            # As before the first `begin`.
            self.headers = self.msg = None  # type: ignore[assignment]  # the stubs know only what comes after
            super().begin()
        if self.status < HTTPStatus.OK:
            # Raised within the call, so the connection is closed.
            raise http.client.HTTPException(f"no final answer: status {self.status}")


class _Connection(HTTPConnection):
    """Connects and sends within the call's deadline, and notes when something has gone out."""

    response_class = _Response

    def connect(self) -> None:
        """Connect. A connection that took too long (a slow name server, many dead addresses) is not used."""
        state = _call_state()
        if state is not None:
            state.sent = False
        super().connect()
        if state is not None and state.deadline.passed:
            self.close()
            raise urllib3.exceptions.ConnectTimeoutError(self, "the call's deadline passed while connecting")
        if state is not None and state.connected is not None:
            state.connected()

    def send(self, data: Any) -> None:
        """Send one part of the request, connecting first where that is still to be done."""
        if self.sock is None and self.auto_open:
            self.connect()
        state = _call_state()
        if state is not None:
            if self.sock is not None:
                remaining = state.deadline.remaining()
                if remaining <= 0:
                    raise TimeoutError("the call's deadline has passed")
                # A kept connection still has the last call's timeout.
                self.sock.settimeout(remaining if self.timeout is None else min(self.timeout, remaining))
            state.sent = True
        super().send(data)


class _TlsConnection(_Connection, HTTPSConnection):
    pass


class _Pool(HTTPConnectionPool):
    ConnectionCls = _Connection  # pyright: ignore[reportAssignmentType]  # urllib3 asks for more than it uses

    def _get_conn(self, timeout: float | None = None) -> Any:
        connection = super()._get_conn(timeout)
        state = _call_state()
        if state is not None and state.new_connection:
            # It connects anew when it is used.
            connection.close()
        return connection


class _TlsPool(_Pool, HTTPSConnectionPool):
    ConnectionCls = _TlsConnection  # pyright: ignore[reportAssignmentType]  # as above


def unavailable_error(error: Exception, state: CallState) -> ApiUnavailableError:
    """The error of the tree for a call that broke off."""
    if isinstance(error, requests.ConnectTimeout):
        return ApiTimeoutError("The backend can't be reached in time.", was_sent=False)
    # The TLS handshake may have broken too. In a test without our connections (`responses`), `sent` stays None.
    was_sent = state.sent is not False
    if isinstance(error, requests.Timeout | urllib3.exceptions.TimeoutError):
        return ApiTimeoutError("The backend took too long to answer.", was_sent=was_sent, begun=state.begun)
    return ApiUnavailableError("The backend can't be reached.", was_sent=was_sent, begun=state.begun)
