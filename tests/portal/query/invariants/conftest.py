"""The invariants by number (query-cache, I2 to I16), in one file for each noun; the state machines hold I1.

Each runs with the single flight on and off (query-cache, I11). Requests are interleaved by code that runs inside the backend's
answer.
"""

import pytest

from portal.process.single_flight import SingleFlight
from tests.portal.query.fakes import NoSingleFlight
from tests.portal.query.world import Process, World


@pytest.fixture(params=[SingleFlight, NoSingleFlight], ids=["single flight", "no single flight"])
def process(request: pytest.FixtureRequest, world: World) -> Process:
    """query-cache, I11: every invariant holds with the single flight switched off."""
    return world.process(single_flight=request.param())
