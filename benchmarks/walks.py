"""Three walks through the portal's own code: how many files, functions and turns a page takes.

Nothing is timed. A walk is one visit of a browser to the energy app, in this process, against the sandbox in another
one. Python's profiler sees each function that is called, in all threads. Counted are functions whose file lies in
`apps/` or in `packages/`, without the sandbox. What happens only now and then (a look at the store's size) is left out:
each walk is made several times, and the one with the fewest frames counts.

files
    Files with a function that was called.
functions
    Different functions that were called.
frames
    Calls of functions: a function that is called for each of twenty rows counts twenty times.
    A generator counts once, when it begins. Comprehensions, and what Python makes for a dataclass,
    do not count.
hops
    Calls from one file to another.
deepest
    The largest number of such functions that were on one thread's stack at one time.
turns
    Calls into a file that stands further down on the same stack, from another file. Between the two, other
    people's code may stand: when `a.py` gives Django a function and Django calls a function of `a.py`, nothing was
    left, but when `a.py` gives `b.py` a lambda and `b.py` calls the lambda, that is a turn.
from the hook to the socket
    The functions on the stack when bytes of a call to the backend are sent: from the query layer's first one on, or
    from the bottom where the query layer has no part in the call.

`./manage.py bench walks --hops` prints the turns and the frames of each file as well, and each walk as a tree: one
line for each hop.
"""

from __future__ import annotations

import contextlib
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from html import unescape
from http.cookies import SimpleCookie
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import jwt
import requests

from benchmarks._in_process import load_application
from benchmarks._options import options_of, parser_of
from benchmarks._page_rows import KEY
from benchmarks._servers import ROOT
from benchmarks._walk_tracer import Tracer, Walk
from portal.config.cookies import VAR_ACCESS_TOKEN, VAR_REFRESH_TOKEN
from tests.support.harness import prepare_sandbox

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ACCOUNT = {"email": "energy@example.com", "password": "demo"}
CLIENTS = "/en/energy/clients"
#: Seconds after a write in which pages that are fetched are still patched with it, and a little more.
QUIET_S = 5
#: Seconds that the short-lived access token of the second walk lasts.
SHORT_LIFE_S = 3


def main() -> None:
    """Print a table, and the way of each call to the backend."""
    parser = parser_of(__doc__)
    parser.add_argument("--hops", action="store_true", help="print the tree of each walk too")
    parser.add_argument("--rounds", type=int, default=4, help="that count: 4")
    options = options_of(parser, rounds=0)
    measure(hops=options.hops, number=options.rounds)


# --- who walks ---


class Browser:
    """One sign-in at the sandbox, and requests to the energy app with its cookies."""

    def __init__(self, application: Any, *, backend: str) -> None:
        self._application = application
        pair = requests.post(f"{backend}/auth/login", json=ACCOUNT, timeout=30).json()
        self.cookies = {VAR_ACCESS_TOKEN: pair["accessToken"], VAR_REFRESH_TOKEN: pair["refreshToken"]}

    def get(self, path: str) -> str:
        """The page; anything but 200 is an error."""
        return self._send("GET", path, body=b"", wanted=200)

    def post(self, path: str, fields: dict[str, str]) -> None:
        """Send a form, which must be answered with a 303."""
        self._send("POST", path, body=urlencode(fields).encode(), wanted=303)

    def hidden_fields(self, path: str) -> dict[str, str]:
        """Those of a form."""
        page = self.get(path)
        page = page[page.index("<main") :]
        inputs = re.findall(r"<input[^>]*type=\"hidden\"[^>]*>", page)
        pairs = [(re.search(r'name="([^"]*)"', tag), re.search(r'value="([^"]*)"', tag)) for tag in inputs]
        return {name[1]: unescape(value[1]) for name, value in pairs if name and value}

    def use_short_lived_token(self) -> None:
        """Carry the same access token with an earlier end."""
        claims = jwt.decode(self.cookies[VAR_ACCESS_TOKEN], KEY, algorithms=["HS256"])
        claims["exp"] = int(time.time()) + SHORT_LIFE_S
        self.cookies[VAR_ACCESS_TOKEN] = jwt.encode(claims, KEY, algorithm="HS256")

    def _send(self, method: str, path: str, *, body: bytes, wanted: int) -> str:
        environ = {
            "REQUEST_METHOD": method,
            "PATH_INFO": path.partition("?")[0],
            "QUERY_STRING": path.partition("?")[2],
            "SCRIPT_NAME": "",
            "SERVER_NAME": "localhost",
            "SERVER_PORT": "8001",
            "SERVER_PROTOCOL": "HTTP/1.1",
            "REMOTE_ADDR": "127.0.0.1",
            "HTTP_HOST": "localhost:8001",
            "HTTP_ACCEPT": "text/html,application/xhtml+xml,*/*;q=0.8",
            "HTTP_SEC_FETCH_MODE": "navigate",
            "HTTP_COOKIE": "; ".join(f"{name}={value}" for name, value in self.cookies.items()),
            "CONTENT_TYPE": "application/x-www-form-urlencoded" if method == "POST" else "",
            "CONTENT_LENGTH": str(len(body)),
            "wsgi.url_scheme": "http",
            "wsgi.input": BytesIO(body),
            "wsgi.errors": sys.stderr,
            "wsgi.version": (1, 0),
            "wsgi.multithread": True,
            "wsgi.multiprocess": False,
            "wsgi.run_once": False,
        }
        seen: dict[str, Any] = {}

        def start_response(status: str, headers: list[tuple[str, str]], *_: Any) -> None:
            seen.update(status=int(status[:3]), headers=headers)

        response = self._application(environ, start_response)
        page = b"".join(response).decode()
        if hasattr(response, "close"):
            response.close()
        if seen["status"] != wanted:
            raise AssertionError(f"{method} {path}: {seen['status']} {seen['headers']}")
        for name, value in seen["headers"]:
            if name.lower() == "set-cookie":
                self.cookies.update({key: morsel.value for key, morsel in SimpleCookie(value).items()})
        return page


def walk_all(tracer: Tracer, new_browser: Callable[[], Browser]) -> list[Walk]:
    """The walks, each with a browser that has come by before."""
    fetched, cached = Walk("a page that is fetched"), Walk("a page whose data is all cached")
    expired, created = Walk("a page whose access token has expired"), Walk("a create with its list")

    browser = _known(new_browser(), tracer)
    with tracer.tracing(fetched):
        browser.get(f"{CLIENTS}?sort=name")
    with tracer.tracing(cached):
        browser.get(CLIENTS)
    if cached.sends:
        raise AssertionError(f"not all was cached: {cached.sends}")

    browser = new_browser()
    browser.use_short_lived_token()
    browser = _known(browser, tracer)
    before = browser.cookies[VAR_ACCESS_TOKEN]
    time.sleep(SHORT_LIFE_S + 1)
    with tracer.tracing(expired):
        browser.get(CLIENTS)
    if browser.cookies[VAR_ACCESS_TOKEN] == before:
        raise AssertionError("no refresh took place")

    browser = _known(new_browser(), tracer)
    name = f"Walker {time.time_ns()}"
    fields = {**browser.hidden_fields(f"{CLIENTS}/new"), "name": name, "email": "walker@example.com"}
    with tracer.tracing(created):
        browser.post(f"{CLIENTS}/new", fields)
        page = browser.get(CLIENTS)
    if name not in page:
        raise AssertionError("the list does not show what was created")
    return [cached, expired, created, fetched]


def _known(browser: Browser, tracer: Tracer) -> Browser:
    """The same browser, when the portal has cached the list of clients and the profile."""
    for _ in range(5):
        probe = Walk("probe")
        with tracer.tracing(probe):
            browser.get(CLIENTS)
        if not probe.sends:
            return browser
    raise AssertionError("the list of clients does not stay in the cache")


# --- what is printed ---


def report(walks: list[Walk], *, hops: bool) -> None:
    """The table, the way of each call to the backend, and on request each walk's tree."""
    print("\n| walk | files | functions | frames | hops | deepest | turns | calls to the backend |\n|" + "---|" * 8)
    for walk in walks:
        figures = [len(_by_file(walk)), len(walk.frames), walk.frames.total()]
        figures += [len(walk.hops), walk.deepest, walk.turned.total(), len(walk.sends)]
        print(f"| {walk.name} | {' | '.join(map(str, figures))} |")
    for walk in walks:
        for way in walk.sends:
            lambdas = sum("<lambda>" in name for name in way)
            print(f"\n{walk.name}: {len(way)} functions from the hook to the socket, {lambdas} of them lambdas")
            print("\n".join(f"    {name}" for name in way))
    for walk in walks if hops else ():
        print(f"\n{walk.name}: turns")
        for (caller, callee), count in walk.turned.most_common():
            print(f"    {count:3} {caller} -> {callee}")
        print(f"\n{walk.name}: frames by file")
        print("\n".join(f"    {count:4} {module}" for module, count in _by_file(walk).most_common()))
        print(f"\n{walk.name}: hops")
        last, count = None, 0
        for hop in [*walk.hops, None]:
            if hop == last:
                count += 1
                continue
            if last is not None:
                print(f"    {'  ' * last[0]}{last[1]}{f' x{count}' if count > 1 else ''}")
            last, count = hop, 1


def _by_file(walk: Walk) -> Counter[str]:
    found: Counter[str] = Counter()
    for (module, _), count in walk.frames.items():
        found[module] += count
    return found


@contextlib.contextmanager
def sandbox(folder: Path) -> Iterator[str]:
    """A seeded sandbox in a process of its own, on a free port of this machine; gives its address."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("APP_", "SANDBOX_"))}
    environment = {
        **kept,
        "PYTHONPATH": str(ROOT / "packages"),
        "DEBUG": "on",
        "SANDBOX_STATE_DIR": str(folder),
        "SANDBOX_JWT_KEY": KEY,
    }
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    prepare_sandbox(environment)
    with (folder / "log").open("w") as log:
        server = subprocess.Popen(
            [sys.executable, "-m", "sandbox_api", "serve", "--port", str(port), "--end-with-parent"],
            env=environment,
            cwd=ROOT,
            stdout=log,
            stderr=log,
        )
    try:
        address = f"http://127.0.0.1:{port}"
        end = time.monotonic() + 30
        while True:
            try:
                requests.get(f"{address}/healthz", timeout=1).raise_for_status()
                break
            except requests.RequestException:
                if time.monotonic() > end:
                    raise
                time.sleep(0.05)
        yield address
    finally:
        server.terminate()
        server.wait(20)


def measure(*, hops: bool, number: int) -> None:
    """So many rounds, and one before that counts only if it is alone, since modules are imported in it."""
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        state = Path(folder)
        (state / "sandbox").mkdir(mode=0o700)
        backend = stack.enter_context(sandbox(state / "sandbox"))
        tracer = Tracer()
        tracer.start()
        application = load_application("energy", state=state / "state", backend=backend)

        def new_browser() -> Browser:
            return Browser(application, backend=backend)

        def walk_later() -> list[Walk]:
            # The last round's create is over by then, also for a backend whose reads lag.
            time.sleep(QUIET_S)
            return walk_all(tracer, new_browser)

        rounds = [walk_all(tracer, new_browser), *(walk_later() for _ in range(number))]
        walks = [min(made, key=lambda walk: walk.frames.total()) for made in zip(*(rounds[1:] or rounds), strict=True)]
        report(walks, hops=hops)


if __name__ == "__main__":
    main()
