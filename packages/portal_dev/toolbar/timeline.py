"""What a request did and when: its queries, its mutations, and the backend calls below them, as rows with bars."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

from portal.query import MutationEvent
from portal_dev.toolbar.recorded_calls import RecordedCall

if TYPE_CHECKING:
    from collections.abc import Iterable

    from portal.query import QueryEvent

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
        row = _call(event) if isinstance(event, RecordedCall) else _event(event)
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


def _call(call: RecordedCall) -> dict[str, Any]:
    failed = call.status is None or call.status >= HTTPStatus.BAD_REQUEST or bool(call.cause)
    result = call.outcome if call.status is None else str(call.status)
    if failed or call.attempt > 1:
        result += f", try {call.attempt} of {call.attempts}"
    return {
        "kind": "call",
        "what": f"{call.method} {call.path}" + ("" if call.to == "backend" else f" ({call.to})"),
        "result": result,
        "detail": call.cause,
        "failed": failed,
    }
