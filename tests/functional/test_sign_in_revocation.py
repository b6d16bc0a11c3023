"""Ending sign-ins from the profile: one, or all; every application follows."""

from collections.abc import Iterator
from contextlib import ExitStack

import pytest
import requests

from portal.config.cookies import VAR_ACCESS_TOKEN, VAR_REFRESH_TOKEN
from tests.support.harness import RunningStack
from tests.support.http_browser import HttpBrowser, forms_of

EMAIL = "all@example.com"


@pytest.fixture
def browsers(stack: RunningStack) -> Iterator[list[HttpBrowser]]:
    """Three browsers of one person; the last one signed in last."""
    with ExitStack() as open_browsers:
        made = [open_browsers.enter_context(HttpBrowser()) for _ in range(3)]
        for browser in made:
            assert browser.sign_in(stack.url("auth_app"), email=EMAIL).status_code == 303
        yield made


def assert_signed_out(browser: HttpBrowser, stack: RunningStack, app: str, path: str) -> None:
    """The application finds out with what it asks the backend for, and the browser is sent to `/` without cookies."""
    answer = browser.get(stack.url(app, path), follow=False)
    assert (answer.status_code, answer.headers["Location"]) == (302, "/")
    assert browser.cookie(VAR_ACCESS_TOKEN) is None
    assert browser.cookie(VAR_REFRESH_TOKEN) is None
    state = browser.http.get(stack.url("finance", "/sign-in-state"), timeout=20).json()
    assert state == {"signedIn": False, "account": None}


def profile(browser: HttpBrowser, stack: RunningStack) -> requests.Response:
    page = browser.get(stack.url("auth_app", "/en/profile"))
    assert page.status_code == 200
    return page


def revocations(page: requests.Response) -> list[str]:
    return [
        action for action, _ in forms_of(page) if action.endswith("/revoke") and not action.endswith("/sign-ins/revoke")
    ]


def test_a_sign_in_of_somebody_else_can_not_be_ended(stack: RunningStack, browsers: list[HttpBrowser]) -> None:
    *_, here = browsers
    page = profile(here, stack)
    with HttpBrowser() as stranger:
        assert stranger.sign_in(stack.url("auth_app"), email="none@example.com").status_code == 303
        theirs = profile(stranger, stack)
        own = revocations(theirs)[0]
        _, fields = next(form for form in forms_of(theirs) if form[0] == own)
        answer = stranger.post(stack.url("auth_app", revocations(page)[0]), fields)
        assert answer.status_code == 404
    assert here.get(stack.url("energy", "/en/energy/stations"), follow=False).status_code == 200


def test_ended_sign_in_loses_cached_pages(stack: RunningStack, browsers: list[HttpBrowser]) -> None:
    other, _, here = browsers
    pages = [("energy", "/en/energy/clients"), ("operations", "/en/operations"), ("finance", "/en/finance/invoices")]
    for app, path in pages:
        for browser in (other, here):
            assert browser.get(stack.url(app, path), follow=False).status_code == 200
    # The list names the one that asks first, then the latest.
    listed = revocations(profile(here, stack))
    ended = here.submit(profile(here, stack), listed[2])
    assert "That sign-in has ended." in ended.text
    assert listed[2] not in revocations(ended)
    assert_signed_out(other, stack, *pages[0])
    for app, path in pages:
        assert here.get(stack.url(app, path), follow=False).status_code == 200
