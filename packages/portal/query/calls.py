"""The backend calls of one request. `ApiSession` adds the bearer and refreshes tokens; further tries are made here.

A failed query is tried twice more, a failed mutation once more, where another try can help (requirements, "Limits";
contract, section 8). The waits: 100 ms, doubling, with jitter. A `Retry-After` is honoured up to 2 s. The time budget
of the request is never passed.
"""

import json
import random
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from http import HTTPStatus
from typing import Any, Final

from portal.api import ApiResponse, ApiSession, Attempt, TokenStore, wire_read, wire_write
from portal.config.limits import (
    MUTATION_RETRIES,
    QUERY_RETRIES,
    REQUEST_BUDGET_S,
    RETRY_AFTER_MAX_S,
    RETRY_BASE_DELAY_S,
    RETRY_STATUSES,
)
from portal.errors import (
    ApiError,
    ApiMalformedError,
    ApiNotFoundError,
    ApiUnavailableError,
    CircuitOpenError,
    SignInEndedError,
    without_traceback,
)
from portal.process import Deadline, waits_for
from portal.query.cache import row_id
from portal.query.endpoints import Address, WriteRequest
from portal.rows import id_field, is_row_type

#: A wait is longer or shorter by up to this part of itself, so that clients do not come back at the same time.
_JITTER: Final = 0.25


@dataclass(frozen=True, slots=True, kw_only=True)
class Retries:
    """The parts of a wait between tries that a test replaces.

    :param sleep: waits that many seconds.
    :param spread: a number from 0 to 1, for the jitter.
    """

    sleep: Callable[[float], None] = time.sleep
    spread: Callable[[], float] = random.random


@dataclass(slots=True, kw_only=True)
class Tries:
    """The tries of one call. The caller sends in a loop, and calls :meth:`wait` with each error.

    :param most: how often the call is sent at most.
    :ivar number: of the present try, from 1.
    :ivar earlier: the error of the tries before it; None for the first one.
    """

    retries: Retries
    budget: Deadline
    most: int
    number: int = 1
    earlier: ApiError | None = None

    def wait(self, error: ApiError, *, may_repeat: bool = True) -> None:
        """Wait until the next try.

        :param error: how the present try failed.
        :param may_repeat: whether this call may be sent again at all.
        :raises ApiError: there is no next try. It is the error of the last try that the backend may have handled.
        """
        # An earlier try of the same call may have been handled, although this one certainly was not.
        is_unhandled = isinstance(error, ApiUnavailableError) and not error.outcome_is_unknown
        told = self.earlier if self.earlier is not None and is_unhandled else error
        jitter = 1 + _JITTER * (2 * self.retries.spread() - 1)
        backoff = RETRY_BASE_DELAY_S * 2.0 ** (self.number - 1) * jitter
        wait = max(backoff, min(error.retry_after or 0.0, RETRY_AFTER_MAX_S))
        has_time = self.number < self.most and wait < self.budget.remaining()
        if not has_time or not can_help(error) or not may_repeat:
            raise told from told.__cause__
        self.earlier = without_traceback(told)
        self.retries.sleep(wait)
        self.number += 1


def can_help(error: ApiError) -> bool:
    """Return whether another try may end otherwise: there was no response, or its status says so."""
    if error.status is not None:
        return error.status in RETRY_STATUSES
    return isinstance(error, ApiUnavailableError) and not isinstance(error, ApiMalformedError | CircuitOpenError)


@dataclass(frozen=True, slots=True, kw_only=True)
class BackendCaller:
    """Calls the backend as one user, within one request's time.

    :param limit: the time of all calls together; None: each call has as much time as a request.
    :param request_id: sent with each call, so that the backend's log lines can be found from ours.
    :param user_agent: sent with each call, so that the backend can name the browser among the user's sign-ins.
    :param client_address: of the browser, sent with each call for the same reason.
    """

    api: ApiSession
    tokens: TokenStore
    limit: Deadline | None = None
    request_id: str | None = None
    user_agent: str | None = None
    client_address: str | None = None
    retries: Retries = field(default_factory=Retries)

    @property
    def deadline(self) -> Deadline:
        """Return the time of a call that begins now, with its further tries."""
        return self.limit or Deadline(REQUEST_BUDGET_S)

    def ensure_fresh(self) -> None:
        """Refresh an access token that has expired by its own claim (contract, section 8).

        :raises SignInEndedError: the sign-in is over.
        :raises ApiError: there is no fresh token now.
        """
        self.api.refresher.ensure_fresh(self.tokens, deadline=self.deadline, request_id=self.request_id)

    def end_if_signed_out(self) -> None:
        """End the request if its tokens were signed out (contract, section 8). If that is unknown, it goes on.

        :raises SignInEndedError: the tokens were signed out, and are cleared now.
        """
        pair = self.tokens.current
        since = self.api.refresher.signed_out_at(pair)
        if since is None and self.api.ended_at_provider(pair, request_id=self.request_id):
            since = 0.0
        if since is not None and self.tokens.end(rejected=pair.refresh, known_since=since):
            raise SignInEndedError("this sign-in was signed out")

    def read(
        self,
        where: Address,
        *,
        budget: Deadline | None = None,
        bearer: str | None = None,
        tries: int = 1 + QUERY_RETRIES,
        may_repeat: Callable[[], bool] = lambda: True,
    ) -> Any:
        """GET, with up to two further tries; gives the response's JSON in the contract's shape.

        :param budget: time for all tries together; by default all the time that is left.
        :param bearer: this access token in place of the request's own; it is not refreshed.
        :param may_repeat: whether somebody waits for the response still: else there is no further try.
        :raises ApiError: that of the last try.
        """
        call = wire_read(where.path, where.query, is_list=where.is_list, id_field=where.id_field)
        series = Tries(retries=self.retries, budget=budget or self.deadline, most=tries)
        answer = self._send(
            series,
            lambda _: may_repeat(),
            method="GET",
            path=call.path,
            params=call.params,
            endpoint=where.endpoint,
            bearer=bearer,
        )
        # Not tried again: the same answer would have the same shape.
        return call.read(answer.data)

    def write(self, write: WriteRequest) -> Any:
        """Send a write, with one further try under the same `Idempotency-Key`; gives the response's JSON, as `read`.

        :raises ApiMalformedError: a success without the row that the endpoint promises: who knows what answered?
        :raises ApiError: that of the last try.
        """
        where, honours = write.address(), self.api.honours_idempotency_key
        call = wire_write(where.path, where.query, body=write.variables.body, id_field=id_field(write.hook.data))
        body: dict[str, Any] = {} if write.hook.body is None else {"json": call.body}
        series = Tries(retries=self.retries, budget=self.deadline, most=1 + MUTATION_RETRIES)
        try:
            answer = self._send(
                series,
                lambda error: may_repeat_write(write, error, honours_idempotency_key=honours),
                method=write.hook.method,
                path=call.path,
                params=call.params,
                endpoint=where.endpoint,
                idempotency_key=write.idempotency_key or str(uuid.uuid4()),
                if_match=write.if_match,
                **body,
            )
        except ApiNotFoundError:
            lost = isinstance(series.earlier, ApiUnavailableError) and series.earlier.outcome_is_unknown
            if lost and write.hook.method == "DELETE":
                # An earlier try, whose response was lost, has deleted it (contract, section 8).
                return None
            raise
        data = call.read(answer.data)
        if is_row_type(write.hook.data) and row_id(data) is None:
            raise ApiMalformedError("The backend's answer is not the row that was written.")
        return data

    def _send(
        self, series: Tries, may_repeat: Callable[[ApiError], bool], *, endpoint: str, **call: Any
    ) -> ApiResponse:
        with waits_for(endpoint):
            while True:
                try:
                    return self.api.call(
                        tokens=self.tokens,
                        deadline=series.budget,
                        request_id=self.request_id,
                        user_agent=self.user_agent,
                        client_address=self.client_address,
                        attempt=Attempt(series.number, series.most),
                        endpoint=endpoint,
                        **call,
                    )
                except ApiError as error:
                    series.wait(error, may_repeat=may_repeat(error))


def derived_key(
    given: str, *, endpoint: str, params: Mapping[str, Any], body: object, if_match: int | str | None = None
) -> str:
    """The `Idempotency-Key` of a write that its caller may send again in another request.

    It is the same for the same write, and another one for any other write under the same given key. A backend refuses
    another body under a key that it knows, or answers with the old result.

    :param given: what the caller keeps of this write, such as the random key of a form.
    :param if_match: the version that is changed: the change of another version is another write.
    """
    versions = [] if if_match is None else [str(if_match)]
    # A value that JSON does not have fails when it is sent. Until then any text will do.
    text = json.dumps([given, endpoint, dict(params), body, *versions], sort_keys=True, default=repr)
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def may_repeat_write(write: WriteRequest, error: ApiError, *, honours_idempotency_key: bool) -> bool:
    """Return whether a write may be sent again (contract, section 8).

    Where the backend does not honour `Idempotency-Key`, a POST is repeated only if it was certainly not sent.
    """
    return write.hook.method != "POST" or honours_idempotency_key or not may_have_arrived(error)


def may_have_arrived(error: ApiError) -> bool:
    """Return whether the backend may have done what it was asked, although the call failed."""
    if error.status is None:
        return isinstance(error, ApiUnavailableError) and error.was_sent
    return (
        error.status in RETRY_STATUSES or not HTTPStatus.BAD_REQUEST <= error.status < HTTPStatus.INTERNAL_SERVER_ERROR
    )
