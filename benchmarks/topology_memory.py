"""The memory of one app after 50,000 requests, cookies of 350 KB among them: with one worker, or as shipped with two.

The app runs with the settings of production, the embedded store and the sandbox. Pages of a signed-in user, forms and
fuzzed requests go to it directly. With one worker two numbers have a target: what its two processes take together, the
worker and the one that supervises it, where each page of memory is divided among the processes that share it (PSS); and
what is resident of the worker alone (RSS). The sum of both processes' RSS counts what they share twice: it is only
shown.

`./manage.py bench topology_memory [--requests 50000] [--app energy] [--workers 2]`
"""

from __future__ import annotations

import contextlib
import random
import secrets
import tempfile
import time
from collections import Counter
from pathlib import Path

from benchmarks._fuzz_requests import Requests
from benchmarks._options import options_of, parser_of
from benchmarks._servers import Server, project_server
from benchmarks._targets import Targets
from benchmarks._visits import PAGES
from benchmarks._wire import Http1, Sent
from benchmarks.topology_fuzz import tokens_of
from portal.config.cookies import VAR_ACCESS_TOKEN, VAR_REFRESH_TOKEN
from portal_dev.local_servers.server_group import ServerGroup
from tests.support.harness import prepare_sandbox
from tests.support.ports import free_port_base
from tests.support.topology import Addresses
from tests.support.topology.variables import backend

MOST_PSS_MIB, MOST_WORKER_RSS_MIB = 80, 90
#: One in so many requests has cookies of 350 KB; pages and fuzzed requests share the rest.
LARGE, PAGES_SHARE = 100, 0.5
EMAIL = "all@example.com"
LOOKS = 10
#: Requests on one connection: the kernel gives each connection to one worker.
EACH_CONNECTION = 50


def main() -> None:
    """See the module."""
    parser = parser_of(__doc__)
    parser.add_argument("--requests", type=int, default=50_000)
    parser.add_argument("--app", default="energy", choices=("energy", "operations", "finance"))
    parser.add_argument("--workers", type=int, default=1, help="2: as deploy/systemd has it")
    parser.add_argument("--seed", type=int, default=1)
    options = options_of(parser, requests=200)
    addresses, key = Addresses(port_base=free_port_base()), secrets.token_urlsafe(48)
    with tempfile.TemporaryDirectory(prefix="topology-memory-") as name, contextlib.ExitStack() as stack:
        folder = Path(name)
        more = {"SANDBOX_ACCESS_TOKEN_LIFETIME_S": "21600"}
        sandbox = backend(addresses=addresses, state=folder / "sandbox", jwt_key=key, more=more)
        prepare_sandbox(sandbox.environment)
        group = ServerGroup(log=folder / "sandbox.log")
        stack.callback(group.stop)
        group.start([sandbox])
        group.wait_until_ready()
        (folder / "app").mkdir()
        url = f"http://127.0.0.1:{sandbox.port}"
        place, number = folder / "app", options.workers
        app = project_server(options.app, core=None, threads=8, folder=place, backend=url, key=key, workers=number)
        server = stack.enter_context(app)
        began = time.monotonic()
        statuses = _load(server, options.app, options.requests, seed=options.seed, backend_port=sandbox.port)
        took, memory, worker = time.monotonic() - began, server.memory(), server.workers_memory()
    print(f"{statuses.total()} requests in {took:.0f} s: ", end="")
    print(", ".join(f"{status or 'no answer'}: {number}" for status, number in statuses.most_common()))
    targets = Targets(smoke=options.smoke)
    print(f"{options.app}, all processes: PSS {memory.pss:.1f} MiB, RSS summed {memory.rss:.1f} MiB")
    if options.workers > 1:
        return
    for what, found, most in (
        ("both processes, PSS", memory.pss, MOST_PSS_MIB),
        ("the worker, RSS", worker.rss, MOST_WORKER_RSS_MIB),
    ):
        targets.hold(f"{options.app}, {what}: {found:.1f} MiB", f"at most {most} MiB", met=found <= most)
    targets.end()


def _load(server: Server, app: str, requests: int, *, seed: int, backend_port: int) -> Counter[int | None]:
    """Send them, one after another, and print the memory now and then."""
    dice, statuses = random.Random(seed), Counter[int | None]()
    origin = f"http://localhost:{server.port}"
    made = Requests(dice, dict.fromkeys(("auth_app", "energy", "operations", "finance"), origin))
    made.signed_in = tokens_of(backend_port, EMAIL)
    tokens = zip((VAR_ACCESS_TOKEN, VAR_REFRESH_TOKEN), made.signed_in, strict=True)
    cookie = "; ".join(f"{name}={value}" for name, value in tokens).encode()
    pages = [path.encode() for owner, path in PAGES if owner == app]
    connection = Http1(server.port, "localhost", None)
    print("| requests | all, PSS | workers, RSS | all, RSS summed |\n|---|---|---|---|")
    for number in range(requests):
        if number % max(1, requests // LOOKS) == 0:
            memory, worker = server.memory(), server.workers_memory()
            print(f"| {number} | {memory.pss:.1f} MiB | {worker.rss:.1f} MiB | {memory.rss:.1f} MiB |", flush=True)
        roll = dice.random()
        if roll < 1 / LARGE:
            sent = made.large_cookies()
        elif roll < PAGES_SHARE:
            sent = Sent(app, target=dice.choice(pages), headers=((b"Accept", b"text/html"), (b"Cookie", cookie)))
        else:
            sent = made.next(raw=False)
        statuses[connection.ask(sent).status] += 1
        if number % EACH_CONNECTION == EACH_CONNECTION - 1:
            connection.close()
            connection = Http1(server.port, "localhost", None)
    connection.close()
    return statuses


if __name__ == "__main__":
    main()
