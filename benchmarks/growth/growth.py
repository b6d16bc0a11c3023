"""Growth of cost: the clients page of the energy app while one thing grows, a table for each.

One worker on one core; load, backend and Redis on the other. A stub backend answers at once.

`./manage.py bench growth [--of rows,users] [--seconds 0.5] [--write]`
"""

import argparse
import contextlib
import itertools
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles
from typing import Final

from benchmarks.harness.load import answer_to, drive
from benchmarks.harness.measured import table, write
from benchmarks.harness.options import need, options_of, parser_of, skip
from benchmarks.harness.servers import Server, keep_to_one_core, project_server
from benchmarks.harness.stub_backend import Stub, access_token, stub_backend
from benchmarks.pages.rows import CLIENTS
from portal.config.cookies import VAR_ACCESS_TOKEN
from tests.support.redis_server import running_redis

MIB: Final = 1024 * 1024
#: Characters that fill an access token: real ones have 1 to 2 KB.
TOKEN_CHARS: Final = 500
_numbers = itertools.count(1)
Points = Iterator[tuple[float, ...]]
Measure = Callable[["Bench", Sequence[int]], Points]


@dataclass(frozen=True)
class Curve:
    """One growing thing, and its measure.

    :param grows: its unit.
    :param columns: of each point, beside the value of the growing thing.
    """

    title: str
    grows: str
    values: tuple[int, ...]
    columns: tuple[str, ...]
    measure: Measure


@dataclass(frozen=True, kw_only=True)
class Load:
    """Result of a load: CPU time of the server and calls of the backend are those of one request."""

    cpu_ms: float
    p99_ms: float
    calls: float


@dataclass(kw_only=True)
class Bench:
    """The running backend, and the duration of each load.

    :param core: that servers get.
    :param seconds: of each stretch; a figure is the median of three.
    """

    folder: Path
    stub: Stub
    core: int | None
    seconds: float

    def new_folder(self) -> Path:
        folder = self.folder / str(next(_numbers))
        folder.mkdir()
        return folder

    @contextlib.contextmanager
    def server(self, *, store: str = "") -> Iterator[Server]:
        """Run the energy app while the block lasts."""
        folder, backend = self.new_folder(), self.stub.url
        with project_server("energy", core=self.core, threads=8, folder=folder, backend=backend, store=store) as server:
            # Its first pages make all that a process caches.
            self.load(server, [request(CLIENTS)])
            yield server

    def load(self, server: Server, requests: Iterable[bytes], *, seconds: float | None = None) -> Load:
        """Send these in turn, again and again."""
        endless = requests if isinstance(requests, Iterator) else itertools.cycle(requests)
        stretches = []
        for _ in range(3):
            calls, cpu_s = self.stub.calls(), server.cpu_s()
            found = drive(server.port, endless, seconds=seconds or self.seconds)
            cpu_s, calls = server.cpu_s() - cpu_s, self.stub.calls() - calls
            stretches.append((found, cpu_s / found.number * 1000, calls / found.number))
        latencies = [latency * 1000 for found, _, _ in stretches for latency in found.latencies_s]
        return Load(
            cpu_ms=median(cpu_ms for _, cpu_ms, _ in stretches),
            p99_ms=quantiles(latencies, n=100)[98],
            calls=median(calls for _, _, calls in stretches),
        )


def request(path: str, *, user: str = "grown", token: str | None = None) -> bytes:
    """Return the octets of a user's request for a page."""
    cookie = f"{VAR_ACCESS_TOKEN}={token or access_token(user, filling_chars=TOKEN_CHARS)}"
    return f"GET {path} HTTP/1.1\r\nHost: localhost\r\nAccept: text/html\r\nCookie: {cookie}\r\n\r\n".encode()


def searches(page: str = f"{CLIENTS}?") -> Iterator[bytes]:
    """Return requests for searches that nobody has made."""
    token = access_token("grown", filling_chars=TOKEN_CHARS)
    return (request(f"{page}q=word{number}", token=token) for number in _numbers)


def _visit_each(server: Server, requests: Sequence[bytes]) -> None:
    sent, endless = 0, itertools.cycle(requests)
    while sent < len(requests):
        sent += drive(server.port, endless, seconds=0.2).number


def rows(bench: Bench, values: Sequence[int]) -> Points:
    """Lists of so many rows: all cached, and of a search that nobody has made."""
    with bench.server() as server:
        for rows in values:
            page = f"{CLIENTS}?pages={rows // 20}"
            cached = request(page)
            answer = answer_to(server.port, cached)
            if answer.count(b"data-row-id=") != rows:
                sys.exit(f"{page}: {answer.count(b'data-row-id=')} rows, not {rows}")
            loads = [bench.load(server, requests) for requests in ([cached], searches(f"{page}&"))]
            yield loads[0].cpu_ms, loads[1].cpu_ms, len(answer) / 1024


def users(bench: Bench, values: Sequence[int]) -> Points:
    """So many signed-in users, each of whom has been here, in turn: the embedded store, and Redis."""
    requests = [request(CLIENTS, user=f"user{number}") for number in range(max(values))]
    with contextlib.ExitStack() as stack:
        redis = stack.enter_context(running_redis(bench.new_folder()))
        client = stack.enter_context(redis.client())
        servers = [stack.enter_context(bench.server(store=store)) for store in ("", redis.url())]
        begun, seen = 0, client.info("memory")["used_memory"]
        for number in values:
            # A second visit asks for the profile again.
            for server in servers * 2:
                _visit_each(server, requests[begun:number])
            begun = number
            loads = [bench.load(server, requests[:number]) for server in servers]
            times = (*(load.cpu_ms for load in loads), *(load.p99_ms for load in loads))
            grown = (client.info("memory")["used_memory"] - seen) / MIB
            yield (*times, *(server.pss_mib() for server in servers), grown)


def variants(bench: Bench, values: Sequence[int]) -> Points:
    """One user's searches, in turn, each of which was made before."""
    token = access_token("grown", filling_chars=TOKEN_CHARS)
    with bench.server() as server:
        for number in values:
            requests = [request(f"{CLIENTS}?q=view{view}", token=token) for view in range(number)]
            _visit_each(server, requests)
            load = bench.load(server, requests, seconds=max(bench.seconds, number / 500 if bench.seconds > 0.2 else 0))
            yield load.cpu_ms, load.calls, load.p99_ms


_BOTH: Final = ("embedded, CPU ms", "Redis, CPU ms", "embedded, p99 ms", "Redis, p99 ms")
_MEMORY: Final = ("embedded, PSS MiB", "with Redis, PSS MiB", "in Redis, MiB")
_ROWS: Final = ("cached, CPU ms", "another search each time, CPU ms", "HTML, KiB")
_VARIANTS: Final = ("CPU ms", "calls of the backend", "p99 ms")
CURVES: Final = {
    "rows": Curve("Rows of a page", "rows", (20, 40, 80, 120, 160, 200), _ROWS, rows),
    "users": Curve("Signed-in users, in turn", "users", (1, 10, 100, 1_000, 10_000), (*_BOTH, *_MEMORY), users),
    "variants": Curve(
        "Searches of one user, in turn", "searches", (1, 16, 64, 128, 256, 512, 1_024), _VARIANTS, variants
    ),
}


def _names(text: str) -> list[str]:
    names = text.split(",")
    if unknown := set(names) - set(CURVES):
        raise argparse.ArgumentTypeError(f"nothing grows that is called {', '.join(sorted(unknown))}")
    return names


def main() -> None:
    """Print the tables, and write them if asked to."""
    parser = parser_of(__doc__, writes=True)
    parser.add_argument("--of", type=_names, default=list(CURVES), metavar="A,B", help=f"of {', '.join(CURVES)}")
    parser.add_argument("--seconds", type=float, default=0.5, help="of each of three stretches of load: 0.5")
    options = options_of(parser, seconds=0.02)
    if sys.platform != "linux":
        skip("CPU time and memory are read as Linux gives them")
    need("redis-server")
    core = keep_to_one_core(smoke=options.smoke)
    with tempfile.TemporaryDirectory(prefix="portal-bench-") as folder, stub_backend() as stub:
        bench = Bench(folder=Path(folder), stub=stub, core=core, seconds=options.seconds)
        for name in options.of:
            curve = CURVES[name]
            values, points = curve.values[:1] if options.smoke else curve.values, []
            print(f"\n## {curve.title}\n\n{curve.grows} | {' | '.join(curve.columns)}")
            for value, point in zip(values, curve.measure(bench, values), strict=True):
                points.append(point)
                print(" | ".join([f"{value:,}", *map(_shown, point)]), flush=True)
            if options.write:
                shown = [[f"{value:,}", *map(_shown, point)] for value, point in zip(values, points, strict=True)]
                write(f"growth {name}", table((curve.grows, *curve.columns), shown))


def _shown(figure: float) -> str:
    return f"{figure:,.0f}" if abs(figure) >= 100 else f"{figure:.1f}" if abs(figure) >= 10 else f"{figure:.2f}"


if __name__ == "__main__":
    main()
