"""Bounds the requests of one worker: some run, some wait, and the others are told at once to come later.

While the backend is slow, each page holds a thread for seconds. Without a bound everybody waits for longer and longer,
and who asks whether the server lives gets no answer either. So granian has a thread for each request that may run or
wait, and threads to spare. It starts a thread when it needs one, and ends those that had nothing to do for a while.

A request runs in a slot (:mod:`portal.process.slots`), which it releases while it waits for the backend, or while a
file is sent: the browser may take it slowly.

A request's body is read whole before the request has a slot, since its sender may be slow. So a form that is sent in
chunks has a length when Django reads it, and an answer is never sent while the other end still sends, which would reset
the connection: a reverse proxy says 502 then.
"""

import io
import logging
import threading
import time
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any, Final

from portal.config.limits import MAX_BODY_BYTES
from portal.errors import CircuitOpenError
from portal.process import Slots, one_of, waits_for
from portal.telemetry.metrics import Counters
from portal_server.wsgi import refusal

#: Requests that may wait, be it for a slot or for the backend, for each that may run.
MOST_WAITING: Final = 8
#: Longest wait for a slot, seconds. With the 10 s that a page has for its calls, everybody has an answer within 12 s.
WAIT_LIMIT_S: Final = 1.5
#: Bodies that are read at the same time, each in a thread of granian's, and seconds for each.
READERS: Final = 16
BODY_LIMIT_S: Final = 10
#: Answered whatever the pages wait for.
UNGATED: Final = frozenset({"/healthz", "/metrics"})
#: Seconds from one line about requests that were rejected to the next.
_LINE_INTERVAL_S: Final = 60

_rejected_counter: Final = Counters(
    "portal_requests_turned_away_total", "Requests that were answered 503 at once, or after a short wait: too many run."
)
logger = logging.getLogger("portal.server.limiter")


def granian_threads(threads: int) -> int:
    """Return how many threads granian needs: for all requests, for bodies, and two for probes and 503."""
    return threads * (1 + MOST_WAITING) + READERS + 2


class _Reply:
    """granian's reply, for a request that releases its slot while a file is sent."""

    def __init__(self, reply: Any) -> None:
        self._reply, self.response_bytes = reply, reply.response_bytes

    def response_iter(self, status: int, headers: list[tuple[str, str]], body: Any) -> None:
        try:
            with waits_for("a file"):
                self._reply.response_iter(status, headers, body)
        except CircuitOpenError:
            body.close()
            raise


class ConcurrencyLimiter:
    """granian's callback, for a bounded number of requests. Safe for threads.

    :param run: answers one request, in this thread.
    :param threads: how many requests run at the same time.
    """

    def __init__(self, run: Callable[[Any, dict[str, Any]], object], *, threads: int) -> None:
        self._run = run
        most = threads * (1 + MOST_WAITING)
        self._inside = threading.BoundedSemaphore(most)
        self._slots = Slots(threads, per_endpoint=most // 2)
        self._readers = threading.BoundedSemaphore(READERS)
        #: The end of each body's time, a lock for whichever comes first, and the reply.
        self._bodies: SimpleQueue[tuple[float, threading.Lock, Any]] = SimpleQueue()
        threading.Thread(target=self._end_late_bodies, name="late-bodies", daemon=True).start()
        self._next_line_at = 0.0

    def __call__(self, reply: Any, scope: dict[str, Any]) -> None:
        """Answer one request."""
        try:
            has_body = scope.get("CONTENT_LENGTH", "0") != "0" or "HTTP_TRANSFER_ENCODING" in scope
            if has_body and not self._read_body(reply, scope):
                return
            if scope["PATH_INFO"] in UNGATED:
                self._run(reply, scope)
                return
            with one_of(self._inside), self._slots.hold(wait_s=WAIT_LIMIT_S):
                self._run(_Reply(reply), scope)
        except CircuitOpenError:
            self._reject(reply, scope)

    def _read_body(self, reply: Any, scope: dict[str, Any]) -> bool:
        """Read the body. Return False if the request is answered: the body is late or cut off.

        :raises CircuitOpenError: too many are read.
        """
        length = int(scope.get("CONTENT_LENGTH", 0))
        with one_of(self._readers):
            first = threading.Lock()
            self._bodies.put((time.monotonic() + BODY_LIMIT_S, first, reply))
            body = b"" if length > MAX_BODY_BYTES else scope["wsgi.input"].read(MAX_BODY_BYTES + 1)
        if not first.acquire(blocking=False):
            return False
        if len(body) < length <= MAX_BODY_BYTES:
            reply.response_bytes(400, [], b"")  # the sender has gone
            return False
        # Django answers 413 to a body that is too large: it looks at the length alone.
        scope["CONTENT_LENGTH"] = str(max(length, len(body)))
        scope["wsgi.input"] = io.BytesIO(body if len(body) <= MAX_BODY_BYTES else b"")
        return True

    def _end_late_bodies(self) -> None:
        while True:
            until, first, reply = self._bodies.get()
            time.sleep(max(0.0, until - time.monotonic()))
            if first.acquire(blocking=False):
                reply.response_bytes(408, [], b"")  # granian closes the connection, which ends the read

    def _reject(self, reply: Any, scope: dict[str, Any]) -> None:
        _rejected_counter.count()
        now = time.monotonic()
        if now >= self._next_line_at:
            self._next_line_at = now + _LINE_INTERVAL_S
            logger.warning("requests are turned away: too many wait until others are answered (one line a minute)")
        headers, body = refusal(scope)
        reply.response_bytes(503, headers, body)
