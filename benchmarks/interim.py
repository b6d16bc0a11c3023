"""Two users, one transport, and a backend that sends 102 and 103 now and then: no answer may cross.

The backend is a process of its own that writes the bearer's name into each answer. It sends an interim answer before
three in eleven of them.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import multiprocessing
import socket
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Final

from django.conf import settings

from benchmarks._options import options_of, parser_of
from benchmarks._targets import Targets
from portal.api import Transport
from portal.errors import ApiError
from portal.process import Deadline

if TYPE_CHECKING:
    from multiprocessing.sharedctypes import Synchronized

THREADS: Final = 8
USERS: Final = (b"ada", b"bob")
PROCESSING: Final = b"HTTP/1.1 102 Processing\r\n\r\n"
EARLY_HINTS: Final = b"HTTP/1.1 103 Early Hints\r\nLink: </app.css>; rel=preload\r\n\r\n"
INTERIM: Final = {3: PROCESSING, 5: EARLY_HINTS, 6: PROCESSING + EARLY_HINTS}


def main() -> None:
    """Print what came of the calls; end with 1 where an answer crossed, or none came."""
    parser = parser_of(__doc__)
    parser.add_argument("--calls", type=int, default=10_000)
    options = options_of(parser, calls=800)
    calls: int = options.calls
    settings.configure()
    port: Synchronized[int] = multiprocessing.Value("i", 0)
    backend = multiprocessing.Process(target=_serve, args=(port,), daemon=True)
    backend.start()
    while not port.value:
        time.sleep(0.01)
    transport = Transport(base_url=f"http://127.0.0.1:{port.value}", connect_timeout_s=3, read_timeout_s=10)
    try:
        got, seconds = _ask_all(transport, calls)
    finally:
        transport.close()
        backend.terminate()
        backend.join()
    right = sum(count for (asked, answered), count in got.items() if asked == answered)
    print(f"\n{calls} calls of {len(USERS)} users over {THREADS} threads in {seconds:.1f} s, 3 in 11 with 102 or 103\n")
    targets = Targets(smoke=options.smoke)
    targets.hold(f"{calls - right} answers crossed or missing", "0", met=right == calls)
    targets.end()


def _ask_all(transport: Transport, calls: int) -> tuple[Counter[tuple[str, str]], float]:
    def ask(user: str) -> str:
        try:
            answer = transport.exchange(
                method="GET",
                target="/me",
                headers={},
                bearer=user,
                deadline=Deadline(30),
            )
            return str(json.loads(answer.content)["of"]) if answer.status == 200 else f"status {answer.status}"
        except ApiError as error:
            return type(error).__name__

    def work(_: int) -> Counter[tuple[str, str]]:
        users = itertools.islice(itertools.cycle(USERS), calls // THREADS)
        return Counter((user.decode(), ask(user.decode())) for user in users)

    started = time.perf_counter()
    with ThreadPoolExecutor(THREADS) as pool:
        got = sum(pool.map(work, range(THREADS)), Counter[tuple[str, str]]())
    return got, time.perf_counter() - started


def _serve(port: Any) -> None:
    listener = socket.create_server(("127.0.0.1", 0), backlog=64)
    port.value = listener.getsockname()[1]
    numbers = itertools.count()

    def answer(connection: socket.socket) -> None:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        # A client that takes a left-over answer for broken closes in the middle.
        with contextlib.suppress(OSError), connection:
            # Requests without a body, each answered before the next: one read is one of them.
            while request := connection.recv(65536):
                user = next(name for name in USERS if b"Bearer " + name in request)
                body = b'{"of": "%s"}' % user
                head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body)
                connection.sendall(INTERIM.get(next(numbers) % 11, b""))
                connection.sendall(head + body)

    while True:
        connection, _ = listener.accept()
        threading.Thread(target=answer, args=(connection,), daemon=True).start()


if __name__ == "__main__":
    main()
