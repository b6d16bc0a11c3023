"""What users and probes see while a server is overloaded, and while one of its workers lives and does not answer.

**Overloaded**: 60 users search at one energy server with one worker of eight threads, each as soon as the last page has
come; each call to the backend takes 4 s. Beside them `/healthz` and `/metrics` are asked for twice a second.

**One endpoint that hangs**: 24 tabs, each with another search for meters, which the backend never answers, at one
server with two workers of eight threads. Beside them a page whose data is cached, and one that is not, every 0.2 s.

**A worker that hangs**: nginx over https, one energy server with two workers, 50 requests a second for one page. Three
times one worker is stopped (SIGSTOP), three times one is in an endless loop in C that keeps Python's lock.

`./manage.py bench grey_server [--only overloaded] [--times 3] [--json FILE]`
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import os
import signal
import statistics
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Final

from benchmarks._front_door import Doors
from benchmarks._options import options_of, parser_of, skip
from benchmarks._page_rows import KEY, access_token
from benchmarks._servers import project_server
from benchmarks._stub_backend import stub_backend
from benchmarks._targets import Targets
from benchmarks._visits import signed_in
from portal.config.cookies import VAR_ACCESS_TOKEN
from tests.support.ports import free_port_base
from tests.support.topology import OFFSETS, missing_programs, running_topology

if TYPE_CHECKING:
    import argparse
    import ssl
    from collections.abc import Callable, Coroutine, Iterable, Iterator

    from tests.support.topology import Topology

USERS: Final = 60
CALL_MS: Final = 4000
#: Longest that a probe, and a user, may wait, seconds.
PROBE_S, USER_S = 1.0, 12.0
#: Tabs on the endpoint that hangs, and the longest that others wait for a page meanwhile, seconds.
TABS: Final = 24
CACHED_S, UNCACHED_S = 0.5, 1.5
#: Requests a second while a worker hangs; from so many seconds on none may be lost or slower than this.
RATE: Final = 50
BYPASSED_S, SLOW_S = 35.0, 2.0
#: Read by Python at its start: the signal has the main thread of a worker never give Python's lock back.
LOOP: Final = "import signal\nsignal.signal(signal.SIGUSR2, lambda *_: sum(range(10**15)))\n"
EMAIL: Final = "all@example.com"

#: When it began, after the beginning of a phase; how long it took; both in seconds. The status, None without an answer.
Answer = tuple[float, float, "int | None"]


async def ask(port: int, path: str, *, headers: dict[str, str], tls: ssl.SSLContext | None = None) -> int | None:
    """The status of one request on a connection of its own; None where there was no answer within a minute."""
    host = headers["Host"].partition(":")[0]
    writer = None
    try:
        async with asyncio.timeout(60):
            reader, writer = await asyncio.open_connection(
                "127.0.0.1", port, ssl=tls, server_hostname=host if tls else None
            )
            lines = [f"GET {path} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items())]
            writer.write("\r\n".join([*lines, "Connection: close", "", ""]).encode())
            answer = await reader.read()
            return int(answer[9:12])
    except (OSError, TimeoutError, ValueError):
        return None
    finally:
        if writer is not None:
            writer.transport.abort()


class Phase:
    """Requests that are timed from one moment on."""

    def __init__(self) -> None:
        self.began = time.monotonic()
        self.answers: dict[str, list[Answer]] = {}

    @property
    def elapsed_s(self) -> float:
        return time.monotonic() - self.began

    async def time(self, kind: str, request: Coroutine[None, None, int | None]) -> None:
        """Make it, and note what came of it."""
        started = self.elapsed_s
        status = await request
        self.answers.setdefault(kind, []).append((started, self.elapsed_s - started, status))

    def line(self, kind: str, *, since: float = 0.0) -> str:
        """What came of all of a kind that ended after a moment, in words."""
        found = [each for each in self.answers.get(kind, ()) if sum(each[:2]) >= since]
        if not found:
            return f"{kind}: none"
        statuses = " ".join(f"{status}:{count}" for status, count in Counter(each[2] for each in found).items())
        times = [took for _, took, _ in found]
        return f"{kind}: {len(found)}, p50 {statistics.median(times):.2f} s, longest {max(times):.2f} s, {statuses}"

    def longest(self, kind: str) -> float:
        """Of one kind, seconds; endless where one had no answer."""
        return max(took if status else float("inf") for _, took, status in self.answers[kind])


def page_headers(port: int) -> dict[str, str]:
    """Of a browser that opens a page."""
    cookie = f"{VAR_ACCESS_TOKEN}={access_token()}"
    return {"Host": f"localhost:{port}", "Cookie": cookie, "Accept": "text/html", "Sec-Fetch-Mode": "navigate"}


async def overload(port: int, *, users: int, seconds: float) -> Phase:
    """Users who search, and the two probes."""
    phase, words = Phase(), itertools.count()
    headers = page_headers(port)

    async def search() -> None:
        while phase.elapsed_s < seconds:
            path = f"/en/energy/clients?q=word{next(words)}"
            before = len(phase.answers.get("pages", ()))
            await phase.time("pages", ask(port, path, headers=headers))
            # Who is turned away tries again after what `Retry-After` says.
            if any(status == 503 for _, _, status in phase.answers["pages"][before:]):
                await asyncio.sleep(1)

    async def probe(path: str) -> None:
        while phase.elapsed_s < seconds:
            await asyncio.gather(phase.time(path, ask(port, path, headers=headers)), asyncio.sleep(0.5))

    await asyncio.gather(*(search() for _ in range(users)), probe("/healthz"), probe("/metrics"))
    return phase


def run_overloaded(options: argparse.Namespace, targets: Targets) -> dict[str, Phase]:
    """One server whose backend is slow."""
    with (
        tempfile.TemporaryDirectory(prefix="portal-bench-") as folder,
        stub_backend() as stub,
        project_server("energy", core=None, threads=8, folder=Path(folder), backend=stub.url, key=KEY) as server,
    ):
        stub.answer_after(CALL_MS)
        phase = asyncio.run(overload(server.port, users=options.users, seconds=options.seconds))
        taken = server.memory()
    for path in ("/healthz", "/metrics"):
        targets.hold(phase.line(path), f"each under {PROBE_S} s", met=phase.longest(path) < PROBE_S)
    targets.hold(phase.line("pages"), f"each under {USER_S} s", met=phase.longest("pages") < USER_S)
    targets.tell(f"PSS of the worker and its parent afterwards: {taken.pss:.0f} MiB")
    return {"overloaded": phase}


async def beside_a_hung_endpoint(port: int, *, tabs: int, seconds: float) -> Phase:
    """Tabs that wait for the endpoint, each asking again with its next search, and somebody who works elsewhere."""
    phase, words = Phase(), itertools.count()
    headers = page_headers(port)

    async def search() -> None:
        while phase.elapsed_s < seconds:
            await phase.time("tabs", ask(port, f"/en/energy/meters?q=word{next(words)}", headers=headers))
            await asyncio.sleep(0.2)

    async def visit(kind: str, path: str) -> None:
        while phase.elapsed_s < seconds:
            target = path.format(next(words))
            await asyncio.gather(phase.time(kind, ask(port, target, headers=headers)), asyncio.sleep(0.2))

    await ask(port, "/en/energy/clients", headers=headers)
    await asyncio.gather(
        *(search() for _ in range(tabs)),
        visit("cached", "/en/energy/clients"),
        visit("uncached", "/en/energy/clients?q=word{}"),
    )
    return phase


def run_endpoint(options: argparse.Namespace, targets: Targets) -> dict[str, Phase]:
    """One endpoint of the backend hangs."""
    with (
        tempfile.TemporaryDirectory(prefix="portal-bench-") as folder,
        stub_backend() as stub,
        project_server(
            "energy", core=None, threads=8, workers=2, folder=Path(folder), backend=stub.url, key=KEY
        ) as server,
    ):
        for _ in range(20):  # each worker learns what the backend has
            asyncio.run(ask(server.port, "/en/energy/clients?q=harbour", headers=page_headers(server.port)))
        stub.hang("/energy/meters")
        phase = asyncio.run(beside_a_hung_endpoint(server.port, tabs=options.tabs, seconds=options.seconds))
    for kind, limit in (("cached", CACHED_S), ("uncached", UNCACHED_S)):
        good = {status for _, _, status in phase.answers[kind]} == {200}
        targets.hold(phase.line(kind), f"each 200 under {limit} s", met=good and phase.longest(kind) < limit)
    targets.tell(phase.line("tabs"))
    return {"endpoint": phase}


def stop(worker: int) -> None:
    """Stop a worker; it still has its memory and its connections."""
    os.kill(worker, signal.SIGSTOP)


def loop(worker: int) -> None:
    """Have a worker loop."""
    os.kill(worker, signal.SIGUSR2)


@contextlib.contextmanager
def behind_nginx() -> Iterator[Topology]:
    if missing := missing_programs(redis=False):
        skip(f"this machine lacks {', '.join(missing)}")
    with tempfile.TemporaryDirectory(prefix="grey-") as name:
        folder = Path(name)
        (folder / "sitecustomize.py").write_text(LOOP, encoding="utf-8")
        path = os.pathsep.join(filter(None, [name, os.environ.get("PYTHONPATH")]))
        with running_topology(
            folder,
            port_base=free_port_base(*OFFSETS),
            instances=1,
            workers=2,
            redis=False,
            apps={"auth_app", "energy"},
            sandbox={"SANDBOX_ACCESS_TOKEN_LIFETIME_S": "86400"},
            more={"PYTHONPATH": path},
            say=lambda text: print(text, file=sys.stderr, flush=True),
        ) as topology:
            yield topology


async def hang(doors: Doors, cookie: str, hung: Callable[[], object], *, rate: float, seconds: float) -> Phase:
    """Requests at a rate, for three seconds before a worker hangs and so long afterwards."""
    host, tls = doors.hosts["energy"], doors.context()
    headers = {"Host": f"{host}:{doors.port}", "Cookie": cookie, "Accept": "text/html"}
    phase, tasks = Phase(), set()
    for number in itertools.count():
        if number == int(3 * rate):
            hung()
            phase.began = time.monotonic()
        if number >= int(3 * rate) and phase.elapsed_s >= seconds:
            break
        request = phase.time("pages", ask(doors.port, "/en/energy/clients", headers=headers, tls=tls))
        tasks.add(asyncio.create_task(request))
        due = phase.began + (number - (int(3 * rate) if number >= int(3 * rate) else 0) + 1) / rate
        await asyncio.sleep(max(0.0, due - time.monotonic()))
    await asyncio.gather(*tasks)
    return phase


def run_hung(options: argparse.Namespace, targets: Targets) -> dict[str, Phase]:
    """One worker of two hangs, again and again."""
    phases = {}
    with behind_nginx() as topology:
        doors = Doors.of(topology)
        (visitor,) = signed_in(doors, [EMAIL])
        cookie = visitor.jar.header()
        for (name, way), number in itertools.product((("stopped", stop), ("in a loop", loop)), range(options.times)):
            worker = topology.workers("energy-1")[number % 2]
            hung = lambda worker=worker, way=way: way(worker)  # noqa: E731
            phase = asyncio.run(hang(doors, cookie, hung, rate=options.rate, seconds=options.hung_seconds))
            phases[f"{name} {number + 1}"] = phase
            during = [each for each in phase.answers["pages"] if 0 <= each[0] < BYPASSED_S]
            bad = _bad(during)
            late = _bad(each for each in phase.answers["pages"] if each[0] >= BYPASSED_S)
            targets.tell(f"worker {name}, {number + 1}: before {BYPASSED_S:.0f} s {bad} of {len(during)} lost or slow")
            what = f"worker {name}, {number + 1}: from {BYPASSED_S:.0f} s on {late} lost or slower than {SLOW_S} s"
            targets.hold(f"{what}; {phase.line('pages', since=BYPASSED_S)}", "none", met=not late)
            if worker in topology.workers("energy-1"):
                # It was not replaced: go on with a sound pair.
                os.kill(worker, signal.SIGKILL)
                time.sleep(3)
        if options.log:
            options.log.write_bytes(topology.log.read_bytes())
    return phases


def _bad(answers: Iterable[Answer]) -> int:
    return sum(status != 200 or took > SLOW_S for _, took, status in answers)


RUNS: Final = {"overloaded": run_overloaded, "endpoint": run_endpoint, "hung": run_hung}


def main() -> None:
    """See the module."""
    parser = parser_of(__doc__)
    parser.add_argument("--only", choices=RUNS, help="one of the three")
    parser.add_argument("--users", type=int, default=USERS, help="of the overloaded server: 60")
    parser.add_argument("--tabs", type=int, default=TABS, help="on the endpoint that hangs: 24")
    parser.add_argument("--seconds", type=float, default=40, help="for which it is: 40")
    parser.add_argument("--times", type=int, default=3, help="how often a worker hangs in each way: 3")
    parser.add_argument("--rate", type=float, default=RATE, help="requests a second meanwhile: 50")
    parser.add_argument("--hung-seconds", type=float, default=50, help="for which each time is looked at: 50")
    parser.add_argument("--json", type=Path, help="a file that gets each answer")
    parser.add_argument("--log", type=Path, help="a file that gets what the servers have said")
    options = options_of(parser, users=10, tabs=6, seconds=5, times=1, rate=5, hung_seconds=4)
    targets, phases = Targets(smoke=options.smoke), {}
    for name, run in RUNS.items():
        if options.only in {None, name}:
            phases |= run(options, targets)
    if options.json:
        options.json.write_text(json.dumps({name: phase.answers for name, phase in phases.items()}))
    targets.end()


if __name__ == "__main__":
    main()
