"""A call that answers 401 to a good token, with real servers: its own error, until `/me` answers 401 too."""

import re

from portal.config.cookies import VAR_ACCESS_TOKEN, VAR_REFRESH_TOKEN
from tests.support.backend_proxy import BackendProxy
from tests.support.harness import RunningStack
from tests.support.http_browser import HttpBrowser

READS = ("/energy/summary", "/energy/state", "/energy/meters")
CREATE = "POST /energy/clients"


def test_refused_call_ends_no_sign_in(stack: RunningStack, proxy: BackendProxy) -> None:
    proxy.refusing |= {CREATE, *(f"GET {path}" for path in READS)}
    with HttpBrowser() as browser:
        assert browser.sign_in(stack.url("auth_app"), email="energy@example.com").status_code == 303
        for path, status in (("", 200), ("/now", 502), ("/meters", 502), ("/meters/export", 502), ("/clients", 200)):
            asked = proxy.calls_of("/me")
            part = {"HX-Request": "true", "Sec-Fetch-Mode": "cors"} if path == "/now" else {}
            page = browser.get(stack.url("energy", f"/en/energy{path}"), follow=False, **part)
            assert page.status_code == status, path
            assert "energy@example.com" in page.text or path == "/now", "in the shell"
            assert proxy.calls_of("/me") <= asked + 2
        form = browser.get(stack.url("energy", "/en/energy/clients/new"))
        sent = browser.submit(form, "/clients/new", follow=False, name="Typed by Ada", email="refused@example.com")
        assert re.search(r'role="alert".*The service does not accept this', sent.text, re.DOTALL), sent.text
        assert "Typed by Ada" in sent.text
        assert browser.cookie(VAR_REFRESH_TOKEN)
        assert stack.lines("call refused: GET /energy/meters answers 401")
        proxy.refusing.add("GET /me")
        page = browser.get(stack.url("energy", "/en/energy/meters"), follow=False)
        assert (page.status_code, page.headers["Location"]) == (302, "/")
        assert browser.cookie(VAR_ACCESS_TOKEN) is None
