"""No lock and no thread of a parent process holds up a child process, whichever object of the portal owns it."""

import contextlib
import threading

import pytest

from portal.api.jwks import JwksKeys
from portal.api.metrics import CallOutcome, call_counters
from portal.api.responses import RawResponse
from portal.api.session import api_session
from portal.config.portal_config import OidcProvider
from portal.identity.token_cache import TokenCache
from portal.process.deadline import Deadline
from portal.process.single_flight import SingleFlight
from portal.store import SharedStore
from portal_oidc.provider import OidcClient
from tests.support.forks import PATIENCE_S, child_finishes, held_by_another_thread

FLIGHTS: SingleFlight[int] = SingleFlight()
KEYS = JwksKeys(fetch=lambda: b'{"keys": []}')
OIDC = OidcClient(provider=OidcProvider(issuer="http://id.test"), connect_timeout_s=1, read_timeout_s=1)
KNOWN = TokenCache()
STORE = SharedStore(alias="default")


def _count() -> None:
    call_counters.count("backend", "refresh", CallOutcome.OK)
    call_counters.count("backend", "of these tests", CallOutcome.OK)


def _fly() -> None:
    shared_call, leads = FLIGHTS.join("a")
    assert leads
    FLIGHTS.run_in_thread(shared_call, lambda: 1, name="test")
    assert shared_call.result(timeout_s=PATIENCE_S) == 1


def _discover() -> None:
    OIDC._send = lambda *_, **__: RawResponse(status=404, headers={}, content=b"")
    with contextlib.suppress(Exception):
        OIDC.metadata(deadline=Deadline(1))


@pytest.mark.parametrize(
    ("lock", "work"),
    [
        (lambda: call_counters._lock, _count),
        (lambda: call_counters._metric._lock, _count),
        (lambda: call_counters._numbers["backend", "refresh", CallOutcome.OK]._value._lock, _count),
        (lambda: FLIGHTS._lock, _fly),
        (lambda: KEYS._lock, lambda: KEYS.keys_for("unknown")),
        (lambda: OIDC._fetching, _discover),
        (lambda: KNOWN._bad._lock, lambda: KNOWN.check("no token", now=0)),
        (lambda: STORE._opening, lambda: STORE.get("nothing")),
        (lambda: api_session.__globals__["_process"]._lock, api_session),
    ],
    ids=[
        "counters",
        "the library's",
        "a number's",
        "single flight",
        "keys",
        "provider",
        "token cache",
        "store",
        "session",
    ],
)
def test_no_lock_of_a_process_outlives_a_fork(lock, work):
    with held_by_another_thread(lock()):
        assert child_finishes(work)


def test_a_child_waits_for_no_flight_of_its_parent_nor_at_its_end():
    over = threading.Event()
    shared_call, _ = FLIGHTS.join("a")
    FLIGHTS.run_in_thread(shared_call, lambda: over.wait() and None, name="test")

    def fly_and_end() -> None:
        assert FLIGHTS.in_threads() == []
        _fly()

    try:
        assert child_finishes(fly_and_end)
        assert FLIGHTS.in_threads() == [shared_call]
    finally:
        over.set()
        shared_call.wait_until_finished(timeout_s=PATIENCE_S)


def test_a_child_that_inherits_the_waits_for_keys_fetches_its_own():
    KEYS.start()
    assert KEYS.wait_until_fetched(timeout_s=PATIENCE_S)

    def fetch() -> None:
        assert not KEYS._fetched.is_set()
        assert KEYS.wait_until_fetched(timeout_s=PATIENCE_S)

    with held_by_another_thread(KEYS._wanted._cond):
        assert child_finishes(fetch)
