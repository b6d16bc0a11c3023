"""Opens the pages of this process's app, and tells what a view takes.

Before the first view of a page nothing is cached but the profile, which the sign-in has read.
"""

import contextlib
import re
from collections import Counter
from concurrent.futures import Future, wait
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

import responses
from django.contrib.staticfiles import finders
from django.utils import timezone
from requests.adapters import HTTPAdapter

from benchmarks.harness.in_process import environ_of
from portal.config.cookies import VAR_ACCESS_TOKEN, VAR_REFRESH_TOKEN
from portal.process import Pool, call_circuits
from portal.query import process_runtime
from portal.store import query_store
from portal_dev.local_servers.local_stack import OFFERS
from portal_server.static.storage import bundle
from sqlite_cache import SQLiteCache
from tests.budgets.backend import backend_with, sign_in
from tests.budgets.call_counter import CallCounter
from tests.budgets.pages import PERMISSIONS, SIGNED_OUT
from tests.support.harness import ROOT
from tests.support.nothing_kept import TOKEN, no_time_passes
from tests.support.offers import offered

HEADERS: Final = {
    "Host": "localhost",
    "User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
    "Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
    "Accept-Language": "en-US,en;q=0.5",
    "Sec-Fetch-Dest": "document",
    "Sec-Fetch-Mode": "navigate",
    "Sec-Fetch-Site": "same-origin",
}
_OPERATIONS: Final = ("get", "get_many", "set", "set_many", "add", "delete", "delete_many", "incr", "touch")
_STORE: Final = [getattr(SQLiteCache, name).__code__ for name in _OPERATIONS]
#: The folders of our own files.
_OWN: Final = tuple(f"{ROOT / folder}/" for folder in ("packages", "apps"))
_FILE: Final = re.compile(r' (?:src|href)="/static/([^"]+\.(?:js|css))"')


@dataclass(frozen=True, kw_only=True)
class View:
    """One request, and what it took.

    :ivar calls: to the backend.
    :ivar called: functions, each as often as it was; of a view that is counted.
    """

    status: int
    body: bytes
    calls: int
    called: Counter[Any]


@dataclass
class Views:
    """Views of one app.

    :param counter: made before the app was loaded.
    """

    app: str
    application: Any
    counter: CallCounter
    _begun: list[Future[Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        # As after a user with a zone of their own.
        with timezone.override("UTC"):
            pass

    def figures_of(self, path: str) -> dict[str, Any]:
        """Return what the page takes. Functions are counted when all that is made once is made.

        :raises AssertionError: two views have the same token of a form.
        """
        _, second, last = self._views(path, profile="full", number=3)
        tokens = [{*TOKEN.findall(view.body.decode(errors="replace"))} for view in (second, last)]
        if tokens[0] & tokens[1]:
            raise AssertionError(f"{path}: two views have the same token of a form, so it is kept")
        others = {name: self._views(path, profile=name, number=2)[1] for name in ("contract", "document")}
        files = set(_FILE.findall(last.body.decode(errors="replace")))
        return {
            "status": last.status,
            "calls_full": second.calls,
            **{f"calls_{name}": view.calls for name, view in others.items()},
            "store": sum(second.called[code] for code in _STORE),
            "functions": last.called.total(),
            "files": len(_own_files(last.called)),
            "html": len(last.body),
            "script": sum(_size(name) for name in files if name.endswith(".js")),
            "style": sum(_size(name) for name in files if name.endswith(".css")),
        }

    def _views(self, path: str, *, profile: str, number: int) -> list[View]:
        _forget()
        cookies: dict[str, str] = {}
        with contextlib.ExitStack() as stack:
            http = stack.enter_context(responses.RequestsMock(assert_all_requests_are_fired=False))
            stack.enter_context(patch.object(HTTPAdapter, "send", self.counter.without(HTTPAdapter.send)))
            stack.enter_context(patch.object(Pool, "submit", noting_submit(self._begun)))
            stack.enter_context(no_time_passes())
            # Whether the file of the store was replaced is looked up by the clock.
            stack.enter_context(patch("sqlite_cache.pool.LOOK_EVERY_S", 10**12))
            # Two lists whose names, which are random, lead to one place would replace each other.
            stack.enter_context(patch.object(process_runtime().cache, "_variant_places", 2**32))
            backend = backend_with(http, profile=profile)
            stack.enter_context(offered(OFFERS.get(profile, "all")))
            if path != SIGNED_OUT:
                made = sign_in(backend, *PERMISSIONS[self.app], profile=profile)
                cookies |= {VAR_ACCESS_TOKEN: made.access, VAR_REFRESH_TOKEN: made.refresh}
                self._view("/en/essentials", cookies)
            views: list[View] = []
            for _ in range(number):
                is_counted = bool(views) and profile == "full"
                http.calls.reset()
                views.append(self._view(path, cookies, calls=http.calls, is_counted=is_counted))
            return views

    def _view(self, path: str, cookies: dict[str, str], *, calls: Any = (), is_counted: bool = False) -> View:
        """One request, and what it begins in other threads. It changes the cookies."""
        sent = {**HEADERS, "Cookie": "; ".join(f"{name}={value}" for name, value in cookies.items())}
        lines = (f"GET {path} HTTP/1.1", *(f"{name}: {value}" for name, value in sent.items() if value), "\r\n")
        environ = environ_of("\r\n".join(lines).encode())
        started: list[Any] = []
        with self.counter.counting() if is_counted else contextlib.nullcontext(Counter[Any]()) as called:
            response = self.application(environ, lambda *begun: started.append(begun))
            body = b"".join(response)
            response.close()
        wait(self._begun)
        [(status, fields)] = started
        for line in (value for name, value in fields if name.lower() == "set-cookie"):
            cookies |= {name: morsel.coded_value for name, morsel in SimpleCookie(line).items()}
        return View(status=int(status[:3]), body=body, calls=len(calls), called=called)


def _forget() -> None:
    """Have nothing cached."""
    query_store().backend().clear()
    call_circuits.clear()


def noting_submit(begun: list[Future[Any]]) -> Any:
    """`Pool.submit`, which notes what it begins."""
    submit = Pool.submit

    def noted(pool: Pool, work: Any) -> Any:
        future = submit(pool, work)
        begun.extend([future] if future else [])
        return future

    return noted


def _own_files(called: Counter[Any]) -> set[str]:
    """Return our own files that have one of these functions."""
    names = {str(getattr(function, "co_filename", "")) for function in called}
    return {name for name in names if name.startswith(_OWN)}


def _size(name: str) -> int:
    """Bytes of a static file, with the style sheets that it imports."""
    return len(bundle(name, read=lambda name: Path(str(finders.find(name))).read_text()).encode())
