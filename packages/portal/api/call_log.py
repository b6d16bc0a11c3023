"""Every call over HTTP, once: a line in the log, and one more in the counters of `/metrics`.

A line has the method, the path without its query, the status or what came in its place, the duration, and on a
failure the innermost cause. Never a token, a header, a body or a query.
"""

from __future__ import annotations

import logging
from collections import Counter
from enum import Enum
from http import HTTPStatus
from typing import TYPE_CHECKING, Final, NamedTuple

from fork_safety import ForkSafeLock, reset_after_fork
from portal.api.causes import describe_cause
from portal.errors import ApiMalformedError, ApiTimeoutError, CircuitOpenError

if TYPE_CHECKING:
    from portal.errors import ApiUnavailableError

logger = logging.getLogger("portal.api.calls")


class CallOutcome(Enum):
    """What a call came to."""

    OK = "2xx"
    REDIRECT = "3xx"
    REFUSED = "4xx"
    FAILED = "5xx"
    #: A time limit passed.
    TIMEOUT = "timeout"
    #: No connection, or it broke.
    UNREACHABLE = "unreachable"
    #: An answer that is too large, or a success that is not JSON.
    MALFORMED = "malformed"
    #: Not sent, or not waited for, since the backend does not answer.
    CIRCUIT_OPEN = "circuit open"


class Attempt(NamedTuple):
    """Which try this is of how many that may be made."""

    number: int = 1
    of: int = 1


class Call(NamedTuple):
    """What a line says of a call before it is known what came of it.

    :param to: who is called: the backend, the OpenID provider, its keys.
    """

    to: str
    method: str
    path: str
    attempt: Attempt
    request_id: str | None


class CallCounters:
    """How many calls came to what, by who was called. Safe for threads; a child process counts from zero."""

    def __init__(self) -> None:
        self._lock = ForkSafeLock()
        self._begin_anew()
        reset_after_fork(self, CallCounters._begin_anew)

    def count(self, to: str, outcome: CallOutcome) -> None:
        """Add one."""
        with self._lock:
            self._counts[to, outcome] += 1

    def snapshot(self) -> dict[tuple[str, CallOutcome], int]:
        """The counts; all outcomes of whoever was called at all."""
        with self._lock:
            counts = Counter(self._counts)
        names = sorted({to for to, _ in counts} | {"backend"})
        return {(to, outcome): counts[to, outcome] for to in names for outcome in CallOutcome}

    def _begin_anew(self) -> None:
        self._counts: Counter[tuple[str, CallOutcome]] = Counter()


_call_counters = CallCounters()


def call_counters() -> CallCounters:
    """The counters of this process."""
    return _call_counters


def note_answer(call: Call, *, status: int, duration_ms: float, fault: Exception | None) -> None:
    """A whole answer has come.

    :param fault: why its body can't be read, if it should be readable.
    """
    if fault is not None:
        _note(call, CallOutcome.MALFORMED, says=str(status), status=status, duration_ms=duration_ms, cause=fault)
        return
    outcome = _BY_CLASS.get(status // 100, CallOutcome.MALFORMED)
    _note(call, outcome, says=str(status), status=status, duration_ms=duration_ms, cause=None)


def note_silence(call: Call, error: ApiUnavailableError, *, duration_ms: float) -> None:
    """No answer has come, or none that is whole."""
    if isinstance(error, CircuitOpenError):
        outcome = CallOutcome.CIRCUIT_OPEN
    elif isinstance(error, ApiTimeoutError):
        outcome = CallOutcome.TIMEOUT
    elif isinstance(error, ApiMalformedError):
        outcome = CallOutcome.MALFORMED
    else:
        outcome = CallOutcome.UNREACHABLE
    _note(call, outcome, says=outcome.value, status=error.begun, duration_ms=duration_ms, cause=error)


_BY_CLASS: Final = {
    2: CallOutcome.OK,
    3: CallOutcome.REDIRECT,
    4: CallOutcome.REFUSED,
    5: CallOutcome.FAILED,
}
#: What the backend said no to, or found missing, is the page's to show: no fault of the call's.
_FINE: Final = frozenset({CallOutcome.OK, CallOutcome.REDIRECT, CallOutcome.REFUSED})


def _note(
    call: Call, outcome: CallOutcome, *, says: str, status: int | None, duration_ms: float, cause: Exception | None
) -> None:
    _call_counters.count(call.to, outcome)
    fine = outcome in _FINE and status != HTTPStatus.TOO_MANY_REQUESTS
    level = logging.INFO if fine else logging.WARNING
    if not logger.isEnabledFor(level):
        return
    tries = "" if call.attempt.of == 1 else f", try {call.attempt.number} of {call.attempt.of}"
    named = None if cause is None else describe_cause(cause)
    logger.log(
        level,
        "%s %s %s: %s in %.0f ms%s%s",
        call.to,
        call.method,
        call.path,
        says,
        duration_ms,
        tries,
        "" if named is None else f": {named}",
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
            **({} if named is None else {"cause": named}),
        },
    )
