"""A platform of which the backend offers nothing: in no navigation, and nobody's home."""

import pytest

from portal.services.service_imports import import_services
from portal.testing import Backend, SignedIn
from portal.testing.fixtures import backend
from portal.web.frame import absent_platforms
from tests.support.offers import offered

__all__ = ["backend"]


@pytest.fixture
def app() -> str:
    return "energy"


@pytest.fixture(autouse=True)
def _services() -> None:
    """As a server does at its start."""
    import_services()


@pytest.mark.parametrize(
    ("names", "absent"),
    [
        (("required",), {"OPERATIONS", "FINANCE"}),
        (("contract",), set()),
        (("finance.get_invoices",), {"OPERATIONS"}),
        (("operations.create_work_order",), {"FINANCE"}),
    ],
)
def test_platform_without_an_offer_is_absent(names: tuple[str, ...], absent: set[str]) -> None:
    with offered(*names):
        assert absent_platforms() == absent


def test_absent_platform_has_no_navigation_and_home(backend: Backend, signed_in: SignedIn) -> None:
    backend.lists("/energy/clients", [])
    with offered("finance.get_invoices"):
        page = signed_in("ENERGY_APP", "OPERATIONS_APP", "FINANCE_APP").get("/en/energy/clients").content.decode()
    assert 'href="http://localhost:8000/en/finance"' in page
    assert 'href="http://localhost:8000/en/operations"' not in page
