"""The rows of the panel's timeline, and the recorded calls that it shows."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from portal.api.call_log import Attempt, LoggedCall, log_no_response, log_response
from portal.api.responses import RawResponse
from portal.errors import ApiUnavailableError
from portal.query import QueryEvent
from portal.query.endpoints.urls import query_key
from portal.services.energy.clients import ClientMutations
from portal_dev.toolbar.timeline import LOGGER, CallRecorder, RecordedCall, timeline
from tests.portal.query.world import World

LINE = {
    "called": "backend",
    "method": "GET",
    "path": "/me",
    "status": 200,
    "outcome": "2xx",
    "attempt": 1,
    "attempts": 3,
}
CALL = RecordedCall(LINE, began_s=10.02, duration_s=0.05)
QUERY = QueryEvent(
    query=query_key(endpoint="user.get_me"),
    start=None,
    pages=1,
    cache_status="miss",
    began_s=10.02,
    duration_s=0.06,
    age_s=0.0,
    patches=0,
    error="",
)


def rows(*events: Any, calls: tuple[RecordedCall, ...] = (), ended_s: float = 10.1) -> list[dict[str, Any]]:
    return timeline(events, calls, began_s=10.0, ended_s=ended_s)


def test_bars_are_parts_of_the_requests_time_in_the_order_of_their_beginnings() -> None:
    later = RecordedCall(LINE | {"path": "/later", "called": "provider"}, began_s=10.08, duration_s=0.01)
    assert [(row["what"], row["left"], row["width"]) for row in rows(QUERY, calls=(later, CALL))] == [
        ("user.get_me", 20.0, 60.0),
        ("GET /me", 20.0, 50.0),
        ("GET /later (provider)", 80.0, 10.0),
    ]


@pytest.mark.parametrize(
    ("began_s", "duration_s", "bar"),
    [(9.9, 0.05, (0.0, 50.0)), (10.09, 5.0, (90.0, 10.0)), (10.02, 0.0, (20.0, 0.5)), (10.1, 0.0, (99.5, 0.5))],
    ids=["began before", "ends after", "short", "short and last"],
)
def test_what_is_outside_of_the_request_is_cut_and_a_short_bar_still_shows(began_s, duration_s, bar) -> None:
    [row] = rows(calls=(CALL._replace(began_s=began_s, duration_s=duration_s),))
    assert (row["left"], row["width"]) == bar
    assert rows(calls=(CALL,), ended_s=10.0)[0]["width"] == 0.5, "a request without a duration"


def test_a_mutation_tells_what_it_changes() -> None:
    world = World()
    world.backend.rows = [{"id": "c5", "name": "Five"}]
    client = world.process().request(world.backend.sign_in("ada"))
    ClientMutations.use_delete_client_mutation(client).mutate(params={"id": "c5"})
    ClientMutations.use_delete_client_mutation(client).mutate(params={"id": "nobody"})
    done, failed = timeline(client.mutations, (), began_s=0.0, ended_s=1.0)
    assert done["result"] == "done"
    assert done["detail"].startswith("removes from energy.get_clients")
    assert not done["failed"]
    assert failed["result"] == "failed: ApiNotFoundError"
    assert failed["failed"]


def logged(call: LoggedCall, *, recorder: CallRecorder, status: int | None = 200) -> None:
    logger = logging.getLogger(LOGGER)
    logger.addHandler(recorder)
    try:
        if status is None:
            log_no_response(call, ApiUnavailableError("down", was_sent=False), duration_ms=20.0)
        else:
            log_response(call, RawResponse(status=status, headers={}, content=b"{}"), duration_ms=20.0)
    finally:
        logger.removeHandler(recorder)


def test_the_calls_of_a_request_are_recorded_from_the_log() -> None:
    recorder = CallRecorder()
    recorder.begin("one")
    for request_id in ("one", "other", None):
        logged(LoggedCall("backend", "GET", "/me", Attempt(1, 3), request_id), recorder=recorder)
    logged(LoggedCall("backend", "GET", "/down", Attempt(2, 3), "one"), recorder=recorder, status=None)
    first, second = recorder.end("one")
    logged(LoggedCall("backend", "GET", "/me", Attempt(), "one"), recorder=recorder)
    assert recorder.end("one") == [], "it has ended"
    assert first.duration_s == 0.02
    assert LINE.items() <= first.line.items()
    failed = {"path": "/down", "status": None, "outcome": "unreachable", "attempt": 2}
    assert second.line.items() >= {**failed, "cause": "ApiUnavailableError: down"}.items()
