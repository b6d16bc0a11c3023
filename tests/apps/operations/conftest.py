"""These tests run in the operations project's own settings."""

from __future__ import annotations

import pytest


@pytest.fixture
def app() -> str:
    return "operations"
