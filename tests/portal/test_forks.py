"""A child process that was forked while another thread held a lock: it waits for nobody who is not there."""

from __future__ import annotations

import contextlib
import gc
import multiprocessing
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from weakref import ref

import pytest

from portal.api.jwks import JwksKeys
from portal.api.metrics import Counters, Outcome
from portal.api.oidc_provider import OidcClient, oidc_client
from portal.api.session import api_session
from portal.api.transport import RawResponse
from portal.config.portal_config import OidcProvider
from portal.forks import ForkSafeLock, begin_anew_in_child
from portal.identity.token_cache import TokenCache
from portal.process.deadline import Deadline
from portal.process.single_flight import Flights
from portal.store.aliases import SharedStore

fork = multiprocessing.get_context("fork")
#: Far longer than a child takes that waits for nobody, seconds.
PATIENCE_S = 60


@contextlib.contextmanager
def held_by_another_thread(lock) -> Iterator[None]:
    holds, over = threading.Event(), threading.Event()

    def hold() -> None:
        with lock:
            holds.set()
            over.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    holds.wait()
    try:
        yield
    finally:
        over.set()
        thread.join()


def child_finishes(work: Callable[[], object]) -> bool:
    """Whether a child that is forked now gets through `work`, which raises where something is wrong."""
    process = fork.Process(target=work)
    process.start()
    process.join(PATIENCE_S)
    if process.is_alive():
        process.kill()
        process.join()
    return process.exitcode == 0


def test_a_held_lock_is_free_in_a_child_and_stays_held_here():
    lock = ForkSafeLock()

    def take() -> None:
        with lock:
            pass

    with held_by_another_thread(lock):
        assert child_finishes(take)
        waiting = threading.Thread(target=take)
        waiting.start()
        waiting.join(0.05)
        assert waiting.is_alive()
    waiting.join(PATIENCE_S)
    assert not waiting.is_alive()


def test_what_is_gone_is_not_begun_anew():
    class Thing:
        def begin(self) -> None:
            raise AssertionError("it is gone")

    thing = Thing()
    begin_anew_in_child(thing, Thing.begin)
    gone = ref(thing)
    del thing
    gc.collect()
    assert gone() is None
    assert child_finishes(lambda: None)


def test_a_process_that_ends_says_nothing_of_it():
    program = "from portal.api.metrics import Counters; from portal.forks import ForkSafeLock\nkept = Counters(), ForkSafeLock()"
    ended = subprocess.run(
        [sys.executable, "-c", program], env={"PYTHONPATH": "packages"}, capture_output=True, text=True, check=True
    )
    assert ended.stderr == ""


COUNTERS = Counters()
FLIGHTS: Flights[int] = Flights()
KEYS = JwksKeys(fetch=lambda: b'{"keys": []}')
OIDC = OidcClient(provider=OidcProvider(issuer="http://id.test"), connect_timeout_s=1, read_timeout_s=1)
KNOWN = TokenCache()
STORE = SharedStore(alias="default")


def _count() -> None:
    COUNTERS.count(Outcome.REFRESHED)
    assert COUNTERS.snapshot()[Outcome.REFRESHED] == 1


def _fly() -> None:
    flight, started = FLIGHTS.board("a", lambda flight: flight.land(1) and None)
    assert started
    assert flight.result(timeout_s=PATIENCE_S) == 1


def _discover() -> None:
    OIDC._send = lambda *_, **__: RawResponse(status=404, headers={}, content=b"")
    with contextlib.suppress(Exception):
        OIDC.metadata(deadline=Deadline(1))


@pytest.mark.parametrize(
    ("lock", "work"),
    [
        (lambda: COUNTERS._lock, _count),
        (lambda: FLIGHTS._lock, _fly),
        (lambda: KEYS._lock, lambda: KEYS.keys_for("unknown")),
        (lambda: OIDC._fetching, _discover),
        (lambda: oidc_client.__globals__["_clients_lock"], oidc_client),
        (lambda: KNOWN._bad._lock, lambda: KNOWN.read("no token", now=0)),
        (lambda: STORE._opening, lambda: STORE.get("nothing")),
        (lambda: api_session.__globals__["_process"]._lock, api_session),
    ],
    ids=["counters", "flights", "keys", "provider", "providers", "known tokens", "store", "session"],
)
def test_no_lock_of_a_process_outlives_a_fork(lock, work):
    with held_by_another_thread(lock()):
        assert child_finishes(work)


def test_a_child_counts_from_zero():
    COUNTERS.count(Outcome.REFRESHED)
    assert child_finishes(_count)


def test_a_child_waits_for_no_flight_of_its_parent_nor_at_its_end():
    over = threading.Event()
    flight, _ = FLIGHTS.board("a", lambda _: over.wait() and None)

    def fly_and_end() -> None:
        assert FLIGHTS.in_flight() == []
        _fly()

    try:
        assert child_finishes(fly_and_end)
        assert FLIGHTS.in_flight() == [flight]
    finally:
        over.set()
        flight.over.wait(PATIENCE_S)


def test_a_child_that_inherits_the_waits_for_keys_fetches_its_own():
    KEYS.start()
    assert KEYS.wait_until_fetched(timeout_s=PATIENCE_S)

    def fetch() -> None:
        assert not KEYS._fetched.is_set()
        assert KEYS.wait_until_fetched(timeout_s=PATIENCE_S)

    with held_by_another_thread(KEYS._wanted._cond):
        assert child_finishes(fetch)
