"""A backend whose lists are behind its writes: the person who wrote sees the write on each list of each server.

Two servers as in production share a store, each on a port of its own: the port says which one has answered.
"""

import secrets
from functools import partial
from pathlib import Path

from portal.api import Backend
from tests.functional.test_serve import serving
from tests.support.backend_proxy import BackendProxy
from tests.support.harness import RunningStack
from tests.support.html_forms import Page
from tests.support.http_browser import HttpBrowser
from tests.support.serving import Call, Reply


class SlowReplica(Backend):
    """Its reads are behind for as long as a test may take."""

    settle_s = 600.0


class Lag:
    """Answers each list of clients as it was before the newest write.

    :ivar stale: addresses that were answered so since that write.
    """

    def __init__(self, proxy: BackendProxy) -> None:
        self.proxy = proxy
        self.reads: dict[str, Call] = {}
        self.before: dict[str, Reply] = {}
        self.stale: list[str] = []

    def __call__(self, call: Call) -> Reply | None:
        if call.method != "GET":
            self.before = {target: self.proxy.ask(read) for target, read in self.reads.items()}
            self.stale = []
        elif call.path == "/energy/clients":
            self.reads[call.target] = call
            self.stale += [call.target] if call.target in self.before else []
            return self.before.get(call.target)
        return None


def test_own_writes_show_on_lagging_lists(stack: RunningStack, proxy: BackendProxy, tmp_path: Path) -> None:
    proxy.instead = lag = Lag(proxy)
    variables = {"APP_PUBLIC_API_BASE_URL": proxy.url, "APP_BACKEND": f"{__name__}.SlowReplica"}
    server = partial(serving, tmp_path, production=True, **variables)
    with server() as (_, here), server() as (_, there), HttpBrowser() as browser:
        browser.take(stack.tokens("all@example.com"))
        clients, elsewhere = (f"http://localhost:{port}/en/energy/clients" for port in (here, there))

        def times_shown(row_id: str) -> list[int]:
            """How often the list has the row: as it is opened, reloaded, and both at the other server."""
            answers = [
                browser.get(url, **headers)
                for url in (clients, elsewhere)
                for headers in ({}, {"Cache-Control": "max-age=0"})
            ]
            return [Page(answer.text).rows.count(row_id) for answer in answers]

        assert len(Page(browser.get(clients).text).rows) > 1
        form = browser.get(f"{clients}/new")
        made = browser.submit(form, "/new", name="Lagging", email=f"{secrets.token_hex(4)}@example.com")
        row_id = made.url.rpartition("/")[2]
        assert times_shown(row_id) == [1, 1, 1, 1]
        assert len(lag.stale) == 2, "each reload asked, and was answered without the row"

        browser.submit(made, "/delete")
        assert times_shown(row_id) == [0, 0, 0, 0]
        assert len(lag.stale) == 2, "each reload was answered with the row"
