"""These tests run in the finance project's own settings."""

import pytest

from apps.finance.views.overview import COUNTS
from portal.testing import Backend


@pytest.fixture
def app() -> str:
    return "finance"


@pytest.fixture
def counted_lists(backend: Backend) -> None:
    """The lists whose numbers the overview shows are empty, until the test says otherwise."""
    for count in COUNTS:
        backend.lists(count.hook.path_shape, [])
