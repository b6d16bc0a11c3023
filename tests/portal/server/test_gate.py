"""Requests of one worker: so many run, some wait for a moment, the others are told at once; probes always pass."""

from __future__ import annotations

import gc
import json
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial

import pytest

from portal.config.locales import LOCALES
from portal.server import gate as module
from portal.server.gate import MOST_WAITING, UNGATED, Gate, turn_away
from tests.portal.server.processes import PATIENCE_S, until

HTML = {"HTTP_ACCEPT": "text/html,*/*"}


class Held:
    """An application whose requests end when a test says so, behind a gate; notes which run."""

    def __init__(self, *, threads: int = 1) -> None:
        self.running: list[str] = []
        self.end = threading.Semaphore(0)
        self.gate = Gate(self._application, threads=threads)
        self.pool = ThreadPoolExecutor(20)

    def _application(self, environ, start_response):
        self.running.append(environ["PATH_INFO"])
        if environ["PATH_INFO"] not in UNGATED:
            assert self.end.acquire(timeout=PATIENCE_S)
        start_response("200 OK", [])
        return [b"ok"]

    def ask(self, path: str) -> Future[str]:
        """The status, in a thread of its own."""
        told: list[str] = []
        environ = {"PATH_INFO": path}
        return self.pool.submit(lambda: (list(self.gate(environ, lambda status, _: told.append(status))), told[0])[1])

    def waiting(self) -> int:
        return len(self.gate._waiting)


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WAIT_LIMIT_S", PATIENCE_S)


@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize("threads", [1, 3])
def test_some_run_some_wait_in_their_order_the_next_is_turned_away_and_probes_pass(threads: int) -> None:
    held = Held(threads=threads)
    most = threads * MOST_WAITING
    first = [held.ask(f"/{number}") for number in range(threads)]
    until(lambda: len(held.running) == threads, what="they run")
    waiting = []
    for number in range(most):
        waiting.append(held.ask(f"/waits/{number}"))
        until(lambda: held.waiting() == len(waiting), what="it waits")
    assert held.ask("/late").result(PATIENCE_S) == "503 Service Unavailable"
    assert {held.ask(path).result(PATIENCE_S) for path in UNGATED} == {"200 OK"}
    held.running.clear()
    for count in range(1, most + 1):
        held.end.release()
        until(partial(_runs, held, count), what="the next one runs")
    assert held.running == [f"/waits/{number}" for number in range(most)]
    held.end.release(threads)
    assert {each.result(PATIENCE_S) for each in first + waiting} == {"200 OK"}


def test_who_waits_for_too_long_is_turned_away_and_the_others_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WAIT_LIMIT_S", 0.01)
    held = Held()
    first = held.ask("/first")
    until(lambda: held.running, what="it runs")
    assert held.ask("/second").result(PATIENCE_S) == "503 Service Unavailable"
    held.end.release(2)
    assert first.result(PATIENCE_S) == "200 OK"
    assert held.ask("/third").result(PATIENCE_S) == "200 OK"


def _runs(held: Held, count: int) -> bool:
    return len(held.running) == count


class Stream:
    def __init__(self) -> None:
        self.closed = False

    def __iter__(self):
        return iter([b"a", b"b"])

    def close(self) -> None:
        self.closed = True


@pytest.mark.parametrize("is_closed", [True, False], ids=["closed", "forgotten"])
def test_a_response_that_streams_holds_its_place_until_it_ends(
    monkeypatch: pytest.MonkeyPatch, is_closed: bool
) -> None:
    monkeypatch.setattr(module, "WAIT_LIMIT_S", 0.01)
    told, stream = [], Stream()
    gate = Gate(lambda *_: stream, threads=1)

    def ask():
        return gate({"PATH_INFO": "/"}, lambda status, _: told.append(status))

    answer = ask()
    assert list(answer) == [b"a", b"b"]
    ask()
    assert told == ["503 Service Unavailable"]
    if is_closed:
        answer.close()
        answer.close()
    del answer
    gc.collect()
    assert stream.closed
    second = ask()
    ask()
    assert len(told) == 2, "one place, whichever way it was given back"
    second.close()


def test_an_application_that_fails_gives_its_place_back() -> None:
    gate = Gate(lambda *_: 1 / 0, threads=1)
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            gate({"PATH_INFO": "/"}, lambda *_: None)


def turned_away(**environ: str) -> tuple[dict[str, str], str]:
    """The headers, and the body."""
    headers: dict[str, str] = {}
    body = turn_away({"PATH_INFO": "/en/energy", **environ}, lambda _, sent: headers.update(sent))
    return headers, b"".join(body).decode()


@pytest.mark.parametrize("language", LOCALES)
def test_people_are_told_in_the_language_of_the_address(language: str) -> None:
    headers, body = turned_away(PATH_INFO=f"/{language}/energy", HTTP_X_REQUEST_ID="an-id", **HTML)
    assert f"<html lang={language}>" in body
    assert "an-id" in body
    assert (headers["X-Request-Id"], headers["Cache-Control"]) == ("an-id", "private, no-store")
    assert int(headers["Retry-After"]) > 0


@pytest.mark.parametrize("environ", [{}, {"HTTP_ACCEPT": "*/*"}, {**HTML, "HTTP_HX_REQUEST": "true"}])
def test_programs_and_parts_of_a_page_get_a_problem_document(environ: dict[str, str]) -> None:
    headers, body = turned_away(**environ)
    assert headers["Content-Type"] == "application/problem+json"
    assert json.loads(body)["status"] == 503


def test_an_id_that_is_none_is_not_repeated() -> None:
    headers, body = turned_away(HTTP_X_REQUEST_ID="<b>", PATH_INFO="/<b>/", **HTML)
    assert "<b>" not in body + headers["X-Request-Id"]
