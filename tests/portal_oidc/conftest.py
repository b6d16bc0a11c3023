"""The records of sign-ins that came from a provider, on a file of their own, with a clock that a test sets."""

import pytest

from portal_oidc.sessions import LOGOUT_TOKEN_KEPT_S, ProviderSessions
from sqlite_cache import SQLiteCache
from tests.support.caches import clock, make_sqlite, sqlite_path, timed_sqlite
from tests.support.fake_clock import FakeClock
from tests.support.given_store import StoreOn

__all__ = ["clock", "make_sqlite", "sqlite_path", "timed_sqlite"]


@pytest.fixture
def store(timed_sqlite: SQLiteCache) -> StoreOn:
    return StoreOn(timed_sqlite)


@pytest.fixture
def sessions(store: StoreOn, clock: FakeClock) -> ProviderSessions:
    return ProviderSessions(store=store, max_age_s=100 * LOGOUT_TOKEN_KEPT_S, clock=clock)
