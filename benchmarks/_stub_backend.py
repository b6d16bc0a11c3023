"""A backend that answers every user with the same rows, at once or after a set time, and counts the calls.

    python -m benchmarks._stub_backend PORT

`GET /stub?delay_ms=20` sets the time that later calls wait, and gives the number of calls so far. After
`GET /stub?hangs=/energy/meters` calls to that path have no answer.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
import urllib.request
from abc import ABC, abstractmethod
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final
from urllib.parse import parse_qs

from benchmarks._servers import serving
from benchmarks._unknown_calls import UnknownCallError
from portal.config.contract_names import NOBODYS_WORD
from portal.testing.shapes import page_of, problem_of, profile_of
from tests.support.ports import free_port

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from benchmarks._servers import Server

USER = "acc_benchmark"
PERMISSION = "ENERGY_APP"
CITIES = ("Oslo", "Zürich", "İzmir", "Graz", "Bergen")
ROWS = [
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
MONTHS = [f"2025-{month:02d}" for month in range(1, 13)]
SUMMARY = {
    "counts": {"clients": 240, "stations": 61, "chargers": 184, "sessions": 5210, "meters": 77},
    "chargersByStatus": {"available": 120, "charging": 41, "offline": 14, "faulted": 9},
    "energyByMonth": [
        {"month": month, "energyKwh": 1234.5 + 100 * number, "sessions": 300 + 7 * number}
        for number, month in enumerate(MONTHS)
    ],
    "sessionsByHour": [{"hour": hour, "sessions": 5 + hour * (23 - hour)} for hour in range(24)],
}
STATE = {
    "chargersByStatus": SUMMARY["chargersByStatus"],
    "metersByStatus": {"online": 70, "offline": 7},
    "faultedChargers": [{"id": "chg_00000001", "name": "Harbour 1", "stationName": "Harbour"}],
}
STATION = "sta_00000001"
_WHEN = "2026-01-02T12:34:56.789012Z"
_STATION = {"id": STATION, "name": "Harbour", "address": "Quay 1", "city": "Oslo", "country": "NO", "latitude": 59.9}
_CHARGER = {"stationId": STATION, "stationName": "Harbour", "model": "X", "connector": "ccs", "maxPowerKw": 150}
_SESSION = {
    "reference": "CS-1",
    "chargerId": "chg_00000001",
    "chargerName": "Harbour 1",
    "stationId": STATION,
    "stationName": "Harbour",
    "clientId": ROWS[0]["id"],
    "clientName": ROWS[0]["name"],
    "startedAt": _WHEN,
    "endedAt": _WHEN,
    "energyKwh": 12.5,
    "cost": "7.25",
    "currency": "EUR",
    "status": "completed",
}
_METER = {"serial": "M-1", "stationId": STATION, "stationName": "Harbour", "status": "online", "lastReadingKwh": 1234.5}


def _five(prefix: str, row: dict[str, object]) -> dict[str, object]:
    """A list of five such rows."""
    rows = [{"id": f"{prefix}_{number:08d}", "name": "Row", "createdAt": _WHEN, **row} for number in range(5)]
    return page_of(rows, next_cursor=None, total=5)


_HISTORY: Final = page_of(
    [{"id": "act_1", "kind": "created", "accountName": "Ada Byron", "createdAt": _WHEN, "changes": [], "text": ""}],
    next_cursor=None,
    total=1,
)
#: How many rows have each value of a filter: a page of a list that is searched asks for that too.
COUNTS: Final = {"city": dict.fromkeys(CITIES, 48)}
#: What each path answers; a list, with every search and sort order, by its first page.
FOUND = {
    "/me": profile_of(USER, PERMISSION),
    "/energy/summary": SUMMARY,
    "/energy/state": STATE,
    "/energy/clients": page_of(ROWS, next_cursor="after-20", total=240),
    "/energy/clients/counts": COUNTS,
    "/energy/meters/counts": {"status": {"online": 70, "offline": 7}},
    f"/energy/stations/{STATION}": {
        **_STATION,
        "longitude": 10.7,
        "status": "active",
        "chargerCount": 5,
        "createdAt": _WHEN,
    },
    "/energy/chargers": _five("chg", _CHARGER | {"status": "available"}),
    "/energy/sessions": _five("ses", _SESSION),
    "/energy/meters": _five("met", _METER | {"lastReadingAt": _WHEN}),
    "/energy/sessions/totals": {"total": 5, "sums": {"energyKwh": 61.5, "cost": {"EUR": "21.30"}}},
    **{f"/energy/clients/{row['id']}": row for row in ROWS},
    **{f"/energy/clients/{row['id']}/activity": _HISTORY for row in ROWS},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call of an app."""

    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    body: bytes


class Connection(asyncio.Protocol, ABC):
    """One connection of a client, with what it has sent and nothing has read yet.

    :cvar calls: how many there have been, by kind.
    :cvar unknown: method and path of those that nothing answers.
    """

    calls: ClassVar[Counter[str]] = Counter()
    unknown: ClassVar[dict[str, None]] = {}
    delay_s: ClassVar[float] = 0.0
    hangs: ClassVar[str] = ""

    @abstractmethod
    def answer(self, call: Call) -> bytes | None:
        """The response to a call, which is counted; None if it is not known."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.received = b""

    def data_received(self, data: bytes) -> None:
        self.received += data
        while b"\r\n\r\n" in self.received:
            head, _, rest = self.received.partition(b"\r\n\r\n")
            first, *lines = head.decode().split("\r\n")
            headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
            length = int(headers.get("content-length", "0"))
            if len(rest) < length:
                return
            self.received = rest[length:]
            method, target, _ = first.split(" ")
            path, _, query = target.partition("?")
            self._receive(Call(method=method, path=path, query=query, headers=headers, body=rest[:length]))

    def _receive(self, call: Call) -> None:
        if call.path == "/stub":
            for delay in parse_qs(call.query).get("delay_ms", ()):
                Connection.delay_s = float(delay) / 1000
            for path in parse_qs(call.query).get("hangs", ()):
                Connection.hangs = path
            self.transport.write(response_of(200, {"calls": self.calls, "unknown": [*self.unknown]}))
            return
        response = self.answer(call)
        if call.path == self.hangs:
            return
        if response is None:
            self.unknown[f"{call.method} {call.path}"] = None
            response = response_of(404, problem_of(404))
        if self.delay_s:
            asyncio.get_running_loop().call_later(self.delay_s, self.transport.write, response)
        else:
            self.transport.write(response)


class _Connection(Connection):
    """Of any user."""

    def answer(self, call: Call) -> bytes | None:
        self.calls["all"] += 1
        if call.method != "GET":
            return None
        return NOTHING_FOUND if NOBODYS_WORD in call.query else RESPONSES.get(call.path)


def response_of(status: int, content: object) -> bytes:
    """The bytes of a response with this JSON."""
    body = json.dumps(content).encode()
    head = f"HTTP/1.1 {status} Status\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


RESPONSES = {path: response_of(200, content) for path, content in FOUND.items()}
#: A search for a word that no row has: with rows for it, the portal would say that the list is not searched.
NOTHING_FOUND = response_of(200, page_of([], next_cursor=None, total=0))


class Stub:
    """A running backend."""

    def __init__(self, server: Server) -> None:
        self.url = f"http://127.0.0.1:{server.port}"

    def calls(self) -> int:
        """How many there have been."""
        return calls_of(self.url).total()

    def answer_after(self, milliseconds: int) -> None:
        """From now on."""
        calls_of(self.url, f"?delay_ms={milliseconds}")

    def hang(self, path: str) -> None:
        """Calls to it have no answer from now on."""
        calls_of(self.url, f"?hangs={path}")


def calls_of(url: str, query: str = "") -> Counter[str]:
    """How many calls a stub has had, by kind.

    :raises UnknownCallError: it does not know one of them.
    """
    with urllib.request.urlopen(f"{url}/stub{query}", timeout=10) as response:
        state = json.load(response)
    if state["unknown"]:
        raise UnknownCallError(*state["unknown"])
    return Counter(state["calls"])


@contextlib.contextmanager
def stub_backend() -> Iterator[Stub]:
    """A backend in a process of its own, on the cores of this process."""
    port = free_port()
    with serving([sys.executable, "-m", "benchmarks._stub_backend", str(port)], port=port, core=None) as server:
        yield Stub(server)
        calls_of(f"http://127.0.0.1:{port}")


def serve(connection: type[Connection], port: int) -> None:
    """Answer until the process is ended."""

    async def run() -> None:
        server = await asyncio.get_running_loop().create_server(connection, "127.0.0.1", port, backlog=512)
        await server.serve_forever()

    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(run())


if __name__ == "__main__":
    serve(_Connection, int(sys.argv[1]))
