"""The energy project in this process, with bare scripted answers in place of a backend that keeps the contract."""

from collections.abc import Callable, Iterator, Mapping

import pytest
import responses
from django.test import Client

from portal.config.cookies import VAR_ACCESS_TOKEN
from portal.testing import access_token
from portal.testing import profile_of as profile
from portal.testing.sign_ins import new_account

BACKEND = "http://backend.test"


@pytest.fixture
def backend() -> Iterator[responses.RequestsMock]:
    with responses.RequestsMock(assert_all_requests_are_fired=False) as mock:
        yield mock


@pytest.fixture
def account() -> str:
    """An account of this test alone: nothing that another test cached is its own."""
    return new_account()


@pytest.fixture
def refresh(request: pytest.FixtureRequest) -> str:
    """A refresh token of this test alone: the store keeps its records."""
    return f"refresh-of-{request.node.name}"


def browser_with(cookies: Mapping[str, str]) -> Client:
    """A browser that asks for pages and has these cookies."""
    client = Client(headers={"accept": "text/html"})
    for name, value in cookies.items():
        client.cookies[name] = value
    return client


@pytest.fixture
def browser_of(account: str) -> Callable[..., Client]:
    """A browser whose cookies hold a sign-in with these permissions."""

    def make(*permissions: str, **cookies: str) -> Client:
        return browser_with({VAR_ACCESS_TOKEN: access_token(account, *permissions), **cookies})

    return make


@pytest.fixture
def energy_user(backend: responses.RequestsMock, account: str, browser_of: Callable[..., Client]) -> Client:
    """Signed in, permitted, with a profile that says the same."""
    backend.get(f"{BACKEND}/me", json=profile(account, "ENERGY_APP"))
    return browser_of("ENERGY_APP")
