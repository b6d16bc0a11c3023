"""What is measured while one thing grows. Each curve loads the clients page of the energy app, of a signed-in user."""

from __future__ import annotations

import contextlib
import itertools
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median, quantiles
from typing import TYPE_CHECKING, Final

from benchmarks._capacity_backend import access_token
from benchmarks._page_rows import CLIENTS, KEY, TOKEN_LIFE_S
from benchmarks._rates import CONNECTIONS, answer_to, drive
from benchmarks._servers import project_server, serving
from portal.config.cookies import VAR_ACCESS_TOKEN
from tests.support.ports import free_port
from tests.support.redis_server import RedisServer, running_redis

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from benchmarks._servers import Server
    from benchmarks._stub_backend import Stub

MIB: Final = 1024 * 1024
_numbers = itertools.count(1)


@dataclass(frozen=True, kw_only=True)
class Curve:
    """What grows, and what is measured of it.

    :param grows: with its unit.
    :param columns: what each point has, beside the value of what grows.
    :param drawn: how many of the columns are drawn, from the first on; they have the same unit.
    :param log_x: whether each step is a multiple of the one before.
    """

    name: str
    title: str
    grows: str
    values: tuple[int, ...]
    columns: tuple[str, ...]
    drawn: int
    unit: str
    measure: Callable[[Bench, Sequence[int]], Iterable[tuple[float, ...]]]
    log_x: bool = True
    log_y: bool = False


@dataclass(frozen=True, kw_only=True)
class Load:
    """What came of a load.

    :param cpu_ms: of the server, for each request.
    :param calls: of the backend, for each request.
    """

    cpu_ms: float
    rate: float
    p50_ms: float
    p99_ms: float
    calls: float


@dataclass(kw_only=True)
class Bench:
    """The running backend, and how long each load lasts.

    :param core: that servers get.
    :param seconds: of each stretch; a figure is the median of three.
    """

    folder: Path
    stub: Stub
    core: int | None
    seconds: float

    @contextlib.contextmanager
    def server(self, *, threads: int = 8, workers: int = 1, store: str = "", cores: bool = False) -> Iterator[Server]:
        """The energy app.

        :param cores: whether it may use all of them.
        """
        folder = self.folder / f"server {next(_numbers)}"
        folder.mkdir()
        core = None if cores else self.core
        with project_server(
            "energy",
            core=core,
            threads=threads,
            folder=folder,
            backend=self.stub.url,
            key=KEY,
            workers=workers,
            store=store,
        ) as server:
            # What it makes for its first pages, and what a backend's first answers tell.
            self.load(server, [request(CLIENTS)], seconds=0.5)
            yield server

    def load(
        self, server: Server, requests: Iterable[bytes], *, connections: int = CONNECTIONS, seconds: float | None = None
    ) -> Load:
        """Send these in turn, again and again."""
        endless = requests if isinstance(requests, Iterator) else itertools.cycle(requests)
        stretches = []
        for _ in range(3):
            calls, cpu_s = self.stub.calls(), server.cpu_s()
            found = drive(server.port, endless, seconds=seconds or self.seconds, status=b"200", connections=connections)
            cpu_s, calls = server.cpu_s() - cpu_s, self.stub.calls() - calls
            stretches.append((found, cpu_s / found.number * 1000, calls / found.number))
        latencies = [latency * 1000 for found, _, _ in stretches for latency in found.latencies_s]
        return Load(
            cpu_ms=median(cpu_ms for _, cpu_ms, _ in stretches),
            rate=median(found.rate for found, _, _ in stretches),
            p50_ms=median(latencies),
            p99_ms=quantiles(latencies, n=100)[98],
            calls=median(calls for _, _, calls in stretches),
        )


def request(path: str, *, user: str = "grown", token: str | None = None) -> bytes:
    """The octets of a user's request for a page."""
    cookie = f"{VAR_ACCESS_TOKEN}={token or access_token(user, life_s=TOKEN_LIFE_S)}"
    return f"GET {path} HTTP/1.1\r\nHost: localhost\r\nAccept: text/html\r\nCookie: {cookie}\r\n\r\n".encode()


def rows_of_a_page(bench: Bench, values: Sequence[int]) -> Iterator[tuple[float, ...]]:
    """Lists of so many rows: all cached, and of a search that nobody has made."""
    token = access_token("grown", life_s=TOKEN_LIFE_S)
    with bench.server() as server:
        for rows in values:
            page = f"{CLIENTS}?pages={rows // 20}"
            answer = answer_to(server.port, request(page, token=token))
            if answer.count(b"data-row-id=") != rows:
                sys.exit(f"{page}: {answer.count(b'data-row-id=')} rows, not {rows}")
            kept = bench.load(server, [request(page, token=token)])
            searches = (request(f"{page}&q=word{number}", token=token) for number in _numbers)
            anew = bench.load(server, searches)
            yield kept.cpu_ms, anew.cpu_ms, len(answer) / 1024


def users(bench: Bench, values: Sequence[int]) -> Iterator[tuple[float, ...]]:
    """So many signed-in users, each of whom has been here, in turn: the embedded store, and Redis."""
    requests = [request(CLIENTS, user=f"user{number}") for number in range(max(values))]
    with contextlib.ExitStack() as stack:
        redis = stack.enter_context(running_redis(_new_folder(bench, "redis")))
        client = stack.enter_context(redis.client())
        embedded = stack.enter_context(bench.server())
        on_redis = stack.enter_context(bench.server(store=redis.url()))
        begun, seen = 0, client.info("memory")["used_memory"]
        for number in values:
            for server in (embedded, on_redis):
                # A second visit asks for the profile again.
                for _ in range(2):
                    _visit_each(server, requests[begun:number])
            begun = number
            loads = [bench.load(server, requests[:number]) for server in (embedded, on_redis)]
            grown = (client.info("memory")["used_memory"] - seen) / MIB
            yield (
                *(load.cpu_ms for load in loads),
                *(load.p99_ms for load in loads),
                *(server.memory().pss for server in (embedded, on_redis)),
                grown,
            )


def variants(bench: Bench, values: Sequence[int]) -> Iterator[tuple[float, ...]]:
    """One user's searches, in turn, each of which was made before."""
    token = access_token("grown", life_s=TOKEN_LIFE_S)
    with bench.server() as server:
        for number in values:
            requests = [request(f"{CLIENTS}?q=view{view}", token=token) for view in range(number)]
            _visit_each(server, requests)
            load = bench.load(server, requests, seconds=max(bench.seconds, number / 500 if bench.seconds > 0.2 else 0))
            yield load.cpu_ms, load.calls, load.p99_ms


def connections(bench: Bench, values: Sequence[int]) -> Iterator[tuple[float, ...]]:
    """Requests at the same time for a cached page."""
    with bench.server() as server:
        for number in values:
            load = bench.load(server, [request(CLIENTS)], connections=number)
            yield load.p50_ms, load.p99_ms, load.rate, load.cpu_ms


def workers(bench: Bench, values: Sequence[int]) -> Iterator[tuple[float, ...]]:
    """Workers on all cores, which the load generator and the backend use too."""
    for number in values:
        with bench.server(workers=number, cores=True) as server:
            cached = bench.load(server, [request(CLIENTS)], connections=32)
            token = access_token("grown", life_s=TOKEN_LIFE_S)
            searches = (request(f"{CLIENTS}?q=word{each}", token=token) for each in _numbers)
            anew = bench.load(server, searches, connections=32)
            yield cached.rate, anew.rate, cached.p99_ms, server.memory().pss


def backend_latency(bench: Bench, values: Sequence[int]) -> Iterator[tuple[float, ...]]:
    """A search that nobody has made, with 8 and 16 threads; and a cached page."""
    token = access_token("grown", life_s=TOKEN_LIFE_S)
    with bench.server() as eight, bench.server(threads=16) as sixteen:
        for delay_ms in values:
            bench.stub.answer_after(delay_ms)
            loads = []
            for server in (eight, sixteen):
                searches = (request(f"{CLIENTS}?q=word{each}", token=token) for each in _numbers)
                loads.append(bench.load(server, searches, connections=32))
            cached = bench.load(eight, [request(CLIENTS)], connections=32)
            bench.stub.answer_after(0)
            yield cached.rate, loads[0].rate, loads[1].rate, loads[0].p50_ms


def store_latency(bench: Bench, values: Sequence[int]) -> Iterator[tuple[float, ...]]:
    """Redis, whose answers come later: a cached page with 8 and 16 threads."""
    with running_redis(_new_folder(bench, "slow redis")) as redis:
        for delay_ms in values:
            loads = []
            for threads in (8, 16):
                with _relayed(redis, delay_ms) as url, bench.server(threads=threads, store=url) as server:
                    loads.append(bench.load(server, [request(CLIENTS)], connections=32))
            yield loads[0].rate, loads[1].rate, loads[0].p50_ms


def exports(bench: Bench, values: Sequence[int]) -> Iterator[tuple[float, ...]]:
    """A list as a file of so many rows."""
    with bench.server() as server:
        for rows in values:
            worker = server.workers_memory().pss
            began, cpu_s = time.perf_counter(), server.cpu_s()
            answer = answer_to(server.port, request(f"{CLIENTS}/export?q=rows{rows}"))
            took = time.perf_counter() - began
            _, _, body = answer.partition(b"\r\n\r\n")
            if body.count(b"@example.com") != rows:
                sys.exit(f"a file of {body.count(b'@example.com')} rows, not {rows}: {answer[:1000]!r}")
            yield took, server.cpu_s() - cpu_s, len(answer) / 1e6, server.workers_memory().pss - worker


def _visit_each(server: Server, requests: Sequence[bytes]) -> None:
    sent, each = 0, itertools.cycle(requests)
    while sent < len(requests):
        sent += drive(server.port, each, seconds=0.2, status=b"200").number


def _new_folder(bench: Bench, name: str) -> Path:
    folder = bench.folder / name
    folder.mkdir()
    return folder


@contextlib.contextmanager
def _relayed(redis: RedisServer, delay_ms: int) -> Iterator[str]:
    port = free_port()
    command = [sys.executable, "-m", "benchmarks._slow_relay", str(port), str(redis.port), str(delay_ms)]
    with serving(command, port=port, core=None):
        yield f"redis://127.0.0.1:{port}/0"


CURVES: Final = (
    Curve(
        name="rows",
        title="Rows of a page",
        grows="rows",
        values=(20, 40, 80, 120, 160, 200),
        columns=("cached, CPU ms", "another search each time, CPU ms", "HTML, KiB"),
        drawn=2,
        unit="CPU, ms",
        measure=rows_of_a_page,
        log_x=False,
    ),
    Curve(
        name="users",
        title="Signed-in users, in turn",
        grows="users",
        values=(1, 10, 100, 1_000, 10_000),
        columns=(
            *("embedded, CPU ms", "Redis, CPU ms", "embedded, p99 ms", "Redis, p99 ms"),
            *("embedded, PSS MiB", "with Redis, PSS MiB", "in Redis, MiB"),
        ),
        drawn=2,
        unit="CPU, ms",
        measure=users,
    ),
    Curve(
        name="variants",
        title="Searches of one user, in turn",
        grows="searches",
        values=(1, 16, 64, 128, 256, 512, 1_024),
        columns=("CPU ms", "calls of the backend", "p99 ms"),
        drawn=2,
        unit="of a page",
        measure=variants,
    ),
    Curve(
        name="connections",
        title="Requests at the same time",
        grows="connections",
        # Of more than five times its threads a worker turns some away.
        values=(1, 2, 4, 8, 16, 32, 40),
        columns=("p50 ms", "p99 ms", "pages a second", "CPU ms"),
        drawn=2,
        unit="ms",
        measure=connections,
        log_y=True,
    ),
    Curve(
        name="workers",
        title="Workers on two cores, shared with the load",
        grows="workers",
        values=(1, 2),
        columns=("cached, pages a second", "another search each time", "p99 ms", "PSS MiB"),
        drawn=2,
        unit="pages a second",
        measure=workers,
        log_x=False,
    ),
    Curve(
        name="backend",
        title="Latency of the backend",
        grows="ms",
        values=(0, 5, 10, 20, 50, 100, 200),
        columns=("cached, pages a second", "searches, 8 threads", "searches, 16 threads", "p50 ms"),
        drawn=3,
        unit="pages a second",
        measure=backend_latency,
        log_x=False,
    ),
    Curve(
        name="store",
        title="Latency of the store",
        grows="ms",
        values=(0, 1, 2, 5, 10, 20),
        columns=("8 threads, pages a second", "16 threads", "p50 ms"),
        drawn=2,
        unit="pages a second",
        measure=store_latency,
        log_x=False,
    ),
    Curve(
        name="exports",
        title="Rows of a file",
        grows="rows",
        values=(100, 1_000, 5_000, 20_000, 50_000),
        columns=("seconds", "CPU s", "MB", "worker grows, MiB"),
        drawn=2,
        unit="seconds",
        measure=exports,
        log_y=True,
    ),
)
