"""After a sign-out its tokens open nothing, though the backend would still accept them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from portal.config.cookies import VAR_ACCESS_TOKEN, VAR_REFRESH_TOKEN
from portal_dev.local_servers.local_stack import BACKEND
from tests.support.harness import RunningStack, running_stack
from tests.support.http_browser import HttpBrowser
from tests.support.opinionated_backend import Attitude, OpinionatedBackend, opinionated_backend


@pytest.fixture(scope="module")
def apps(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[RunningStack, OpinionatedBackend]]:
    folder = tmp_path_factory.mktemp("signed-out")
    without = (BACKEND, "finance")
    with (
        opinionated_backend() as (backend, _),
        running_stack(folder, without=without, APP_PUBLIC_API_BASE_URL=backend.url) as stack,
    ):
        yield stack, backend


@contextmanager
def signed_in(
    backend: OpinionatedBackend, tokens: dict[str, str] | None = None
) -> Iterator[tuple[HttpBrowser, dict[str, str]]]:
    permissions = ["ENERGY_APP", "OPERATIONS_APP"]
    tokens = tokens or {
        VAR_ACCESS_TOKEN: backend.access(attitude=Attitude.AGREES, permissions=permissions, says=permissions),
        VAR_REFRESH_TOKEN: backend.refresh(attitude=Attitude.AGREES, says=permissions),
    }
    with HttpBrowser() as browser:
        for name, value in tokens.items():
            browser.http.cookies.set(name, value, domain="localhost.local", path="/")
        yield browser, tokens


def sign_out(browser: HttpBrowser, stack: RunningStack) -> None:
    page = browser.get(stack.url("energy", "/en/logout"))
    assert browser.submit(page, "/logout", follow=False).status_code == 303
    assert browser.cookie(VAR_ACCESS_TOKEN) is None


@pytest.mark.parametrize("app", ["energy", "operations"])
@pytest.mark.parametrize("kept", [(VAR_ACCESS_TOKEN, VAR_REFRESH_TOKEN), (VAR_ACCESS_TOKEN,)])
def test_the_next_request_with_its_tokens_counts_as_signed_out(apps, app: str, kept: tuple[str, ...]) -> None:
    stack, backend = apps
    with signed_in(backend) as (browser, tokens):
        assert browser.get(stack.url(app, f"/en/{app}")).status_code == 200
        sign_out(browser, stack)
    replayed = {name: tokens[name] for name in kept}
    with signed_in(backend, replayed) as (thief, _):
        state = thief.http.get(stack.url(app, "/sign-in-state"), timeout=20).json()
        assert state == {"signedIn": False, "account": None}
    with signed_in(backend, replayed) as (thief, _):
        answer = thief.get(stack.url(app, f"/en/{app}"), follow=False)
        assert (answer.status_code, answer.headers["Location"]) == (302, "/")
        assert thief.cookie(VAR_ACCESS_TOKEN) is None
