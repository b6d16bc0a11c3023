"""The first page of an app that knows nothing of a sign-in yet waits for one answer of the backend, not for two in turn."""

import threading
from contextlib import suppress
from pathlib import Path

from tests.functional.test_serve import serving
from tests.support.backend_proxy import BackendProxy
from tests.support.harness import RunningStack
from tests.support.html_forms import Page
from tests.support.http_browser import HttpBrowser
from tests.support.processes import PATIENCE_S


def test_first_page_reads_profile_and_list_together(stack: RunningStack, proxy: BackendProxy, tmp_path: Path) -> None:
    both = threading.Barrier(2)

    def wait_for_the_other(_method: str, _address: str) -> None:
        with suppress(threading.BrokenBarrierError):
            both.wait(PATIENCE_S)

    # A store of its own: the stack's app would find the profile that the sign-in has read.
    with serving(tmp_path, APP_PUBLIC_API_BASE_URL=proxy.url) as (_, port), HttpBrowser() as browser:
        assert browser.sign_in(stack.url("auth_app"), email="all@example.com").status_code == 303
        assert proxy.calls == [("POST", "/auth/login"), ("GET", "/me")]
        proxy.before_each = wait_for_the_other
        page = browser.get(f"http://localhost:{port}/en/energy/clients")
    assert (page.status_code, len(Page(page.text).rows)) == (200, 20)
    assert sorted(proxy.calls[2:]) == [("GET", "/energy/clients?limit=20"), ("GET", "/me")]
    # A profile for which the page waited in vain is not on it.
    assert "all@example.com" in page.text
    assert not both.broken
