"""HTTP calls: a session of `requests`, bounded in time and size, logged, with nothing remembered between users.

A circuit breaker for each server, and one for each endpoint, keep calls away while it can't be reached, or does not
answer. Any HTTP response that comes whole counts as an answer, also a 500. While a circuit is open:

- a call is refused at once, unless it is the probe. In place of a write or a refresh, a read of its address is;
- a read that was on its way is given up within half a second. A write is waited for, because only its response tells
  whether it was done; so is a call on a new connection (a refresh, a sign-out);
- a read that is the probe keeps its user for half a second and goes on in the background for 5 s, so a server that is
  slow after its outage closes the circuit as well.
"""

import contextvars
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from functools import partial
from http.cookiejar import DefaultCookiePolicy
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import requests
import urllib3

from portal.api.backend import current_backend
from portal.api.call_log import Attempt, LoggedCall, log_no_response, log_response
from portal.api.connections import CallState, DeadlineAdapter, unavailable_error
from portal.api.responses import RawResponse
from portal.config.limits import (
    CIRCUIT_PROBE_S,
    CIRCUIT_PROBE_WAIT_S,
    CIRCUIT_SILENCE_S,
    MAX_ANSWER_BYTES,
    REQUEST_BUDGET_S,
)
from portal.errors import ApiMalformedError, ApiTimeoutError, ApiUnavailableError, CircuitOpenError
from portal.process import Admission, CircuitBreaker, Deadline, call_circuits, waits_for
from portal.telemetry import tracing

#: These change nothing, so they can be given up.
_READS: Final = frozenset({"GET", "HEAD"})
ONE_TRY: Final = Attempt()


class Transport(requests.Session):
    """A session of `requests` whose hooks, adapters, `auth`, `headers` and `verify` hold for each of its calls.

    Safe for threads once it is set up. It follows no redirect, keeps no cookie, and takes neither a proxy nor a
    `.netrc` from the machine. A plain call, such as `get(url)`, is bounded, logged and counted like any other; it
    raises what :meth:`send` raises.

    :param base_url: what the target of each :meth:`exchange` follows, without a slash at the end.
    :param connect_timeout_s: for each address of the server's name.
    :param read_timeout_s: longest silence within a response; the deadline bounds all of it.
    :param ca_file: PEM file of authorities that are trusted beside the public ones.
    :param to: name of the server, in logs and metrics.
    """

    def __init__(
        self,
        *,
        base_url: str = "",
        connect_timeout_s: float,
        read_timeout_s: float,
        ca_file: Path | None = None,
        to: str = "backend",
    ) -> None:
        super().__init__()
        self.base_url = base_url
        self._connect_timeout_s = connect_timeout_s
        self._read_timeout_s = read_timeout_s
        self._to = to
        self.trust_env = False
        self.cookies.set_policy(DefaultCookiePolicy(allowed_domains=[]))
        self.headers.clear()
        self.headers.update({"Accept": "application/json", "Accept-Encoding": "gzip, deflate", "User-Agent": "portal"})
        adapter = DeadlineAdapter(ca_file=ca_file)
        self.mount("https://", adapter)
        self.mount("http://", adapter)

    def exchange(
        self,
        *,
        method: str,
        target: str,
        deadline: Deadline,
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
        bearer: str | None = None,
        new_connection: bool = False,
        attempt: Attempt = ONE_TRY,
        endpoint: str = "",
    ) -> RawResponse:
        """Send one request and read the whole response.

        :param target: path and query, encoded; a whole address where there is no base address.
        :param bearer: an access token.
        :raises ApiUnavailableError: as :meth:`send`; or the address is none.
        """
        merged: dict[str, str | bytes | None] = {**self.headers, **(headers or {})}
        if bearer is not None:
            merged["Authorization"] = f"Bearer {bearer}"
        prepared = requests.PreparedRequest()
        try:
            # As `prepare_request` does, in a third of its time: there are no cookies.
            prepared.prepare(
                method=method,
                url=self.base_url + target,
                headers={name: value for name, value in merged.items() if value is not None},
                data=body,
                params=self.params or None,
                auth=self.auth,
                hooks=self.hooks,
            )
        except requests.exceptions.InvalidURL as error:
            raise ApiUnavailableError("The address can't be called.", was_sent=False) from error
        try:
            response = self.send(
                prepared, deadline=deadline, new_connection=new_connection, attempt=attempt, endpoint=endpoint
            )
        except requests.HTTPError as error:
            # A hook's `raise_for_status`: the errors of statuses are made above.
            if error.response is None:
                raise
            response = error.response
        return RawResponse.of(response)

    def send(
        self,
        request: requests.PreparedRequest,
        *,
        deadline: Deadline | None = None,
        new_connection: bool = False,
        attempt: Attempt = ONE_TRY,
        endpoint: str = "",
        **kwargs: Any,
    ) -> requests.Response:
        """Send a request, and read the response before any hook sees it.

        :param deadline: of the whole call; by default as long as a request of a user may take.
        :param new_connection: use no kept connection, which the server may be closing at this very moment.
        :param attempt: the number of this try, for the log.
        :param endpoint: the name of what is called, for `/metrics`.
        :param kwargs: those of `requests.Session.send`; a `timeout` takes the place of the session's.
        :raises ApiTimeoutError: a limit passed.
        :raises CircuitOpenError: the server does not answer at the moment, or too many wait for this endpoint.
        :raises ApiUnavailableError: no connection, or it broke. `was_sent` tells whether the server may have seen the
            request; `begun` is the status of a response that began and did not come whole.
        :raises ApiMalformedError: the response is too large; `begun` is its status.
        """
        url = urlsplit(request.url or "")
        request_id = request.headers.get(current_backend().request_id_header)
        call = LoggedCall(self._to, request.method or "", url.path, attempt, request_id, endpoint)
        circuit = call_circuits.of(f"{self._to} {url.scheme}://{url.netloc}", endpoint=endpoint)
        state = CallState(deadline=deadline or Deadline(REQUEST_BUDGET_S), new_connection=new_connection)
        began = time.monotonic()
        try:
            with waits_for(endpoint or self._to):
                response = self._send_if_admitted(circuit, request, state, kwargs)
        except ApiUnavailableError as error:
            log_no_response(call, error, duration_ms=(time.monotonic() - began) * 1000)
            raise
        except Exception:
            if state.response is not None:
                log_response(call, RawResponse.of(state.response), duration_ms=(time.monotonic() - began) * 1000)
            raise
        log_response(call, RawResponse.of(response), duration_ms=(time.monotonic() - began) * 1000)
        return response

    def get_redirect_target(self, resp: requests.Response) -> None:
        """No redirect is followed, whatever its address."""

    def _send_if_admitted(
        self, circuit: CircuitBreaker, request: requests.PreparedRequest, state: CallState, kwargs: dict[str, Any]
    ) -> requests.Response:
        if state.deadline.passed:
            raise ApiTimeoutError("The time for this request is used up.", was_sent=False)
        admission = circuit.admit()
        if admission is None:
            raise CircuitOpenError(was_sent=False)
        state.connected = circuit.connected
        if request.method not in _READS and circuit.is_probe(admission):
            # In its place a read of the same address tries, of which nothing is lost.
            tries = CallState(deadline=state.deadline)
            read = requests.Request("GET", request.url).prepare()
            try:
                _probe(partial(self._observe, circuit, admission, read, tries, kwargs), tries, circuit, admission)
            except ApiUnavailableError as error:
                raise CircuitOpenError(was_sent=False) from error
            return self._send_if_admitted(circuit, request, state, kwargs)
        send = partial(self._observe, circuit, admission, request, state, kwargs)
        if request.method in _READS and not state.new_connection:
            if circuit.is_probe(admission):
                return _probe(send, state, circuit, admission)
            state.circuit = circuit
        return send()

    def _observe(
        self,
        circuit: CircuitBreaker,
        admission: Admission,
        request: requests.PreparedRequest,
        state: CallState,
        kwargs: dict[str, Any],
    ) -> requests.Response:
        """Make the call, and tell the circuit how it ended."""
        try:
            return self._send_and_read(request, state, kwargs)
        except ApiUnavailableError as error:
            why = type(error).__name__
            if not error.was_sent:
                circuit.unreachable(admission, slow_s=min(self._connect_timeout_s, CIRCUIT_SILENCE_S), why=why)
            elif not state.was_given_up:
                circuit.failed(admission, slow_s=min(self._read_timeout_s, CIRCUIT_SILENCE_S), why=why)
            raise
        finally:
            if state.is_whole:
                circuit.answered()
            else:
                circuit.withdraw(admission)

    def _send_and_read(
        self, request: requests.PreparedRequest, state: CallState, kwargs: dict[str, Any]
    ) -> requests.Response:
        # At least a millisecond: the first wait ends a call whose deadline has passed meanwhile.
        remaining = max(0.001, state.deadline.remaining())
        timeout = kwargs.get("timeout") or (
            min(self._connect_timeout_s, remaining),
            min(self._read_timeout_s, remaining),
        )
        path, _, _ = request.path_url.partition("?")
        hooks = request.hooks
        try:
            with state, tracing.call_span(method=request.method or "", to=self._to, path=path) as span:

                def read(response: requests.Response, **_: object) -> None:
                    span.set("http.response.status_code", response.status_code)
                    _read_whole(response, state)

                request.headers.update(span.headers())
                request.hooks = {**hooks, "response": [read, *hooks.get("response", ())]}
                response = super().send(request, **{**kwargs, "stream": True, "timeout": timeout})
                if response is not state.response:  # another one, of a hook
                    _read_whole(response, state)
                return response
        except (requests.RequestException, urllib3.exceptions.HTTPError, OSError) as error:
            if state.is_whole:  # of a hook
                raise
            if state.was_given_up:
                raise CircuitOpenError(was_sent=True) from None
            raise unavailable_error(error, state) from error
        finally:
            request.hooks = hooks


def _probe(
    call: Callable[[], requests.Response], state: CallState, circuit: CircuitBreaker, admission: Admission
) -> requests.Response:
    """Find out in the background, with this read, whether the server answers again. Its user waits a moment."""
    found: Future[requests.Response] = Future()
    patience_s = min(CIRCUIT_PROBE_WAIT_S, state.deadline.remaining())
    state.deadline = Deadline(CIRCUIT_PROBE_S)

    def work() -> None:
        try:
            found.set_result(call())
        except BaseException as error:  # noqa: BLE001  raised again in the thread that waits
            found.set_exception(error)

    run = contextvars.copy_context().run
    try:
        threading.Thread(target=run, args=(work,), name="portal-probe", daemon=True).start()
    except BaseException as error:
        circuit.withdraw(admission)
        if isinstance(error, RuntimeError):  # the machine, or this process's limit, has no more threads
            raise CircuitOpenError(was_sent=False) from error
        raise
    try:
        return found.result(timeout=patience_s)
    except TimeoutError:
        raise CircuitOpenError(was_sent=True) from None


def _read_whole(response: requests.Response, state: CallState) -> None:
    """Read the body, as far as the limit allows."""
    state.response, state.is_whole = response, False
    # An adapter, or a hook, may give a response that has been read.
    if vars(response)["_content"] is False and response.raw is not None:
        try:
            # One byte more than the limit, so that a larger response shows.
            content = response.raw.read(MAX_ANSWER_BYTES + 1, decode_content=True)
        finally:
            response.close()
        if len(content) > MAX_ANSWER_BYTES:
            raise ApiMalformedError(
                f"The backend's answer is larger than {MAX_ANSWER_BYTES} bytes.", begun=response.status_code
            )
        vars(response).update(_content=content, _content_consumed=True)  # as `Response.content` does
    state.is_whole = True
