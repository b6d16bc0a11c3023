"""The refresh in real processes, on the embedded store and on Redis, against a backend on a real socket."""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import threading
from collections import Counter

import pytest

from portal.api.tokens import TokenPair, TokenStore
from portal.errors import ApiUnavailableError
from portal.process.deadline import Deadline
from tests.portal.api.sessions import make_session, settle
from tests.support.forks import at_once, fork
from tests.support.http_server import Received, reply, scripted_server
from tests.support.refresh_world import jwt

PROCESSES, THREADS, GENERATIONS = 4, 6, 5
STORES = pytest.mark.parametrize(
    "store",
    ["embedded_store", *(pytest.param(f"{kind}_store", marks=pytest.mark.redis) for kind in ("redis", "cluster"))],
)


class Backend:
    """Rotates refresh tokens, revokes on reuse, and repeats its answer under the same Idempotency-Key."""

    def __init__(self) -> None:
        self.posts: Counter[str] = Counter()
        self.keys: set[str] = set()
        self.hold, self.held = threading.Event(), threading.Event()
        self._answers: dict[str, bytes] = {}
        self._current = "refresh-0"
        self._lock = threading.Lock()

    def answer(self, request: Received, out) -> None:
        if not request.line.startswith("POST /refresh"):
            out.sendall(reply(b'{"id": "1"}'))
            return
        submitted, key = json.loads(request.body)["refreshToken"], request.headers["idempotency-key"]
        with self._lock:
            self.posts[submitted] += 1
            self.keys.add(key)
            if key not in self._answers:
                self._answers[key] = self._rotate(submitted)
        self.held.set()
        self.hold.wait(30)
        out.sendall(self._answers[key])

    def _rotate(self, submitted: str) -> bytes:
        if submitted != self._current:
            self._current = ""
            return reply(status="401 Unauthorized")
        number = len(self.keys)
        self._current = f"refresh-{number}"
        return reply(json.dumps({"accessToken": jwt(n=number), "refreshToken": self._current}).encode())


def _race(url, barrier, results) -> None:
    """In each generation all threads of all processes present the same token at once, its access token refused."""
    api = make_session(url)
    held = TokenPair(access=jwt(n=0), refresh="refresh-0")
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


@STORES
def test_processes_and_threads_that_present_one_token_at_once_refresh_it_once(store, request):
    request.getfixturevalue(store)
    backend = Backend()
    backend.hold.set()
    barrier, results = fork.Barrier(PROCESSES), fork.Queue()
    with scripted_server(backend.answer) as server:
        processes = [fork.Process(target=_race, args=(server.url, barrier, results)) for _ in range(PROCESSES)]
        for process in processes:
            process.start()
        pairs = Counter(results.get(timeout=60) for _ in range(PROCESSES * GENERATIONS))
        for process in processes:
            process.join(60)
    assert [process.exitcode for process in processes] == [0] * PROCESSES
    assert backend.posts == {f"refresh-{number}": 1 for number in range(GENERATIONS)}
    assert set(pairs.values()) == {PROCESSES}


def _end_during_a_refresh(url) -> None:
    """End this process while its refresh is in flight, as a worker does that is asked to stop."""
    try:
        with contextlib.suppress(ApiUnavailableError):
            make_session(url).refresher.refresh(TokenStore(TokenPair(refresh="refresh-0")), deadline=Deadline(0))
        # What the interpreter does at its end.
        atexit._run_exitfuncs()
        os._exit(0)
    finally:
        os._exit(1)


@STORES
def test_a_worker_that_ends_during_the_call_finishes_it(store, request):
    request.getfixturevalue(store)
    backend = Backend()
    with scripted_server(backend.answer) as server:
        # A plain fork: from Python 3.13 on, multiprocessing's children forget what was registered for the end.
        worker = os.fork()
        if not worker:
            _end_during_a_refresh(server.url)
        assert backend.held.wait(30)
        backend.hold.set()
        _, status = os.waitpid(worker, 0)
        tokens, api = TokenStore(TokenPair(refresh="refresh-0")), make_session(server.url)
        api.call(tokens=tokens, method="GET", path="/me")
        settle(api)
        api.close()
    assert (tokens.current.refresh, os.waitstatus_to_exitcode(status)) == ("refresh-1", 0)
    assert backend.posts == {"refresh-0": 1}
