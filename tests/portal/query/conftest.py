"""A world for each test of the query layer."""

import pytest

from tests.portal.query.faulty import Faulty
from tests.portal.query.world import Process, User, World


@pytest.fixture
def world() -> World:
    """Five clients, two to a page."""
    made = World()
    made.backend.rows = [{"id": f"c{number}", "name": f"client {number}"} for number in range(5, 0, -1)]
    return made


@pytest.fixture
def process(world: World) -> Process:
    """One worker process."""
    return world.process()


@pytest.fixture
def ada(world: World, process: Process) -> User:
    """Ada, in that process."""
    return User(process, world.backend.sign_in("ada"))


@pytest.fixture
def faulty(ada: User) -> Faulty:
    return Faulty(ada)
