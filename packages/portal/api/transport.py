"""HTTP calls to one server: bounded in time and size, logged, with nothing remembered between users.

Calls use the adapter of `requests` with a prepared request, and no `requests.Session`: that costs half as much, and
a session's cookies, redirects, environment proxies and `.netrc` would be faults here.

A circuit breaker keeps calls away from a server that does not answer. Any HTTP response counts as an answer, also a
500. While the circuit is open:

- a call is refused at once, unless it is the probe;
- a read that was on its way is given up within half a second. A write is waited for, because only its response tells
  whether it was done; so is a call on a connection of its own (a refresh, a sign-out);
- a read that is the probe keeps its user for half a second and goes on in the background for 5 s, so a server that is
  slow after its outage closes the circuit as well.
"""

from __future__ import annotations

import contextvars
import threading
import time
from concurrent.futures import Future
from typing import TYPE_CHECKING, Final

import requests
import urllib3
from requests.hooks import default_hooks
from requests.structures import CaseInsensitiveDict

from portal import tracing
from portal.api.call_log import Attempt, LoggedCall, log_no_response, log_response
from portal.api.connections import CallState, DeadlineAdapter
from portal.api.responses import RawResponse
from portal.config.contract_names import REQUEST_ID_HEADER
from portal.config.limits import CIRCUIT_PROBE_S, CIRCUIT_PROBE_WAIT_S, CIRCUIT_SILENCE_S, MAX_ANSWER_BYTES
from portal.errors import ApiMalformedError, ApiTimeoutError, ApiUnavailableError, CircuitOpenError
from portal.process import Deadline, call_circuits

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from portal.process import Admission

#: These change nothing, so they can be given up.
_READS: Final = frozenset({"GET", "HEAD"})
ONE_TRY: Final = Attempt()


class Transport:
    """Connections to one server. Safe for threads; made anew after a fork.

    :param base_url: without a slash at the end.
    :param connect_timeout_s: for each address of the server's name.
    :param read_timeout_s: longest silence within a response; the deadline bounds all of it.
    :param ca_file: PEM file of authorities that are trusted beside the public ones.
    :param to: name of the server, in logs and metrics.
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
        deadline: Deadline,
        body: bytes | None = None,
        bearer: str | None = None,
        own_connection: bool = False,
        attempt: Attempt = ONE_TRY,
        endpoint: str = "",
    ) -> RawResponse:
        """Send one request and read the whole response.

        :param target: path and query, encoded; it follows the base address.
        :param bearer: an access token.
        :param own_connection: use no kept connection, which the backend may be closing at this very moment.
        :param attempt: the number of this try, for the log.
        :param endpoint: the name of what is called, for `/metrics`.
        :raises ApiTimeoutError: a limit passed.
        :raises CircuitOpenError: the server does not answer at the moment.
        :raises ApiUnavailableError: no connection, or it broke. `was_sent` tells whether the server may have seen the
            request; `begun` is the status of a response that began and did not come whole.
        :raises ApiMalformedError: the response is too large; `begun` is its status.
        """
        prepared = requests.PreparedRequest()
        prepared.method = method
        prepared.url = self.base_url + target
        prepared.headers = CaseInsensitiveDict(headers)
        if bearer is not None:
            prepared.headers["Authorization"] = f"Bearer {bearer}"
        prepared.body = body
        prepared.hooks = default_hooks()
        path, _, _ = target.partition("?")
        call = LoggedCall(self._to, method, path, attempt, headers.get(REQUEST_ID_HEADER), endpoint)
        began = time.monotonic()
        try:
            if deadline.passed:
                raise ApiTimeoutError("The time for this request is used up.", was_sent=False)
            admission = self._circuit.admit()
            if admission is None:
                raise CircuitOpenError(was_sent=False)
            can_give_up = method in _READS and not own_connection
            if can_give_up and self._circuit.is_probe(admission):
                response = self._probe(admission, prepared, deadline)
            else:
                state = CallState(deadline=deadline, circuit=self._circuit if can_give_up else None)
                response = self._observe(admission, prepared, state, own_connection=own_connection)
        except ApiUnavailableError as error:
            log_no_response(call, error, duration_ms=(time.monotonic() - began) * 1000)
            raise
        log_response(call, response, duration_ms=(time.monotonic() - began) * 1000)
        return response

    def close(self) -> None:
        """Close the kept connections."""
        self._adapter.close()

    def _probe(self, admission: Admission, prepared: requests.PreparedRequest, deadline: Deadline) -> RawResponse:
        """Find out in the background, with this read, whether the server answers again. Its user waits a moment."""
        found: Future[RawResponse] = Future()

        def work() -> None:
            try:
                found.set_result(self._observe(admission, prepared, CallState(deadline=Deadline(CIRCUIT_PROBE_S))))
            except BaseException as error:  # noqa: BLE001  raised again in the thread that waits
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

    def _observe(
        self,
        admission: Admission,
        prepared: requests.PreparedRequest,
        state: CallState,
        *,
        own_connection: bool = False,
    ) -> RawResponse:
        """Make the call, and tell the circuit how it ended."""
        circuit = self._circuit
        try:
            response = self._exchange(prepared, state, own_connection=own_connection)
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
        return response

    def _exchange(self, prepared: requests.PreparedRequest, state: CallState, *, own_connection: bool) -> RawResponse:
        adapter = DeadlineAdapter(pool_maxsize=1, ca_file=self._ca_file) if own_connection else self._adapter
        # At least a millisecond: the first wait ends a call whose deadline has passed meanwhile.
        remaining = max(0.001, state.deadline.remaining())
        timeout = (min(self._connect_timeout_s, remaining), min(self._read_timeout_s, remaining))
        begun: int | None = None
        path, _, _ = prepared.path_url.partition("?")
        try:
            with state, tracing.call_span(method=prepared.method or "", to=self._to, path=path) as span:
                prepared.headers.update(span.headers())
                response = adapter.send(prepared, stream=True, timeout=timeout, verify=True, proxies={})
                begun = response.status_code
                try:
                    # One byte more than the limit, so that a larger response shows.
                    content: bytes = response.raw.read(MAX_ANSWER_BYTES + 1, decode_content=True)
                finally:
                    response.close()
                    span.set("http.response.status_code", begun)
        except (requests.RequestException, urllib3.exceptions.HTTPError, OSError) as error:
            if state.was_given_up:
                raise CircuitOpenError(was_sent=True) from None
            raise _unavailable(error, state, begun=begun) from error
        finally:
            if own_connection:
                adapter.close()
        if len(content) > MAX_ANSWER_BYTES:
            raise ApiMalformedError(f"The backend's answer is larger than {MAX_ANSWER_BYTES} bytes.", begun=begun)
        return RawResponse(status=begun, headers=response.headers, content=content)


def _unavailable(error: Exception, state: CallState, *, begun: int | None) -> ApiUnavailableError:
    """The error of the tree for a call that broke off."""
    if isinstance(error, requests.ConnectTimeout):
        return ApiTimeoutError("The backend can't be reached in time.", was_sent=False)
    # The TLS handshake may have broken too. In a test without our connections (`responses`), `sent` stays None.
    was_sent = state.sent is not False
    if isinstance(error, requests.Timeout | urllib3.exceptions.TimeoutError):
        return ApiTimeoutError("The backend took too long to answer.", was_sent=was_sent, begun=begun)
    return ApiUnavailableError("The backend can't be reached.", was_sent=was_sent, begun=begun)
