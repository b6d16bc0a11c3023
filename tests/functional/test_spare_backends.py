"""Real servers against backends that have as little as they may: whose data, what is absent, what is ignored."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from portal_dev.local_servers.local_stack import BACKEND
from tests.support.harness import RunningStack, running_stack
from tests.support.http_browser import HttpBrowser
from tests.support.spare_backend import SpareBackend, spare_backend

ROW = re.compile(r'data-row-id="([^"]+)"')
LIST = "/en/energy/clients"


@pytest.fixture(params=[False, True], ids=["ignores", "refuses"], scope="module")
def apps(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[RunningStack, SpareBackend]]:
    without = (BACKEND, "operations", "finance")
    with (
        spare_backend(is_strict=request.param) as backend,
        running_stack(tmp_path_factory.mktemp("spare"), without=without, APP_PUBLIC_API_BASE_URL=backend.url) as stack,
    ):
        yield stack, backend


def signed_in(stack: RunningStack, browser: HttpBrowser, person: str) -> None:
    assert browser.sign_in(stack.url("auth_app"), email=f"{person}@example.com").status_code == 303


def shown(stack: RunningStack, browser: HttpBrowser, path: str = LIST) -> list[str]:
    page = browser.get(stack.url("energy", path))
    assert page.status_code == 200
    return ROW.findall(page.text)


def test_ten_views_make_one_call_of_the_profile_and_one_of_the_list(apps: tuple[RunningStack, SpareBackend]) -> None:
    stack, backend = apps
    with HttpBrowser() as browser:
        backend.calls.clear()
        signed_in(stack, browser, "ada")
        for _ in range(10):
            assert len(shown(stack, browser)) == 3
    # A refusal may mean that the permissions have changed: then the request asks for the profile once more. Two meet
    # one: the sign-in, which asks for what the platform may have, and the first page, which asks for counts.
    assert (backend.calls["GET /me"], backend.calls["GET /energy/clients"]) == (1 + 2 * backend.is_strict, 1)


def test_two_users_never_meet_whatever_cookies_a_browser_mixes(apps: tuple[RunningStack, SpareBackend]) -> None:
    stack, _ = apps
    with HttpBrowser() as one, HttpBrowser() as other, HttpBrowser() as mixed:
        signed_in(stack, one, "bea")
        signed_in(stack, other, "cid")
        assert all(row.startswith("bea@") for row in shown(stack, one))
        assert all(row.startswith("cid@") for row in shown(stack, other))
        for name in ("VAR_ACCESS_TOKEN", "VAR_REFRESH_TOKEN"):
            owner = one if name == "VAR_ACCESS_TOKEN" else other
            mixed.http.cookies.set(name, owner.cookie(name) or "", domain="localhost.local", path="/")
        assert all(row.startswith("bea@") for row in shown(stack, mixed))
        mixed.http.cookies.set("VAR_ACCESS_TOKEN", "", domain="localhost.local", path="/")
        assert all(row.startswith("cid@") for row in shown(stack, mixed))
        assert all(row.startswith("bea@") for row in shown(stack, one))


def test_an_own_create_shows_at_once_without_a_get(apps: tuple[RunningStack, SpareBackend]) -> None:
    stack, backend = apps
    with HttpBrowser() as browser:
        signed_in(stack, browser, "dan")
        shown(stack, browser)
        form = browser.get(stack.url("energy", f"{LIST}/new"))
        backend.calls.clear()
        made = browser.submit(form, "/new", follow=False, name="Fresh", email="fresh@example.com")
        assert made.status_code == 303
        assert len(shown(stack, browser)) == 4
    assert (backend.calls["POST /energy/clients"], backend.calls["GET /energy/clients"]) == (1, 0)


def test_a_filter_shows_no_other_rows_and_a_search_that_nobody_does_shows_none(
    apps: tuple[RunningStack, SpareBackend],
) -> None:
    stack, backend = apps
    with HttpBrowser() as browser:
        signed_in(stack, browser, "eve")
        assert shown(stack, browser, f"{LIST}?city=Ulm") == ["eve@example.com-1"]
        assert shown(stack, browser, f"{LIST}?q=nowhere") == []
        assert len(shown(stack, browser)) == 3
        backend.calls.clear()
        assert shown(stack, browser, f"{LIST}?city=Ulm") == ["eve@example.com-1"]
    assert backend.calls["GET /energy/clients"] == 0


def test_what_is_absent_is_not_asked_for_again(apps: tuple[RunningStack, SpareBackend]) -> None:
    stack, backend = apps
    with HttpBrowser() as browser:
        signed_in(stack, browser, "fay")
        shown(stack, browser)
        shown(stack, browser)
        backend.calls.clear()
        shown(stack, browser)
        for path in ("/en/energy", "/en/energy"):
            browser.get(stack.url("energy", path))
        first = sum(backend.calls.values())
        browser.get(stack.url("energy", "/en/energy"))
    assert sum(backend.calls.values()) == first
