"""Every call over HTTP, once: a line in the log, and a count for `/metrics`.

A line has the method, the path without its query, the status or what came in its place, the duration, and on a
failure the innermost cause. It never has a token, a header, a body or a query.
"""

import json
import logging
from http import HTTPStatus
from typing import Final, NamedTuple

import requests

from portal.api.metrics import CallOutcome, call_counters, call_timings
from portal.api.responses import RawResponse
from portal.errors import (
    ApiError,
    ApiMalformedError,
    ApiTimeoutError,
    ApiUnavailableError,
    CircuitOpenError,
    PortalError,
)

logger = logging.getLogger("portal.api.calls")

#: An error's own words are cut here, characters.
MAX_REASON_CHARS: Final = 200
#: Libraries that raise their own error in place of another one without naming it as the cause.
_WRAPPERS: Final = frozenset({"requests", "urllib3", "redis"})
_BY_CLASS: Final = {
    2: CallOutcome.OK,
    3: CallOutcome.REDIRECT,
    4: CallOutcome.CLIENT_ERROR,
    5: CallOutcome.SERVER_ERROR,
}
#: A 4xx is shown by the page. It is not a fault of the call.
_EXPECTED: Final = frozenset({CallOutcome.OK, CallOutcome.REDIRECT, CallOutcome.CLIENT_ERROR})


class Attempt(NamedTuple):
    """The number of a try, of how many that may be made."""

    number: int = 1
    of: int = 1


class LoggedCall(NamedTuple):
    """What a line tells about a call before its end.

    :param to: the called server: the backend, the OpenID provider, its keys.
    :param endpoint: the name of what is called there, for `/metrics`.
    """

    to: str
    method: str
    path: str
    attempt: Attempt
    request_id: str | None
    endpoint: str = ""


def log_response(call: LoggedCall, response: RawResponse, *, duration_ms: float) -> None:
    """Log a whole response."""
    error = response.json_error
    outcome = CallOutcome.MALFORMED if error else _BY_CLASS.get(response.status // 100, CallOutcome.MALFORMED)
    says, target = str(response.status), response.headers.get("Location")
    if outcome is CallOutcome.REDIRECT and target:
        says += f" to {_printable(target.partition('?')[0])}"
    _log(call, outcome, says=says, status=response.status, duration_ms=duration_ms, cause=error)


def log_no_response(call: LoggedCall, error: ApiUnavailableError, *, duration_ms: float) -> None:
    """Log a call without a whole response."""
    if isinstance(error, CircuitOpenError):
        outcome = CallOutcome.CIRCUIT_OPEN
    elif isinstance(error, ApiTimeoutError):
        outcome = CallOutcome.TIMEOUT
    elif isinstance(error, ApiMalformedError):
        outcome = CallOutcome.MALFORMED
    else:
        outcome = CallOutcome.UNREACHABLE
    _log(call, outcome, says=outcome.value, status=error.begun, duration_ms=duration_ms, cause=error)


def describe_cause(error: BaseException) -> str:
    """The innermost error of a chain: its class, and its words where they can't repeat what was sent or received."""
    seen = {id(error)}
    while True:
        inner = error.__cause__
        if inner is None and not error.__suppress_context__ and type(error).__module__.partition(".")[0] in _WRAPPERS:
            # Only of these libraries. An error of another one may have been raised while an unrelated one was handled.
            inner = error.__context__
        if inner is None or id(inner) in seen:
            break
        error = inner
        seen.add(id(error))
    kind, words = type(error), _own_words(error)
    name = f"{kind.__module__}.{kind.__name__}" if kind.__name__ == "error" else kind.__name__
    return f"{name}: {words}" if words else name


def _own_words(error: BaseException) -> str:
    if isinstance(error, json.JSONDecodeError):
        words = f"{error.msg}: line {error.lineno} column {error.colno}"
    elif isinstance(error, OSError) and not isinstance(error, requests.RequestException):
        words = getattr(error, "verify_message", "") or error.strerror or str(error)
    elif isinstance(error, PortalError) and not (isinstance(error, ApiError) and error.status is not None):
        words = str(error)
    else:
        # Other errors quote what they could not read, or the address with its query.
        return ""
    return _printable(words)


def _printable(words: str) -> str:
    return "".join(character if character.isprintable() else " " for character in words)[:MAX_REASON_CHARS]


def _log(
    call: LoggedCall,
    outcome: CallOutcome,
    *,
    says: str,
    status: int | None,
    duration_ms: float,
    cause: Exception | None,
) -> None:
    endpoint = call.endpoint or call.to
    call_counters.count(call.to, endpoint, outcome)
    call_timings.observe(duration_ms / 1000, call.to, endpoint)
    expected = outcome in _EXPECTED and status != HTTPStatus.TOO_MANY_REQUESTS
    level = logging.INFO if expected else logging.WARNING
    if not logger.isEnabledFor(level):
        return
    tries = "" if call.attempt.of == 1 else f", try {call.attempt.number} of {call.attempt.of}"
    reason = None if cause is None else describe_cause(cause)
    logger.log(
        level,
        "%s %s %s: %s in %.0f ms%s%s",
        call.to,
        call.method,
        call.path,
        says,
        duration_ms,
        tries,
        "" if reason is None else f": {reason}",
        extra={
            "called": call.to,
            "method": call.method,
            "path": call.path,
            "status": status,
            "outcome": outcome.value,
            "duration_ms": round(duration_ms, 1),
            "attempt": call.attempt.number,
            "attempts": call.attempt.of,
            **({} if call.request_id is None else {"request_id": call.request_id}),
            **({} if reason is None else {"cause": reason}),
        },
    )
