"""Costs of cached reads and writes, on the embedded store and on Redis.

Each figure is the mean of the calls of the best of several rounds, in microseconds. Every call is a request of its
own: nothing lives on between two but the state of a process.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import django

from benchmarks.harness.measured import table
from benchmarks.harness.options import options_of, parser_of
from benchmarks.harness.stores import caches, configure
from benchmarks.harness.stub_backend import UnknownCallError
from benchmarks.harness.targets import Targets
from benchmarks.query.storm_rows import StubSession
from portal.api import ApiResponse, TokenPair, TokenStore
from portal.config.limits import MAX_PAGES
from portal.query import QueryClient, create_query_client
from portal.query.process_state import QueryRuntime
from portal.services.energy.clients import ClientMutations, ClientQueries
from portal.store import SharedStore

PAGE: Final = 20
SIZES: Final = (20, 200, 2000)
CALLS: Final = 8
HOT_TARGET_US: Final = 150
GROWTH_TARGET: Final = 2.0
#: Operation to number of cached rows to µs.
Figures = dict[str, dict[int, float]]


class Backend(StubSession):
    """Answers at once: `rows` clients in pages of 20."""

    def __init__(self, rows: int, *, user: str = "bench") -> None:
        self.rows, self.user = rows, user

    def call(
        self, *, method: str, path: str, params: Mapping[str, Any] | None = None, json: Any = None, **_: object
    ) -> ApiResponse:
        """Answer one call."""
        data: dict[str, Any]
        match method, *path.split("/")[1:]:
            case "GET", "me":
                data = {"id": self.user, "permissions": []}
            case "GET", "energy", "clients":
                data = self._page(int((params or {}).get("cursor", 0)))
            case "POST", "energy", "clients":
                data = {**_row(5), "id": "made", **json}
            case "PATCH" | "DELETE", "energy", "clients", row_id:
                data = {**_row(5), "id": row_id, **(json or {})}
            case _:
                raise UnknownCallError(f"{method} {path}")
        return ApiResponse(status=200, data=data, headers={})

    def _page(self, number: int) -> dict[str, Any]:
        more = (number + 1) * PAGE < self.rows
        items = [_row(number * PAGE + index) for index in range(PAGE)]
        return {"items": items, "hasNext": more, "nextCursor": str(number + 1) if more else None, "total": self.rows}


def _row(number: int) -> dict[str, Any]:
    return {
        "id": f"c{number}",
        "name": f"Client number {number}",
        "email": f"client{number}@example.com",
        "phone": "+47 12 34 56 78",
        "city": "Oslo",
        "createdAt": "2026-01-01T12:00:00Z",
    }


class Operations:
    """Operations on a list of that many cached rows; each takes the number of its call in a round."""

    def __init__(self, store: SharedStore, rows: int) -> None:
        self.pages = rows // PAGE
        self.backend: Any = Backend(rows, user=f"of {rows} rows")
        self.runtime = QueryRuntime(store)
        self.tokens = TokenPair(access=f"token for {rows} rows")

    def request(self) -> QueryClient:
        return create_query_client(tokens=TokenStore(self.tokens), api=self.backend, runtime=self.runtime)

    def read(self, cursor: str | None = None, pages: int = 1) -> object:
        return ClientQueries.use_get_clients_query(self.request(), cursor=cursor, pages=pages).data.items

    def read_all(self) -> object:
        """Read in windows of the most pages that a read returns."""
        return [
            self.read(str(begin) if begin else None, min(MAX_PAGES, self.pages - begin))
            for begin in range(0, self.pages, MAX_PAGES)
        ]

    def remove(self, number: int) -> object:
        ClientMutations.use_delete_client_mutation(self.request()).mutate(params={"id": f"c{number}"})
        return self.read()

    def add(self, number: int) -> object:
        body: Any = {"id": f"new{number}", "name": "New", "email": "new@example.com"}
        ClientMutations.use_create_client_mutation(self.request()).mutate(body=body)
        return self.read()

    def merge(self, number: int) -> object:
        mutation = ClientMutations.use_update_client_mutation(self.request())
        mutation.mutate(body={"name": f"renamed {number}"}, params={"id": "c5"})
        return self.read()

    def best(self, run: Callable[[Operations, int], object], *, rounds: int) -> float:
        """Return the time of a call in the best round, µs."""
        least = float("inf")
        for _ in range(rounds):
            # All pages cached and no write since: else the log would outgrow its bound, and the list be fetched.
            self.request().purge()
            self.read_all()
            self.read_all()
            began = time.perf_counter()
            for number in range(CALLS):
                run(self, number)
            least = min(least, (time.perf_counter() - began) / CALLS)
        return least * 1e6


OPERATIONS: Final[dict[str, Callable[[Operations, int], object]]] = {
    "hot read of the first page": lambda operations, _: operations.read(),
    "read of all pages, flat and unique": lambda operations, _: operations.read_all(),
    "remove a row, then read the first page": Operations.remove,
    "add a row, then read the first page": Operations.add,
    "merge a row, then read the first page": Operations.merge,
}
HOT, _ALL, *WRITES = OPERATIONS


def measure(store: SharedStore, *, rounds: int) -> Figures:
    lists = {rows: Operations(store, rows) for rows in SIZES}
    return {
        name: {rows: operations.best(run, rounds=rounds) for rows, operations in lists.items()}
        for name, run in OPERATIONS.items()
    }


def main() -> None:
    """Print the table, and the targets with their results."""
    parser = parser_of(__doc__, writes=True)
    parser.add_argument("--rounds", type=int, default=15, help="of each operation: 15")
    options = options_of(parser, rounds=1)
    with tempfile.TemporaryDirectory() as folder, caches(Path(folder)) as found:
        configure(found)
        django.setup()
        stores = {name: SharedStore(alias=name) for name in found}
        columns = {name: measure(store, rounds=options.rounds) for name, store in stores.items()}
    rows = (
        (name, f"{size:,}", *(f"{figures[name][size]:,.0f}" for figures in columns.values()))
        for name in OPERATIONS
        for size in SIZES
    )
    print(f"\n## Query layer\n\n{table(('µs', 'cached rows', *columns), rows)}\n")
    embedded = columns.pop("embedded store")
    hot = embedded[HOT][PAGE]
    growth = max(embedded[name][2000] / embedded[name][20] for name in WRITES)
    targets = Targets(smoke=options.smoke)
    result = f"a hot read of one page, embedded store: {hot:,.0f} µs"
    targets.hold(result, f"under {HOT_TARGET_US}", met=hot < HOT_TARGET_US)
    result = f"a write and the next read of the first page, 2,000 rows against 20: {growth:.2f} times"
    targets.hold(result, f"at most {GROWTH_TARGET:.0f}", met=growth <= GROWTH_TARGET)
    for name, figures in columns.items():
        writes = [figures[operation][size] for operation in WRITES for size in SIZES]
        first = f"{name}: a cached page {figures[HOT][PAGE]:,.0f} µs"
        targets.tell(f"{first}, a write and the next read {min(writes):,.0f} to {max(writes):,.0f} µs")
    if options.write:
        targets.write("query")
    targets.end()


if __name__ == "__main__":
    main()
