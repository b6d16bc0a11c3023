"""A WSGI application with a response that is longer than what a machine keeps for a connection."""

import json
import threading
from itertools import repeat

PART = b"x" * 64 * 1024
PARTS = 400
closed: list[int] = []
#: Never set: who waits for it waits for as long as the limit.
hold = threading.Event()


class Parts:
    def __init__(self) -> None:
        self.given = 0
        self._parts = repeat(PART, PARTS)

    def __iter__(self):
        return self

    def __next__(self) -> bytes:
        part = next(self._parts)
        self.given += 1
        return part

    def close(self) -> None:
        closed.append(self.given)


def application(environ, start_response):
    if environ["PATH_INFO"] == "/ends":
        raise SystemExit
    if environ["REQUEST_METHOD"] == "POST":
        body = environ["wsgi.input"].read()
        hold.wait(0.3)
        start_response("200 OK", [])
        return [str(len(body)).encode()]
    start_response("200 OK", [("Content-Type", "application/octet-stream")])
    return Parts() if environ["PATH_INFO"] == "/long" else [json.dumps(closed).encode()]
