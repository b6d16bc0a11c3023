"""Stands between the projects and the sandbox backend, and fails on demand what a test names."""

import contextlib
import http.client
import threading
from collections.abc import Callable, Iterator

from tests.support.serving import Call, Reply, serving

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

    def __init__(self, path: str, *, free: int = 0) -> None:
        self.path, self.free = path, free
        self.calls = 0
        self.waits = threading.Event()
        self.goes_on = threading.Event()

    def __call__(self, method: str, address: str) -> None:
        if address.partition("?")[0] != self.path:
            return
        self.calls += 1
        if self.calls > self.free:
            self.waits.set()
            self.goes_on.wait(HELD_S)


class BackendProxy:
    """Forward everything, and answer 503 for the paths in `failing`.

    `calls` have come, in order, and `answers` are their methods and addresses with the status of each answer; `before_each`
    is called with each call, before it is answered, and `instead` may answer it: None forwards it.
    """

    def __init__(self, *, port: int) -> None:
        self.backend_port = port
        self.failing: set[str] = set()
        self.calls: list[Call] = []
        self.answers: list[tuple[str, str, int]] = []
        self.before_each: Callable[[str, str], None] | None = None
        self.instead: Callable[[Call], Reply | None] | None = None
        self.url = ""

    def hold(self, path: str, *, free: int = 0) -> Held:
        """Hold the calls of a path: see :class:`Held`."""
        self.before_each = made = Held(path, free=free)
        return made

    def let_through(self) -> None:
        """Forward everything again, what is held too, and forget what came."""
        if isinstance(self.before_each, Held):
            self.before_each.goes_on.set()
        self.before_each = self.instead = None
        for noted in (self.failing, self.calls, self.answers):
            noted.clear()

    def calls_of(self, path: str, *, method: str = "GET") -> int:
        """How often a path was called, with any query."""
        return sum((call.method, call.path) == (method, path) for call in self.calls)

    def forward(self, call: Call) -> Reply:
        """The backend's answer to a call, or the fault that the test named."""
        self.calls.append(call)
        if self.before_each is not None:
            self.before_each(call.method, call.target)
        if call.path in self.failing:
            return Reply(503)
        found = (self.instead(call) if self.instead is not None else None) or self.ask(call)
        self.answers.append((call.method, call.target, found.status))
        return found

    def ask(self, call: Call) -> Reply:
        """The backend's own answer."""
        backend = http.client.HTTPConnection("127.0.0.1", self.backend_port, timeout=30)
        try:
            headers = {name: value for name, value in call.headers.items() if name not in {"host", "content-length"}}
            backend.request(call.method, call.target, body=call.body or None, headers=headers)
            answer = backend.getresponse()
            kept = [(name, value) for name, value in answer.getheaders() if name.lower() not in HOP_BY_HOP]
            return Reply(answer.status, answer.read(), kept)
        finally:
            backend.close()


@contextlib.contextmanager
def backend_proxy(*, backend_port: int) -> Iterator[BackendProxy]:
    proxy = BackendProxy(port=backend_port)
    with serving(proxy.forward) as server:
        proxy.url = server.url
        yield proxy
