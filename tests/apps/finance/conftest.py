"""These tests run in the finance project's own settings."""

from __future__ import annotations

import pytest


@pytest.fixture
def app() -> str:
    return "finance"
