"""These tests run in the energy project, and have the backend of `portal.testing`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from django.urls import URLPattern

from portal.testing import Backend, SignedIn
from portal.testing.fixtures import backend

if TYPE_CHECKING:
    from tests.portal_pages.site import Site

__all__ = ["backend"]


@pytest.fixture
def app() -> str:
    return "energy"


@pytest.fixture
def pages() -> list[URLPattern]:
    """Those that the app has; a module of tests may have others."""
    # Customers are pages of an example. Where that was removed, tests without them go on.
    from tests.portal_pages.customers import ALL_PAGES

    return ALL_PAGES


@pytest.fixture
def site(backend: Backend, signed_in: SignedIn, pages: list[URLPattern]) -> Iterator[Site]:
    from tests.portal_pages.customers import served
    from tests.portal_pages.site import Site

    with served(*pages):
        yield Site(backend, signed_in("ENERGY_APP"))
