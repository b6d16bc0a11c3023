"""The refresh in real processes, on the embedded store and on Redis, against a backend on a real socket."""

import atexit
import contextlib
import json
import os
import threading
from collections import Counter
from functools import partial

import pytest

from portal.api.refresh.token_endpoint import TokensIssued
from portal.api.tokens import TokenPair, TokenStore
from portal.errors import ApiUnavailableError
from portal.process.deadline import Deadline
from tests.portal.api.sessions import make_session, settle
from tests.support.fake_clock import FakeClock
from tests.support.forks import at_once, fork, in_processes
from tests.support.http_server import Received, reply, scripted_server
from tests.support.refresh_world import RotatingBackend

PROCESSES, THREADS, GENERATIONS = 4, 6, 5


class Backend(RotatingBackend):
    """On a socket; repeats its answer under the same Idempotency-Key."""

    def __init__(self) -> None:
        super().__init__(FakeClock())
        self.first, self.keys = self.sign_in(), set()
        self.hold, self.held = threading.Event(), threading.Event()
        self.during = lambda _: self.held.set() or self.hold.wait(30)

    def answer(self, request: Received, out) -> None:
        if not request.line.startswith("POST /refresh"):
            out.sendall(reply(b'{"id": "1"}'))
            return
        submitted, key = json.loads(request.body)["refreshToken"], request.headers["idempotency-key"]
        self.honours_key = key in self.keys
        self.keys.add(key)
        outcome = self.submit(refresh=submitted, deadline=Deadline(30), request_id=None)
        out.sendall(
            reply(json.dumps({"accessToken": outcome.pair.access, "refreshToken": outcome.pair.refresh}).encode())
            if isinstance(outcome, TokensIssued)
            else reply(status="401 Unauthorized")
        )


def _race(url, first, barrier, results) -> None:
    """In each generation all threads of all processes present the same token at once, its access token refused."""
    api = make_session(url)
    held = first
    for _ in range(GENERATIONS):
        found = set()

        def ask(_: int, held=held, found=found) -> None:
            tokens = TokenStore(held)
            api.refresher.refresh(tokens, deadline=Deadline(30), rejected_access=held.access)
            found.add((tokens.current.access, tokens.current.refresh))

        barrier.wait(30)
        at_once(THREADS, ask)
        (pair,) = found
        held = TokenPair(access=pair[0], refresh=pair[1])
        results.put(pair)
        barrier.wait(30)
    settle(api)


@pytest.mark.usefixtures("stores")
def test_processes_and_threads_refresh_one_token_once():
    backend = Backend()
    backend.hold.set()
    barrier, results = fork.Barrier(PROCESSES), fork.Queue()
    with scripted_server(backend.answer) as server:
        in_processes(PROCESSES, partial(_race, server.url, backend.first, barrier, results))
        pairs = Counter(results.get(timeout=60) for _ in range(PROCESSES * GENERATIONS))
    assert [*backend.submitted.values()] == [1] * GENERATIONS
    assert set(pairs.values()) == {PROCESSES}


def _end_during_a_refresh(url, first) -> None:
    """End this process while its refresh is in flight, as a worker does that is asked to stop."""
    try:
        with contextlib.suppress(ApiUnavailableError):
            make_session(url).refresher.refresh(TokenStore(TokenPair(refresh=first.refresh)), deadline=Deadline(0))
        # What the interpreter does at its end.
        atexit._run_exitfuncs()
        os._exit(0)
    finally:
        os._exit(1)


@pytest.mark.usefixtures("stores")
def test_ending_worker_finishes_its_call():
    backend = Backend()
    with scripted_server(backend.answer) as server:
        # A plain fork: from Python 3.13 on, multiprocessing's children forget what was registered for the end.
        worker = os.fork()
        if not worker:
            _end_during_a_refresh(server.url, backend.first)
        assert backend.held.wait(30)
        backend.hold.set()
        _, status = os.waitpid(worker, 0)
        tokens, api = TokenStore(TokenPair(refresh=backend.first.refresh)), make_session(server.url)
        api.call(tokens=tokens, method="GET", path="/me")
        settle(api)
        api.close()
    assert (tokens.current.refresh, os.waitstatus_to_exitcode(status)) == (backend._current["user"], 0)
    assert backend.submitted == {backend.first.refresh: 1}
