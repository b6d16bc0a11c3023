"""One HTTP exchange with the backend: bounded in time and size, with nothing remembered between users.

Requests go through the adapter of a `requests` session, prepared by hand: half the cost of `Session.request`, and
its environment proxies, `.netrc`, cookies and redirects stay out. Anything that intercepts the adapter
(`responses`) still works.
"""

from __future__ import annotations

import http.client
import io
import threading
from dataclasses import dataclass
from http import HTTPStatus
from http.cookiejar import DefaultCookiePolicy
from typing import IO, TYPE_CHECKING, Any, Final, Self

import requests
import urllib3
from requests.adapters import HTTPAdapter
from requests.hooks import default_hooks
from requests.structures import CaseInsensitiveDict
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool

from portal.config.limits import MAX_ANSWER_BYTES
from portal.errors import ApiMalformedError, ApiTimeoutError, ApiUnavailableError

if TYPE_CHECKING:
    import socket
    from collections.abc import Mapping

    from portal.api.deadline import Deadline

#: Kept connections to the backend; at least as many as a worker has threads.
POOL_SIZE: Final = 64
#: Interim answers to one request that are left out; a backend that sends more is not waited for.
MAX_INTERIM_ANSWERS: Final = 100

_in_call = threading.local()


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A whole answer, as it came."""

    status: int
    headers: Mapping[str, str]
    content: bytes


class BearerAuth(requests.auth.AuthBase):
    """`Authorization: Bearer …`, set by an object: a header set by hand could be replaced from `.netrc`."""

    def __init__(self, token: str) -> None:
        self._token = token

    def __call__(self, r: requests.PreparedRequest) -> requests.PreparedRequest:
        """Set the header."""
        r.headers["Authorization"] = f"Bearer {self._token}"
        return r


class Transport:
    """Connections to one backend. Safe for threads; made anew after a fork.

    :param base_url: without a slash at the end.
    :param connect_timeout_s: for each address of the backend's name.
    :param read_timeout_s: longest silence within an answer; the deadline bounds its whole.
    """

    def __init__(self, *, base_url: str, connect_timeout_s: float, read_timeout_s: float) -> None:
        self.base_url = base_url
        self._connect_timeout_s = connect_timeout_s
        self._read_timeout_s = read_timeout_s
        self._session = requests.Session()
        self._session.trust_env = False
        self._session.cookies.set_policy(DefaultCookiePolicy(allowed_domains=[]))
        self._session.mount(base_url, DeadlineAdapter(pool_connections=2, pool_maxsize=POOL_SIZE))

    def send(
        self,
        *,
        method: str,
        target: str,
        headers: Mapping[str, str],
        body: bytes | IO[bytes] | None,
        auth: BearerAuth | None,
        deadline: Deadline,
        own_connection: bool = False,
    ) -> Reply:
        """Send one request and read its whole answer.

        :param target: path and query, encoded; it follows the base address.
        :param own_connection: use no kept connection, which the backend may be closing at this very moment.
        :raises ApiTimeoutError: a limit passed.
        :raises ApiUnavailableError: no connection, or it broke. `was_sent` says whether the backend may have seen
            the request, `begun` with which status an answer began that did not come whole.
        :raises ApiMalformedError: the answer is too large; `begun` is its status.
        """
        prepared = requests.PreparedRequest()
        prepared.method = method
        prepared.url = self.base_url + target
        prepared.headers = CaseInsensitiveDict(headers)
        prepared.body = body  # type: ignore[assignment]  # the stubs leave out streams, which requests sends as well
        prepared.hooks = default_hooks()
        if auth is not None:
            auth(prepared)
        if not own_connection:
            return self._exchange(self._session.get_adapter(prepared.url), prepared, deadline)
        with _OwnConnection() as adapter:
            return self._exchange(adapter, prepared, deadline)

    def close(self) -> None:
        """Close the kept connections."""
        self._session.close()

    def _exchange(
        self, adapter: requests.adapters.BaseAdapter, prepared: requests.PreparedRequest, deadline: Deadline
    ) -> Reply:
        remaining = deadline.remaining()
        if remaining <= 0:
            raise ApiTimeoutError("The time for this request is used up.", was_sent=False)
        timeout = (min(self._connect_timeout_s, remaining), min(self._read_timeout_s, remaining))
        _in_call.deadline, _in_call.sent = deadline, False
        begun: int | None = None
        try:
            response = adapter.send(prepared, stream=True, timeout=timeout, verify=True, proxies={})
            begun = response.status_code
            try:
                # One more than is taken, so that what is too large shows.
                content: bytes = response.raw.read(MAX_ANSWER_BYTES + 1, decode_content=True)
            finally:
                response.close()
        except requests.ConnectTimeout as error:
            raise _unreachable(error, was_sent=False) from error
        except requests.exceptions.SSLError as error:
            # The handshake, or a kept connection that broke after the request had gone out.
            raise _unreachable(error, was_sent=_in_call.sent, begun=begun) from error
        except (requests.Timeout, urllib3.exceptions.TimeoutError) as error:
            raise ApiTimeoutError("The backend took too long to answer.", begun=begun) from error
        except requests.ConnectionError as error:
            raise _unreachable(error, was_sent=not _never_connected(error), begun=begun) from error
        except (requests.RequestException, urllib3.exceptions.HTTPError, OSError) as error:
            raise _unreachable(error, was_sent=True, begun=begun) from error
        finally:
            _in_call.deadline = None
        if len(content) > MAX_ANSWER_BYTES:
            raise ApiMalformedError(f"The backend's answer is larger than {MAX_ANSWER_BYTES} bytes.", begun=begun)
        return Reply(status=begun, headers=response.headers, content=content)


class DeadlineAdapter(HTTPAdapter):
    """An adapter whose answers, headers and body alike, end at the call's deadline."""

    def init_poolmanager(self, *args: Any, **kwargs: Any) -> None:
        """Make the pool manager with connections that know the deadline."""
        super().init_poolmanager(*args, **kwargs)
        self.poolmanager.pool_classes_by_scheme = {"http": _Pool, "https": _TlsPool}


class _OwnConnection(DeadlineAdapter):
    """An adapter for one exchange."""

    def __init__(self) -> None:
        super().__init__(pool_connections=1, pool_maxsize=1)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _DeadlineReader(io.RawIOBase):
    """Reads from a socket, and waits no longer than the call's deadline, however the answer trickles."""

    def __init__(self, raw: io.RawIOBase, sock: socket.socket, deadline: Deadline) -> None:
        self._raw = raw
        self._sock = sock
        self._deadline = deadline
        self._silence_s = sock.gettimeout()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        remaining = self._deadline.remaining()
        if remaining <= 0:
            raise TimeoutError("the call's deadline has passed")
        self._sock.settimeout(remaining if self._silence_s is None else min(self._silence_s, remaining))
        return self._raw.readinto(buffer)

    def close(self) -> None:
        self._raw.close()
        super().close()


class _Response(http.client.HTTPResponse):
    def __init__(self, sock: socket.socket, *args: Any, **kwargs: Any) -> None:
        super().__init__(sock, *args, **kwargs)
        deadline: Deadline | None = getattr(_in_call, "deadline", None)
        if deadline is not None:
            raw = self.fp.detach()
            self.fp = io.BufferedReader(_DeadlineReader(raw, sock, deadline))

    def begin(self) -> None:
        """Read up to the final answer's body; interim answers (RFC 9110, section 15.2) are read and left out.

        Python's own client leaves out 100 alone. Any other one would pass for the answer, and the real answer
        would be read by whoever is sent next over this connection.
        """
        super().begin()
        for _ in range(MAX_INTERIM_ANSWERS):
            if self.status >= HTTPStatus.OK or self.status == HTTPStatus.SWITCHING_PROTOCOLS:
                break
            # What a response has before it begins; the stubs know only what comes after.
            self.headers = self.msg = None  # type: ignore[assignment]
            super().begin()
        if self.status < HTTPStatus.OK:
            # Raised within the exchange, so the connection is closed.
            raise http.client.HTTPException(f"no final answer: status {self.status}")


class _Connection(HTTPConnection):
    """Connects and sends within the call's deadline, and says when something has gone out."""

    response_class = _Response

    def connect(self) -> None:
        """Connect; what took too long (a slow name server, many dead addresses) is used for nothing."""
        super().connect()
        deadline: Deadline | None = getattr(_in_call, "deadline", None)
        if deadline is not None and deadline.passed:
            self.close()
            raise urllib3.exceptions.ConnectTimeoutError(self, "the call's deadline passed while connecting")

    def send(self, data: Any) -> None:
        """Send one part of the request, connecting first where that is still to be done."""
        if self.sock is None and self.auto_open:
            self.connect()
        deadline: Deadline | None = getattr(_in_call, "deadline", None)
        if deadline is not None and self.sock is not None:
            remaining = deadline.remaining()
            if remaining <= 0:
                raise TimeoutError("the call's deadline has passed")
            # Set anew: a kept connection still has what was left of the last call.
            self.sock.settimeout(remaining if self.timeout is None else min(self.timeout, remaining))
        _in_call.sent = True
        super().send(data)


class _TlsConnection(_Connection, HTTPSConnection):
    pass


class _Pool(HTTPConnectionPool):
    ConnectionCls = _Connection


class _TlsPool(HTTPSConnectionPool):
    ConnectionCls = _TlsConnection


def _never_connected(error: requests.ConnectionError) -> bool:
    """Whether no connection came about, so that the backend can't have seen the request."""
    reason = error.args[0] if error.args else None
    return isinstance(getattr(reason, "reason", None), urllib3.exceptions.NewConnectionError)


def _unreachable(error: Exception, *, was_sent: bool, begun: int | None = None) -> ApiUnavailableError:
    if isinstance(error, requests.ConnectTimeout):
        return ApiTimeoutError("The backend can't be reached in time.", was_sent=was_sent)
    return ApiUnavailableError("The backend can't be reached.", was_sent=was_sent, begun=begun)
