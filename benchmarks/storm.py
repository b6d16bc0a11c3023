"""The refresh in a storm: real servers, a backend that revokes on reuse, and browsers that receive late.

Two projects with two workers of eight threads each stand before the sandbox backend, whose access tokens live for
two seconds. Browsers are cookie jars with several tabs; two of them sign out at a random moment. A witness in front
of the backend counts how often each refresh token is used. Afterwards the whole store and all logs are searched for
every token that was issued.

`./manage.py bench storm --seconds 60 [--store embedded redis] [--only plain …]`
"""

from __future__ import annotations

import contextlib
import http.client
import json
import random
import sys
import tempfile
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks._browsers import ACCESS, REFRESH, Answer, Browser, Connection, sign_out, use_tab
from benchmarks._measured import table as markdown_table
from benchmarks._measured import write
from benchmarks._options import options_of, parser_of
from benchmarks._stores import stores_here
from benchmarks._targets import Targets
from benchmarks._weathers import SCENARIOS, Scenario, Storm
from benchmarks._witness import Witness, witness
from portal_dev.local_servers.server_group import Server, ServerGroup
from tests.support.harness import clean_environment, prepare_sandbox
from tests.support.ports import free_port
from tests.support.redis_cluster import ClusteredRedis, clustered_redis
from tests.support.redis_sentinel import WatchedRedis, watched_redis
from tests.support.redis_server import RedisServer

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

APPS = {"energy": ["/en/energy", "/en/energy/clients"], "operations": ["/en/operations", "/en/operations/work-orders"]}
LEAVING, TABS = 2, 3
WORKERS, THREADS = 2, 8
#: Options of a Redis that keeps its data over a restart.
DURABLE = ("--appendonly", "yes")
#: A backend that forgives nothing: a token's second use is theft, whatever the Idempotency-Key says.
BACKEND = {"SANDBOX_HONOUR_IDEMPOTENCY_KEY": "off"}


@dataclass(frozen=True)
class Outcome:
    """One line of the table."""

    scenario: Scenario
    store: str
    statuses: Counter[int | None]
    refreshes: int
    refused_first: int
    most_per_token: int
    repeats: int
    ended: int
    still_signed_in: int
    signed_out: int
    undone: int
    late: int
    issued: int
    leaks: list[str]

    @property
    def sound(self) -> bool:
        """Whether all that must hold held."""
        once = self.most_per_token == 1
        undisturbed = once and self.ended == 0 and self.still_signed_in == self.scenario.staying
        return (
            self.undone == 0
            and self.signed_out == LEAVING
            and not self.leaks
            and self.refreshes > 0
            and (once or not self.scenario.once)
            and (undisturbed or not self.scenario.harmless)
            and not (undisturbed and self.scenario.apart)
        )


# --- one scenario ---


def run(scenario: Scenario, *, store: str, seconds: float, folder: Path) -> Outcome:
    """Run one scenario on one store, in `folder`."""
    state = folder / "state"
    log = folder / "servers.log"
    port = [free_port() for _ in range(1 + len(APPS))]
    backend_environment = clean_environment(
        DEBUG="on",
        SANDBOX_STATE_DIR=str(folder / "sandbox"),
        SANDBOX_ACCESS_TOKEN_LIFETIME_S=str(
            min(scenario.access_lifetime_s, max(scenario.least_lifetime_s, seconds / 4))
        ),
        **{**BACKEND, **scenario.backend},
    )
    prepare_sandbox(backend_environment)
    backend = Server(
        name="sandbox",
        command=("-m", "sandbox_api", "serve", "--end-with-parent", "--port", str(port[0]), "--threads", "32"),
        port=port[0],
        environment=backend_environment,
    )
    group = ServerGroup(log=log)
    with contextlib.ExitStack() as stack:
        stack.callback(group.stop)
        of_one = store == "redis" and not (scenario.watched or scenario.clustered)
        alone = start_redis(folder, stack) if of_one else None
        watched = stack.enter_context(watched_redis(folder / "redis", *DURABLE)) if scenario.watched else None
        clustered = stack.enter_context(clustered_redis(folder / "redis", *DURABLE)) if scenario.clustered else None
        redis = alone or watched or clustered
        seen = stack.enter_context(witness(port[0]))
        servers = [
            project(
                app,
                port=number,
                state=state / app if scenario.apart else state,
                backend=seen.url,
                cache_url=redis and redis.url(index if scenario.apart else 0),
                more=scenario.projects,
            )
            for index, (app, number) in enumerate(zip(APPS, port[1:], strict=True))
        ]
        group.start([backend, *servers])
        group.wait_until_ready()
        storm = Storm(group, servers, alone, watched, clustered, state, seconds, seen)
        browsers = _browse(storm, scenario, seen)
        staying = browsers[: scenario.staying]
        until = time.monotonic() + scenario.back_within_s
        with ThreadPoolExecutor(len(staying)) as pool:
            still = sum(pool.map(lambda browser: _is_signed_in(browser, servers[0].port, until=until), staying))
        leaks = list(_leaks(seen.issued, folder, redis))
    leaving = browsers[scenario.staying :]
    return Outcome(
        scenario=scenario,
        store=store,
        statuses=sum((browser.statuses for browser in browsers), Counter()),
        refreshes=seen.refreshes,
        refused_first=seen.not_looked_at,
        most_per_token=seen.most_per_token,
        repeats=seen.repeats,
        ended=sum(browser.ended for browser in staying),
        still_signed_in=still,
        signed_out=sum(browser.signed_out_at is not None for browser in leaving),
        undone=sum(browser.undone for browser in leaving),
        late=sum(browser.late for browser in leaving),
        issued=len(seen.issued),
        leaks=leaks,
    )


def _browse(storm: Storm, scenario: Scenario, seen: Witness) -> list[Browser]:
    """Let the browsers loose for the storm's time."""
    ports = [server.port for server in storm.servers]
    paths = {server.port: APPS[server.name] for server in storm.servers}
    browsers = [Browser() for _ in range(scenario.staying + LEAVING)]
    for browser in browsers:
        browser.jar.put(sign_in(seen))
    tabs = [
        threading.Thread(target=use_tab, args=(browser, ports, paths, storm.stop), daemon=True)
        for browser in browsers
        for _ in range(TABS)
    ]
    others = [
        threading.Timer(random.uniform(0.3, 0.7) * storm.seconds, sign_out, args=(browser, random.choice(ports)))
        for browser in browsers[scenario.staying :]
    ]
    if scenario.meanwhile is not None:
        others.append(threading.Thread(target=scenario.meanwhile, args=(storm,), daemon=True))
    for thread in (*tabs, *others):
        thread.start()
    time.sleep(storm.seconds)
    storm.stop.set()
    for thread in (*tabs, *others):
        thread.join(60)
    return browsers


def sign_in(seen: Witness) -> dict[str, str]:
    """Sign in at the backend; the cookies."""
    connection = http.client.HTTPConnection(seen.url.removeprefix("http://"), timeout=30)
    body = json.dumps({"email": "all@example.com", "password": "demo"})
    connection.request("POST", "/auth/login", body=body, headers={"Content-Type": "application/json"})
    with connection.getresponse() as answer:
        tokens = json.loads(answer.read())
    connection.close()
    return {ACCESS: tokens["accessToken"], REFRESH: tokens["refreshToken"]}


def _is_signed_in(browser: Browser, port: int, *, until: float) -> bool:
    """Whether this browser, left alone, still gets a page before that moment, in monotonic seconds."""
    connection = Connection()
    try:
        while time.monotonic() < until:
            answer: Answer | None = connection.ask(port, "/en/energy/clients", browser.jar)
            if answer is not None:
                browser.jar.take(answer)
                if answer.status != http.client.SERVICE_UNAVAILABLE:
                    return answer.status == http.client.OK
            time.sleep(0.5)
    finally:
        connection.close()
    return False


# --- what it stands on ---


def project(
    app: str, *, port: int, state: Path, backend: str, cache_url: str | None, more: Mapping[str, str]
) -> Server:
    """A project on the production server.

    :param more: environment beside what every weather has.
    """
    variables = {
        "DEBUG": "on",
        "APP_API_HONOURS_IDEMPOTENCY_KEY": "on",
        "APP_STATE_DIR": str(state),
        "APP_PUBLIC_API_BASE_URL": backend,
        "CACHE_URL": cache_url,
        **more,
    }
    environment = clean_environment(**variables)
    options = ("--port", str(port), "--workers", str(WORKERS), "--threads", str(THREADS), "--end-with-parent")
    return Server(name=app, command=("manage.py", "--app", app, "serve", *options), port=port, environment=environment)


def start_redis(folder: Path, stack: contextlib.ExitStack) -> RedisServer:
    data = folder / "redis"
    data.mkdir()
    server = RedisServer(data, *DURABLE)
    server.start()
    stack.callback(server.stop)
    return server


def _leaks(issued: set[str], folder: Path, redis: RedisServer | WatchedRedis | ClusteredRedis | None) -> Iterator[str]:
    """Where a token was found that was issued: in a file of the store, in a log, in Redis."""
    texts = {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and "sandbox" not in path.relative_to(folder).parts
    }
    if redis is not None:
        with redis.client() as client:
            for key in client.scan_iter(count=1000):
                texts[f"redis key {key!r}"] = key + b" " + (client.get(key) or b"")
    for name, content in texts.items():
        for token in issued:
            # Also its parts: the payload of a token tells as much as the whole.
            if token.encode() in content or token.encode()[-32:] in content:
                yield name
                break


# --- the table ---


def documented(outcomes: list[Outcome]) -> str:
    """The outcomes as the documentation has them: one line for a weather, with the stores side by side."""
    rows = []
    for name in dict.fromkeys(outcome.scenario.name for outcome in outcomes):
        same = [outcome for outcome in outcomes if outcome.scenario.name == name]
        cells = (
            "; ".join(f"{outcome.statuses[503]} of {outcome.statuses.total():,}" for outcome in same),
            "; ".join(str(outcome.most_per_token) for outcome in same),
            "; ".join(f"{outcome.still_signed_in} of {outcome.scenario.staying}" for outcome in same),
        )
        rows.append((name, *cells))
    return markdown_table(
        ("weather", "503 of requests: embedded; Redis", "answers to one token, at most", "signed in"),
        rows,
    )


def table(outcomes: list[Outcome]) -> str:
    """The outcomes as lines."""
    heads = (
        "requests",
        "pages",
        "503",
        "refreshes",
        "most/token",
        "repeats",
        "sign-outs",
        "signed in",
        "undone",
        "found",
    )
    lines = [f"{'':56}" + "".join(f"{head:>11}" for head in heads)]
    for outcome in outcomes:
        figures = (
            sum(outcome.statuses.values()),
            outcome.statuses[200],
            outcome.statuses[503],
            outcome.refreshes,
            outcome.most_per_token,
            outcome.repeats,
            outcome.ended,
            f"{outcome.still_signed_in} of {outcome.scenario.staying}",
            f"{outcome.undone} of {outcome.late}",
            len(outcome.leaks),
        )
        name = f"{'ok  ' if outcome.sound else 'FAIL'} {outcome.store}: {outcome.scenario.name}"
        lines.append(f"{name:56}" + "".join(f"{figure!s:>11}" for figure in figures))
    return "\n".join(lines)


LEGEND = """
refreshes: tokens exchanged · most/token: different answers to one token · repeats: submissions that the backend
answered as before by their Idempotency-Key, after a worker was killed · sign-outs: responses that took the tokens of a
browser that had not signed out · undone: requests after a sign-out that got a page or tokens · found: places in the
store or the logs that hold an issued token"""


def main() -> None:
    """`make storm`."""
    parser = parser_of(__doc__, writes=True)
    parser.add_argument("--seconds", type=float, default=60, help="of each weather: 60")
    parser.add_argument("--store", choices=("embedded", "redis"), nargs="+", default=["embedded", "redis"])
    parser.add_argument("--only", nargs="+", help="parts of the names of weathers")
    options = options_of(parser, seconds=3, store=["redis"], only=["plain", "primary killed", "rubbish, not"])
    outcomes = []
    for store in stores_here(options.store):
        for scenario in SCENARIOS:
            if (scenario.watched or scenario.clustered) and store != "redis":
                continue
            if options.only and not any(part in scenario.name for part in options.only):
                continue
            print(f"{store}: {scenario.name} …", file=sys.stderr, flush=True)
            with tempfile.TemporaryDirectory(prefix="storm-") as folder:
                outcomes.append(run(scenario, store=store, seconds=options.seconds, folder=Path(folder)))
            print(outcomes[-1].statuses, outcomes[-1].leaks, file=sys.stderr, flush=True)
    print(f"\n{options.seconds:.0f} s each; browsers of {TABS} tabs, of which {LEAVING} sign out\n")
    print(table(outcomes))
    print(LEGEND)
    if options.write:
        write("storm", documented(outcomes))
    targets = Targets(smoke=options.smoke)
    failed = sum(not outcome.sound for outcome in outcomes)
    targets.hold(f"{failed} of {len(outcomes)} lines failed", "0", met=not failed)
    targets.end()


if __name__ == "__main__":
    main()
