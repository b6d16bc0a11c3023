"""Real processes and one browser: a page of a sign-in that has ended comes after the next one began."""

from __future__ import annotations

import threading

import requests

from portal.config.cookies import VAR_ACCESS_TOKEN, VAR_PERMITTED_PLATFORMS, VAR_REFRESH_TOKEN
from tests.support.backend_proxy import BackendProxy
from tests.support.harness import RunningStack
from tests.support.http_browser import PAGE_HEADERS, TIMEOUT_S, HttpBrowser


def test_the_late_page_of_a_user_who_signed_out_leaves_the_next_user_signed_in(
    stack: RunningStack, proxy: BackendProxy
) -> None:
    with HttpBrowser() as browser:
        assert browser.sign_in(stack.url("auth_app"), email="energy@example.com").status_code == 303
        late: list[requests.Response] = []
        names = (VAR_REFRESH_TOKEN, VAR_PERMITTED_PLATFORMS)
        cookies = "; ".join(f"{name}={browser.cookie(name)}" for name in names)
        url = stack.url("energy", "/en/energy/clients")

        def wait_in_the_refresh() -> None:
            headers = PAGE_HEADERS | {"Cookie": cookies}
            late.append(requests.get(url, headers=headers, allow_redirects=False, timeout=TIMEOUT_S))

        held = proxy.hold("/refresh")
        page = threading.Thread(target=wait_in_the_refresh)
        page.start()
        assert held.waits.wait(TIMEOUT_S)
        asked = browser.get(stack.url("energy", "/en/logout"))
        assert browser.submit(asked, "/logout", follow=False).status_code == 303
        assert browser.cookie(VAR_REFRESH_TOKEN) is None
        assert browser.sign_in(stack.url("auth_app"), email="all@example.com").status_code == 303
        held.goes_on.set()
        page.join(TIMEOUT_S)
        (response,) = late
        assert (response.status_code, response.headers["Location"]) == (302, "/")
        browser.http.cookies.update(response.cookies)
        assert {VAR_ACCESS_TOKEN, VAR_REFRESH_TOKEN}.isdisjoint(removed_by(response))
        assert browser.get(url).status_code == 200
        state = browser.http.get(stack.url("energy", "/sign-in-state"), timeout=TIMEOUT_S).json()
        assert state["signedIn"] is True


def removed_by(response: requests.Response) -> set[str]:
    """The names of the cookies that a response removes, or sets."""
    return {header.partition("=")[0] for header in response.raw.headers.getlist("Set-Cookie")}
