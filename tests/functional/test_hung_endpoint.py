"""One endpoint of the backend that hangs costs its own pages: others are shown, from the cache and from the backend."""

from concurrent.futures import ThreadPoolExecutor

from tests.portal_server.processes import until
from tests.support.backend_proxy import BackendProxy, Held
from tests.support.harness import RunningStack
from tests.support.http_browser import HttpBrowser

#: More than a worker has threads.
TABS = 12


def test_hung_endpoint_leaves_the_other_pages(stack: RunningStack, proxy: BackendProxy) -> None:
    held = Held("/energy/meters")
    with HttpBrowser() as tabs, HttpBrowser() as other, ThreadPoolExecutor(TABS) as pool:
        tabs.take(stack.tokens("energy@example.com"))
        other.take(stack.tokens("all@example.com"))
        cached = stack.url("energy", "/en/energy/clients")
        assert other.get(cached).status_code == 200
        proxy.before_each = held
        waiting = [
            pool.submit(tabs.get, stack.url("energy", f"/en/energy/meters?q=word{number}")) for number in range(TABS)
        ]
        try:
            until(lambda: held.calls == TABS, what="all tabs wait for the backend")
            assert other.get(cached).status_code == 200
            assert other.get(f"{cached}?q=oslo").status_code == 200
            assert other.get(stack.url("energy", "/healthz")).status_code == 200
        finally:
            held.goes_on.set()
        assert all(each.result().status_code in {200, 503} for each in waiting)
