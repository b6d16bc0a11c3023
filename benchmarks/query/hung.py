"""Costs of pages while the store, the backend, or both accept connections and never answer.

The energy app runs as in production, with one worker of eight threads; four browsers open one page after another. A
hung store is a port behind which nobody reads; a hung backend is the sandbox, stopped (SIGSTOP); an endpoint that hangs
is held in between, and 40 more browsers ask for it. Cached data is past its stale time, so that it would be fetched
anew: that time is 3 s here, and 5 minutes in production.

`./manage.py bench hung [--seconds 30]`
"""

import contextlib
import http.client
import itertools
import os
import signal
import socket
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from benchmarks.harness.measured import table, write
from benchmarks.harness.options import need, options_of, parser_of
from portal.config.cookies import VAR_ACCESS_TOKEN, VAR_REFRESH_TOKEN
from portal.config.limits import READ_TIMEOUT_S
from tests.support.harness import RunningStack, running_stack
from tests.support.redis_server import RedisServer, running_redis

ACCOUNTS: Final = ("energy@example.com", "all@example.com")
BROWSERS: Final = 4
#: Browsers that ask for one endpoint that hangs.
TABS: Final = 40
#: Between two pages of one browser, seconds.
PAUSE_S: Final = 0.1
STALE_S: Final = 3
#: The longest that a call may take: by then a circuit has opened, if there is one, seconds.
OPENED_AFTER_S: Final = 12
#: Pages that share cached data; searches of which nothing is ever cached.
CACHED: Final = itertools.cycle(("/en/energy/clients", "/en/energy/stations", "/en/energy/chargers"))
SEARCHES: Final = map("/en/energy/clients?q=word{}".format, itertools.count())
#: Pages of the endpoint that hangs, and another one.
HELD: Final = map("/en/energy/stations?q=word{}".format, itertools.count())
OTHER: Final = itertools.cycle(("/en/energy/clients",))


@dataclass
class Phase:
    """Pages of one phase.

    :param pages: (seconds since it began, duration in seconds, status) of each page; the status is None if there was
        no answer within a minute.
    """

    name: str
    pages: list[tuple[float, float, int | None]] = field(default_factory=list)
    began: float = field(default_factory=time.perf_counter)

    def open(self, stack: RunningStack, path: str, cookie: str) -> None:
        """Open a page and note it."""
        started, status, port = time.perf_counter(), None, stack.local.ports()["energy"]
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        with contextlib.suppress(OSError), contextlib.closing(connection):
            headers = {"Cookie": cookie, "Accept": "text/html", "Host": f"localhost:{port}"}
            connection.request("GET", path, headers=headers)
            with connection.getresponse() as response:
                response.read()
                status = response.status
        self.pages.append((started - self.began, time.perf_counter() - started, status))

    def row(self) -> tuple[str, ...]:
        """Return its row of the table. The median is that of all pages but the first."""
        pages = sorted(self.pages)
        times = [duration for _, duration, _ in pages]
        statuses = Counter(status for _, _, status in pages)
        counts = ", ".join(f"{count} of {status}" for status, count in sorted(statuses.items(), key=str))
        median = statistics.median(times[1:] or times)
        later = max((duration for began, duration, _ in pages if began > OPENED_AFTER_S), default=float("nan"))
        figures = (f"{times[0]:.2f}", f"{median:.3f}", f"{later:.2f}")
        return (self.name, *figures, str(*statuses) if len(statuses) == 1 else counts)


def main() -> None:
    """Run all phases and print a table."""
    parser = parser_of(__doc__, writes=True)
    parser.add_argument("--seconds", type=float, default=30, help="of each phase: 30")
    parser.add_argument("--read-timeout", type=float, default=READ_TIMEOUT_S, help="of a call, seconds: 10")
    options = options_of(parser, seconds=0.6, read_timeout=1.0)
    need("redis-server")
    phases: list[Phase] = []
    with tempfile.TemporaryDirectory() as folder:
        for name, run in (("embedded", _with_a_store), ("held", _with_a_hung_endpoint), ("hung", _with_a_hung_store)):
            (Path(folder) / name).mkdir()
            phases += run(Path(folder) / name, options.seconds, APP_API_READ_TIMEOUT_S=str(options.read_timeout))
    figures = table(("", "first", "median", "later", "statuses"), (phase.row() for phase in phases))
    print(f"\n{figures}")
    if options.write:
        write("hung", figures)


def _with_a_store(folder: Path, seconds: float, **variables: str) -> Iterator[Phase]:
    with _energy(folder, **variables) as stack:
        cookies = _sign_in(stack)
        _browse(stack, cookies, "warming", min(3, seconds), CACHED)
        yield _browse(stack, cookies, "all well, cached", seconds, CACHED)
        yield _browse(stack, cookies, "all well, nothing cached", seconds, SEARCHES)
        _browse(stack, cookies, "warming", min(3, seconds), CACHED)
        time.sleep(STALE_S + 1)
        with _stopped(stack):
            yield _browse(stack, cookies, "backend hung, cached", seconds, CACHED)
        _browse(stack, cookies, "closing the circuits", seconds / 3, CACHED)
        with _stopped(stack):
            yield _browse(stack, cookies, "backend hung, nothing cached", seconds, SEARCHES)


def _with_a_hung_endpoint(folder: Path, seconds: float, **variables: str) -> Iterator[Phase]:
    with _energy(folder, through_proxy=True, **variables) as stack, ThreadPoolExecutor(1) as pool:
        cookies = _sign_in(stack)
        _browse(stack, cookies, "warming", min(3, seconds), OTHER)
        held = stack.proxy.hold("/energy/stations")
        tabs = pool.submit(_browse, stack, cookies * (TABS // BROWSERS), "tabs", seconds, HELD)
        held.waits.wait()
        yield _browse(stack, cookies, f"{TABS} tabs on a hung endpoint, another page", seconds, OTHER)
        stack.proxy.let_through()
        tabs.result()


def _with_a_hung_store(folder: Path, seconds: float, **variables: str) -> Iterator[Phase]:
    # A server does not start without its store, so this one hangs later.
    with (
        running_redis(folder) as redis,
        _energy(folder, CACHE_URL=redis.url(), **variables) as stack,
        _hung_in_place_of(redis),
    ):
        cookies = _sign_in(stack)
        yield _browse(stack, cookies, "store hung", seconds, CACHED)
        with _stopped(stack):
            yield _browse(stack, cookies, "both hung", seconds, CACHED)


@contextlib.contextmanager
def _energy(folder: Path, *, through_proxy: bool = False, **variables: str) -> Iterator[RunningStack]:
    """Run the energy app and the sandbox, with a short stale time."""
    # Read by Python at its start, before anything else of the portal is.
    (folder / "sitecustomize.py").write_text(
        f"import portal.config.limits\nportal.config.limits.STALE_TIME_S = {STALE_S}\n", encoding="utf-8"
    )
    path = os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH")]))
    others = ("auth_app", "operations", "finance")
    with running_stack(folder, without=others, through_proxy=through_proxy, PYTHONPATH=path, **variables) as stack:
        yield stack


@contextlib.contextmanager
def _stopped(stack: RunningStack) -> Iterator[None]:
    """Stop the backend: it accepts, by the kernel, and does nothing."""
    group = stack.group.pid("sandbox_api")
    os.killpg(group, signal.SIGSTOP)
    try:
        yield
    finally:
        os.killpg(group, signal.SIGCONT)


@contextlib.contextmanager
def _hung_in_place_of(redis: RedisServer) -> Iterator[None]:
    """Accept at the port of that Redis, and never answer."""
    redis.stop()
    with socket.create_server(("127.0.0.1", redis.port), backlog=4096):
        yield


def _sign_in(stack: RunningStack) -> list[str]:
    """Return the cookies of each browser, signed in at the backend."""
    accounts = itertools.islice(itertools.cycle(ACCOUNTS), BROWSERS)
    pairs = [stack.tokens(account) for account in accounts]
    return [f"{VAR_ACCESS_TOKEN}={pair['accessToken']}; {VAR_REFRESH_TOKEN}={pair['refreshToken']}" for pair in pairs]


def _browse(stack: RunningStack, cookies: list[str], name: str, seconds: float, paths: Iterator[str]) -> Phase:
    """Let all browsers open these pages for so long."""
    phase = Phase(name)

    def browse(cookie: str) -> None:
        while time.perf_counter() - phase.began < seconds:
            phase.open(stack, next(paths), cookie)
            time.sleep(PAUSE_S)

    with ThreadPoolExecutor(len(cookies)) as pool:
        list(pool.map(browse, cookies))
    return phase


if __name__ == "__main__":
    main()
