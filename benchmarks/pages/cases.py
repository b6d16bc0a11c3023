"""Pages under load, each beside an empty view behind Django's default middlewares, stretch by stretch in turn."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import median, quantiles
from typing import TYPE_CHECKING, Final

from benchmarks.harness.default_project import EMPTY_PATH
from benchmarks.harness.load import CONNECTIONS, Answers, answer_to, drive
from benchmarks.harness.servers import Server, project_server, wsgi_server
from benchmarks.harness.stub_backend import Stub
from benchmarks.pages.rows import PAGES, Row, Visitor

if TYPE_CHECKING:
    from contextlib import AbstractContextManager


#: Delay of the slow backend.
DELAY_MS: Final = 20
#: So many that 16 threads are all at work while the backend takes its time.
DELAYED_CONNECTIONS: Final = 32
#: Visits within which a page's data must have come into the cache.
MOST_VISITS: Final = 10
#: In a sign-in's cache two lists of one page may have one place, and then take it from each other at each visit.
MOST_SIGN_INS: Final = 3
EMPTY_REQUEST: Final = f"GET {EMPTY_PATH} HTTP/1.1\r\nHost: localhost\r\nAccept: text/html\r\n\r\n".encode()


@dataclass(frozen=True, kw_only=True)
class Stretch:
    """Result of one stretch of load.

    :param cpu_ms: CPU time of a request.
    :param of_empty: the same, divided by that of the empty view right after it.
    :param rate: requests a second.
    :param calls: calls to the backend, of each request.
    """

    cpu_ms: float
    of_empty: float
    rate: float
    p99_ms: float
    calls: float


@dataclass(frozen=True, kw_only=True)
class Side:
    """One of those whose pages are compared.

    :param pages: names of the pages that it has.
    :param threads: with how many its server runs beside the others'; None for each number.
    :param warm_requests: how many a page gets before it is measured.
    :param lead_s: seconds of load before each stretch.
    """

    name: str
    start: Callable[..., AbstractContextManager[Server]]
    pages: Sequence[str] = tuple(PAGES)
    threads: int | None = None
    warm_requests: int = 200
    lead_s: float = 0.1

    def has(self, row: Row, threads: int) -> bool:
        """Return whether this page is measured with so many threads."""
        return row in map(PAGES.get, self.pages) and self.threads in {None, threads}

    @contextlib.contextmanager
    def loaded(self, *, threads: int, folder: Path) -> Iterator[tuple[Server, list[Visitor]]]:
        """Run the energy app while the block lasts, with a visitor of each of its pages."""
        place = folder / f"memory {self.name} {threads}"
        place.mkdir()
        with self.start("energy", threads=threads, folder=place) as server:
            rows = [PAGES[name] for name in self.pages if PAGES[name].app == "energy"]
            visitors = [Visitor(row, partial(answer_to, server.port)) for row in rows]
            for visitor in visitors:
                visitor.visit()
            yield server, visitors


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
        """Name of the page in the tables."""
        return f"{self.row.name}, backend {self.delay_ms} ms" if self.delay_ms else self.row.name

    @property
    def key(self) -> tuple[Row, int, int]:
        """Key that the same page of another side has too."""
        return self.row, self.delay_ms, self.threads

    def figure(self, name: str) -> float:
        """Return the median of a figure of the stretches."""
        return median(getattr(stretch, name) for stretch in self.stretches)

    def ratio(self, name: str, other: Case) -> float:
        """Return the median of a figure divided by the other's, stretch by stretch."""
        pairs = zip(self.stretches, other.stretches, strict=True)
        return median(getattr(here, name) / getattr(there, name) for here, there in pairs)

    def prepare(self, stub: Stub) -> Visitor:
        """Visit the page until its data is cached, and check it; return the visitor that sends the load."""
        for _ in range(MOST_SIGN_INS):
            visitor = Visitor(self.row, partial(answer_to, self.server.port))
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
            sent += self._load(visitor, 0.25).number

    def run(self, stub: Stub, visitor: Visitor, seconds: float) -> None:
        """Run one stretch, and one of the empty view."""
        stub.answer_after(self.delay_ms)
        # Since this server's last stretch others have had the core, and its caches.
        if self.side.lead_s:
            self._load(visitor, self.side.lead_s)
        calls, cpu_s = stub.calls(), self.server.cpu_s()
        answers = self._load(visitor, seconds)
        cpu_s, calls = self.server.cpu_s() - cpu_s, stub.calls() - calls
        stub.answer_after(0)
        empty_cpu_s = self.empty.cpu_s()
        # It is so much faster that half the time has more requests.
        empty = drive(self.empty.port, itertools.repeat(EMPTY_REQUEST), seconds=seconds / 2)
        empty_cpu_s = self.empty.cpu_s() - empty_cpu_s
        stretch = Stretch(
            cpu_ms=cpu_s / answers.number * 1000,
            of_empty=cpu_s / answers.number / (empty_cpu_s / empty.number),
            rate=answers.rate,
            p99_ms=quantiles(answers.latencies_s, n=100)[98] * 1000,
            calls=calls / answers.number,
        )
        self.stretches.append(stretch)

    def _load(self, visitor: Visitor, seconds: float) -> Answers:
        connections = DELAYED_CONNECTIONS if self.delay_ms else CONNECTIONS
        requests = visitor.requests()
        return drive(self.server.port, requests, seconds=seconds, status=self.row.status, connections=connections)


def of_checkout(name: str, checkout: Path, *, core: int | None, backend: str) -> Side:
    """Return the pages of a checkout."""
    return Side(name=name, start=partial(project_server, core=core, backend=backend, checkout=checkout))


@contextlib.contextmanager
def started(
    sides: Sequence[Side], rows: Sequence[Row], *, threads: Sequence[int], folder: Path, core: int | None
) -> Iterator[list[Case]]:
    """Start the servers of all sides with each number of threads, for all pages."""
    with contextlib.ExitStack() as stack:
        servers, found = {}, []
        for number in threads:
            target, log = "benchmarks.harness.default_project:application", folder / f"empty {number}"
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
