"""The sixteen invariants by number (query-cache, I1 to I16), in one file for each noun.

Each runs with flights on and off (query-cache, I11). Requests are interleaved by code that runs inside the backend's
answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from portal.query.reads.flights import Flights, NoFlights

if TYPE_CHECKING:
    from tests.portal.query.fakes import Process, World


@pytest.fixture(params=[Flights, NoFlights], ids=["flights", "no flights"])
def process(request: pytest.FixtureRequest, world: World) -> Process:
    """query-cache, I11: every invariant holds with the flight switched off."""
    return world.process(flights=request.param())
