"""Stands between the projects and the sandbox backend, and fails on demand what a test names."""

from __future__ import annotations

import contextlib
import http.client
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

HOP_BY_HOP = {"connection", "keep-alive", "transfer-encoding", "content-length", "date", "server"}


#: Seconds. Longer than anybody waits for a page.
HELD_S = 120


class Held:
    """Holds the calls of one path from one on, until the test lets them go on.

    :param free: how many of them are let through before.
    :ivar calls: how many came.
    :ivar waits: is set as soon as one is held.
    :ivar goes_on: set by the test.
    """

    def __init__(self, path: str, *, method: str | None = None, free: int = 0) -> None:
        self.path, self.method, self.free = path, method, free
        self.calls = 0
        self.waits = threading.Event()
        self.goes_on = threading.Event()

    def __call__(self, method: str, address: str) -> None:
        if address.partition("?")[0] != self.path or self.method not in {None, method}:
            return
        self.calls += 1
        if self.calls > self.free:
            self.waits.set()
            self.goes_on.wait(HELD_S)


class BackendProxy:
    """Forwards everything; answers 503 for the paths in `failing`, and loses the backend's answers for those in `losing`.

    `calls` are methods and addresses, in order; `before_each` is called with each of them, before it is answered. `keys`
    are addresses and the values of `Idempotency-Key` that came with them; `traceparents` the values of that header;
    `headers` the names and values of all headers of each call, by their names in lower case; `answered` the answers, each
    with the `Authorization` of its call.
    """

    def __init__(self, *, port: int) -> None:
        self.backend_port = port
        self.failing: set[str] = set()
        self.losing: set[str] = set()
        self.calls: list[tuple[str, str]] = []
        self.answered: list[tuple[tuple[str, str, int], str]] = []
        self.keys: list[tuple[str, str]] = []
        self.headers: list[dict[str, str]] = []
        self.traceparents: list[str | None] = []
        self.before_each: Callable[[str, str], None] | None = None
        self.url = ""

    @property
    def answers(self) -> list[tuple[str, str, int]]:
        """Methods, addresses and the status of each answer, in order."""
        return self.answers_without(set())

    def answers_without(self, tokens: set[str]) -> list[tuple[str, str, int]]:
        """The same, but for the calls with one of these access tokens."""
        left_out = {f"Bearer {token}" for token in tokens}
        return [answer for answer, bearer in self.answered if bearer not in left_out]

    def hold(self, path: str, *, method: str | None = None, free: int = 0) -> Held:
        """Hold the calls of a path: see :class:`Held`."""
        made = Held(path, method=method, free=free)
        self.before_each = made
        return made

    def let_through(self) -> None:
        """Forward everything again, what is held too, and forget what came."""
        if isinstance(self.before_each, Held):
            self.before_each.goes_on.set()
        self.before_each = None
        for noted in (self.failing, self.losing, self.calls, self.answered, self.keys, self.headers, self.traceparents):
            noted.clear()

    def calls_of(self, path: str, *, method: str = "GET") -> int:
        """How often a path was called, with any query."""
        return sum((each, address.partition("?")[0]) == (method, path) for each, address in self.calls)

    def receive(self, method: str, address: str, *, key: str | None) -> None:
        """Note a call, and hold it where the test does."""
        self.calls.append((method, address))
        if key is not None:
            self.keys.append((address, key))
        if self.before_each is not None:
            self.before_each(method, address)


@contextlib.contextmanager
def backend_proxy(*, backend_port: int) -> Iterator[BackendProxy]:
    proxy = BackendProxy(port=backend_port)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def forward(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            proxy.receive(self.command, self.path, key=self.headers.get("Idempotency-Key"))
            proxy.headers.append({name.lower(): value for name, value in self.headers.items()})
            proxy.traceparents.append(self.headers.get("traceparent"))
            path = self.path.partition("?")[0]
            if path in proxy.failing:
                self.answer(503, [], b"")
                return
            backend = http.client.HTTPConnection("127.0.0.1", proxy.backend_port, timeout=30)
            try:
                headers = {name: value for name, value in self.headers.items() if name.lower() != "host"}
                backend.request(self.command, self.path, body=body or None, headers=headers)
                answer = backend.getresponse()
                bearer = self.headers.get("Authorization") or ""
                proxy.answered.append(((self.command, self.path, answer.status), bearer))
                if path in proxy.losing:
                    self.close_connection = True
                    return
                self.answer(answer.status, answer.getheaders(), answer.read())
            finally:
                backend.close()

        def answer(self, status: int, headers: list[tuple[str, str]], content: bytes) -> None:
            self.send_response(status)
            for name, value in headers:
                if name.lower() not in HOP_BY_HOP:
                    self.send_header(name, value)
            if status != 204:
                self.send_header("Content-Length", str(len(content)))
            # Who asked may have given up.
            with contextlib.suppress(ConnectionError):
                self.end_headers()
                self.wfile.write(content)

        do_GET = do_POST = do_PATCH = do_DELETE = forward  # noqa: N815  the server's names

        def log_message(self, *_: object) -> None:
            """Silent."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    proxy.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield proxy
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
