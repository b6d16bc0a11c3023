"""Bounds the requests of one worker: some run, some wait for a moment, and the others are told at once to come later.

While the backend is slow, each page holds a thread for seconds. Without a bound everybody waits for longer and longer,
and who asks whether the server lives gets no answer either. A request that waits for the backend leaves its place to
another one. At most half of all may wait for one endpoint that has answered nobody for a second, so one that hangs does
not take the other pages with it.

It stands between granian and its own callback for WSGI: there a request that waits holds no thread, since granian takes
an answer from any thread, at any time. More threads would take Python's lock from each other: with 16 in place of 8 a
cached page has a tenth to a fifth fewer requests a second. So granian has few, and a request for which none of them is
left, because they wait for the backend, runs in a thread of its own.

A request's body is read whole before the request has a place, since its sender may be slow. So a form that is sent in
chunks has a length when Django reads it, and an answer is never sent while the other end still sends, which would reset
the connection: a reverse proxy says 502 then.
"""

from __future__ import annotations

import io
import logging
import threading
import time
from collections import Counter, deque
from typing import TYPE_CHECKING, Any, Final, Protocol

from portal.config.limits import MAX_BODY_BYTES
from portal.errors import CircuitOpenError
from portal.process import set_place, waits_for
from portal.server.wsgi import refusal
from portal.telemetry.metrics import Counters, Gauges

if TYPE_CHECKING:
    from collections.abc import Callable

#: Requests that may wait, be it for a place or for the backend, for each that may run.
MOST_WAITING: Final = 4
#: An endpoint that has answered none of those who wait for it for so long counts as silent, seconds.
SILENT_S: Final = 1.0
#: Longest wait, seconds. With the 10 s that a page has for its calls, everybody has an answer within 12 s.
WAIT_LIMIT_S: Final = 1.5
#: Bodies that are read at the same time, each in a thread of granian's, and seconds for each.
READERS: Final = 16
BODY_LIMIT_S: Final = 10
#: granian's threads beside those that requests run in: they take requests in, read bodies, and answer probes and 503.
SPARE_THREADS: Final = READERS + 2
#: Answered whatever the pages wait for.
UNGATED: Final = frozenset({"/healthz", "/metrics"})
#: A request that waits for the backend keeps its place for so many seconds, if the endpoint's last answer came sooner:
#: the change to another thread would cost a tenth of a page.
LEAVES_AFTER_S: Final = 0.05
#: Seconds between two looks, while requests wait, for those that have waited for too long.
_LOOK_INTERVAL_S: Final = 0.05
#: Seconds from one line about requests that were turned away to the next.
_LINE_INTERVAL_S: Final = 60

_waiting_gauge: Final = Gauges("portal_requests_waiting", "Requests that wait until another one is answered.")
_turned_away_counter: Final = Counters(
    "portal_requests_turned_away_total", "Requests that were answered 503 at once, or after a short wait: too many run."
)
logger = logging.getLogger("portal.server.gate")


class Reply(Protocol):
    """What granian takes an answer with."""

    def response_bytes(self, status: int, headers: list[tuple[str, str]], body: bytes) -> None:
        """Answer."""

    def response_iter(self, status: int, headers: list[tuple[str, str]], body: Any) -> None:
        """Answer part by part; returns after the last one."""


class _Reply:
    """A reply whose request leaves its place while a file is sent: the browser may take it slowly."""

    __slots__ = ("_reply", "response_bytes")

    def __init__(self, reply: Reply) -> None:
        self._reply, self.response_bytes = reply, reply.response_bytes

    def response_iter(self, status: int, headers: list[tuple[str, str]], body: Any) -> None:
        try:
            with waits_for("a file"):
                self._reply.response_iter(status, headers, body)
        except CircuitOpenError:  # many files are sent: this one keeps its place
            self._reply.response_iter(status, headers, body)


class Gate:
    """granian's callback, for a bounded number of requests. Safe for threads.

    :param run: answers one request, in this thread.
    :param threads: how many requests run at the same time.
    """

    def __init__(self, run: Callable[[Reply, dict[str, Any]], object], *, threads: int) -> None:
        self._run = run
        self._free, self._most = threads, threads * (1 + MOST_WAITING)
        #: granian's threads in which requests may begin to run.
        self._free_threads = threads
        #: Requests that were taken in and not answered, and how many of them wait for each endpoint.
        self._inside = 0
        self._wait_for: Counter[str] = Counter()
        self._silent_since: dict[str, float] = {}
        #: Endpoints whose last answer took longer than a request keeps its place for.
        self._slow: set[str] = set()
        #: Threads whose request waits for the backend and has its place yet, and since when.
        self._keeping: dict[int, float] = {}
        #: Requests that have their answer of the backend, and wait for a place: each for its lock.
        self._returning: deque[threading.Lock] = deque()
        #: Each with the moment until which it waits, in their order.
        self._waiting: deque[tuple[float, Reply, dict[str, Any]]] = deque()
        self._lock = threading.Lock()
        self._some_wait = threading.Event()
        #: Requests whose body is read, each with the end of its time.
        self._reading: dict[Reply, float] = {}
        self._next_line_at = 0.0

    def begin(self) -> None:
        """Have a thread look for requests that have waited for too long, until the process ends."""
        threading.Thread(target=self._look, name="gate", daemon=True).start()

    def __call__(self, reply: Reply, scope: dict[str, Any]) -> None:
        """One request: answered when this returns, or later by another thread."""
        has_body = scope.get("CONTENT_LENGTH", "0") != "0" or "HTTP_TRANSFER_ENCODING" in scope
        if has_body and not self._read_body(reply, scope):
            return
        if scope["PATH_INFO"] in UNGATED:
            self._run(reply, scope)
            return
        with self._lock:
            enters = self._inside < self._most
            runs = enters and self._free > 0 and self._free_threads > 0
            self._inside += enters
            if runs:
                self._free -= 1
                self._free_threads -= 1
        if runs:
            self._run_with_those_that_wait(reply, scope)
            with self._lock:
                self._free_threads += 1
        elif enters:
            self._wait(reply, scope)
        else:
            self._turn_away(reply, scope)

    def _read_body(self, reply: Reply, scope: dict[str, Any]) -> bool:
        """Read the body. Return False if the request is answered: too many are read, or it is late or cut off."""
        with self._lock:
            reads = len(self._reading) < READERS
            if reads:
                self._reading[reply] = time.monotonic() + BODY_LIMIT_S
        if not reads:
            self._turn_away(reply, scope)
            return False
        self._some_wait.set()
        length = int(scope.get("CONTENT_LENGTH", 0))
        body = b"" if length > MAX_BODY_BYTES else scope["wsgi.input"].read(MAX_BODY_BYTES + 1)
        with self._lock:
            in_time = self._reading.pop(reply, None) is not None
        if in_time and len(body) < length <= MAX_BODY_BYTES:
            reply.response_bytes(400, [], b"")  # the sender has gone
            return False
        # Django answers 413 to a body that is too large: it looks at the length alone.
        scope["CONTENT_LENGTH"] = str(max(length, len(body)))
        scope["wsgi.input"] = io.BytesIO(body if len(body) <= MAX_BODY_BYTES else b"")
        return in_time

    def _wait(self, reply: Reply, scope: dict[str, Any]) -> None:
        """Have it wait for a place, or run in another thread if there is one."""
        with self._lock:
            runs = self._free > 0
            if runs:
                self._free -= 1
            else:
                self._waiting.append((time.monotonic() + WAIT_LIMIT_S, reply, scope))
        if runs:
            self._run_in_thread(reply, scope)
        else:
            self._some_wait.set()

    def _run_with_those_that_wait(self, reply: Reply, scope: dict[str, Any]) -> None:
        """Run it, and then one after another in its place: no other thread has to wake up for that."""
        while True:
            set_place(self)
            try:
                self._run(_Reply(reply), scope)
            except BaseException:
                logger.exception("a request failed outside of the application")
                reply.response_bytes(500, [], b"")
            set_place(None)
            with self._lock:
                self._inside -= 1
                following = self._next()
            if following is None:
                return
            reply, scope = following

    def _next(self) -> tuple[Reply, dict[str, Any]] | None:
        """What this thread runs in a place that is free now: what came first, but for those that have run already."""
        if self._returning:
            self._returning.popleft().release()
        elif self._waiting:
            return self._waiting.popleft()[1:]
        else:
            self._free += 1
        return None

    def leave(self, endpoint: str) -> float | None:
        """A request waits for the backend, in this thread: another one runs in its place, at once or soon."""
        now, following = time.monotonic(), None
        with self._lock:
            number = self._wait_for[endpoint]
            since = self._silent_since.setdefault(endpoint, now) if number else now
            if number >= self._most // 2 and now - since >= SILENT_S:
                return None
            self._silent_since[endpoint] = since
            self._wait_for[endpoint] += 1
            if endpoint in self._slow:
                following = self._next()
            else:
                self._keeping[threading.get_ident()] = now
        if following is not None:
            self._run_in_thread(*following)
        return now

    def take_again(self, endpoint: str, left_at: float) -> None:
        """It runs on, as soon as there is a place: before all that have not begun."""
        now = time.monotonic()
        with self._lock:
            self._wait_for[endpoint] -= 1
            self._silent_since[endpoint] = now
            if now - left_at > LEAVES_AFTER_S:
                self._slow.add(endpoint)
            else:
                self._slow.discard(endpoint)
            if self._keeping.pop(threading.get_ident(), None) is not None:
                return
            if self._free > 0:
                self._free -= 1
                return
            mine = threading.Lock()
            mine.acquire()
            self._returning.append(mine)
        self._some_wait.set()
        mine.acquire()

    def _look(self) -> None:
        while True:
            self._some_wait.wait()
            time.sleep(_LOOK_INTERVAL_S)
            now, late = time.monotonic(), []
            with self._lock:
                following = self._in_places_of_those_that_wait(now)
                while self._waiting and self._waiting[0][0] <= now:
                    late.append(self._waiting.popleft()[1:])
                    self._inside -= 1
                slow = [reply for reply, until in self._reading.items() if until <= now]
                for reply in slow:
                    del self._reading[reply]
                if not self._waiting and not self._returning and not self._reading:
                    self._some_wait.clear()
                number = len(self._waiting)
            _waiting_gauge.set(number)
            for each in following:
                self._run_in_thread(*each)
            for each in late:
                self._turn_away(*each)
            for reply in slow:
                reply.response_bytes(408, [], b"")  # granian closes the connection, which ends the read

    def _in_places_of_those_that_wait(self, now: float) -> list[tuple[Reply, dict[str, Any]]]:
        """What runs now in the places of those that have waited for the backend for a while."""
        following = []
        for thread, since in list(self._keeping.items()):
            if now - since < LEAVES_AFTER_S or not (self._returning or self._waiting):
                break
            del self._keeping[thread]
            following.append(self._next())
        return [each for each in following if each is not None]

    def _run_in_thread(self, reply: Reply, scope: dict[str, Any]) -> None:
        try:
            threading.Thread(target=self._run_with_those_that_wait, args=(reply, scope), daemon=True).start()
        except RuntimeError as error:  # the machine, or this process's limit, has no more threads
            logger.warning("a request is turned away: %s", error)
            self._turn_away(reply, scope)
            with self._lock:
                self._inside -= 1
                if self._returning:
                    self._returning.popleft().release()
                else:
                    self._free += 1

    def _turn_away(self, reply: Reply, scope: dict[str, Any]) -> None:
        _turned_away_counter.count()
        now = time.monotonic()
        with self._lock:
            says = now >= self._next_line_at
            if says:
                self._next_line_at = now + _LINE_INTERVAL_S
        if says:
            logger.warning("requests are turned away: too many wait until others are answered (one line a minute)")
        headers, body = refusal(scope)
        reply.response_bytes(503, headers, body)
