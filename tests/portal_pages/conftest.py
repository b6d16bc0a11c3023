"""These tests run in the energy project, and have the backend of `portal.testing`."""

from __future__ import annotations

import pytest

from portal.testing.fixtures import backend

__all__ = ["backend"]


@pytest.fixture
def app() -> str:
    return "energy"
