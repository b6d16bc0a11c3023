"""What a request did and when: its queries, its mutations, and the backend calls below them, as rows with bars.

The backend calls of requests whose panel is open, from the log lines of `portal.api.calls`.

Every call over HTTP has such a line with its request's id, also a call of another thread (:mod:`portal.api.call_log`).
So nothing is measured twice, and without the panel nothing runs.
"""

from __future__ import annotations

import logging
import time
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from portal.query import MutationEvent

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from portal.query import QueryEvent


LOGGER: Final = "portal.api.calls"


class RecordedCall(NamedTuple):
    """One call.

    :param line: what its log line has (:mod:`portal.api.call_log`).
    :param began_s: :func:`time.perf_counter` at the beginning.
    """

    line: Mapping[str, Any]
    began_s: float
    duration_s: float


class CallRecorder(logging.Handler):
    """Keeps the calls of the requests that were begun and not yet ended."""

    def __init__(self) -> None:
        super().__init__()
        self._calls: dict[str, list[RecordedCall]] = {}

    def begin(self, request_id: str) -> None:
        """Keep the calls of this request from now on."""
        self._calls[request_id] = []

    def end(self, request_id: str) -> list[RecordedCall]:
        """The request's calls until now. Later ones are not kept."""
        return self._calls.pop(request_id, [])

    def emit(self, record: logging.LogRecord) -> None:
        """Keep the call of a log line."""
        line = vars(record)
        calls = self._calls.get(line.get("request_id", ""))
        if calls is not None:
            duration_s = line["duration_ms"] / 1000
            calls.append(RecordedCall(line, began_s=time.perf_counter() - duration_s, duration_s=duration_s))


RECORDER: Final = CallRecorder()


def record_calls() -> None:
    """Let the process's recorder see the log lines. To do it twice changes nothing."""
    logging.getLogger(LOGGER).addHandler(RECORDER)


#: Percent.
MIN_WIDTH: Final = 0.5


def timeline(
    events: Iterable[QueryEvent | MutationEvent], calls: Iterable[RecordedCall], *, began_s: float, ended_s: float
) -> list[dict[str, Any]]:
    """The rows in the order of their beginnings, a call after the query or mutation that began with it.

    A row's `left` and `width` are parts of the request's time, in percent. A short one is drawn wider, so that it
    shows.

    :param began_s: :func:`time.perf_counter` at the request's beginning; `ended_s`: at its end.
    """
    whole = max(ended_s - began_s, 1e-6)
    rows = []
    for event in (*events, *calls):
        start = min(max(event.began_s - began_s, 0.0), whole)
        length = min(event.duration_s, whole - start)
        row = _call(event.line) if isinstance(event, RecordedCall) else _event(event)
        times = {
            "start_ms": start * 1000,
            "milliseconds": event.duration_s * 1000,
            "left": min(round(100 * start / whole, 2), 100 - MIN_WIDTH),
            "width": max(round(100 * length / whole, 2), MIN_WIDTH),
        }
        rows.append((event.began_s, row["kind"] == "call", {**row, **times}))
    return [row for *_, row in sorted(rows, key=lambda entry: entry[:2])]


def _event(event: QueryEvent | MutationEvent) -> dict[str, Any]:
    if isinstance(event, MutationEvent):
        return _mutation(event)
    return {
        "kind": "query",
        "what": event.endpoint,
        "result": event.cache_status,
        "detail": event.error,
        "failed": bool(event.error),
    }


def _mutation(event: MutationEvent) -> dict[str, Any]:
    write = event.write
    effects = [f"{helper.effect} {helper.target}" for helper in write.hook.helpers]
    effects += [f"sets {answer.target}" for answer in write.hook.answers]
    effects += [f"invalidates {invalidation.target}" for invalidation in write.hook.invalidations]
    effects += [f"invalidates the tag {tag}" for tag in write.hook.invalidated_tags]
    return {
        "kind": "mutation",
        "what": write.endpoint,
        "result": f"failed: {event.error}" if event.error else "done",
        "detail": ", ".join(effects),
        "failed": bool(event.error),
    }


def _call(line: Mapping[str, Any]) -> dict[str, Any]:
    status, cause = line["status"], line.get("cause", "")
    failed = status is None or status >= HTTPStatus.BAD_REQUEST or bool(cause)
    result = line["outcome"] if status is None else str(status)
    if failed or line["attempt"] > 1:
        result += f", try {line['attempt']} of {line['attempts']}"
    return {
        "kind": "call",
        "what": f"{line['method']} {line['path']}" + ("" if line["called"] == "backend" else f" ({line['called']})"),
        "result": result,
        "detail": cause,
        "failed": failed,
    }
