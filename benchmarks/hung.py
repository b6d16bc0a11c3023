"""What pages cost while the store, the backend, or both accept connections and never answer.

The energy app runs as in production, with one worker of eight threads; four browsers open one page after another. A
hung store is a port behind which nobody reads; a hung backend is the sandbox, stopped (SIGSTOP). Cached data is past
its stale time, so that it would be fetched anew: that time is 3 s here, and 5 minutes in production.

`./manage.py bench hung [--seconds 30] [--json]`
"""

from __future__ import annotations

import contextlib
import http.client
import itertools
import json
import os
import signal
import socket
import statistics
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from benchmarks._measured import table, write
from benchmarks._options import need, options_of, parser_of
from portal.config.cookies import VAR_ACCESS_TOKEN, VAR_REFRESH_TOKEN
from portal.config.limits import READ_TIMEOUT_S
from tests.support.harness import RunningStack, running_stack
from tests.support.redis_server import RedisServer, running_redis

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ACCOUNTS: Final = ("energy@example.com", "all@example.com")
BROWSERS: Final = 4
#: Between two pages of one browser, seconds.
PAUSE_S: Final = 0.1
STALE_S: Final = 3
#: The longest that a call may take: by then a circuit has opened, where there is one, seconds.
OPENED_AFTER_S: Final = 12
#: Pages that share what is cached, and ones of which nothing ever is.
CACHED: Final = ("/en/energy/clients", "/en/energy/stations", "/en/energy/chargers")
SEARCH: Final = "/en/energy/clients?q=word{}"
BACKEND: Final = "sandbox_api"


@dataclass
class Phase:
    """What one phase's pages came to.

    :param pages: (seconds since it began, duration in seconds, status) of each page.
    """

    name: str
    pages: list[tuple[float, float, int | None]] = field(default_factory=list)

    def line(self) -> str:
        """Its row of the table."""
        statuses = " ".join(f"{status}:{count}" for status, count in sorted(self.statuses.items(), key=str))
        return (
            f"{self.name:38}{len(self.pages):7}{self.first:8.2f}{statistics.median(self.times):9.3f}"
            f"{_quantile(self.times, 0.95):8.2f}{max(self.times):8.2f}{self.later:12.2f}  {statuses}"
        )

    def row(self) -> tuple[str, ...]:
        """Its row in the documentation."""
        statuses = ", ".join(f"{count} of {status}" for status, count in sorted(self.statuses.items(), key=str))
        times = (f"{self.first:.2f}", f"{statistics.median(self.times):.3f}", f"{self.later:.2f}")
        return (self.name, *times, statuses if len(self.statuses) > 1 else str(*self.statuses))

    @property
    def first(self) -> float:
        """The duration of the first page."""
        return min(self.pages)[1]

    @property
    def times(self) -> list[float]:
        """The durations of the others."""
        return [duration for _, duration, _ in sorted(self.pages)[1:] or self.pages]

    @property
    def later(self) -> float:
        """The longest when a circuit has opened; not a number where the phase was shorter."""
        late = [duration for began, duration, _ in self.pages if began > OPENED_AFTER_S]
        return max(late, default=float("nan"))

    @property
    def statuses(self) -> Counter[int | None]:
        """Pages by status; None where there was no answer within a minute."""
        return Counter(status for _, _, status in self.pages)


def main() -> None:
    """Run all phases and print a table."""
    parser = parser_of(__doc__, writes=True)
    parser.add_argument("--seconds", type=float, default=30, help="of each phase: 30")
    parser.add_argument("--read-timeout", type=float, default=READ_TIMEOUT_S, help="of a call, seconds: 10")
    parser.add_argument("--json", action="store_true", help="all pages of all phases, in place of the table")
    options = options_of(parser, seconds=0.6, read_timeout=1.0)
    need("redis-server")
    phases: list[Phase] = []
    with tempfile.TemporaryDirectory() as folder:
        for name, run in (("embedded", _with_a_store), ("hung", _with_a_hung_store)):
            (Path(folder) / name).mkdir()
            phases += run(Path(folder) / name, options.seconds, APP_API_READ_TIMEOUT_S=str(options.read_timeout))
    if options.json:
        print(json.dumps({phase.name: phase.pages for phase in phases}))
        return
    print(
        f"\n{'':38}{'pages':>7}{'first s':>8}{'median s':>9}{'95% s':>8}{'most s':>8}"
        f"{f'after {OPENED_AFTER_S} s':>12}  statuses"
    )
    for phase in phases:
        print(phase.line())
    if options.write:
        write("hung", table(("", "first", "median", "later", "statuses"), (phase.row() for phase in phases)))


def _with_a_store(folder: Path, seconds: float, **variables: str) -> Iterator[Phase]:
    with _energy(folder, **variables) as stack:
        cookies = _sign_in(stack)
        _drive(stack, cookies, "warming", min(3, seconds), _cached())
        yield _drive(stack, cookies, "all well, cached", seconds, _cached())
        yield _drive(stack, cookies, "all well, nothing cached", seconds, _searches())
        _drive(stack, cookies, "warming", min(3, seconds), _cached())
        time.sleep(STALE_S + 1)
        with _stopped(stack):
            yield _drive(stack, cookies, "backend hung, cached", seconds, _cached())
        yield _drive(stack, cookies, "backend back, cached", seconds / 3, _cached())
        with _stopped(stack):
            yield _drive(stack, cookies, "backend hung, nothing cached", seconds, _searches())
        yield _drive(stack, cookies, "backend back, nothing cached", seconds / 3, _searches())


def _with_a_hung_store(folder: Path, seconds: float, **variables: str) -> Iterator[Phase]:
    # A server does not start without its store, so this one hangs later.
    with (
        running_redis(folder) as redis,
        _energy(folder, CACHE_URL=redis.url(), **variables) as stack,
        _hung_in_place_of(redis),
    ):
        cookies = _sign_in(stack)
        yield _drive(stack, cookies, "store hung", seconds, _cached())
        (folder / "sound").mkdir()
        with _energy(folder / "sound", **variables) as sound:
            yield from _side_by_side(sound, stack, seconds)
        with _stopped(stack):
            yield _drive(stack, cookies, "both hung", seconds, _cached())
        yield _drive(stack, cookies, "store hung, backend back", seconds / 3, _cached())


@contextlib.contextmanager
def _energy(folder: Path, **variables: str) -> Iterator[RunningStack]:
    """The energy app and the sandbox, with a short stale time."""
    # Read by Python at its start, before anything else of the portal is.
    (folder / "sitecustomize.py").write_text(
        f"import portal.config.limits\nportal.config.limits.STALE_TIME_S = {STALE_S}\n", encoding="utf-8"
    )
    path = os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH")]))
    others = ("auth_app", "operations", "finance")
    with running_stack(folder, without=others, PYTHONPATH=path, **variables) as stack:
        yield stack


@contextlib.contextmanager
def _stopped(stack: RunningStack) -> Iterator[None]:
    """The backend accepts, by the kernel, and does nothing."""
    group = stack.group.pid(BACKEND)
    os.killpg(group, signal.SIGSTOP)
    try:
        yield
    finally:
        os.killpg(group, signal.SIGCONT)


@contextlib.contextmanager
def _hung_in_place_of(redis: RedisServer) -> Iterator[None]:
    """At the port of that Redis: accepts, and never answers."""
    redis.stop()
    with socket.create_server(("127.0.0.1", redis.port), backlog=4096):
        yield


def _sign_in(stack: RunningStack) -> list[str]:
    """The cookies of each browser, signed in at the backend."""
    found = []
    for account in itertools.islice(itertools.cycle(ACCOUNTS), BROWSERS):
        connection = http.client.HTTPConnection("127.0.0.1", stack.local.backend_port, timeout=30)
        body = json.dumps({"email": account, "password": "demo"})
        connection.request("POST", "/auth/login", body, {"Content-Type": "application/json"})
        pair = json.load(connection.getresponse())
        connection.close()
        found.append(f"{VAR_ACCESS_TOKEN}={pair['accessToken']}; {VAR_REFRESH_TOKEN}={pair['refreshToken']}")
    return found


def _cached() -> Callable[[], str]:
    pages = itertools.cycle(CACHED)
    return lambda: next(pages)


_words = itertools.count()


def _searches() -> Callable[[], str]:
    return lambda: SEARCH.format(next(_words))


def _drive(stack: RunningStack, cookies: list[str], name: str, seconds: float, page: Callable[[], str]) -> Phase:
    phase = Phase(name)
    port = stack.local.ports()["energy"]
    began = time.perf_counter()
    lock = threading.Lock()

    def browse(cookie: str) -> None:
        while time.perf_counter() - began < seconds:
            with lock:
                path = page()
            started = time.perf_counter()
            status = _open(port, path, cookie)
            phase.pages.append((started - began, time.perf_counter() - started, status))
            time.sleep(PAUSE_S)

    threads = [threading.Thread(target=browse, args=(cookie,)) for cookie in cookies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return phase


def _side_by_side(sound: RunningStack, hung: RunningStack, seconds: float) -> Iterator[Phase]:
    """One browser opens each page in both in turn, so that whatever else the machine does falls on both alike."""
    phases = [(Phase("store sound, in turn with"), sound), (Phase("store hung"), hung)]
    cookies = [_sign_in(stack)[0] for _, stack in phases]
    page, began = _cached(), time.perf_counter()
    while time.perf_counter() - began < seconds:
        path = page()
        for (phase, stack), cookie in zip(phases, cookies, strict=True):
            started = time.perf_counter()
            status = _open(stack.local.ports()["energy"], path, cookie)
            phase.pages.append((started - began, time.perf_counter() - started, status))
    for phase, _ in phases:
        yield phase


def _open(port: int, path: str, cookie: str) -> int | None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request("GET", path, headers={"Cookie": cookie, "Accept": "text/html", "Host": f"localhost:{port}"})
        with connection.getresponse() as response:
            response.read()
            return response.status
    except OSError:
        return None
    finally:
        connection.close()


def _quantile(values: list[float], part: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * part))]


if __name__ == "__main__":
    main()
