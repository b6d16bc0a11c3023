"""Costs of a call through `ApiSession` beside plain `requests`: a table, all in one run.

Same backend, a stub in a process of its own; same JSON of 20 rows, same bearer. The rows are one machine's figures; the
targets are ratios within the run. Cases take turns, and each figure is the best of many rounds, since all that disturbs
a machine only ever adds.
"""

from __future__ import annotations

import math
import os
import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import django
import requests

from benchmarks.harness.in_process import log_to_nowhere
from benchmarks.harness.measured import table
from benchmarks.harness.options import options_of, parser_of
from benchmarks.harness.stub_backend import access_token, stub_backend
from benchmarks.harness.targets import Targets
from portal.api import ApiSession, TokenPair, TokenStore
from portal.api.refresh import BackendTokenEndpoint, TokenRefresher

if TYPE_CHECKING:
    import argparse

CALLS = 100
THREADS = 8
THREAD_CALLS = 60
MOST_OF_PLAIN = 1.0
LEAST_THROUGHPUT = 1.0


def main() -> None:
    """Print the table, and the targets with their results."""
    parser = parser_of(__doc__, writes=True)
    parser.add_argument("--rounds", type=int, default=30, help="of calls: 30")
    options = options_of(parser, rounds=1)
    with tempfile.TemporaryDirectory() as state:
        os.environ.update(DJANGO_SETTINGS_MODULE="apps.energy.settings", DEBUG="on", APP_STATE_DIR=state)
        django.setup()
        log_to_nowhere()
        with stub_backend() as stub:
            _measure(stub.url, options)


def _measure(url: str, options: argparse.Namespace) -> None:
    store = _CountingStore()
    api = ApiSession(base_url=url, connect_timeout_s=3, read_timeout_s=10)
    only_counts: Any = store
    api.refresher = TokenRefresher(token_endpoint=BackendTokenEndpoint(api), store=only_counts, max_age_s=3600)
    access = access_token()
    tokens = TokenStore(TokenPair(access=access, refresh="refresh"))
    params: dict[str, str | int | None] = {"limit": 20, "q": "oslo"}
    session, headers = requests.Session(), {"Authorization": f"Bearer {access}", "Accept": "application/json"}

    def plain() -> Any:
        return session.get(f"{url}/energy/clients", params=params, headers=headers, timeout=10).json()

    def through_api() -> Any:
        return api.call(tokens=tokens, method="GET", path="/energy/clients", params=params).data

    assert through_api() == plain()
    assert len(plain()["items"]) == 20
    cases: dict[str, Callable[[], Any]] = {"requests.Session": plain, "ApiSession": through_api}
    times = {name: float("inf") for name in cases}
    for _ in range(options.rounds):
        for name, call in cases.items():
            started = time.perf_counter()
            for _ in range(CALLS):
                call()
            times[name] = min(times[name], (time.perf_counter() - started) / CALLS)
    rates = dict.fromkeys(cases, 0.0)
    for _ in range(math.ceil(options.rounds / 3)):
        for name, call in cases.items():
            rates[name] = max(rates[name], _rate(call))

    cost = times["ApiSession"] / times["requests.Session"]
    gain = rates["ApiSession"] / rates["requests.Session"]
    print("\nOne call with 20 rows of JSON, and calls per second of 8 threads\n")
    print(table(("", "µs", "calls/s"), ((name, f"{times[name] * 1e6:.0f}", f"{rates[name]:.0f}") for name in cases)))
    targets = Targets(smoke=options.smoke)
    targets.hold(f"a call costs {cost:.2f} of plain", f"at most {MOST_OF_PLAIN}", met=cost <= MOST_OF_PLAIN)
    targets.hold(f"8 threads reach {gain:.2f} of plain", f"at least {LEAST_THROUGHPUT}", met=gain >= LEAST_THROUGHPUT)
    targets.hold(f"operations of the store with a fresh token: {store.operations}", "none", met=store.operations == 0)
    if options.write:
        targets.write("api")
    targets.end()


def _rate(call: Callable[[], Any]) -> float:
    """Return the calls per second of all threads, each on a connection that is open."""
    barrier = threading.Barrier(THREADS + 1)

    def work() -> None:
        call()
        barrier.wait()
        for _ in range(THREAD_CALLS):
            call()

    with ThreadPoolExecutor(THREADS) as pool:
        running = [pool.submit(work) for _ in range(THREADS)]
        barrier.wait()
        started = time.perf_counter()
        for thread in running:
            thread.result()
        return THREADS * THREAD_CALLS / (time.perf_counter() - started)


class _CountingStore:
    """Counts its uses; there should be none."""

    operations = 0

    def __getattr__(self, name: str) -> Any:
        self.operations += 1
        raise AttributeError(name)


if __name__ == "__main__":
    main()
