"""These tests run in the auth_app project's own settings."""

import pytest


@pytest.fixture
def app() -> str:
    return "auth_app"
