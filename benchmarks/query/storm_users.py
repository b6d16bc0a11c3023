"""Users of a query storm: they read and write by the query layer, or by the naive design."""

import random
import time
from collections.abc import Callable, Sequence
from typing import Any, cast

from benchmarks.query.storm_rows import PATH, RowMutations, RowQueries, StormServer, make_token
from portal.api import ApiSession, TokenPair, TokenStore
from portal.config.limits import MAX_PAGES
from portal.errors import ApiNotFoundError
from portal.query import QueryClient, RowParams, create_query_client
from portal.query.process_state import QueryRuntime
from portal.store import SharedStore

#: Chance of a change to be by the mutation that only invalidates.
TOUCH = 0.2
#: How far reads may be behind writes, seconds: next to nothing, or no page would be shown stale among so many writes.
READ_LAG_S = 0.01
NAIVE_KEY, NAIVE_STALE_TIME_S, NAIVE_LIFETIME_S = "naive", 300, 900


class LogUser:
    """A user of the query layer.

    :param reloads: chance of a read to be that of a page that the user reloads.
    """

    def __init__(
        self, server: StormServer, store: SharedStore, *, name: str, renewals: Any, reloads: float = 0
    ) -> None:
        self.server, self.name, self._renewals, self._reloads = server, name, renewals, reloads
        self.runtime = QueryRuntime(store, read_lag_s=READ_LAG_S)
        self.fetched = self.patched = self.foreign = 0

    def client(self, access: str | None = None) -> QueryClient:
        """Make the client of one request, with the newest token of all processes."""
        return create_query_client(
            tokens=TokenStore(TokenPair(access=access or make_token(self.name, self._renewals[0]))),
            reload=random.random() < self._reloads,
            api=cast("ApiSession", self.server),  # it has the parts that a client needs
            runtime=self.runtime,
        )

    def _note(self, client: QueryClient, rows: Sequence[dict[str, Any]]) -> None:
        self.fetched += client.events[-1].cache_status in {"miss", "partial"}
        self.patched += client.events[-1].patches > 0
        self.foreign += sum(row["seen_by"] != self.name for row in rows)

    def renew(self) -> None:
        """Renew the token; the requests that are under way keep the one before."""
        number = self._renewals[0]
        tokens = (make_token(self.name, number), make_token(self.name, number + 1))
        self.runtime.caches.hand_on(*tokens, is_proven=True)
        self._renewals[0] = number + 1

    def invent(self) -> None:
        """Read with an invented token that has the claims of the user's own."""
        access = make_token(self.name, self._renewals[0], key="another key, long enough for HS256 too")
        result = RowQueries.use_get_rows_query(self.client(access), {}, pages=2)
        self.foreign += len(result.data.items)

    def read(self, *, all_pages: bool) -> tuple[bool, list[dict[str, Any]], dict[str, float]]:
        """Return whether the list was searched, its rows, and the time at which the page of each was asked for."""
        client = self.client()
        params = {} if all_pages or random.random() < 0.5 else {"q": "row"}
        result = RowQueries.use_get_rows_query(client, params, pages=MAX_PAGES if all_pages else 2)
        if result.error is not None:
            raise result.error
        self._note(client, result.data.items)
        asked = zip(_asked(result), result.data.raw_res, strict=False)
        left = {row["id"]: stamp[1] for stamp, body in reversed(list(asked)) for row in body["items"]}
        return bool(params), list(result.data.items), left

    def read_one(self, row_id: str) -> tuple[dict[str, Any] | None, float | None]:
        """Return the row, and the time at which it was asked for."""
        client = self.client()
        result = RowQueries.use_get_row_query(client, id=row_id)
        if result.error is not None and not isinstance(result.error, ApiNotFoundError):
            raise result.error
        self._note(client, [result.data] if result.error is None else [])
        # Beside a 404 there may be older data.
        left = next(iter(_asked(result)), (None, None))[1]
        return (None if result.error is not None else result.data), left

    def create(self, name: str) -> dict[str, Any]:
        return RowMutations.use_create_row_mutation(self.client()).mutate(body={"name": name}).unwrap()

    def rename(self, row_id: str, name: str) -> dict[str, Any] | None:
        is_touch = random.random() < TOUCH
        change = RowMutations.use_touch_row_mutation if is_touch else RowMutations.use_update_row_mutation
        return change(self.client()).mutate(body={"name": name}, params=RowParams(id=row_id)).data

    def delete(self, row_id: str) -> bool:
        return RowMutations.use_delete_row_mutation(self.client()).mutate(params=RowParams(id=row_id)).is_success

    def purge(self) -> None:
        self.client().purge()


def _asked(result: Any) -> Sequence[Any]:
    """Return the stamp of each page, and its time; nothing if a page shows a write that it came without."""
    return () if result.version is None else result.version[2:]


class NaiveUser:
    """A user of the browser's way, for comparison: read the cached list, change it, write it back."""

    def __init__(self, server: StormServer, store: SharedStore) -> None:
        self.server, self._store = server, store
        self.fetched = self.patched = self.foreign = 0

    def read(self, *, all_pages: bool) -> tuple[bool, list[dict[str, Any]], dict[str, float]]:
        """Read from the cache while fresh, else from the server."""
        del all_pages
        cached = self._cached()
        if cached is not None and time.time() - cached["at"] < NAIVE_STALE_TIME_S:
            return False, list(cached["rows"]), {}
        rows: list[dict[str, Any]] = []
        page: dict[str, Any] = {"hasNext": True}
        while page["hasNext"]:
            params = {"cursor": page["nextCursor"]} if rows else {}
            page = cast("dict[str, Any]", self.server.call(method="GET", path=PATH, params=params).data)
            rows += page["items"]
        self._store.set(NAIVE_KEY, {"at": time.time(), "rows": rows}, lifetime_s=NAIVE_LIFETIME_S)
        return False, rows, {}

    def read_one(self, row_id: str) -> tuple[dict[str, Any] | None, float | None]:
        return next((row for row in self.read(all_pages=True)[1] if row["id"] == row_id), None), None

    def create(self, name: str) -> dict[str, Any]:
        return cast("dict[str, Any]", self._write(lambda rows, row: [row, *rows], method="POST", json={"name": name}))

    def rename(self, row_id: str, name: str) -> dict[str, Any] | None:
        def renamed(rows: list[dict[str, Any]], row: Any) -> list[dict[str, Any]]:
            return [row if old["id"] == row_id else old for old in rows]

        return self._write(renamed, row_id, method="PATCH", json={"name": name}) or None

    def delete(self, row_id: str) -> bool:
        without = self._write(lambda rows, _: [row for row in rows if row["id"] != row_id], row_id, method="DELETE")
        return without is not False

    def purge(self) -> None:
        """It has nothing to purge."""

    invent = renew = purge

    def _write(self, change: Callable[[list[Any], Any], list[Any]], row_id: str = "", **call: Any) -> Any:
        """Write, then change the cached list; return the server's answer, or False if the row is gone."""
        try:
            row = self.server.call(path=f"{PATH}/{row_id}" if row_id else PATH, **call).data
        except ApiNotFoundError:
            return False
        cached = self._cached()
        if cached is not None:
            self._store.set(NAIVE_KEY, {**cached, "rows": change(cached["rows"], row)}, lifetime_s=NAIVE_LIFETIME_S)
        return row

    def _cached(self) -> Any:
        return self._store.get_many([NAIVE_KEY]).get(NAIVE_KEY)
