"""A backend that answers every user with the same rows, at once or after a set time, and counts the calls.

    python -m benchmarks.harness.stub_backend PORT

The list of clients has 240 rows, or as many as a search says: `?q=rows5000` has 5,000. `GET /stub?delay_ms=20` sets the
time that later calls wait, and returns the number of calls so far.
"""

import asyncio
import base64
import contextlib
import functools
import json
import re
import secrets
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar, Final
from urllib.parse import parse_qs

import jwt

from benchmarks.harness.servers import KEY, serving
from tests.support.ports import free_port

PERMISSION: Final = "ENERGY_APP"
CITIES: Final = ("Oslo", "Zürich", "İzmir", "Graz", "Bergen")
ROWS: Final = [
    {
        "id": f"cli_{number:08d}",
        "name": f"Client number {number} & Sons",
        "email": f"client{number}@example.com",
        "phone": f"+47 12 34 56 {number:02d}" if number % 4 else None,
        "city": CITIES[number % len(CITIES)],
        "createdAt": f"2026-0{number % 9 + 1}-{number + 1:02d}T12:34:56.789012Z",
    }
    for number in range(1, 21)
]
STATION: Final = "sta_00000001"
_CLIENTS, _LENGTH = "/energy/clients", 240
_NUMBER_OF_ROWS: Final = re.compile(r"rows(\d+)")
_HISTORY: Final = {"kind": "created", "accountName": "Ada Byron", "createdAt": "2026-01-02T12:34:56Z", "text": ""}


# Not by `portal.testing.shapes`, whose package takes half a second of each process.
def _page_of(rows: list[dict[str, Any]], *, next_cursor: str | None, total: int) -> dict[str, Any]:
    return {"items": rows, "hasNext": next_cursor is not None, "nextCursor": next_cursor, "total": total}


def _list(prefix: str, row: dict[str, Any], number: int = 5) -> dict[str, Any]:
    """Return a list of so many such rows."""
    rows = [{"id": f"{prefix}_{each:08d}", **row} for each in range(number)]
    return _page_of(rows, next_cursor=None, total=number)


_DATA: Final = json.loads(Path(__file__).with_suffix(".json").read_text())
#: Path to what it answers, with every search and sort order.
FOUND: Final[dict[str, Any]] = {
    **_DATA["objects"],
    **{path: _list(**rows) for path, rows in _DATA["lists"].items()},
    **{f"{_CLIENTS}/{row['id']}": row for row in ROWS},
    **{f"{_CLIENTS}/{row['id']}/activity": _list("act", {**_HISTORY, "changes": []}, 1) for row in ROWS},
}


class UnknownCallError(Exception):
    """A stub does not know a call: pages would ask again and again, and that be measured."""

    def __init__(self, *calls: str) -> None:
        super().__init__(f"the stub backend does not know {', '.join(calls)}")


def access_token(user: str = "acc_benchmark", *, filling_chars: int = 0) -> str:
    """Return a token that is valid for a day, of a sign-in of its own.

    :param filling_chars: how many random characters it has more; random, because records of tokens are compressed.
    """
    claims = {"sub": user, "permissions": [PERMISSION], "exp": int(time.time()) + 86_400, "jti": secrets.token_hex(8)}
    filling = {"filling": secrets.token_hex(filling_chars // 2)} if filling_chars else {}
    return jwt.encode(claims | filling, KEY, algorithm="HS256")


def _response(status: int, content: object) -> bytes:
    body = json.dumps(content).encode()
    head = f"HTTP/1.1 {status} Status\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


_RESPONSES: Final = {path: _response(200, content) for path, content in FOUND.items()}


@functools.lru_cache(maxsize=1000)
def _page(first: int, limit: int, number: int) -> bytes:
    """Return the rows from `first` on, of so many."""
    end = min(first + limit, number)
    rows = [{**ROWS[index % len(ROWS)], "id": f"cli_{index + 1:08d}"} for index in range(first, end)]
    return _response(200, _page_of(rows, next_cursor=f"after-{end}" if end < number else None, total=number))


def _profile(headers: str) -> bytes:
    claims = re.findall(r"(?im)^authorization: bearer [^.]+\.([^.]+)", headers)[0]
    user = json.loads(base64.urlsafe_b64decode(claims + "=" * (-len(claims) % 4)))["sub"]
    return _response(200, {"id": user, **_DATA["profile"], "permissions": [PERMISSION]})


def _answer(method: str, path: str, query: str, headers: str) -> bytes | None:
    """Return the response to a call; None if it is not known."""
    if method != "GET":
        return None
    if path == "/me":
        return _profile(headers)
    if path == _CLIENTS:
        params = {name: values[0] for name, values in parse_qs(query).items()}
        asked = _NUMBER_OF_ROWS.fullmatch(params.get("q", ""))
        first = int(params.get("cursor", "after-0").removeprefix("after-"))
        return _page(first, int(params.get("limit", len(ROWS))), int(asked[1]) if asked else _LENGTH)
    return _RESPONSES.get(path)


class _Connection(asyncio.Protocol):
    """One connection of a client, with the octets that it has sent and nothing has read yet.

    :cvar unknown: method and path of the calls that are not known.
    """

    calls: ClassVar = 0
    unknown: ClassVar[dict[str, None]] = {}
    delay_s: ClassVar = 0.0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport, self.received = transport, b""

    def data_received(self, data: bytes) -> None:
        self.received += data
        while b"\r\n\r\n" in self.received:
            head, _, rest = self.received.partition(b"\r\n\r\n")
            first, _, headers = head.decode().partition("\r\n")
            length = int((re.findall(r"(?im)^content-length: *(\d+)", headers) or [0])[0])
            if len(rest) < length:
                return
            self.received = rest[length:]
            method, target, _ = first.split(" ")
            path, _, query = target.partition("?")
            self._receive(method, path, query, headers)

    def _receive(self, method: str, path: str, query: str, headers: str) -> None:
        if path == "/stub":
            for delay in parse_qs(query).get("delay_ms", ()):
                _Connection.delay_s = float(delay) / 1000
            self.transport.write(_response(200, {"calls": self.calls, "unknown": [*self.unknown]}))
            return
        _Connection.calls += 1
        response = _answer(method, path, query, headers)
        if response is None:
            self.unknown[f"{method} {path}"] = None
            response = _response(404, {"title": "Not found", "status": 404})
        if self.delay_s:
            asyncio.get_running_loop().call_later(self.delay_s, self.transport.write, response)
        else:
            self.transport.write(response)


class Stub:
    """A running backend."""

    def __init__(self, url: str) -> None:
        self.url = url

    def calls(self, query: str = "") -> int:
        """Return the number of calls so far.

        :raises UnknownCallError: one of them is not known.
        """
        with urllib.request.urlopen(f"{self.url}/stub{query}", timeout=10) as response:
            state = json.load(response)
        if state["unknown"]:
            raise UnknownCallError(*state["unknown"])
        return int(state["calls"])

    def answer_after(self, milliseconds: int) -> None:
        """Let calls wait so long from now on."""
        self.calls(f"?delay_ms={milliseconds}")


@contextlib.contextmanager
def stub_backend() -> Iterator[Stub]:
    """Run a backend in a process of its own, on the cores of this process."""
    port = free_port()
    command = [sys.executable, "-m", "benchmarks.harness.stub_backend", str(port)]
    with serving(command, port=port, core=None):
        stub = Stub(f"http://127.0.0.1:{port}")
        yield stub
        stub.calls()


async def _serve(port: int) -> None:
    server = await asyncio.get_running_loop().create_server(_Connection, "127.0.0.1", port, backlog=512)
    await server.serve_forever()


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_serve(int(sys.argv[1])))
