"""These tests run in the energy project's own settings."""

import pytest
from django.test import Client

from portal.testing import Backend, SignedIn


@pytest.fixture
def app() -> str:
    return "energy"


@pytest.fixture
def backend(backend: Backend) -> Backend:
    """Its lists are empty, since the page of a record shows what belongs to the record."""
    for path in ("/energy/chargers", "/energy/sessions", "/energy/meters", "/operations/work-orders"):
        backend.lists(path, [])
    backend.lists("/finance/invoices", [])
    return backend


@pytest.fixture
def browser(signed_in: SignedIn) -> Client:
    """Of somebody who may open the app."""
    return signed_in("ENERGY_APP")
