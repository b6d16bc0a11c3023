"""These tests run in the energy project's own settings."""

from __future__ import annotations

import pytest

from portal.testing import Backend


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
