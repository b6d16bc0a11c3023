"""Requests of one worker: so many run, some wait for a moment, the others are told at once; probes always pass."""

from __future__ import annotations

import io
import json
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial

import pytest

from portal.config.limits import MAX_BODY_BYTES
from portal.config.locales import LOCALES
from portal.process import waits_for
from portal.server import gate as module
from portal.server.gate import MOST_WAITING, UNGATED, Gate, refusal
from tests.portal.server.processes import PATIENCE_S, until

HTML = {"HTTP_ACCEPT": "text/html,*/*", "REQUEST_METHOD": "GET"}


class Reply:
    """What granian takes an answer with."""

    def __init__(self) -> None:
        self.status: Future[int] = Future()

    def response_bytes(self, status: int, headers: list[tuple[str, str]], body: bytes) -> None:
        self.status.set_result(status)


class Held:
    """Requests that end when a test says so, behind a gate; notes which run."""

    def __init__(self, *, threads: int = 1) -> None:
        self.running: list[str] = []
        self.end, self.answered = threading.Semaphore(0), threading.Event()
        self.gate = Gate(self._run, threads=threads)
        self.gate.begin()
        self.pool = ThreadPoolExecutor(threads * (1 + MOST_WAITING) + 1)

    def _run(self, reply, scope):
        self.running.append(scope["PATH_INFO"])
        self.body = (scope.get("CONTENT_LENGTH"), scope.get("wsgi.input", io.BytesIO()).read())
        _, _, endpoint = scope["PATH_INFO"].partition("/backend/")
        if endpoint:
            with waits_for(endpoint):
                assert self.answered.wait(PATIENCE_S)
        elif scope["PATH_INFO"] not in UNGATED:
            assert self.end.acquire(timeout=PATIENCE_S)
        if scope["PATH_INFO"] == "/fails":
            raise ValueError
        reply.response_bytes(200, [], b"ok")

    def ask(self, path: str, **scope: object) -> Future[int]:
        """The status."""
        reply = Reply()
        self.pool.submit(self.gate, reply, {"PATH_INFO": path, **scope})
        return reply.status

    def begin(self, path: str) -> Future[int]:
        """The status of a request that runs by then."""
        count, status = len(self.running) + 1, self.ask(path)
        until(partial(self.runs, count), what=f"{path} runs")
        return status

    def queue(self, path: str) -> Future[int]:
        """The status of a request that waits for a place by then."""
        count, status = len(self.gate._waiting) + 1, self.ask(path)
        until(partial(self.waits, count), what=f"{path} waits")
        return status

    def runs(self, count: int) -> bool:
        return len(self.running) == count

    def waits(self, count: int) -> bool:
        return len(self.gate._waiting) == count


class SlowBody:
    """A body that comes when a test says so."""

    def __init__(self) -> None:
        self.comes = threading.Event()

    def read(self, _size: int) -> bytes:
        assert self.comes.wait(PATIENCE_S)
        return b"four"


def test_slow_bodies_take_no_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """A late body is never given to a view."""
    monkeypatch.setattr(module, "BODY_LIMIT_S", PATIENCE_S)
    held = Held(threads=module.READERS)
    held.end.release(2)
    body = SlowBody()
    form = {"CONTENT_LENGTH": "4", "wsgi.input": body}
    slow = [held.ask("/form", **form) for _ in range(module.READERS)]
    until(lambda: len(held.gate._reading) == module.READERS, what="all readers read")
    assert [held.ask("/page").result(PATIENCE_S), held.ask("/form", **form).result(PATIENCE_S)] == [200, 503]
    with held.gate._lock:
        held.gate._reading = dict.fromkeys(held.gate._reading, 0.0)
    assert {each.result(PATIENCE_S) for each in slow} == {408}
    body.comes.set()
    held.pool.shutdown()
    assert held.running == ["/page"]


@pytest.mark.parametrize(
    ("size", "told", "status", "length"),
    [
        (4, {"CONTENT_LENGTH": "4"}, 200, 4),
        (MAX_BODY_BYTES, {"HTTP_TRANSFER_ENCODING": "chunked"}, 200, MAX_BODY_BYTES),
        # Cut off; and too large, which the application refuses by its length.
        (3, {"CONTENT_LENGTH": "4"}, 400, None),
        (0, {"CONTENT_LENGTH": str(MAX_BODY_BYTES + 9)}, 200, MAX_BODY_BYTES + 9),
        (MAX_BODY_BYTES + 9, {"HTTP_TRANSFER_ENCODING": "chunked"}, 200, MAX_BODY_BYTES + 1),
    ],
)
def test_bodies_arrive_whole(size: int, told: dict[str, str], status: int, length: int | None) -> None:
    held = Held()
    assert held.ask("/healthz", **told, **{"wsgi.input": io.BytesIO(b"x" * size)}).result(PATIENCE_S) == status
    seen = None if length is None else (str(length), b"x" * (size if size <= MAX_BODY_BYTES else 0))
    assert getattr(held, "body", None) == seen


def test_at_most_half_wait_for_a_silent_endpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    held = Held(threads=2)
    half = (1 + MOST_WAITING) * 2 // 2
    # The last one may be answered yet.
    hanging = [held.begin("/backend/stations") for _ in range(half + 1)]
    monkeypatch.setattr(module, "SILENT_S", 0)
    assert held.ask("/backend/stations").result(PATIENCE_S) == 500, "the view would say 503"
    other = held.ask("/backend/clients")
    held.end.release()
    assert held.ask("/other").result(PATIENCE_S) == 200
    assert not any(each.done() for each in (other, *hanging))
    held.answered.set()
    assert {each.result(PATIENCE_S) for each in (other, *hanging)} == {200}
    until(lambda: (held.gate._free, held.gate._inside) == (2, 0), what="all places are free")
    assert set(held.gate._wait_for.values()) == {0}


@pytest.mark.parametrize(("can_start", "status"), [(True, 200), (False, 503)])
def test_place_that_is_left_goes_to_who_waits(monkeypatch: pytest.MonkeyPatch, can_start: bool, status: int) -> None:
    """A process without room for a thread turns it away, and loses no place."""
    monkeypatch.setattr(module, "WAIT_LIMIT_S", PATIENCE_S)
    held = Held(threads=1)
    first = held.begin("/first")
    waiting = held.queue("/waits")
    with monkeypatch.context() as patch:

        def start(_thread: threading.Thread) -> None:
            raise RuntimeError("can't start new thread")

        if not can_start:
            patch.setattr(module.threading.Thread, "start", start)
        left_at = held.gate.leave("stations")
        assert left_at is not None
        until(lambda: held.runs(2) or waiting.done(), what="the place is given on")
    held.end.release(2)
    assert (first.result(PATIENCE_S), waiting.result(PATIENCE_S)) == (200, status)
    held.gate.take_again("stations", left_at)
    until(lambda: (held.gate._free, held.gate._inside) == (1, 0), what="all places are free")


def test_without_threads_an_answered_request_takes_the_place(monkeypatch: pytest.MonkeyPatch) -> None:
    held = Held(threads=1)
    answered = held.begin("/backend/clients")

    def start(_thread: threading.Thread) -> None:
        held.answered.set()
        until(lambda: len(held.gate._returning) == 1, what="it has its answer, and no place")
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(module.threading.Thread, "start", start)
    held.gate(Reply(), {"PATH_INFO": "/waits"})
    assert answered.result(PATIENCE_S) == 200


def test_while_an_endpoint_is_slow_a_place_is_left_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LEAVES_AFTER_S", 0.0)
    held = Held(threads=1)
    held.answered.set()
    assert held.ask("/backend/clients").result(PATIENCE_S) == 200
    held.answered.clear()
    monkeypatch.setattr(module, "LEAVES_AFTER_S", PATIENCE_S)
    slow = held.begin("/backend/clients")
    held.end.release()
    assert held.ask("/other").result(PATIENCE_S) == 200
    held.answered.set()
    assert slow.result(PATIENCE_S) == 200
    assert not held.gate._slow, "by now it is not"


def test_one_that_has_its_answer_soon_keeps_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WAIT_LIMIT_S", PATIENCE_S)
    monkeypatch.setattr(module, "LEAVES_AFTER_S", PATIENCE_S)
    held = Held(threads=1)
    answered = held.begin("/backend/clients")
    waiting = held.queue("/waits")
    time.sleep(3 * module._LOOK_INTERVAL_S)
    assert held.runs(1)
    held.answered.set()
    assert answered.result(PATIENCE_S) == 200
    held.end.release()
    assert waiting.result(PATIENCE_S) == 200
    until(lambda: (held.gate._free, held.gate._inside) == (1, 0), what="all places are free")


@pytest.mark.parametrize("threads", [1, 3])
def test_requests_wait_in_order_and_probes_pass(monkeypatch: pytest.MonkeyPatch, threads: int) -> None:
    monkeypatch.setattr(module, "WAIT_LIMIT_S", PATIENCE_S)
    held = Held(threads=threads)
    most = threads * MOST_WAITING
    first = [held.begin(f"/{number}") for number in range(threads)]
    waiting = [held.queue(f"/waits/{number}") for number in range(most)]
    assert held.ask("/late").result(PATIENCE_S) == 503
    assert {held.ask(path).result(PATIENCE_S) for path in ("/healthz", "/metrics")} == {200}
    held.running.clear()
    for count in range(1, most + 1):
        held.end.release()
        until(partial(held.runs, count), what="the next one runs")
    assert held.running == [f"/waits/{number}" for number in range(most)]
    held.end.release(threads)
    assert {each.result(PATIENCE_S) for each in first + waiting} == {200}


def test_who_waits_for_too_long_is_turned_away_and_the_others_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WAIT_LIMIT_S", 0.01)
    held = Held()
    first = held.begin("/first")
    assert held.ask("/second").result(PATIENCE_S) == 503
    held.end.release(2)
    assert first.result(PATIENCE_S) == 200
    assert held.ask("/third").result(PATIENCE_S) == 200


def test_one_that_fails_is_answered_and_gives_its_place_back() -> None:
    held = Held()
    held.end.release(3)
    assert [held.ask(path).result(PATIENCE_S) for path in ("/fails", "/fails", "/")] == [500, 500, 200]


@pytest.mark.parametrize("language", LOCALES)
def test_people_are_told_in_the_language_of_the_address(language: str) -> None:
    headers, body = refusal({"PATH_INFO": f"/{language}/energy", "HTTP_X_REQUEST_ID": "an-id", **HTML})
    assert f"<html lang={language}>" in body.decode()
    assert "an-id" in body.decode()
    assert {("x-request-id", "an-id"), ("cache-control", "private, no-store"), ("retry-after", "2")} <= set(headers)


@pytest.mark.parametrize("environ", [{"HTTP_ACCEPT": "*/*"}, {**HTML, "HTTP_HX_REQUEST": "true"}])
def test_programs_and_parts_of_a_page_get_a_problem_document(environ: dict[str, str]) -> None:
    headers, body = refusal({"PATH_INFO": "/en/energy", **environ})
    assert ("content-type", "application/problem+json") in headers
    assert json.loads(body)["status"] == 503


def test_an_id_that_is_none_is_not_repeated() -> None:
    assert "<b>" not in str(refusal({"HTTP_X_REQUEST_ID": "<b>", "PATH_INFO": "/<b>/", **HTML}))


def test_one_that_has_its_answer_runs_before_those_that_have_not_begun_and_in_no_more_places() -> None:
    held = Held(threads=1)
    answered = held.begin("/backend/clients")
    running = held.begin("/running")
    waiting = held.queue("/waits")
    held.answered.set()
    until(lambda: len(held.gate._returning) == 1, what="it has its answer")
    assert not answered.done()
    held.end.release()
    assert running.result(PATIENCE_S) == answered.result(PATIENCE_S) == 200
    held.end.release()
    assert waiting.result(PATIENCE_S) == 200
    until(lambda: (held.gate._free, held.gate._inside) == (1, 0), what="all places are free")
