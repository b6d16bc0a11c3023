"""HTTP exchanges with one server: bounded in time and size, logged, with nothing remembered between users.

Requests go through the adapter of `requests` alone, prepared by hand: half the cost of `Session.request`, and its
environment proxies, `.netrc`, cookies and redirects stay out. Anything that intercepts the adapter
(`responses`) still works.

A circuit breaker keeps calls from a server that does not answer. Any HTTP answer counts as
one, 500 and the rest included. While the circuit is open:

- a call is refused at once, unless it is the one that may try;
- a read that was on its way is given up within half a second. A write is waited for, since only its answer says
  whether it was done; so is what has a connection of its own (a refresh, a sign-out);
- a read that tries keeps its user for half a second, and goes on in the background for 5 s: a server that is slow
  after its outage closes the circuit as well.
"""

from __future__ import annotations

import contextvars
import threading
import time
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import cached_property
from http import HTTPStatus
from typing import IO, TYPE_CHECKING, Any, Final

import requests
import urllib3
from requests.hooks import default_hooks
from requests.structures import CaseInsensitiveDict

from portal.api.call_log import Attempt, Call, note_answer, note_silence
from portal.api.connections import DeadlineAdapter, Exchange
from portal.api.responses import read_json
from portal.config.limits import CIRCUIT_PROBE_S, CIRCUIT_PROBE_WAIT_S, CIRCUIT_SILENCE_S, MAX_ANSWER_BYTES
from portal.config.wire_names import REQUEST_ID_HEADER
from portal.errors import ApiMalformedError, ApiTimeoutError, ApiUnavailableError, CircuitOpenError
from portal.process import Deadline, call_circuits

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from portal.process import Admission

#: What can be given up: it changes nothing.
_READS: Final = frozenset({"GET", "HEAD"})
ONE_TRY: Final = Attempt()


@dataclass(frozen=True, kw_only=True)
class RawResponse:
    """A whole answer, as it came."""

    status: int
    headers: Mapping[str, str]
    content: bytes = field(repr=False)

    def json(self) -> Any:
        """The body, read as JSON once.

        :raises ValueError: it is none.
        """
        if isinstance(self._json, ValueError):
            raise self._json
        return self._json

    @property
    def fault(self) -> ValueError | None:
        """Why the body of a success can't be read; None where it can, where there is none, or for another status."""
        success = HTTPStatus.OK <= self.status < HTTPStatus.MULTIPLE_CHOICES
        return self._json if success and self.content and isinstance(self._json, ValueError) else None

    @cached_property
    def _json(self) -> Any:
        try:
            return read_json(self.content)
        except ValueError as error:
            return error


class BearerAuth(requests.auth.AuthBase):
    """`Authorization: Bearer …`, set by an object: a header set by hand could be replaced from `.netrc`."""

    def __init__(self, token: str) -> None:
        self._token = token

    def __call__(self, r: requests.PreparedRequest) -> requests.PreparedRequest:
        """Set the header."""
        r.headers["Authorization"] = f"Bearer {self._token}"
        return r


class Transport:
    """Connections to one server. Safe for threads; made anew after a fork.

    :param base_url: without a slash at the end.
    :param connect_timeout_s: for each address of the server's name.
    :param read_timeout_s: longest silence within an answer; the deadline bounds its whole.
    :param ca_file: PEM file of authorities that are trusted beside the public ones.
    :param to: who is called, in logs and metrics.
    """

    def __init__(
        self,
        *,
        base_url: str,
        connect_timeout_s: float,
        read_timeout_s: float,
        ca_file: Path | None = None,
        to: str = "backend",
    ) -> None:
        self.base_url = base_url
        self._connect_timeout_s = connect_timeout_s
        self._read_timeout_s = read_timeout_s
        self._ca_file = ca_file
        self._to = to
        self._circuit = call_circuits.of(f"{to} {base_url}")
        self._adapter = DeadlineAdapter(ca_file=ca_file)

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
        attempt: Attempt = ONE_TRY,
    ) -> RawResponse:
        """Send one request and read its whole answer.

        :param target: path and query, encoded; it follows the base address.
        :param own_connection: use no kept connection, which the backend may be closing at this very moment.
        :param attempt: which try this is, for the log.
        :raises ApiTimeoutError: a limit passed.
        :raises CircuitOpenError: the backend does not answer at the moment.
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
        path, _, _ = target.partition("?")
        call = Call(self._to, method, path, attempt, headers.get(REQUEST_ID_HEADER))
        began = time.monotonic()
        try:
            reply = self._send(prepared, deadline, own_connection=own_connection)
        except ApiUnavailableError as error:
            note_silence(call, error, duration_ms=(time.monotonic() - began) * 1000)
            raise
        note_answer(call, status=reply.status, duration_ms=(time.monotonic() - began) * 1000, fault=reply.fault)
        return reply

    def close(self) -> None:
        """Close the kept connections."""
        self._adapter.close()

    # --- the circuit ---

    def _send(self, prepared: requests.PreparedRequest, deadline: Deadline, *, own_connection: bool) -> RawResponse:
        if deadline.passed:
            raise ApiTimeoutError("The time for this request is used up.", was_sent=False)
        admission = self._circuit.admit()
        if admission is None:
            raise CircuitOpenError(was_sent=False)
        can_give_up = prepared.method in _READS and not own_connection
        if can_give_up and self._circuit.is_probe(admission):
            return self._probe(admission, prepared, deadline)
        return self._judge(admission, prepared, deadline, own_connection=own_connection, can_give_up=can_give_up)

    def _probe(self, admission: Admission, prepared: requests.PreparedRequest, deadline: Deadline) -> RawResponse:
        """Find out with this read whether there are answers again, in the background; its user waits a moment."""
        found: Future[RawResponse] = Future()

        def work() -> None:
            try:
                found.set_result(self._judge(admission, prepared, Deadline(CIRCUIT_PROBE_S)))
            except BaseException as error:  # noqa: BLE001  it is raised where it is waited for
                found.set_exception(error)

        run = contextvars.copy_context().run
        try:
            threading.Thread(target=run, args=(work,), name="portal-probe", daemon=True).start()
        except BaseException as error:
            self._circuit.withdraw(admission)
            if isinstance(error, RuntimeError):  # the machine, or this process's limit, has no more threads
                raise CircuitOpenError(was_sent=False) from error
            raise
        try:
            return found.result(timeout=min(CIRCUIT_PROBE_WAIT_S, deadline.remaining()))
        except TimeoutError:
            raise CircuitOpenError(was_sent=True) from None

    def _judge(
        self,
        admission: Admission,
        prepared: requests.PreparedRequest,
        deadline: Deadline,
        *,
        own_connection: bool = False,
        can_give_up: bool = False,
    ) -> RawResponse:
        """One exchange, and what it says of the circuit."""
        circuit = self._circuit
        given_up = (lambda: circuit.is_open) if can_give_up else None
        try:
            reply = self._exchange(prepared, Exchange(deadline=deadline, given_up=given_up), own_connection)
        except CircuitOpenError:
            raise
        except ApiUnavailableError as error:
            if error.begun is None:
                limit = self._connect_timeout_s if not error.was_sent else self._read_timeout_s
                circuit.failed(admission, slow_s=min(limit, CIRCUIT_SILENCE_S), why=type(error).__name__)
            else:
                circuit.answered()
            raise
        except BaseException:
            circuit.withdraw(admission)
            raise
        circuit.answered()
        return reply

    # --- the exchange ---

    def _exchange(self, prepared: requests.PreparedRequest, exchange: Exchange, own_connection: bool) -> RawResponse:
        if not own_connection:
            return self._exchange_with(self._adapter, prepared, exchange)
        with DeadlineAdapter(pool_maxsize=1, ca_file=self._ca_file) as adapter:
            return self._exchange_with(adapter, prepared, exchange)

    def _exchange_with(
        self, adapter: DeadlineAdapter, prepared: requests.PreparedRequest, exchange: Exchange
    ) -> RawResponse:
        # No less than nothing: what has passed meanwhile ends at the first wait.
        remaining = max(0.001, exchange.deadline.remaining())
        timeout = (min(self._connect_timeout_s, remaining), min(self._read_timeout_s, remaining))
        begun: int | None = None
        try:
            with exchange:
                response = adapter.send(prepared, stream=True, timeout=timeout, verify=True, proxies={})
                begun = response.status_code
                try:
                    # One more than is taken, so that what is too large shows.
                    content: bytes = response.raw.read(MAX_ANSWER_BYTES + 1, decode_content=True)
                finally:
                    response.close()
        except (requests.RequestException, urllib3.exceptions.HTTPError, OSError) as error:
            if exchange.was_given_up:
                raise CircuitOpenError(was_sent=True) from None
            raise _no_answer(error, exchange, begun=begun) from error
        if len(content) > MAX_ANSWER_BYTES:
            raise ApiMalformedError(f"The backend's answer is larger than {MAX_ANSWER_BYTES} bytes.", begun=begun)
        return RawResponse(status=begun, headers=response.headers, content=content)


def _no_answer(error: Exception, exchange: Exchange, *, begun: int | None) -> ApiUnavailableError:
    """What it means that an exchange broke off."""
    if isinstance(error, requests.ConnectTimeout):
        return ApiTimeoutError("The backend can't be reached in time.", was_sent=False)
    # The handshake, too, may be what broke. Where no connection of ours was used (`responses`), nobody can say.
    was_sent = exchange.sent is not False
    if isinstance(error, requests.Timeout | urllib3.exceptions.TimeoutError):
        return ApiTimeoutError("The backend took too long to answer.", was_sent=was_sent, begun=begun)
    return ApiUnavailableError("The backend can't be reached.", was_sent=was_sent, begun=begun)
