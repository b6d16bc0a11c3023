"""What cached reads and writes cost, on the embedded store and on Redis; beside them TanStack's query-core on node.

Each figure is the mean of the calls of the best of several rounds, in microseconds. Every call is a request of its
own, and keeps nothing but what a process keeps between requests. TanStack keeps everything in one process's memory, for
one user; its column shows what sharing costs, not a race.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import django
from django.conf import settings

from benchmarks._measured import write
from benchmarks._options import options_of, parser_of
from benchmarks._stores import caches
from benchmarks._targets import Targets
from benchmarks._unknown_calls import UnknownCallError
from portal.api import ApiResponse, TokenPair, TokenStore
from portal.config.limits import MAX_PAGES
from portal.query import create_query_client
from portal.query.process_state import runtime_for
from portal.services.energy.clients import ClientMutations, ClientQueries
from portal.store import SharedStore

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from portal.query import QueryClient

PAGE = 20
SIZES = (20, 200, 2000)
CALLS = 8
OPERATIONS = (
    "hot read of the first page",
    "read of all pages, flat and unique",
    "remove a row, then read the first page",
    "add a row, then read the first page",
    "merge a row, then read the first page",
)
HOT_TARGET_US = 150
GROWTH_TARGET = 2.0


class Backend:
    """Answers at once: `rows` clients in pages of 20."""

    def __init__(self, rows: int, *, user: str = "bench") -> None:
        self.rows, self.user = rows, user

    @property
    def refresher(self) -> Self:
        """This object, which needs no refresh."""
        return self

    def signed_out_at(self, _pair: object) -> float | None:
        """Nobody is signed out here."""
        return None

    def ended_at_provider(self, _pair: object, **_options: object) -> bool:
        """There is no provider."""
        return False

    def ensure_fresh(self, tokens: object, **_: object) -> None:
        """Tokens do not expire here."""

    def call(
        self,
        *,
        method: str,
        path: str,
        params: Mapping[str, Any] | None = None,
        json: Any = None,
        **_: object,
    ) -> ApiResponse:
        """One call."""
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


def measure(store: SharedStore, *, rounds: int) -> dict[str, dict[int, float]]:
    """Operation to number of cached rows to µs."""
    figures: dict[str, dict[int, float]] = {name: {} for name in OPERATIONS}
    for rows in SIZES:
        operations = Operations(store, rows)
        for name, run in operations.by_name().items():
            figures[name][rows] = _best(run, begin_round=operations.begin_round, rounds=rounds)
    return figures


class Operations:
    """The operations on a list of that many cached rows; each takes the number of its call in a round."""

    def __init__(self, store: SharedStore, rows: int) -> None:
        self.pages = rows // PAGE
        self.backend: Any = Backend(rows, user=f"of {rows} rows")
        self.runtime = runtime_for(store)
        self.tokens = TokenPair(access=f"token for {rows} rows")

    def by_name(self) -> dict[str, Callable[[int], object]]:
        """As the table names them."""
        runs = (lambda _: self.read(), lambda _: self.read_all(), self.remove, self.add, self.merge)
        return dict(zip(OPERATIONS, runs, strict=True))

    def begin_round(self) -> None:
        """All pages cached and no write since: else the log would outgrow its bound, and the list be fetched."""
        self.request().purge()
        self.read_all()
        self.read_all()

    def request(self) -> QueryClient:
        return create_query_client(tokens=TokenStore(self.tokens), api=self.backend, runtime=self.runtime)

    def read(self, cursor: str | None = None, pages: int = 1) -> object:
        return ClientQueries.use_get_clients_query(self.request(), cursor=cursor, pages=pages).data.items

    def read_all(self) -> object:
        """In windows of the most pages that a read gives."""
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


def _best(run: Callable[[int], object], *, begin_round: Callable[[], None], rounds: int) -> float:
    """What a call takes in the best round, µs."""
    least = float("inf")
    for _ in range(rounds):
        begin_round()
        began = time.perf_counter()
        for number in range(CALLS):
            run(number)
        least = min(least, (time.perf_counter() - began) / CALLS)
    return least * 1e6


def measure_tanstack() -> dict[str, dict[int, float]] | str:
    """The same on query-core; or why there are no figures."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        return "node is not on this machine"
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder, "bench.mjs")
        script.write_text(Path(__file__).with_name("_tanstack.mjs").read_text())
        install = [npm, "install", "--no-audit", "--no-fund", "--silent", "--prefix", folder, "@tanstack/query-core@5"]
        try:
            subprocess.run(install, check=True, capture_output=True, timeout=120)
            run = subprocess.run([node, str(script)], check=True, capture_output=True, cwd=folder, timeout=120)
        except (subprocess.SubprocessError, OSError) as error:
            return f"@tanstack/query-core could not be installed or run ({type(error).__name__})"
    found = json.loads(run.stdout)
    return {name: {rows: found[str(rows)][name] for rows in SIZES} for name in OPERATIONS}


def count_round_trips(store: SharedStore) -> dict[str, int]:
    """How often a read asks the store."""
    trips = [0]

    class Counted(SharedStore):
        def _do(self, operation: Any, key: str | None = None) -> Any:
            trips[0] += 1
            return super()._do(operation, key)

    counted = Counted(alias=store.alias)
    backend: Any = Backend(20, user="counted")
    tokens = TokenStore(TokenPair(access="token for counting"))
    runtime = runtime_for(counted)

    def read(runtime: Any) -> int:
        trips[0] = 0
        ClientQueries.use_get_clients_query(create_query_client(tokens=tokens, api=backend, runtime=runtime))
        return trips[0]

    read(runtime)
    found = {"hot": read(runtime)}
    client = create_query_client(tokens=tokens, api=backend, runtime=runtime)
    ClientMutations.use_delete_client_mutation(client).mutate(params={"id": "c5"})
    found["with writes since"] = read(runtime)
    found["first in a process, with writes since"] = read(runtime_for(counted))
    return found


def _table(columns: dict[str, dict[str, dict[int, float]]]) -> None:
    print(f"| µs | cached rows | {' | '.join(columns)} |")
    print(f"|---|---|{'---|' * len(columns)}")
    for name in OPERATIONS:
        for rows in SIZES:
            cells = " | ".join(f"{figures[name][rows]:,.0f}" for figures in columns.values())
            print(f"| {name} | {rows:,} | {cells} |")


def main() -> None:
    """Print the table, and the targets with what came of them."""
    parser = parser_of(__doc__, writes=True)
    parser.add_argument("--rounds", type=int, default=15, help="of each operation: 15")
    options = options_of(parser, rounds=1)
    with tempfile.TemporaryDirectory() as folder, caches(Path(folder)) as found:
        settings.configure(CACHES=dict(found), USE_TZ=True)
        django.setup()
        stores = {name: SharedStore(alias=name) for name in found}
        columns = {name: measure(store, rounds=options.rounds) for name, store in stores.items()}
        trips = count_round_trips(stores["embedded store"])
    tanstack = measure_tanstack()
    print("\n## Query layer\n")
    if not isinstance(tanstack, str):
        columns["TanStack query-core, in memory"] = tanstack
    _table(columns)
    if isinstance(tanstack, str):
        print(f"\nskipped: TanStack: {tanstack}")
    ours = columns["embedded store"]
    hot = ours[OPERATIONS[0]][20]
    growth = max(ours[name][2000] / ours[name][20] for name in OPERATIONS[2:])
    print()
    targets = Targets(smoke=options.smoke)
    counted = ", ".join(f"{name} {count}" for name, count in trips.items())
    targets.hold(f"round trips of a read to the store: {counted}", "at most 3", met=max(trips.values()) <= 3)
    what = f"a hot read of one page, embedded store: {hot:,.0f} µs"
    targets.hold(what, f"under {HOT_TARGET_US}", met=hot < HOT_TARGET_US)
    what = f"a write and the next read of the first page, 2,000 rows against 20: {growth:.2f} times"
    targets.hold(what, f"at most {GROWTH_TARGET:.0f}", met=growth <= GROWTH_TARGET)
    for name, figures in columns.items():
        if figures is ours:
            continue
        writes = [figures[operation][rows] for operation in OPERATIONS[2:] for rows in SIZES]
        what = f"a cached page {figures[OPERATIONS[0]][PAGE]:,.0f} µs, a write and the next read"
        targets.tell(f"{name}: {what} {min(writes):,.0f} to {max(writes):,.0f} µs")
    if options.write:
        write("query", targets.table())
    targets.end()


if __name__ == "__main__":
    main()
