"""The backend calls of requests whose panel is open, from the log lines of `portal.api.calls`.

Every call over HTTP has such a line with its request's id, also a call of another thread (:mod:`portal.api.call_log`).
So nothing is measured twice, and without the panel nothing runs.
"""

from __future__ import annotations

import logging
import time
from typing import Final, NamedTuple

LOGGER: Final = "portal.api.calls"


class RecordedCall(NamedTuple):
    """One call, as its log line tells it.

    :param to: the called server.
    :param status: None where no response began.
    :param outcome: one of `portal.api.metrics.CallOutcome`.
    :param cause: why it failed; empty if it did not.
    :param began_s: :func:`time.perf_counter` at the beginning.
    """

    to: str
    method: str
    path: str
    status: int | None
    outcome: str
    attempt: int
    attempts: int
    cause: str
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
            calls.append(
                RecordedCall(
                    to=line["called"],
                    method=line["method"],
                    path=line["path"],
                    status=line["status"],
                    outcome=line["outcome"],
                    attempt=line["attempt"],
                    attempts=line["attempts"],
                    cause=line.get("cause", ""),
                    began_s=time.perf_counter() - duration_s,
                    duration_s=duration_s,
                )
            )


RECORDER: Final = CallRecorder()


def record_calls() -> None:
    """Let the process's recorder see the log lines. To do it twice changes nothing."""
    logging.getLogger(LOGGER).addHandler(RECORDER)
