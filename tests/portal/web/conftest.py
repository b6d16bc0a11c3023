"""The energy project in this process, with a backend of scripted answers."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import jwt
import pytest
import responses
from django.test import Client

BACKEND = "http://backend.test"
NAVIGATION = {"HTTP_ACCEPT": "text/html"}

Answer = Callable[..., responses.BaseResponse]


@pytest.fixture
def backend() -> Iterator[responses.RequestsMock]:
    with responses.RequestsMock(assert_all_requests_are_fired=False) as mock:
        yield mock


@pytest.fixture
def account() -> str:
    """An account of this test alone: nothing that another test cached is its own."""
    return f"acc_{uuid.uuid4().hex}"


def access_token(account: str, *permissions: str, lifetime_s: float = 300) -> str:
    claims = {
        "sub": account,
        "permissions": list(permissions),
        "exp": time.time() + lifetime_s,
        "jti": uuid.uuid4().hex,
    }
    return jwt.encode(claims, "a key for tests that is long enough for HS256", algorithm="HS256")


def profile(account: str, *permissions: str, **fields: Any) -> dict[str, Any]:
    return {
        "id": account,
        "name": "Ada Lovelace",
        "email": "ada@example.com",
        "permissions": list(permissions),
    } | fields


@pytest.fixture
def browser_of(account: str) -> Callable[..., Client]:
    """A browser whose cookies hold a sign-in with these permissions."""

    def make(*permissions: str, **cookies: str) -> Client:
        client = Client(headers={"accept": "text/html"})
        client.cookies["VAR_ACCESS_TOKEN"] = access_token(account, *permissions)
        for name, value in cookies.items():
            client.cookies[name] = value
        return client

    return make


@pytest.fixture
def energy_user(backend: responses.RequestsMock, account: str, browser_of: Callable[..., Client]) -> Client:
    """Signed in, permitted, with a profile that says the same."""
    backend.get(f"{BACKEND}/me", json=profile(account, "ENERGY_APP"))
    return browser_of("ENERGY_APP")
