"""Requests of one worker: so many run, some wait for a moment, the others are rejected at once; probes always pass."""

import io
import json
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest

from portal.config.limits import MAX_BODY_BYTES
from portal.config.locales import LOCALES
from portal.process import waits_for
from portal_server import limiter as module
from portal_server.limiter import MOST_WAITING, UNGATED, ConcurrencyLimiter, refusal
from tests.portal_server.processes import PATIENCE_S, until
from tests.support.counts import counted

HTML = {"HTTP_ACCEPT": "text/html,*/*", "REQUEST_METHOD": "GET"}


class Reply:
    """A reply as granian gives it, whose streamed answers are taken slowly."""

    def __init__(self) -> None:
        self.status: Future[int] = Future()
        self.taken = threading.Event()

    def response_bytes(self, status: int, headers: list[tuple[str, str]], body: bytes) -> None:
        self.status.set_result(status)

    def response_iter(self, status: int, headers: list[tuple[str, str]], body: Any) -> None:
        self.status.set_result(status)
        assert self.taken.wait(PATIENCE_S)


class Held:
    """Requests that end when a test says so, behind a limiter; notes which run."""

    def __init__(self, *, threads: int = 1) -> None:
        self.running: list[str] = []
        self.end, self.answered = threading.Semaphore(0), threading.Event()
        self.closed: list[str] = []
        self.most = threads * (1 + MOST_WAITING)
        self.limiter = ConcurrencyLimiter(self._run, threads=threads)
        self.pool = ThreadPoolExecutor(module.granian_threads(threads))

    def _run(self, reply: Any, scope: dict[str, Any]) -> None:
        path = scope["PATH_INFO"]
        self.running.append(path)
        self.body = (scope.get("CONTENT_LENGTH"), scope.get("wsgi.input", io.BytesIO()).read())
        _, _, endpoint = path.partition("/backend/")
        if endpoint:
            with waits_for(endpoint):
                assert self.answered.wait(PATIENCE_S)
        elif path == "/file":
            reply.response_iter(200, [], self)
            return
        elif path not in UNGATED:
            assert self.end.acquire(timeout=PATIENCE_S)
        if path == "/fails":
            raise ZeroDivisionError
        reply.response_bytes(200, [], b"ok")

    def close(self) -> None:
        """Note that a file is closed."""
        self.closed.append("/file")

    def ask(self, path: str, **scope: object) -> Future[int]:
        """Return the status."""
        return self.reply(path, **scope).status

    def reply(self, path: str, **scope: object) -> Reply:
        """Return the reply of a request that a thread takes in."""
        reply = Reply()
        self.pool.submit(self.limiter, reply, {"PATH_INFO": path, **scope})
        return reply

    def begin(self, path: str) -> Future[int]:
        """Return the status of a request that runs by then."""
        count, status = len(self.running) + 1, self.ask(path)
        until(partial(self.runs, count), what=f"{path} runs")
        return status

    def queue(self, path: str) -> Future[int]:
        """Return the status of a request that waits for a slot by then."""
        count, status = counted("portal_requests_waiting") + 1, self.ask(path)
        until(lambda: counted("portal_requests_waiting") == count, what=f"{path} waits")
        return status

    def runs(self, count: int) -> bool:
        return len(self.running) == count


Hold = Callable[..., Held]


@pytest.fixture
def hold() -> Iterator[Hold]:
    """Make held requests, which all end with the test."""
    made: list[Held] = []

    def make(**options: int) -> Held:
        made.append(Held(**options))
        return made[-1]

    yield make
    for held in made:
        held.answered.set()
        held.end.release(1000)


class SlowBody:
    """A body that comes when a test says so."""

    def __init__(self) -> None:
        self.comes = threading.Event()

    def read(self, _size: int) -> bytes:
        assert self.comes.wait(PATIENCE_S)
        return b"four"


def form(body: SlowBody) -> dict[str, object]:
    return {"CONTENT_LENGTH": "4", "wsgi.input": body}


def test_slow_bodies_take_no_slot(hold: Hold, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BODY_LIMIT_S", PATIENCE_S)
    held, body = hold(), SlowBody()
    slow = [held.ask("/form", **form(body)) for _ in range(module.READERS)]
    until(lambda: held.limiter._readers._value == 0, what="all readers read")
    held.end.release()
    assert held.ask("/page").result(PATIENCE_S) == 200
    assert held.ask("/form", **form(body)).result(PATIENCE_S) == 503
    body.comes.set()
    held.end.release(module.READERS)
    assert {status.result(PATIENCE_S) for status in slow} == {200}


def test_late_body_reaches_no_view(hold: Hold, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BODY_LIMIT_S", 0)
    held, body = hold(), SlowBody()
    assert held.ask("/form", **form(body)).result(PATIENCE_S) == 408
    body.comes.set()
    held.pool.shutdown()
    assert held.running == []


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
def test_bodies_arrive_whole(hold: Hold, size: int, told: dict[str, str], status: int, length: int | None) -> None:
    held = hold()
    assert held.ask("/healthz", **told, **{"wsgi.input": io.BytesIO(b"x" * size)}).result(PATIENCE_S) == status
    seen = None if length is None else (str(length), b"x" * (size if size <= MAX_BODY_BYTES else 0))
    assert getattr(held, "body", None) == seen


def test_half_may_wait_for_one_endpoint(hold: Hold) -> None:
    held = hold(threads=2)
    hanging = [held.begin("/backend/stations") for _ in range(held.most // 2)]
    assert held.ask("/backend/stations").result(PATIENCE_S) == 503
    other = held.ask("/backend/clients")
    held.end.release()
    assert held.ask("/other").result(PATIENCE_S) == 200
    assert not any(status.done() for status in (other, *hanging))
    held.answered.set()
    assert {status.result(PATIENCE_S) for status in (other, *hanging)} == {200}


def test_slowly_taken_files_hold_no_slot(hold: Hold) -> None:
    held = hold()
    files = [held.reply("/file") for _ in range(held.most // 2)]
    assert {file.status.result(PATIENCE_S) for file in files} == {200}
    assert (held.ask("/file").result(PATIENCE_S), held.closed) == (503, ["/file"])
    held.end.release()
    assert held.ask("/page").result(PATIENCE_S) == 200
    for file in files:
        file.taken.set()
    held.pool.shutdown()


@pytest.mark.parametrize("threads", [1, 3])
def test_bounded_number_waits_and_probes_pass(hold: Hold, monkeypatch: pytest.MonkeyPatch, threads: int) -> None:
    monkeypatch.setattr(module, "WAIT_LIMIT_S", PATIENCE_S)
    held = hold(threads=threads)
    first = [held.begin(f"/{number}") for number in range(threads)]
    waiting = [held.queue("/waits") for _ in range(threads * MOST_WAITING)]
    assert held.ask("/late").result(PATIENCE_S) == 503
    assert {held.ask(path).result(PATIENCE_S) for path in ("/healthz", "/metrics")} == {200}
    assert "/waits" not in held.running
    held.end.release(held.most)
    assert {status.result(PATIENCE_S) for status in first + waiting} == {200}


def test_request_without_slot_is_rejected_in_time(hold: Hold, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WAIT_LIMIT_S", 0.01)
    held = hold()
    first = held.begin("/first")
    before = counted("portal_requests_turned_away_total")
    assert held.ask("/second").result(PATIENCE_S) == 503
    assert counted("portal_requests_turned_away_total") == before + 1
    held.end.release(2)
    assert first.result(PATIENCE_S) == 200
    assert held.ask("/third").result(PATIENCE_S) == 200


def test_rejections_are_logged_once_a_minute(hold: Hold, caplog: pytest.LogCaptureFixture) -> None:
    held = hold()
    hanging = [held.begin("/backend/stations") for _ in range(held.most // 2)]
    assert [held.ask("/backend/stations").result(PATIENCE_S) for _ in range(2)] == [503, 503]
    assert [record.getMessage().partition(":")[0] for record in caplog.records] == ["requests are turned away"]
    held.answered.set()
    assert {status.result(PATIENCE_S) for status in hanging} == {200}


def test_failed_requests_give_their_slots_back(hold: Hold) -> None:
    held = hold()
    held.end.release(held.most + 2)
    for _ in range(held.most + 1):
        with pytest.raises(ZeroDivisionError):
            held.limiter(Reply(), {"PATH_INFO": "/fails"})
    assert held.ask("/page").result(PATIENCE_S) == 200


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
