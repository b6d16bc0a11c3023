"""The refresh in real processes, on the embedded store and on Redis, against a backend on a real socket."""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import os
import signal
import threading
import time
from collections import Counter

import pytest

from portal.api.backend import CONTRACT
from portal.api.refresh.refresher import TokenRefresher
from portal.api.refresh.token_endpoint import BackendTokenEndpoint
from portal.api.session import ApiSession
from portal.api.tokens import TokenPair, TokenStatus, TokenStore
from portal.errors import ApiUnavailableError, SignInEndedError
from portal.process.deadline import Deadline
from portal.store import SharedStore
from tests.support.http_server import Received, reply, scripted_server
from tests.support.refresh_world import MAX_AGE_S, jwt

PROCESSES, THREADS, GENERATIONS = 4, 6, 5
fork = multiprocessing.get_context("fork")


class Backend:
    """Rotates refresh tokens, revokes on reuse, and knows only the newest access token."""

    def __init__(self) -> None:
        self.posts: Counter[str] = Counter()
        self.keys: list[str] = []
        self.hold = threading.Event()
        self.held = threading.Event()
        self.hold.set()
        self._answers: dict[str, bytes] = {}
        self._current = "refresh-0"
        self._serial = 0
        self._lock = threading.Lock()

    def answer(self, request: Received, out) -> None:
        if not request.line.startswith("POST /refresh"):
            out.sendall(reply(b'{"id": "1"}'))
            return
        submitted = json.loads(request.body)["refreshToken"]
        key = request.headers["idempotency-key"]
        with self._lock:
            self.posts[submitted] += 1
            self.keys.append(key)
            if key not in self._answers:
                self._answers[key] = self._rotate(submitted)
        self.held.set()
        self.hold.wait(30)
        out.sendall(self._answers[key])

    def _rotate(self, submitted: str) -> bytes:
        if submitted != self._current:
            self._current = ""
            return reply(status="401 Unauthorized")
        self._serial += 1
        self._current = f"refresh-{self._serial}"
        return reply(json.dumps({"accessToken": jwt(n=self._serial), "refreshToken": self._current}).encode())


def make_session(url: str) -> ApiSession:
    return with_refresher(ApiSession(base_url=url, connect_timeout_s=2, read_timeout_s=10))


def with_refresher(session: ApiSession, *, repeatable_s: float = CONTRACT.idempotency_window_s) -> ApiSession:
    endpoint = BackendTokenEndpoint(session, repeatable_s=repeatable_s)
    session.refresher = TokenRefresher(token_endpoint=endpoint, store=SharedStore(alias="refresh"), max_age_s=MAX_AGE_S)
    return session


def _race(url, barrier, results) -> None:
    """In each generation all threads of all processes present the same token at once, its access token refused."""
    api = make_session(url)
    held = TokenPair(access=jwt(n=0), refresh="refresh-0")
    for _ in range(GENERATIONS):
        found = set()

        def ask(held=held, found=found) -> None:
            tokens = TokenStore(held)
            api.refresher.refresh(tokens, deadline=Deadline(30), rejected_access=held.access)
            found.add((tokens.current.access, tokens.current.refresh))

        barrier.wait(30)
        threads = [threading.Thread(target=ask) for _ in range(THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30)
        (pair,) = found
        held = TokenPair(access=pair[0], refresh=pair[1])
        results.put(pair)
        barrier.wait(30)
    for shared_call in api.refresher._single_flight.in_threads():
        shared_call.wait_until_finished(timeout_s=30)


@pytest.mark.parametrize("store", ["embedded_store", pytest.param("redis_store", marks=pytest.mark.redis)])
def test_processes_and_threads_that_present_one_token_at_once_refresh_it_once(store, request):
    request.getfixturevalue(store)
    backend = Backend()
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


def _ask_once(url, lock_lifetime_s, results) -> None:
    from portal.api.refresh import attempt, token_records

    token_records.REFRESH_LOCK_S = attempt.REFRESH_LOCK_S = lock_lifetime_s
    api = make_session(url)
    tokens = TokenStore(TokenPair(refresh="refresh-0"))
    api.call(tokens=tokens, method="GET", path="/me")
    results.put(tokens.current.refresh)


@pytest.mark.parametrize("store", ["embedded_store", pytest.param("redis_store", marks=pytest.mark.redis)])
def test_after_a_worker_was_killed_in_the_middle_the_backend_recognises_the_call(store, request):
    """The lock expires, another worker submits the token under the same Idempotency-Key and gets the same answer."""
    request.getfixturevalue(store)
    backend = Backend()
    backend.hold.clear()
    results = fork.Queue()
    with scripted_server(backend.answer) as server:
        killed = fork.Process(target=_ask_once, args=(server.url, 1, results))
        killed.start()
        assert backend.held.wait(30)
        os.kill(killed.pid, signal.SIGKILL)
        killed.join(30)
        backend.hold.set()
        survivor = fork.Process(target=_ask_once, args=(server.url, 1, results))
        survivor.start()
        assert results.get(timeout=60) == "refresh-1"
        survivor.join(30)
    assert survivor.exitcode == 0
    assert backend.posts == {"refresh-0": 2}
    assert len(set(backend.keys)) == 1


def make_impatient_session(url: str, *, repeatable_s: float) -> ApiSession:
    """Waits half a second for an answer."""
    session = ApiSession(base_url=url, connect_timeout_s=2, read_timeout_s=0.5)
    return with_refresher(session, repeatable_s=repeatable_s)


def _renew(api: ApiSession) -> TokenStore:
    """As a browser does that comes back after each 503."""
    end = time.monotonic() + 60
    while True:
        tokens = TokenStore(TokenPair(refresh="refresh-0"))
        with contextlib.suppress(ApiUnavailableError, SignInEndedError):
            api.refresher.refresh(tokens, deadline=Deadline(5))
        if tokens.status is not TokenStatus.KEPT or time.monotonic() > end:
            return tokens
        time.sleep(0.1)


@pytest.mark.parametrize("store", ["embedded_store", pytest.param("redis_store", marks=pytest.mark.redis)])
@pytest.mark.parametrize("repeatable_s", [120.0, 0.0], ids=["key honoured", "key not honoured"])
def test_a_backend_that_took_the_token_and_hung_keeps_nobody_out_once_it_answers(store, repeatable_s, request):
    request.getfixturevalue(store)
    backend = Backend()
    backend.hold.clear()
    with scripted_server(backend.answer) as server:
        api, elsewhere = (make_impatient_session(server.url, repeatable_s=repeatable_s) for _ in range(2))
        hung = TokenStore(TokenPair(refresh="refresh-0"))
        with pytest.raises(ApiUnavailableError if repeatable_s else SignInEndedError):
            api.refresher.refresh(hung, deadline=Deadline(30))
        assert hung.cleared is not bool(repeatable_s)
        backend.hold.set()
        tokens = _renew(elsewhere)
        for used in (api, elsewhere):
            for shared_call in used.refresher._single_flight.in_threads():
                shared_call.wait_until_finished(timeout_s=30)
            used.close()
    assert tokens.lost is not bool(repeatable_s)
    assert tokens.current.refresh == ("refresh-1" if repeatable_s else None)
    assert backend.posts == {"refresh-0": 2 if repeatable_s else 1}
    assert len(set(backend.keys)) == 1


def _start_and_end(url) -> None:
    """A process that ends while its refresh is in flight, as a worker does that is asked to stop."""
    api = make_session(url)
    with contextlib.suppress(ApiUnavailableError):
        api.refresher.refresh(TokenStore(TokenPair(refresh="refresh-0")), deadline=Deadline(0))


def test_a_process_that_ends_in_order_waits_for_the_call_in_flight(embedded_store):
    backend = Backend()
    backend.hold.clear()
    results = fork.Queue()
    with scripted_server(backend.answer) as server:
        ending = fork.Process(target=_end_in_order, args=(server.url,))
        ending.start()
        assert backend.held.wait(30)
        backend.hold.set()
        ending.join(30)
        assert ending.exitcode == 0
        late = fork.Process(target=_ask_once, args=(server.url, 15, results))
        late.start()
        assert results.get(timeout=60) == "refresh-1"
        late.join(30)
    assert backend.posts == {"refresh-0": 1}


def _end_in_order(url) -> None:
    import atexit

    _start_and_end(url)
    # What the interpreter does at its end; multiprocessing's children leave without it.
    atexit._run_exitfuncs()
