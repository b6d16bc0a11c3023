"""These tests run in the operations project's own settings."""

import pytest


@pytest.fixture
def app() -> str:
    return "operations"
