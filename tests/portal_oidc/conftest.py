"""The records of sign-ins that came from a provider, on a file of their own, with a clock that a test sets."""

from __future__ import annotations

from pathlib import Path

import pytest

from portal_oidc.sessions import LOGOUT_TOKEN_KEPT_S, ProviderSessions
from sqlite_cache import SQLiteCache, close_idle_connections
from tests.support.fake_clock import FakeClock
from tests.support.given_store import StoreOn


class Clock(FakeClock):
    #: Added at each look, seconds.
    step = 0.0

    def __call__(self) -> float:
        self.advance(self.step)
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(tmp_path: Path, clock: Clock):
    cache = SQLiteCache(str(tmp_path / "store" / "cache.sqlite3"), {})
    cache.clock = clock
    yield StoreOn(cache)
    close_idle_connections()


@pytest.fixture
def sessions(store: StoreOn, clock: Clock) -> ProviderSessions:
    return ProviderSessions(store=store, max_age_s=100 * LOGOUT_TOKEN_KEPT_S, clock=clock)
