"""A backend that answers every user with the same rows, at once or after a set time, and counts the calls.

    python -m benchmarks._stub_backend PORT

`GET /stub?delay_ms=20` sets the time that later calls wait, and gives the number of calls so far.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
import urllib.request
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

from benchmarks._servers import serving
from portal.config.contract_names import NOBODYS_WORD
from portal.testing.shapes import page_of, problem_of, profile_of
from tests.support.ports import free_port

if TYPE_CHECKING:
    from collections.abc import Iterator

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


#: What each path answers; a list, with every search and sort order, by its first page.
FOUND = {
    "/me": profile_of(USER, PERMISSION),
    "/energy/summary": SUMMARY,
    "/energy/clients": page_of(ROWS, next_cursor="after-20", total=240),
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
} | {f"/energy/clients/{row['id']}": row for row in ROWS}


class Connection(asyncio.Protocol):
    """One connection of a client, with what it has sent and nothing has read yet."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.received = b""


class _Protocol(Connection):
    """A call is a GET without a body."""

    calls = 0
    delay_s = 0.0

    def data_received(self, data: bytes) -> None:
        self.received += data
        while b"\r\n\r\n" in self.received:
            head, _, self.received = self.received.partition(b"\r\n\r\n")
            self._receive(head.split(b" ", 2)[1].decode())

    def _receive(self, target: str) -> None:
        path, _, query = target.partition("?")
        if path == "/stub":
            for delay in parse_qs(query).get("delay_ms", ()):
                _Protocol.delay_s = float(delay) / 1000
            self.transport.write(response_of(200, {"calls": _Protocol.calls}))
            return
        _Protocol.calls += 1
        response = NOTHING_FOUND if NOBODYS_WORD in query else RESPONSES.get(path, NOT_FOUND)
        if _Protocol.delay_s:
            asyncio.get_running_loop().call_later(_Protocol.delay_s, self.transport.write, response)
        else:
            self.transport.write(response)


def response_of(status: int, content: object) -> bytes:
    """The bytes of a response with this JSON."""
    body = json.dumps(content).encode()
    head = f"HTTP/1.1 {status} Status\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


RESPONSES = {path: response_of(200, content) for path, content in FOUND.items()}
#: A search for a word that no row has: with rows for it, the portal would say that the list is not searched.
NOTHING_FOUND = response_of(200, page_of([], next_cursor=None, total=0))
NOT_FOUND = response_of(404, problem_of(404))


class Stub:
    """A running backend."""

    def __init__(self, server: Server) -> None:
        self.url = f"http://127.0.0.1:{server.port}"

    def calls(self) -> int:
        """How many there have been."""
        return self._ask("")

    def answer_after(self, milliseconds: int) -> None:
        """From now on."""
        self._ask(f"?delay_ms={milliseconds}")

    def _ask(self, query: str) -> int:
        with urllib.request.urlopen(f"{self.url}/stub{query}", timeout=10) as response:
            return int(json.load(response)["calls"])


@contextlib.contextmanager
def stub_backend() -> Iterator[Stub]:
    """A backend in a process of its own, on the cores of this process."""
    port = free_port()
    with serving([sys.executable, "-m", "benchmarks._stub_backend", str(port)], port=port, core=None) as server:
        yield Stub(server)


async def _serve(port: int) -> None:
    server = await asyncio.get_running_loop().create_server(_Protocol, "127.0.0.1", port, backlog=512)
    await server.serve_forever()


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_serve(int(sys.argv[1])))
