"""A shared store of one's own for each test, and a world to refresh in."""

from pathlib import Path

import pytest
import responses
from django.conf import settings

from portal.api.tokens import TokenPair
from portal.api.transport import Transport
from sqlite_cache import close_idle_connections
from tests.portal.api.sessions import make_session, settle
from tests.support.caches import redis_cluster, redis_url, stores
from tests.support.given_store import stores_on
from tests.support.refresh_world import RefreshProcess, RefreshWorld

__all__ = ["redis_cluster", "redis_url", "stores"]


@pytest.fixture
def embedded_store(tmp_path: Path):
    """The file of the embedded store of the refresh."""
    with stores_on("", state_dir=tmp_path / "store"):
        yield Path(settings.CACHES["refresh"]["LOCATION"])
    close_idle_connections()


@pytest.fixture
def world(embedded_store):
    made = RefreshWorld()
    yield made
    made.close()


@pytest.fixture
def pair(world: RefreshWorld) -> TokenPair:
    """The first tokens of a user."""
    return world.backend.sign_in()


@pytest.fixture
def process(world: RefreshWorld) -> RefreshProcess:
    return world.process()


@pytest.fixture
def other(world: RefreshWorld) -> RefreshProcess:
    """Another process."""
    return world.process()


@pytest.fixture
def api(embedded_store):
    made = make_session()
    yield made
    settle(made)
    made.close()


@pytest.fixture
def backend():
    with responses.RequestsMock(assert_all_requests_are_fired=False) as mock:
        yield mock


@pytest.fixture
def connect():
    """Makes transports, which are closed at the end."""
    made = []

    def make(base_url: str, **options) -> Transport:
        made.append(Transport(base_url=base_url, **{"connect_timeout_s": 1, "read_timeout_s": 5, **options}))
        return made[-1]

    yield make
    for transport in made:
        transport.close()
