"""A row that somebody else changes or deletes meanwhile."""

import pytest

from portal.testing import Backend
from tests.portal_pages.customers import CUSTOMERS
from tests.portal_pages.site import ROW, KeptRow


@pytest.fixture
def kept(backend: Backend, monkeypatch: pytest.MonkeyPatch) -> KeptRow:
    backend.lists(CUSTOMERS, [])
    row = {"id": "c1", "name": "Ada", "email": "ada@example.com", "city": "Köln", "plan": "flat", "version": 1}
    return KeptRow(row).keep(backend, monkeypatch, path=ROW)
