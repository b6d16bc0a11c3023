"""A world for each test of the query layer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.portal.query.fakes import Process, World

if TYPE_CHECKING:
    from portal.api.tokens import TokenStore


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
def ada(world: World) -> TokenStore:
    """Ada's tokens."""
    return world.backend.sign_in("ada")
