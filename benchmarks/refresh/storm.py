"""The refresh in a storm: real servers, a backend that revokes on reuse, and browsers that receive late.

Two projects with two workers of eight threads each stand before the sandbox backend, whose access tokens live for
two seconds. Browsers are cookie jars with several tabs; two of them sign out at a random moment. A recorder in front
of the backend counts how often each refresh token is used. Afterwards the whole store and all logs are searched for
every token that was issued.

`./manage.py bench storm --seconds 60 [--store embedded redis] [--only plain …]`
"""

import contextlib
import random
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import requests

from benchmarks.harness.measured import table, write
from benchmarks.harness.options import options_of, parser_of
from benchmarks.harness.stores import stores_here
from benchmarks.harness.targets import Targets
from benchmarks.refresh.browsers import Browser, cookies_of
from benchmarks.refresh.fault_scenarios import SCENARIOS, Redis, Scenario, Storm
from benchmarks.refresh.token_recorder import TokenRecorder, recording_tokens
from portal_dev.local_servers.server_group import Server, ServerGroup
from tests.support.harness import clean_environment, prepare_sandbox
from tests.support.ports import free_port
from tests.support.redis_cluster import clustered_redis
from tests.support.redis_sentinel import watched_redis
from tests.support.redis_server import running_redis

PAGES = {"energy": ["/en/energy", "/en/energy/clients"], "operations": ["/en/operations", "/en/operations/work-orders"]}
LEAVING, TABS = 2, 3
WORKERS, THREADS = 2, 8
#: Options of a Redis that has its data after a restart.
DURABLE = ("--appendonly", "yes")
#: A backend that forgives nothing: a token's second use is theft, whatever the Idempotency-Key says.
BACKEND = {"DEBUG": "on", "SANDBOX_HONOUR_IDEMPOTENCY_KEY": "off"}
HEADS = ("store: weather", "503 of requests", "answers to one token, at most", "signed in")
MORE_HEADS = ("refreshes", "repeats", "sign-outs", "undone", "found", "")
LEGEND = """
refreshes: tokens exchanged · repeats: submissions that the backend
answered as before by their Idempotency-Key, after a worker was killed · sign-outs: responses that took the tokens of a
browser that had not signed out · undone: requests after a sign-out that got a page or tokens · found: places in the
store or the logs that hold an issued token"""


@dataclass(frozen=True)
class Outcome:
    """Result of one scenario.

    :param ended: responses that took the tokens of a browser that had not signed out.
    :param late: requests after a sign-out; `undone` are those that got a page or tokens.
    :param leaks: places in the store or the logs that hold an issued token.
    """

    scenario: Scenario
    store: str
    tokens: TokenRecorder
    statuses: Counter[int | None]
    ended: int
    still_signed_in: int
    signed_out: int
    undone: int
    late: int
    leaks: list[str]

    @property
    def sound(self) -> bool:
        """Return whether every rule held."""
        once = self.tokens.most_per_token == 1
        undisturbed = once and self.ended == 0 and self.still_signed_in == self.scenario.staying
        return (
            self.undone == 0
            # All pages that are asked for exist.
            and self.statuses[404] == 0
            and self.signed_out == LEAVING
            and not self.leaks
            and self.tokens.refreshes > 0
            and (once or not self.scenario.once)
            and (undisturbed or not self.scenario.harmless)
            and not (undisturbed and self.scenario.apart)
        )

    def row(self) -> tuple[str, ...]:
        """Return its row of the table."""
        figures = (
            *(self.tokens.refreshes, self.tokens.repeats, self.ended),
            *(f"{self.undone} of {self.late}", len(self.leaks), "ok" if self.sound else "FAIL"),
        )
        return (
            f"{self.store}: {self.scenario.name}",
            f"{self.statuses[503]} of {self.statuses.total():,}",
            str(self.tokens.most_per_token),
            f"{self.still_signed_in} of {self.scenario.staying}",
            *map(str, figures),
        )


def run(scenario: Scenario, *, store: str, seconds: float, folder: Path, workers: int = WORKERS) -> Outcome:
    """Run one scenario on one store, in `folder`."""
    state = folder / "state"
    backend, *ports = (free_port() for _ in range(1 + len(PAGES)))
    life_s = min(scenario.access_lifetime_s, max(scenario.least_lifetime_s, seconds / 4))
    of_backend = clean_environment(
        SANDBOX_STATE_DIR=str(folder / "sandbox"),
        SANDBOX_ACCESS_TOKEN_LIFETIME_S=str(life_s),
        **{**BACKEND, **scenario.backend},
    )
    prepare_sandbox(of_backend)
    command = ("-m", "sandbox_api", "serve", "--end-with-parent", "--port", str(backend), "--threads", "32")
    sandbox = Server(name="sandbox", command=command, port=backend, environment=of_backend)
    group = ServerGroup(log=folder / "servers.log")
    with contextlib.ExitStack() as stack:
        stack.callback(group.stop)
        redis = None
        if store == "redis":
            (folder / "redis").mkdir()
            start = {"": running_redis, "sentinel": watched_redis, "cluster": clustered_redis}[scenario.redis]
            redis = stack.enter_context(start(folder / "redis", *DURABLE))
        tokens = stack.enter_context(recording_tokens(backend))
        servers = [
            _project(
                app,
                port=port,
                workers=workers,
                APP_STATE_DIR=str(state / app if scenario.apart else state),
                APP_PUBLIC_API_BASE_URL=tokens.url,
                CACHE_URL=redis and redis.url(number if scenario.apart else 0),
                **scenario.projects,
            )
            for number, (app, port) in enumerate(zip(PAGES, ports, strict=True))
        ]
        group.start([sandbox, *servers])
        group.wait_until_ready(timeout_s=180)
        browsers = _browse(Storm(group, servers, redis, state, seconds, tokens), scenario)
        staying, leaving = browsers[: scenario.staying], browsers[scenario.staying :]
        until = time.monotonic() + scenario.back_within_s
        with ThreadPoolExecutor(len(staying)) as pool:
            page = PAGES["energy"][1]
            still = sum(pool.map(lambda browser: browser.is_signed_in(ports[0], page, until=until), staying))
        leaks = list(_leaks(tokens.issued, folder, redis))
    return Outcome(
        scenario=scenario,
        store=store,
        tokens=tokens,
        statuses=sum((browser.statuses for browser in browsers), Counter()),
        ended=sum(browser.ended for browser in staying),
        still_signed_in=still,
        signed_out=sum(browser.signed_out_at is not None for browser in leaving),
        undone=sum(browser.undone for browser in leaving),
        late=sum(browser.late for browser in leaving),
        leaks=leaks,
    )


def _project(app: str, *, port: int, workers: int, **variables: str | None) -> Server:
    """Return a project on the production server."""
    usual = {"DEBUG": "on", "APP_BACKEND_OFFERS": "all", "APP_API_HONOURS_IDEMPOTENCY_KEY": "on"}
    environment = clean_environment(**usual | variables)
    options = ("--port", str(port), "--workers", str(workers), "--threads", str(THREADS), "--end-with-parent")
    return Server(name=app, command=("manage.py", "--app", app, "serve", *options), port=port, environment=environment)


def _browse(storm: Storm, scenario: Scenario) -> list[Browser]:
    """Let the browsers loose for the storm's time."""
    paths = {server.port: PAGES[server.name] for server in storm.servers}
    credentials = {"email": "all@example.com", "password": "demo"}
    sign_ins = (
        requests.post(f"{storm.tokens.url}/auth/login", json=credentials, timeout=30).json()
        for _ in range(scenario.staying + LEAVING)
    )
    browsers = [Browser(cookies_of(tokens)) for tokens in sign_ins]
    # In DEBUG the first page compiles its templates: else all threads of a server would do so at once.
    for port, pages in paths.items():
        for page in pages:
            browsers[0].is_signed_in(port, page, until=time.monotonic() + 30)
    threads = [
        threading.Thread(target=browser.use_tab, args=(paths, storm.stop), daemon=True)
        for browser in browsers
        for _ in range(TABS)
    ]
    threads += [
        threading.Timer(random.uniform(0.3, 0.7) * storm.seconds, browser.sign_out, args=(random.choice([*paths]),))
        for browser in browsers[scenario.staying :]
    ]
    if scenario.meanwhile is not None:
        threads.append(threading.Thread(target=scenario.meanwhile, args=(storm,), daemon=True))
    for thread in threads:
        thread.start()
    time.sleep(storm.seconds)
    storm.stop.set()
    for thread in threads:
        thread.join(60)
    port = next(iter(paths))
    for browser in browsers[scenario.staying :]:
        # A machine may be too slow for a tab to ask between the sign-out and the end of the storm.
        browser.ask_once(port, paths[port][0])
    return browsers


def _leaks(issued: set[str], folder: Path, redis: Redis | None) -> Iterator[str]:
    """Find the tokens that were issued: in a file of the store, in a log, in Redis."""
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
        # Also its last part: the payload of a token tells as much as the whole.
        if any(token.encode()[-32:] in content for token in issued):
            yield name


def main() -> None:
    """`make storm`."""
    parser = parser_of(__doc__, writes=True)
    parser.add_argument("--seconds", type=float, default=60, help="of each scenario: 60")
    parser.add_argument("--store", choices=("embedded", "redis"), nargs="+", default=["embedded", "redis"])
    parser.add_argument("--only", nargs="+", default=[""], help="parts of the names of scenarios")
    parser.add_argument("--workers", type=int, default=WORKERS, help=f"of each project: {WORKERS}")
    options = options_of(parser, seconds=2, store=["redis"], only=["primary killed"], workers=1)
    outcomes = []
    for store in stores_here(options.store):
        for scenario in SCENARIOS:
            is_asked_for = any(part in scenario.name for part in options.only)
            if not is_asked_for or (scenario.redis and store != "redis"):
                continue
            print(f"{store}: {scenario.name} …", file=sys.stderr, flush=True)
            with tempfile.TemporaryDirectory(prefix="storm-") as folder:
                place, seconds = Path(folder), options.seconds
                outcomes.append(run(scenario, store=store, seconds=seconds, folder=place, workers=options.workers))
            print(outcomes[-1].statuses, outcomes[-1].leaks, file=sys.stderr, flush=True)
    print(f"\n{options.seconds:.0f} s each; browsers of {TABS} tabs, of which {LEAVING} sign out\n")
    print(table((*HEADS, *MORE_HEADS), (outcome.row() for outcome in outcomes)))
    print(LEGEND)
    if options.write:
        write("storm", table(HEADS, (outcome.row()[:4] for outcome in outcomes)))
    targets = Targets(smoke=options.smoke)
    failed = sum(not outcome.sound for outcome in outcomes)
    targets.hold(f"{failed} of {len(outcomes)} lines failed", "0", met=not failed)
    targets.end()


if __name__ == "__main__":
    main()
