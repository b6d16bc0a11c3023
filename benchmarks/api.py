"""What a call through `ApiSession` costs beside plain `requests`: a table, all in one run.

Same backend, same JSON of 20 rows, same bearer. The backend is a process of its own that only writes bytes. The
rows are one machine's figures; the targets are ratios within the run. Cases take turns, and each figure is the best
of many rounds, since what disturbs a machine only ever adds.
"""

from __future__ import annotations

import contextlib
import json
import logging
import math
import multiprocessing
import os
import socket
import tempfile
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import django
import jwt
import requests

from benchmarks._measured import write
from benchmarks._options import options_of, parser_of
from benchmarks._targets import Targets
from portal.api import ApiSession, TokenPair, TokenStore
from portal.api.refresh import BackendTokenEndpoint, TokenRefresher

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator

CALLS = 100
THREADS = 8
THREAD_CALLS = 60
MOST_OF_PLAIN = 1.0
LEAST_THROUGHPUT = 1.0

ROWS = [
    {"id": f"cli_{number:08d}", "name": f"Client {number}", "email": f"c{number}@example.com", "city": "Oslo"}
    for number in range(20)
]
BODY = json.dumps({"items": ROWS, "hasNext": True, "nextCursor": "abc", "total": 240}).encode()
RESPONSE = (
    b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nServer: benchmark\r\n"
    b"Cache-Control: no-store\r\nX-Request-ID: 1\r\nContent-Length: " + str(len(BODY)).encode() + b"\r\n\r\n" + BODY
)


def main() -> None:
    """Print the table, and the targets with what came of them."""
    parser = parser_of(__doc__, writes=True)
    parser.add_argument("--rounds", type=int, default=30, help="of calls: 30")
    options = options_of(parser, rounds=1)
    with tempfile.TemporaryDirectory() as state:
        os.environ.update(
            DJANGO_SETTINGS_MODULE="apps.energy.settings",
            DEBUG="on",
            APP_STATE_DIR=state,
        )
        django.setup()
        with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
            # Lines are made and written as ever, and drown no table.
            for handler in logging.getLogger().handlers:
                if isinstance(handler, logging.StreamHandler):
                    handler.setStream(nowhere)
            with _backend() as url:
                _measure(url, options)


@contextlib.contextmanager
def _backend() -> Iterator[str]:
    """Its address."""
    port = multiprocessing.Value("i", 0)
    backend = multiprocessing.Process(target=_serve, args=(port,), daemon=True)
    backend.start()
    while not port.value:
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{port.value}"
    finally:
        backend.terminate()
        backend.join()


def _measure(url: str, options: argparse.Namespace) -> None:
    api, store = _api_session(url)
    tokens = TokenStore(TokenPair(access=_fresh_token(), refresh="refresh"))
    params = {"limit": 20, "q": "oslo"}

    def through_api() -> Any:
        return api.call(tokens=tokens, method="GET", path="/energy/clients", params=params).data

    def plain_session() -> Callable[[], Any]:
        session = requests.Session()
        headers = {"Authorization": f"Bearer {tokens.current.access}", "Accept": "application/json"}
        return lambda: session.get(f"{url}/energy/clients", params=params, headers=headers, timeout=10).json()

    plain = plain_session()
    assert through_api() == plain() == json.loads(BODY)
    cases: dict[str, Callable[[], Any]] = {"requests.Session": plain, "ApiSession": through_api}
    times = {name: float("inf") for name in cases}
    for _ in range(options.rounds):
        for name, call in cases.items():
            started = time.perf_counter()
            for _ in range(CALLS):
                call()
            times[name] = min(times[name], (time.perf_counter() - started) / CALLS)

    makers = {"requests.Session": lambda: plain, "ApiSession": lambda: through_api}
    rates = dict.fromkeys(makers, 0.0)
    for _ in range(math.ceil(options.rounds / 3)):
        for name, make in makers.items():
            rates[name] = max(rates[name], _rate(make))

    cost = times["ApiSession"] / times["requests.Session"]
    gain = rates["ApiSession"] / rates["requests.Session"]
    print("\nOne call with 20 rows of JSON, and calls per second of 8 threads\n")
    print(f"{'':24}{'µs':>10}{'of plain':>10}{'calls/s':>12}{'of plain':>10}")
    for name in cases:
        print(
            f"{name:24}{times[name] * 1e6:10.0f}{times[name] / times['requests.Session']:10.2f}"
            f"{rates[name]:12.0f}{rates[name] / rates['requests.Session']:10.2f}"
        )
    print()
    targets = Targets(smoke=options.smoke)
    targets.hold(f"a call costs {cost:.2f} of plain", f"at most {MOST_OF_PLAIN}", met=cost <= MOST_OF_PLAIN)
    targets.hold(f"8 threads reach {gain:.2f} of plain", f"at least {LEAST_THROUGHPUT}", met=gain >= LEAST_THROUGHPUT)
    targets.hold(f"operations of the store with a fresh token: {store.operations}", "none", met=store.operations == 0)
    if options.write:
        write("api", targets.table())
    targets.end()


def _rate(make: Callable[[], Callable[[], Any]]) -> float:
    barrier = threading.Barrier(THREADS + 1)
    call = make()

    def work() -> None:
        call()
        barrier.wait()
        for _ in range(THREAD_CALLS):
            call()
        barrier.wait()

    threads = [threading.Thread(target=work) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    barrier.wait()
    started = time.perf_counter()
    barrier.wait()
    elapsed = time.perf_counter() - started
    for thread in threads:
        thread.join()
    return THREADS * THREAD_CALLS / elapsed


class _CountingStore:
    """Counts what is asked of it; nothing should be."""

    def __init__(self) -> None:
        self.operations = 0

    def __getattr__(self, name: str) -> Any:
        self.operations += 1
        raise AttributeError(name)


def _api_session(url: str) -> tuple[ApiSession, _CountingStore]:
    store = _CountingStore()
    session = ApiSession(base_url=url, connect_timeout_s=3, read_timeout_s=10)
    only_counts: Any = store
    session.refresher = TokenRefresher(token_endpoint=BackendTokenEndpoint(session), store=only_counts, max_age_s=3600)
    return session, store


def _fresh_token() -> str:
    return jwt.encode({"sub": "acc", "exp": 2**33}, "for-measuring-only-and-nothing-else", algorithm="HS256")


def _serve(port: Any) -> None:
    """Answer every request with the same bytes."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=64)
    port.value = listener.getsockname()[1]

    def answer(connection: socket.socket) -> None:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with connection:
            while connection.recv(65536):
                connection.sendall(RESPONSE)

    while True:
        connection, _ = listener.accept()
        threading.Thread(target=answer, args=(connection,), daemon=True).start()


if __name__ == "__main__":
    main()
