"""These tests run in the energy project's own settings."""

from __future__ import annotations

import pytest


@pytest.fixture
def app() -> str:
    return "energy"
