"""A real run for the capacity model: the energy app with one worker on one core, a real Redis, a backend of many users.

First it measures what one page, one fetch and one refresh cost. Then users come at random moments, as in the model, for
a bounded time, with a shorter stale time and shorter tokens; the model predicts what that costs.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import queue
import random
import sys
import threading
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from benchmarks._capacity_backend import access_token, refresh_token
from benchmarks._capacity_model import HOUR_S, Costs, Usage, demand, view_bytes
from benchmarks._page_rows import CLIENTS, KEY
from benchmarks._servers import ROOT, Server, cores_for_server_and_load, serving, settings_of_production
from benchmarks._stub_backend import COUNTS, FOUND, calls_of
from portal.config.cookies import VAR_ACCESS_TOKEN, VAR_REFRESH_TOKEN
from tests.support.ports import free_port
from tests.support.redis_server import running_redis

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterable, Iterator, Sequence

    import redis

THREADS: Final = 8
#: Commands of this run itself, or of a new connection.
NOT_COUNTED: Final = frozenset({"info", "config", "ping", "select", "hello", "client", "command", "dbsize"})
#: A list whose filters show how many rows they have: here, one with an open menu.
COUNTED: Final = f"{CLIENTS}?menu=city"
#: Calls that a view takes, and the bytes of their responses in the store.
QUERIES: Final = 2
VIEW_BYTES: Final = sum(len(json.dumps(body, separators=(",", ":"))) for body in (FOUND["/energy/clients"], COUNTS))
#: The store takes memory in steps, and ASCII for what is none.
GROWTH: Final = 1.1
#: Stale times that the warm-up of the run lasts.
WARM_STALES: Final = 3
LONG_LIFE_S: Final = 86_400.0


@dataclass(frozen=True, kw_only=True)
class Pace:
    """How much is measured, and how long it takes.

    :param visits: of each kind.
    :param stale_s: the stale time where stale pages are measured: longer than one visit of every user takes.
    :param life_s: of the tokens whose refresh is measured: longer than the first pages of their users take.
    :param most_odd: share of visits that may be otherwise than meant.
    :param smoke: whether it is a short run.
    """

    visits: int
    stale_s: float = 15.0
    life_s: float = 20.0
    most_odd: float = 0.02
    smoke: bool = False


#: Of a short run.
SHORT: Final = Pace(visits=10, stale_s=2.0, life_s=3.0, most_odd=0.5, smoke=True)


@dataclass
class User:
    """A browser of one person: its cookies."""

    name: str
    life_s: float
    cookies: dict[str, str] = field(init=False)

    def __post_init__(self) -> None:
        """Sign in."""
        self.cookies = {
            VAR_ACCESS_TOKEN: access_token(self.name, life_s=self.life_s),
            VAR_REFRESH_TOKEN: refresh_token(self.name, 0),
        }


@dataclass(frozen=True, kw_only=True)
class Seen:
    """What the system has done until a moment, or between two."""

    pages: int
    cpu_s: float
    calls: Counter[str]
    commands: int
    store_cpu_s: float
    store_bytes: int
    sent_bytes: int

    def __sub__(self, before: Seen) -> Seen:
        return Seen(
            pages=self.pages - before.pages,
            cpu_s=self.cpu_s - before.cpu_s,
            calls=self.calls - before.calls,
            commands=self.commands - before.commands,
            store_cpu_s=self.store_cpu_s - before.store_cpu_s,
            store_bytes=self.store_bytes - before.store_bytes,
            sent_bytes=self.sent_bytes - before.sent_bytes,
        )


@dataclass
class System:
    """The running servers, and what this process has asked of them."""

    app: Server
    backend: str
    client: redis.Redis
    pages: int = 0
    sent_bytes: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def seen(self) -> Seen:
        """Until now."""
        info: Any = self.client.info("everything")
        commands = {
            name.removeprefix("cmdstat_"): values["calls"]
            for name, values in info.items()
            if name.startswith("cmdstat_")
        }
        return Seen(
            pages=self.pages,
            cpu_s=self.app.cpu_s(),
            calls=calls_of(self.backend),
            commands=sum(number for name, number in commands.items() if name.partition("|")[0] not in NOT_COUNTED),
            store_cpu_s=float(info["used_cpu_user"]) + float(info["used_cpu_sys"]),
            store_bytes=int(info["used_memory"]),
            sent_bytes=self.sent_bytes,
        )

    def measured(self, visits: Iterable[tuple[User, str]], *, at: Sequence[float] | None = None) -> tuple[Seen, float]:
        """Make these visits; gives what they did, and the seconds that they took.

        :param at: when each begins, seconds from now on; None for one after another, as fast as the threads can.
        """
        waiting: queue.SimpleQueue[tuple[float, User, str] | None] = queue.SimpleQueue()
        failures: list[BaseException] = []
        before, began = self.seen(), time.monotonic()

        def work() -> None:
            connection = http.client.HTTPConnection("127.0.0.1", self.app.port, timeout=60)
            with contextlib.closing(connection):
                while (visit := waiting.get()) is not None:
                    moment, user, path = visit
                    time.sleep(max(0.0, began + moment - time.monotonic()))
                    try:
                        self._visit(connection, user, path)
                    except BaseException as error:  # noqa: BLE001  told by the thread that waits
                        failures.append(error)
                        return

        threads = [threading.Thread(target=work) for _ in range(2 * THREADS)]
        for number, (user, path) in enumerate(visits):
            waiting.put((0.0 if at is None else at[number], user, path))
        for thread in threads:
            waiting.put(None)
            thread.start()
        for thread in threads:
            thread.join()
        if failures:
            raise failures[0]
        took = time.monotonic() - began
        # What is fetched behind a request may still be under way.
        time.sleep(0.5)
        return self.seen() - before, took

    def _visit(self, connection: http.client.HTTPConnection, user: User, path: str) -> None:
        cookies = "; ".join(f"{name}={value}" for name, value in user.cookies.items())
        headers = {"Host": "localhost", "Accept": "text/html", "Sec-Fetch-Mode": "navigate", "Cookie": cookies}
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        body = answer.read()
        if answer.status != http.client.OK or body.count(b"data-row-id=") != len(FOUND["/energy/clients"]["items"]):
            raise RuntimeError(f"{path}: {answer.status}, {len(body)} bytes: {body[:300]!r}")
        for line in answer.headers.get_all("Set-Cookie", []):
            name, _, value = line.partition(";")[0].partition("=")
            user.cookies[name] = value
        with self._lock:
            self.pages += 1
            self.sent_bytes += len(body)


@contextlib.contextmanager
def running_system(folder: Path, *, stale_time_s: float, token_life_s: float, smoke: bool) -> Iterator[System]:
    """The servers, while the block lasts; this process and the backend keep to the other core."""
    folder.mkdir(exist_ok=True)
    core, rest = cores_for_server_and_load(smoke=smoke)
    if core is not None:
        os.sched_setaffinity(0, rest)
    backend_port, port = free_port(), free_port()
    backend = [sys.executable, "-m", "benchmarks._capacity_backend", str(backend_port), str(token_life_s)]
    command = [sys.executable, "manage.py", "--app", "energy", "serve", "--workers", "1", "--threads", str(THREADS)]
    with running_redis(folder) as server, server.client() as client, serving(backend, port=backend_port, core=None):
        url = f"http://127.0.0.1:{backend_port}"
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("APP_", "PYTHON"))}
        environment = {
            **kept,
            **settings_of_production(state=folder / "state", backend=url, key=KEY),
            "CACHE_URL": server.url(),
            "BENCH_STALE_TIME_S": str(stale_time_s),
            "PYTHONPATH": str(Path(__file__).with_name("_short_stale")),
        }
        command += ["--port", str(port), "--end-with-parent"]
        with serving(command, port=port, core=core, log=folder / "log", cwd=ROOT, environment=environment) as app:
            yield System(app=app, backend=url, client=client)


def view(number: int) -> str:
    """The address of one of a user's views."""
    return f"{COUNTED}&q=view{number}"


def measure_costs(folder: Path, pace: Pace) -> tuple[Costs, float]:
    """What one thing costs here, and the bytes of a page."""
    visits = pace.visits
    with running_system(folder, stale_time_s=300, token_life_s=LONG_LIFE_S, smoke=pace.smoke) as system:
        warm = User("warm", LONG_LIFE_S)
        system.measured([(warm, view(0))] * min(visits, 200))
        system.measured([(warm, f"{COUNTED}&q=warm{number}") for number in range(min(visits, 200))])
        users = [User(f"user{number}", LONG_LIFE_S) for number in range(visits)]
        first, _ = system.measured([(user, view(0)) for user in users])
        # A token that no sign-in has brought is bound by its first page, and its second one asks for the profile.
        system.measured([(user, view(0)) for user in users])
        hot, _ = system.measured([(user, view(0)) for user in users])
        second, _ = system.measured([(user, view(1)) for user in users])
        search, _ = system.measured([(users[number], f"{COUNTED}&q=word{number}") for number in range(visits)])
        leaving = [User(f"leaving{number}", pace.life_s) for number in range(visits)]
        _, took = system.measured([(user, view(0)) for user in leaving] * 2)
        if took > pace.life_s - 1:
            raise RuntimeError(f"{visits} pages took {took:.0f} s: ask for fewer visits")
        time.sleep(pace.life_s + 1)
        refresh, _ = system.measured([(user, view(0)) for user in leaving])
        memory = system.app.memory().pss
    # What is stale: the profile with the first of two views, then the second view alone.
    with running_system(
        folder / "stale", stale_time_s=pace.stale_s, token_life_s=LONG_LIFE_S, smoke=pace.smoke
    ) as system:
        users = [User(f"user{number}", LONG_LIFE_S) for number in range(visits)]
        for number in (0, 1):
            system.measured([(user, view(number)) for user in users])
        time.sleep(pace.stale_s)
        # In a pace that the threads behind the requests keep up with: they drop what waits too long.
        moments = [pace.stale_s * 0.8 / visits * number for number in range(visits)]
        both, _ = system.measured([(user, view(0)) for user in users], at=moments)
        behind, _ = system.measured([(user, view(1)) for user in users], at=moments)
    seen = (hot, search, second, both, behind)
    profiles = (hot.calls["profile"], both.calls["profile"])
    asked = [*(one.calls["list"] for one in seen), *profiles, refresh.calls["refresh"]]
    meant = [0, *[QUERIES * visits] * 4, 0, visits, visits]
    # Two variants of a user may have the same place in the store: then one of them is fetched again.
    if any(abs(one - other) > pace.most_odd * visits for one, other in zip(asked, meant, strict=True)):
        raise RuntimeError(f"{asked} calls, and {meant} are meant")
    page_bytes = (second.store_bytes / visits - GROWTH * VIEW_BYTES) / QUERIES
    page_ms = hot.cpu_s / visits * 1e3
    refreshed = refresh.store_bytes / visits
    binding = binding_bytes(folder)
    return (
        Costs(
            page_ms=page_ms,
            fetch_ms=((search.cpu_s + second.cpu_s) / (2 * visits) * 1e3 - page_ms) / QUERIES,
            behind_ms=(behind.cpu_s / visits * 1e3 - page_ms) / QUERIES,
            profile_ms=(both.cpu_s - behind.cpu_s) / visits * 1e3,
            refresh_ms=refresh.cpu_s / visits * 1e3 - page_ms,
            page_commands=hot.commands / visits,
            fetch_commands=((search.commands + second.commands) / 2 - hot.commands) / visits / QUERIES,
            behind_commands=(behind.commands - hot.commands) / visits / QUERIES,
            profile_commands=(both.commands - behind.commands) / visits,
            refresh_commands=(refresh.commands - hot.commands) / visits,
            command_us=hot.store_cpu_s / hot.commands * 1e6,
            user_bytes=(first.store_bytes - second.store_bytes) / visits - page_bytes - binding,
            page_bytes=page_bytes,
            growth=GROWTH,
            binding_bytes=binding,
            sign_in_bytes=refreshed - binding,
            worker_mib=memory,
        ),
        hot.sent_bytes / visits,
    )


def binding_bytes(folder: Path) -> float:
    """Bytes that Redis takes for the binding of one access token."""
    key = f"portal:queries:1:binding:{'0' * 64}"
    value = json.dumps(["0" * 40, "0" * 32, time.time(), "0" * 40], separators=(",", ":"))
    with running_redis(folder) as server, server.client() as client:
        number = 2_000
        before: Any = client.info("memory")
        for each in range(number):
            client.set(f"{key[:-8]}{each:08d}", value, ex=3600)
        after: Any = client.info("memory")
        return float(after["used_memory"] - before["used_memory"]) / number


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """One output of the model beside what was measured."""

    name: str
    predicted: float
    measured: float

    @property
    def ratio(self) -> float:
        """Measured, of what was predicted."""
        return self.measured / self.predicted if self.predicted else float("nan")


def compare(
    folder: Path, costs: Costs, usage: Usage, *, seconds: float, smoke: bool, seed: int = 1
) -> list[Comparison]:
    """Let the users come for so long, after some time for warming up.

    :param usage: with a stale time and a token life that end several times in that time.
    """
    rng = random.Random(seed)
    rate = usage.users * usage.pages_per_hour / HOUR_S
    with running_system(
        folder, stale_time_s=usage.stale_time_s, token_life_s=usage.token_life_s, smoke=smoke
    ) as system:
        # Tokens that end one after another, as after a long time.
        lives = [rng.uniform(0.1, 1.0) * usage.token_life_s for _ in range(int(usage.users))]
        users = [User(f"user{number}", life_s) for number, life_s in enumerate(lives)]
        empty = system.seen()

        def visits(length_s: float) -> tuple[list[float], list[tuple[User, str]]]:
            moments, moment = [], 0.0
            while (moment := moment + rng.expovariate(rate)) < length_s:
                moments.append(moment)
            return moments, [(rng.choice(users), path(rng, usage)) for _ in moments]

        moments, warm = visits(WARM_STALES * usage.stale_time_s)
        system.measured(warm, at=moments)
        moments, chosen = visits(seconds)
        seen, took = system.measured(chosen, at=moments)
        stored_bytes = system.seen().store_bytes - empty.store_bytes
    # The load that there was.
    usage = replace(usage, pages_per_hour=seen.pages / took / usage.users * HOUR_S)
    predicted = demand(usage, costs)
    stored = stored_in_run(usage, costs, seconds=seconds + WARM_STALES * usage.stale_time_s)
    return [
        Comparison(name="CPU time of the app, s", predicted=predicted.app_cores * took, measured=seen.cpu_s),
        Comparison(name="calls for lists", predicted=predicted.list_calls * took, measured=seen.calls["list"]),
        Comparison(name="calls for `/me`", predicted=predicted.profile_calls * took, measured=seen.calls["profile"]),
        Comparison(name="token refreshes", predicted=predicted.refreshes * took, measured=seen.calls["refresh"]),
        Comparison(name="commands to Redis", predicted=predicted.commands * took, measured=seen.commands),
        Comparison(name="CPU time of Redis, s", predicted=predicted.store_cores * took, measured=seen.store_cpu_s),
        Comparison(name="MB in Redis at the end", predicted=stored / 1e6, measured=stored_bytes / 1e6),
        Comparison(name="MB sent", predicted=predicted.sent_bytes * took / 1e6, measured=seen.sent_bytes / 1e6),
    ]


def stored_in_run(usage: Usage, costs: Costs, *, seconds: float) -> float:
    """Bytes in the store after a run that is shorter than a page lives: nothing has ended yet."""
    needed = demand(usage, costs)
    each = usage.pages_per_hour / HOUR_S
    views = usage.views + each * usage.searches * seconds
    refreshed = needed.refreshes * seconds / usage.users
    return usage.users * (
        costs.user_bytes
        + views * view_bytes(usage, costs)
        + costs.page_bytes
        + (1.0 + refreshed) * costs.binding_bytes
        + costs.sign_in_bytes
    )


def path(rng: random.Random, usage: Usage) -> str:
    """Where the next page of a user is: one of the views, or a new search."""
    if rng.random() < usage.searches:
        return f"{COUNTED}&q=word{rng.getrandbits(48):x}"
    return view(rng.randrange(int(usage.views)))
