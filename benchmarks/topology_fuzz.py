"""Requests that nobody should send, through the nginx of a topology: by HTTP/1.1 and 2, and as raw octets.

They are made by a seeded die, so a run can be repeated. Some carry tokens of real sign-ins and reach pages and forms.
Cookies of 350 KB, which nginx refuses, go to a server itself. Afterwards: which answers were 5xx and who made them,
what the logs have, and what the workers' memory has become.

`./manage.py bench topology_fuzz [--requests 200000] [--seed 1] [--processes 4]`
"""

from __future__ import annotations

import http.client
import json
import multiprocessing
import random
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks._front_door import Doors
from benchmarks._fuzz_requests import APPS, Requests
from benchmarks._options import options_of, parser_of
from benchmarks._servers import memory_of
from benchmarks._targets import Targets
from benchmarks._topology import temporary_topology
from benchmarks._wire import Got, Http1, Http2, Sent

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.queues import Queue

    from tests.support.topology import Topology

#: One in so many goes by HTTP/2, is abandoned, or carries cookies of 350 KB to a server itself.
HTTP_2, ABANDONED, LARGE = 6, 100, 500
#: nginx lets one address ask for 300 a second.
RATE = 280
#: A sign-in is used for so many requests.
SIGN_IN_EVERY = 2000
#: Requests after which the workers have loaded all that they load; their memory is compared with that moment's.
WARM_AFTER = 0.2
GROWTH_MIB = 8
TOKEN_LIFETIME_S = 6 * 3600
SHOWN = 20


@dataclass
class Tally:
    """What came of the requests of one process.

    :ivar bad: each 5xx: the status, whether nginx made it, and the request.
    """

    answers: Counter[tuple[int | None, bool]] = field(default_factory=Counter)
    bad: list[tuple[int, bool, str]] = field(default_factory=list)
    slowest: tuple[float, str] = (0.0, "")

    def note(self, sent: Sent, got: Got, took_s: float, way: str) -> None:
        self.answers[got.status, got.by_nginx] += 1
        if got.status is not None and got.status >= http.client.INTERNAL_SERVER_ERROR:
            self.bad.append((got.status, got.by_nginx, f"{way} {_shown(sent)}"))
        self.slowest = max(self.slowest, (took_s, f"{way} {_shown(sent)}"))

    def add(self, other: Tally) -> None:
        self.answers += other.answers
        self.bad += other.bad
        self.slowest = max(self.slowest, other.slowest)


@dataclass(frozen=True)
class Fuzzer:
    """What one process needs.

    :param rate: requests a second.
    :param direct: the ports of servers themselves, by project.
    """

    number: int
    seed: int
    requests: int
    rate: float
    doors: Doors
    direct: dict[str, int]
    backend_port: int
    email: str

    def run(self, progress: Queue[int | Tally]) -> None:
        """Send them, one after another; the tally comes last."""
        dice = random.Random(f"{self.seed}-{self.number}")
        tally, context, context_2 = Tally(), self.doors.context(), self.doors.context()
        context_2.set_alpn_protocols(["h2"])
        hosts = self.doors.hosts
        first = {app: Http1(self.doors.port, hosts[app], context) for app in APPS}
        second = {app: Http2(self.doors.port, hosts[app], context_2) for app in APPS}
        direct = {app: Http1(self.direct[app], hosts[app], None) for app in APPS}
        due = time.monotonic()
        made = Requests(dice, {app: self.doors.origin(app) for app in APPS})
        for number in range(self.requests):
            if number % SIGN_IN_EVERY == 0:
                made.signed_in = tokens_of(self.backend_port, self.email)
            time.sleep(max(0.0, due - time.monotonic()))
            due = max(due + 1 / self.rate, time.monotonic() - 1)
            roll = dice.random()
            began = time.monotonic()
            if roll < 1 / LARGE:
                way, sent = "direct", made.large_cookies()
                got = direct[sent.app].ask(sent)
            elif roll < 1 / LARGE + 1 / HTTP_2:
                way, sent = "HTTP/2", made.next(raw=False)
                got = second[sent.app].ask(sent)
            else:
                way, sent = "HTTP/1.1", made.next()
                got = first[sent.app].ask(sent, abandon=dice.random() < 1 / ABANDONED)
            tally.note(sent, got, time.monotonic() - began, way)
            if number % 100 == 99:
                progress.put(100)
        progress.put(tally)


def tokens_of(backend_port: int, email: str) -> tuple[str, str]:
    """A sign-in at the backend itself: the access token and the refresh token."""
    connection = http.client.HTTPConnection("127.0.0.1", backend_port, timeout=60)
    body = json.dumps({"email": email, "password": "demo"})
    connection.request("POST", "/auth/login", body, {"Content-Type": "application/json"})
    with connection.getresponse() as response:
        pair = json.load(response)
    connection.close()
    return pair["accessToken"], pair["refreshToken"]


def _shown(sent: Sent) -> str:
    octets = sent.octets(sent.app.encode())
    return f"{sent.app}: {octets[:700]!r}{f' … {len(octets)} octets' if len(octets) > 700 else ''}"


def main() -> None:
    """See the module."""
    parser = parser_of(__doc__)
    parser.add_argument("--requests", type=int, default=200_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rate", type=float, default=RATE, help="requests a second, at most")
    parser.add_argument("--processes", type=int, default=4)
    parser.add_argument("--keep-log", type=Path, help="a file that gets the log of all servers")
    options = options_of(parser, requests=800)
    emails = tuple(f"user{number}@example.com" for number in range(options.processes))
    with temporary_topology(options, accounts=emails, token_lifetime_s=TOKEN_LIFETIME_S) as topology:
        fuzzers = [
            Fuzzer(
                number=number,
                seed=options.seed,
                requests=options.requests // options.processes,
                rate=options.rate / options.processes,
                doors=Doors.of(topology),
                direct={app: topology.instances[f"{app}-1"].port for app in APPS},
                backend_port=topology.backend.port,
                email=email,
            )
            for number, email in enumerate(emails)
        ]
        started = _workers(topology)
        began = time.monotonic()
        tally, warm = _run(fuzzers, topology)
        took = time.monotonic() - began
        ended = _workers(topology)
        log = topology.log.read_text(errors="replace")
        if options.keep_log is not None:
            options.keep_log.write_text(log)
    _report(tally, took, Targets(smoke=options.smoke), started=started, warm=warm, ended=ended, log=log)


def _run(fuzzers: list[Fuzzer], topology: Topology) -> tuple[Tally, dict[str, tuple[int, float]]]:
    """Let all of them run; the tally, and the workers' memory when they were warm."""
    context = multiprocessing.get_context("fork")
    progress: Queue[int | Tally] = context.Queue()
    processes = [context.Process(target=fuzzer.run, args=(progress,), daemon=True) for fuzzer in fuzzers]
    for process in processes:
        process.start()
    tally, waiting, sent, warm = Tally(), len(processes), 0, {}
    total = sum(fuzzer.requests for fuzzer in fuzzers)
    stop = threading.Event()
    threading.Thread(target=_say_progress, args=(lambda: sent, total, stop), daemon=True).start()
    while waiting:
        news = progress.get(timeout=600)
        if isinstance(news, Tally):
            tally.add(news)
            waiting -= 1
        else:
            sent += news
            if not warm and sent >= total * WARM_AFTER:
                warm = _workers(topology)
    stop.set()
    for process in processes:
        process.join(30)
    return tally, warm or _workers(topology)


def _say_progress(sent: Callable[[], int], total: int, stop: threading.Event) -> None:
    while not stop.wait(30):
        print(f"  {sent()} of {total}", flush=True)


def _workers(topology: Topology) -> dict[str, tuple[int, float]]:
    """The process id and the resident memory, MiB, of each worker."""
    return {
        f"{name} worker {place}": (pid, memory_of([pid]).rss)
        for name in topology.instances
        for place, pid in enumerate(sorted(topology.workers(name)), 1)
    }


def _report(
    tally: Tally,
    took: float,
    targets: Targets,
    *,
    started: dict[str, tuple[int, float]],
    warm: dict[str, tuple[int, float]],
    ended: dict[str, tuple[int, float]],
    log: str,
) -> None:
    total = tally.answers.total()
    print(f"\n{total} requests in {took:.0f} s, {total / took:.0f} a second")
    for by_nginx in (False, True):
        who = "nginx" if by_nginx else "the servers"
        found = {status: number for (status, nginx), number in tally.answers.items() if status and nginx is by_nginx}
        print(f"  by {who}: " + ", ".join(f"{status}: {found[status]}" for status in sorted(found)))
    print(f"  without an answer (abandoned, or octets that are no request): {tally.answers[None, False]}")
    print(f"  slowest: {tally.slowest[0]:.1f} s: {tally.slowest[1][:300]}")
    own = [entry for entry in tally.bad if not entry[1]]
    for status, by_nginx, request in [*own, *(entry for entry in tally.bad if entry[1])][:SHOWN]:
        print(f"  {status} by {'nginx' if by_nginx else 'a server'}: {request}")
    print("\n| worker | at the start | warm | at the end | since warm |\n|---|---|---|---|---|")
    growth = {}
    for name, (_, end) in ended.items():
        growth[name] = end - warm[name][1]
        print(f"| {name} | {started[name][1]:.1f} | {warm[name][1]:.1f} | {end:.1f} | {growth[name]:+.1f} MiB |")
    same = {name: pid for name, (pid, _) in started.items()} == {name: pid for name, (pid, _) in ended.items()}
    targets.hold(f"{len(own)} answers 5xx of the servers", "0", met=not own)
    tracebacks = log.count("Traceback (most recent call last)")
    targets.hold(f"{tracebacks} tracebacks in the logs", "0", met=not tracebacks)
    targets.hold("every worker is the one of the start" if same else "workers were replaced", "every one", met=same)
    most = max(growth.values())
    targets.hold(
        f"workers grew by at most {most:.1f} MiB since they were warm", f"{GROWTH_MIB}", met=most <= GROWTH_MIB
    )
    targets.end()


if __name__ == "__main__":
    main()
