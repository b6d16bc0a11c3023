"""A world for the tests of the refresh: a backend that rotates, processes that share a store, and a clock.

The clock moves only when a test says so. Each `process` has its own refresher, as another worker or another machine
has. A test scripts an interleaving with code that runs inside the backend's answer (`backend.during`) or while a
process waits (`process.while_waiting`). The world of the query layer is `tests/portal/query/world.py`; the two share a
store and no more.
"""

from __future__ import annotations

import base64
import contextlib
import json
import threading
import time
from collections import Counter
from collections.abc import Callable

import pytest

from portal.api.metrics import RefreshOutcome
from portal.api.refresh.refresher import TokenRefresher
from portal.api.refresh.token_endpoint import InvalidGrant, NoResponse, TokenEndpointResult, TokensIssued
from portal.api.tokens import TokenPair, TokenStore
from portal.errors import SignInEndedError, StoreUnavailableError
from portal.process.deadline import Clock, Deadline
from portal.store import SharedStore
from tests.support.caches import close_connections
from tests.support.counts import RefreshCounts
from tests.support.fake_clock import FakeClock

ACCESS_LIFETIME_S = 300
MAX_AGE_S = 30 * 24 * 3600
UNANSWERED = NoResponse(reason="status 503", lost=False)
LOST = NoResponse(reason="timeout", lost=True)


def jwt(**claims: object) -> str:
    """A token that decodes; nobody here verifies it."""
    parts = ({"alg": "HS256", "typ": "JWT"}, claims)
    encoded = [base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts]
    return ".".join([*encoded, "c2lnbmF0dXJl"])


def unavailable(*_: object, **__: object):
    """In place of an operation of a store that is down."""
    raise StoreUnavailableError("store 'refresh': down")


class KilledError(BaseException):
    """A process ends here, and leaves in the store what is there at this moment."""


class RotatingBackend:
    """Accepts each refresh token once; a second use revokes the whole sign-in.

    :ivar honours_key: a second use gets the first one's answer instead.
    :ivar lose: how many of the next answers are lost after the token was taken.
    """

    def __init__(self, clock: FakeClock) -> None:
        self.time = clock
        self.submitted: Counter[str] = Counter()
        self.revoked: list[str] = []
        self.access_lifetime_s: float = ACCESS_LIFETIME_S
        self.during: Callable[[str], None] = lambda refresh: None
        self.answers: list[TokenEndpointResult] = []
        self.repeatable_s = 120.0
        self.honours_key = False
        self.lose = 0
        self.submitted_at: list[float] = []
        self._answered: dict[str, TokenEndpointResult] = {}
        self._family_of: dict[str, str] = {}
        self._current: dict[str, str] = {}
        self._serial = 0
        self._lock = threading.Lock()

    def sign_in(self, user: str = "user") -> TokenPair:
        with self._lock:
            return self._issue(user)

    def submit(self, *, refresh: str, deadline: Deadline, request_id: str | None) -> TokenEndpointResult:
        with self._lock:
            self.submitted[refresh] += 1
            self.submitted_at.append(self.time())
        self.during(refresh)
        with self._lock:
            if self.answers:
                return self.answers.pop(0)
            outcome = self._submit(refresh)
            if self.lose:
                self.lose -= 1
                return LOST
            return outcome

    def _submit(self, refresh: str) -> TokenEndpointResult:
        if self.honours_key and refresh in self._answered:
            return self._answered[refresh]
        family = self._family_of[refresh]
        if self._current.get(family) != refresh:
            self._current.pop(family, None)
            return InvalidGrant(reason="replay")
        self._answered[refresh] = TokensIssued(pair=self._issue(family))
        return self._answered[refresh]

    def revoke(self, *, refresh: str, bearer: str | None, deadline: Deadline, request_id: str | None = None) -> None:
        self.revoked.append(refresh)
        self._current.pop(self._family_of.get(refresh, ""), None)

    def die_during_the_call(self, process: RefreshProcess, pair: TokenPair) -> None:
        """Let this process present the pair's token and die before it can say what came of it."""

        def killed(refresh: str) -> None:
            self.during = lambda _: None
            self._submit(refresh)
            raise KilledError

        self.during = killed
        with contextlib.suppress(KilledError):
            process.refresh(process.request(pair))
        process.settle()

    def is_signed_in(self, family: str = "user") -> bool:
        return family in self._current

    def _issue(self, family: str) -> TokenPair:
        self._serial += 1
        refresh = f"refresh-{family}-{self._serial}-secret"
        access = jwt(sub=family, n=self._serial, iat=self.time(), exp=self.time() + self.access_lifetime_s)
        self._family_of[refresh] = family
        self._current[family] = refresh
        return TokenPair(access=access, refresh=refresh)


class RefreshProcess:
    """One worker process: its own refresher on the shared store."""

    def __init__(self, world: RefreshWorld, *, real_waits: bool) -> None:
        self.world = world
        self.while_waiting: Callable[[], None] = lambda: None
        self.counters = RefreshCounts()
        self.store = SharedStore(alias="refresh")
        backend = self.store.backend()
        if hasattr(backend, "clock"):
            backend.clock = world.time
        self.refresher = TokenRefresher(
            token_endpoint=world.backend,
            store=self.store,
            max_age_s=MAX_AGE_S,
            clock=Clock(now=world.time, monotonic=world.time, sleep=time.sleep if real_waits else self._sleep),
        )
        self.refresher._counters = self.counters

    def request(self, pair: TokenPair) -> TokenStore:
        """A request whose cookies hold `pair`."""
        return TokenStore(pair)

    def refreshed(self, pair: TokenPair) -> TokenStore:
        """Such a request after its refresh."""
        tokens = self.request(pair)
        self.refresh(tokens)
        self.settle()
        return tokens

    def fails(self, pair: TokenPair, error: type[Exception] = SignInEndedError) -> TokenStore:
        """Such a request whose refresh fails with this error."""
        tokens = self.request(pair)
        with pytest.raises(error):
            self.refresh(tokens)
        self.settle()
        return tokens

    def refresh(
        self, tokens: TokenStore, *, budget_s: float = 10.0, rejected_access: str | None = None
    ) -> RefreshOutcome:
        """What a 401, or an expired access token, makes of a request."""
        # Real seconds: how long this test may wait for the call's thread.
        return self.refresher.refresh(tokens, deadline=Deadline(budget_s), rejected_access=rejected_access).outcome

    def counts(self) -> dict[RefreshOutcome, int]:
        return dict(self.counters)

    def settle(self) -> None:
        """Wait until nothing is in flight any more."""
        for shared_call in self.refresher._single_flight.in_threads():
            assert shared_call.wait_until_finished(timeout_s=30)

    def _sleep(self, seconds: float) -> None:
        self.world.time.advance(seconds)
        self.while_waiting()


class RefreshWorld:
    def __init__(self) -> None:
        self.time = FakeClock()
        self.backend = RotatingBackend(self.time)
        self.processes: list[RefreshProcess] = []

    def process(self, *, real_waits: bool = False) -> RefreshProcess:
        """Another process.

        :param real_waits: its waiting takes real time and the clock stands still, for storms of threads.
        """
        self.processes.append(RefreshProcess(self, real_waits=real_waits))
        return self.processes[-1]

    def close(self) -> None:
        """Wait for what is in flight, and close the connections to the stores."""
        for process in self.processes:
            process.settle()
            close_connections(process.store.backend())

    def expire(self) -> None:
        """Let every access token expire."""
        self.time.advance(self.backend.access_lifetime_s + 1)


def lose(store: SharedStore, number: int, *, done: bool) -> None:
    """Let one operation of this store fail, counted from 0.

    :param done: whether the store does it all the same, and only its answer is lost.
    """
    do, operations = store._do, []

    def operate(operation, *key):
        operations.append(operation)
        if len(operations) - 1 != number:
            return do(operation, *key)
        if done:
            do(operation, *key)
        raise StoreUnavailableError("store 'refresh': for a moment")

    store._do = operate
