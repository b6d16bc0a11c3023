"""The fixtures. Every test gets new ones; no state of one test reaches the next."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final, Protocol

import pytest
import responses
from django.test import Client
from django.utils import translation

from portal.api import TokenPair, TokenStore, api_session
from portal.config.cookies import VAR_ACCESS_TOKEN, VAR_REFRESH_TOKEN
from portal.config.current import portal_config
from portal.config.locales import LOCALES
from portal.config.portal_config import PortalConfig
from portal.errors import UsageError
from portal.query import QueryClient, create_query_client, process_runtime
from portal.testing.backend import Backend
from portal.testing.projects import project_in_force

#: Headers of a page that a person opens.
NAVIGATION = {"accept": "text/html", "sec-fetch-mode": "navigate"}
#: Longer than a request has.
_FETCHES_END_WITHIN_S: Final = 60


class SignedIn(Protocol):
    """What the fixture `signed_in` gives."""

    def __call__(
        self, *permissions: str, expired: bool = False, cookies: Mapping[str, str] | None = None, **profile: Any
    ) -> Client:
        """A browser without scripts; its cookies hold the sign-in of a new account with these permissions.

        :param expired: the access token has expired; the refresh token is valid.
        :param cookies: further cookies; an empty value removes a cookie.
        :param profile: fields of `/me` in place of the default ones; `permissions=[]` contradicts the token.
        """
        ...


class NewQueryClient(Protocol):
    """What the fixture `query_client` gives."""

    def __call__(self, *permissions: str) -> QueryClient:
        """The query client of a new account with these permissions. A hook takes it in place of a request."""
        ...


class UseLocale(Protocol):
    """What the fixture `use_locale` gives."""

    def __call__(self, locale: str, /) -> None:
        """Use that language until the test ends, or until the next call.

        :raises UsageError: the portal has no such locale.
        """


@pytest.fixture
def app() -> str:
    """Folder below `apps/` of the project under test; by default the project whose settings are loaded.

    A team overrides it in the `conftest.py` beside its tests.
    """
    return portal_config().project.app


@pytest.fixture
def project(app: str, tmp_path: Path) -> Iterator[PortalConfig]:
    """The settings of the project under test, with a store for this test only; returns its configuration."""
    with project_in_force(app, state_dir=tmp_path / "state") as config:
        yield config


@pytest.fixture
def backend(project: PortalConfig) -> Iterator[Backend]:
    """The backend behind the pages, in this process.

    The test fails at its end if a page made a call that the test did not set up.
    """
    with responses.RequestsMock(assert_all_requests_are_fired=False) as http:
        made = Backend(http, base_url=project.api_base_url)
        yield made
        # A page need not wait for a fetch that it began. The next test's backend would answer it.
        if not process_runtime().pool.wait_until_idle(timeout_s=_FETCHES_END_WITHIN_S):
            pytest.fail(f"a fetch of this test goes on, {_FETCHES_END_WITHIN_S} s after it")
    asked = sorted({f"{call.method} {call.path}" for call in made.unexpected})
    if asked:
        pytest.fail(f"the backend was told nothing about {', '.join(asked)}: see Backend.lists and Backend.answers")


@pytest.fixture
def signed_in(backend: Backend) -> SignedIn:
    """Makes browsers of people who are signed in: `signed_in("ENERGY_APP").get("/en/energy")`."""

    def make(
        *permissions: str, expired: bool = False, cookies: Mapping[str, str] | None = None, **profile: Any
    ) -> Client:
        made = backend.sign_in(*permissions, expired=expired, **profile)
        client = Client(headers=NAVIGATION)
        for name, value in {VAR_ACCESS_TOKEN: made.access, VAR_REFRESH_TOKEN: made.refresh, **(cookies or {})}.items():
            if value:
                client.cookies[name] = value
        return client

    return make


@pytest.fixture
def signed_out(backend: Backend) -> Client:  # noqa: ARG001  its pages may call the backend
    """A browser without a sign-in."""
    return Client(headers=NAVIGATION)


@pytest.fixture
def query_client(backend: Backend) -> NewQueryClient:
    """Makes query clients, to try a team's hooks without a page."""

    def make(*permissions: str) -> QueryClient:
        made = backend.sign_in(*permissions)
        tokens = TokenStore(TokenPair(access=made.access, refresh=made.refresh))
        return create_query_client(tokens=tokens, api=api_session())

    return make


@pytest.fixture
def use_locale(project: PortalConfig) -> Iterator[UseLocale]:  # noqa: ARG001  its catalogs
    """Sets the language outside of a page: `use_locale("de")` before a presenter or a form."""
    with ExitStack() as languages:

        def speak(locale: str, /) -> None:
            if locale not in LOCALES:
                raise UsageError(f"{locale!r} should be one of {', '.join(LOCALES)}")
            languages.enter_context(translation.override(locale))

        yield speak
