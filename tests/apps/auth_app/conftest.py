"""These tests run in the auth_app project's own settings."""

from __future__ import annotations

import pytest

from portal.web.sign_in import post_login


@pytest.fixture
def app() -> str:
    return "auth_app"


@pytest.fixture(autouse=True)
def _a_sign_in_asks_for_the_profile_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """What it asks for beside that has its tests in tests/portal/web/sign_in, and no test here should set it up."""
    monkeypatch.setattr(post_login, "ask_what_is_unknown", lambda *_: None)
