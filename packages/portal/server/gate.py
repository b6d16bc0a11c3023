"""Bounds the requests of one worker: some run, some wait for a moment, and the others are told at once to come later.

While the backend is slow, each page holds a thread for seconds. Without a bound everybody waits for longer and longer,
and who asks whether the server lives gets no answer either.
"""

from __future__ import annotations

import html
import json
import logging
import os
import re
import threading
import time
from collections import deque
from typing import TYPE_CHECKING, Final

from portal.telemetry.metrics import Counters, Gauges

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

#: Requests that may wait, for each that may run.
MOST_WAITING: Final = 4
#: Longest wait, seconds. With the 10 s that a page has for its calls, everybody has an answer within 12 s.
WAIT_LIMIT_S: Final = 1.5
#: Who is turned away is asked to come again after so many seconds.
RETRY_AFTER_S: Final = 2
#: Answered whatever the pages wait for.
UNGATED: Final = frozenset({"/healthz", "/readyz", "/metrics"})
#: Seconds from one line about requests that were turned away to the next.
_LINE_INTERVAL_S: Final = 60

_waiting_gauge: Final = Gauges("portal_requests_waiting", "Requests that wait until another one is answered.")
_turned_away_counter: Final = Counters(
    "portal_requests_turned_away_total", "Requests that were answered 503 at once, or after a short wait: too many run."
)
logger = logging.getLogger("portal.server.gate")


class Gate:
    """A WSGI application before another one. Safe for threads: the server has more of them than may run.

    :param threads: how many requests run at the same time. A response that streams runs until it is closed.
    """

    def __init__(self, application: WSGIApplication, *, threads: int) -> None:
        self._application = application
        self._free, self._most_waiting = threads, threads * MOST_WAITING
        #: A lock for each request that waits, in their order. Who ends gives the first one its place by releasing it.
        self._waiting: deque[threading.Lock] = deque()
        self._lock = threading.Lock()
        self._next_line_at = 0.0

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """One request."""
        if environ["PATH_INFO"] in UNGATED:
            return self._application(environ, start_response)
        if not self._enter():
            self._say()
            return turn_away(environ, start_response)
        try:
            answer = self._application(environ, start_response)
        except BaseException:
            self._leave()
            raise
        if isinstance(answer, list):
            self._leave()
            return answer
        return _Stream(answer, self._leave)

    def _enter(self) -> bool:
        """Whether the request may run; it may wait here."""
        with self._lock:
            if self._free:
                self._free -= 1
                return True
            if len(self._waiting) >= self._most_waiting:
                return False
            turn = threading.Lock()
            turn.acquire()
            self._waiting.append(turn)
        _waiting_gauge.change(1)
        try:
            if turn.acquire(timeout=WAIT_LIMIT_S):
                return True
            with self._lock:
                if turn in self._waiting:
                    self._waiting.remove(turn)
                    return False
            # Its turn came in this very moment.
            return True
        finally:
            _waiting_gauge.change(-1)

    def _leave(self) -> None:
        with self._lock:
            if self._waiting:
                self._waiting.popleft().release()
            else:
                self._free += 1

    def _say(self) -> None:
        _turned_away_counter.count()
        now = time.monotonic()
        with self._lock:
            if now < self._next_line_at:
                return
            self._next_line_at = now + _LINE_INTERVAL_S
        logger.warning("requests are turned away: too many wait until others are answered (one line a minute)")


class _Stream:
    """A response that streams, and holds its place until it is closed, or forgotten."""

    def __init__(self, answer: Iterable[bytes], leave: Callable[[], None]) -> None:
        self._answer = answer
        self._leave: Callable[[], None] | None = leave

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._answer)

    def close(self) -> None:
        """Called by the server at the end, whatever the end is."""
        try:
            close = getattr(self._answer, "close", None)
            if close is not None:
                close()
        finally:
            leave, self._leave = self._leave, None
            if leave is not None:
                leave()

    def __del__(self) -> None:
        if self._leave is not None:
            self.close()


_REQUEST_ID: Final = re.compile(r"[A-Za-z0-9._\-]{1,128}", re.ASCII)
#: What people read, by the first part of the address. No template and no Django: this must cost nothing.
_TEXTS: Final = {
    "en": ("Too many requests", "Too many people are here at once", "Please wait a moment, then try again."),
    "de": ("Zu viele Anfragen", "Gerade sind zu viele Menschen hier", "Bitte versuchen Sie es gleich noch einmal."),
    "tr": ("Çok fazla istek", "Şu anda burada çok fazla kişi var", "Lütfen birazdan yeniden deneyin."),
}


def turn_away(environ: WSGIEnvironment, start_response: StartResponse) -> list[bytes]:
    """503: a page for people, a problem document (RFC 9457) for programs and parts of a page."""
    sent = environ.get("HTTP_X_REQUEST_ID", "")
    request_id = sent if _REQUEST_ID.fullmatch(sent) else os.urandom(16).hex()
    if "text/html" in environ.get("HTTP_ACCEPT", "") and "HTTP_HX_REQUEST" not in environ:
        kind = "text/html; charset=utf-8"
        language = environ["PATH_INFO"].split("/", 2)[1] if environ["PATH_INFO"].startswith("/") else ""
        language = language if language in _TEXTS else "en"
        title, head, text = (html.escape(each) for each in _TEXTS[language])
        body = (
            f"<!doctype html><html lang={language}><meta name=viewport content='width=device-width'>"
            f"<title>{title}</title><h1>{head}</h1><p>{text}<p><small>{request_id}</small>"
        )
    else:
        kind = "application/problem+json"
        body = json.dumps({"type": "about:blank", "title": "Too many requests wait", "status": 503})
    headers = [
        ("Content-Type", kind),
        ("Retry-After", str(RETRY_AFTER_S)),
        ("Cache-Control", "private, no-store"),
        ("X-Request-Id", request_id),
        ("X-Content-Type-Options", "nosniff"),
        ("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"),
    ]
    start_response("503 Service Unavailable", headers)
    return [body.encode()]
