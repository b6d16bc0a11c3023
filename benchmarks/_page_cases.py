"""Pages under load, each beside an empty view behind Django's default middlewares, stretch by stretch in turn."""

from __future__ import annotations

import contextlib
import itertools
from dataclasses import dataclass, field
from functools import partial
from statistics import median, quantiles
from typing import TYPE_CHECKING, Final, Protocol

from benchmarks._default_project import EMPTY_PATH
from benchmarks._page_rows import KEY, Row, Visitor
from benchmarks._rates import CONNECTIONS, answer_to, drive
from benchmarks._servers import project_server, wsgi_server

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from benchmarks._rates import Answers
    from benchmarks._servers import Server
    from benchmarks._stub_backend import Stub

#: What the slow backend takes.
DELAY_MS: Final = 20
#: So many that 16 threads are all at work while the backend takes its time.
DELAYED_CONNECTIONS: Final = 32
WARM_STEP_S: Final = 0.25
#: Visits within which a page's data must have come into the cache.
MOST_VISITS: Final = 10
EMPTY_REQUEST: Final = f"GET {EMPTY_PATH} HTTP/1.1\r\nHost: localhost\r\nAccept: text/html\r\n\r\n".encode()


@dataclass(frozen=True, kw_only=True)
class Stretch:
    """What came of one stretch of load.

    :param cpu_ms: CPU time of a request.
    :param empty_ms: the same, of the empty view's right after it.
    :param rate: requests a second.
    :param calls: calls to the backend, of each request.
    """

    cpu_ms: float
    empty_ms: float
    rate: float
    latencies_ms: list[float]
    calls: float


class StartServer(Protocol):
    """Starts an app of one side."""

    def __call__(self, app: str, *, threads: int, folder: Path) -> AbstractContextManager[Server]: ...


@dataclass(frozen=True, kw_only=True)
class Side:
    """Whose pages are measured.

    :param rows: those that it has; None for all.
    :param threads: with how many its server runs beside the others'; None for each number.
    :param warm_requests: how many a page gets before it is measured.
    :param lead_s: seconds of load before each stretch.
    """

    name: str
    start: StartServer
    rows: frozenset[Row] | None = None
    threads: int | None = None
    warm_requests: int = 200
    lead_s: float = 0.1

    def has(self, row: Row, threads: int) -> bool:
        """Whether this page is measured with so many threads."""
        return (self.rows is None or row in self.rows) and self.threads in {None, threads}


@dataclass(frozen=True, kw_only=True)
class Case:
    """One page on one server, before a backend that takes so long.

    :param empty: the server of the empty view that runs beside it.
    """

    side: Side
    row: Row
    threads: int
    delay_ms: int
    server: Server
    empty: Server
    stretches: list[Stretch] = field(default_factory=list)

    @property
    def name(self) -> str:
        """As the tables have it."""
        return f"{self.row.name}, backend {self.delay_ms} ms" if self.delay_ms else self.row.name

    @property
    def key(self) -> tuple[Row, int, int]:
        """What the same page of another side has too: the page, the backend's delay and the number of threads."""
        return self.row, self.delay_ms, self.threads

    @property
    def cpu_ms(self) -> float:
        """CPU time of a request, median."""
        return median(stretch.cpu_ms for stretch in self.stretches)

    @property
    def of_empty(self) -> float:
        """CPU time of a request, of the empty view's, median."""
        return median(stretch.cpu_ms / stretch.empty_ms for stretch in self.stretches)

    @property
    def rate(self) -> float:
        """Requests a second, median."""
        return median(stretch.rate for stretch in self.stretches)

    @property
    def calls(self) -> float:
        """Calls to the backend, of each request."""
        return median(stretch.calls for stretch in self.stretches)

    def percentile(self, percent: int) -> float:
        """Of all latencies, ms."""
        latencies = [latency for stretch in self.stretches for latency in stretch.latencies_ms]
        return quantiles(latencies, n=100)[percent - 1]

    def prepare(self, stub: Stub) -> Visitor:
        """Visit the page until its data is cached, and check it; gives who sends the load."""
        visitor = Visitor(self.row, lambda request: answer_to(self.server.port, request))
        for _ in range(MOST_VISITS):
            before = stub.calls()
            visitor.visit()
            if not self.row.is_cached or stub.calls() == before:
                return visitor
        raise AssertionError(f"{self.row.name}: the backend is still called after {MOST_VISITS} visits")

    def warm(self, visitor: Visitor) -> None:
        """Load it with as many requests as its side needs."""
        sent = 0
        while sent < self.side.warm_requests:
            sent += self._load(visitor, WARM_STEP_S).number

    def run(self, stub: Stub, visitor: Visitor, seconds: float) -> None:
        """One stretch, and one of the empty view."""
        stub.answer_after(self.delay_ms)
        # Since this server's last stretch others have had the core, and its caches.
        self._load(visitor, self.side.lead_s)
        calls, cpu_s = stub.calls(), self.server.cpu_s()
        answers = self._load(visitor, seconds)
        cpu_s, calls = self.server.cpu_s() - cpu_s, stub.calls() - calls
        stub.answer_after(0)
        empty_cpu_s = self.empty.cpu_s()
        # It is so much faster that half the time has more requests.
        empty = drive(self.empty.port, itertools.repeat(EMPTY_REQUEST), seconds=seconds / 2, status=b"200")
        empty_cpu_s = self.empty.cpu_s() - empty_cpu_s
        stretch = Stretch(
            cpu_ms=cpu_s / answers.number * 1000,
            empty_ms=empty_cpu_s / empty.number * 1000,
            rate=answers.rate,
            latencies_ms=[latency * 1000 for latency in answers.latencies_s],
            calls=calls / answers.number,
        )
        self.stretches.append(stretch)

    def _load(self, visitor: Visitor, seconds: float) -> Answers:
        return drive(
            self.server.port,
            visitor.requests(),
            seconds=seconds,
            status=str(self.row.status).encode(),
            connections=DELAYED_CONNECTIONS if self.delay_ms else CONNECTIONS,
        )


def of_checkout(name: str, checkout: Path, *, core: int | None, backend: str) -> Side:
    """The pages of a checkout."""
    start = partial(project_server, core=core, backend=backend, key=KEY, checkout=checkout)
    return Side(name=name, start=start)


@contextlib.contextmanager
def started(
    sides: Sequence[Side], rows: Sequence[Row], *, threads: Sequence[int], folder: Path, core: int | None
) -> Iterator[list[Case]]:
    """All pages of all sides with each number of threads, their servers started."""
    with contextlib.ExitStack() as stack:
        servers, found = {}, []
        for number in threads:
            target, log = "benchmarks._default_project:application", folder / f"empty {number}"
            empty = stack.enter_context(wsgi_server(target, core=core, threads=number, log=log))
            for row, side in itertools.product(rows, sides):
                if not side.has(row, number):
                    continue
                place = folder / f"{side.name} {row.app} {number}"
                if place not in servers:
                    place.mkdir()
                    servers[place] = stack.enter_context(side.start(row.app, threads=number, folder=place))
                found += [
                    Case(side=side, row=row, threads=number, delay_ms=delay_ms, server=servers[place], empty=empty)
                    for delay_ms in ((0,) if row.is_cached else (0, DELAY_MS))
                ]
        # Those that are compared come after each other.
        yield sorted(found, key=lambda case: (rows.index(case.row), case.delay_ms, case.threads))


def measure(cases: Sequence[Case], *, stub: Stub, seconds: float, rounds: int) -> None:
    """Load all of them in turn, round by round."""
    pairs = [(case, case.prepare(stub)) for case in cases]
    # Rows that differ in their cookies run the same code.
    ways = {(case.server.port, case.row.path, case.row.searches): (case, visitor) for case, visitor in pairs}
    for case, visitor in ways.values():
        case.warm(visitor)
    for number in range(rounds):
        # Of two that are compared, each comes first in half of the rounds.
        for case, visitor in pairs if number % 2 else reversed(pairs):
            case.run(stub, visitor, seconds)
