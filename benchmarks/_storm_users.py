"""The user of a query storm: what it reads and writes by the query layer, or by the naive design."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any, cast

from benchmarks._storm_hooks import RowMutations, RowQueries
from portal.api import TokenPair, TokenStore
from portal.config.limits import MAX_PAGES
from portal.errors import ApiNotFoundError
from portal.query import RowParams, create_query_client
from portal.query.process_state import runtime_for

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks._storm_naive import NaiveList
    from benchmarks._storm_server import StormServer
    from portal.api import ApiSession
    from portal.query import QueryClient
    from portal.store import SharedStore

#: Chance of a change to be by the mutation that only invalidates.
TOUCH = 0.2
#: How far reads may be behind writes, seconds: next to nothing, or no page would be shown stale among so many writes.
READ_LAG_S = 0.01


class LogUser:
    """One user's hands on the query layer.

    :param reloads: chance of a read to be that of a page that the user reloads.
    """

    def __init__(self, server: StormServer, store: SharedStore, *, name: str = "storm", reloads: float = 0) -> None:
        self.server = server
        self.runtime = runtime_for(store, read_lag_s=READ_LAG_S)
        self.client = lambda: create_query_client(
            tokens=TokenStore(TokenPair(access=name)),
            reload=random.random() < reloads,
            api=cast("ApiSession", server),  # it has what a client asks of one
            runtime=self.runtime,
        )
        self.fetched = self.patched = 0

    def _note(self, client: QueryClient) -> None:
        self.fetched += client.events[-1].cache_status in {"miss", "partial"}
        self.patched += client.events[-1].patches > 0

    @property
    def revalidated(self) -> int:
        """Pages that were fetched behind the reads."""
        return self.runtime.revalidations.counts()["fetched"]

    def read(self, *, all_pages: bool) -> tuple[bool, list[dict[str, Any]], dict[str, float]]:
        """Whether the list was searched, its rows, and when the page of each was asked for."""
        client = self.client()
        params = {} if all_pages or random.random() < 0.5 else {"q": "row"}
        result = RowQueries.use_get_rows_query(client, params, pages=MAX_PAGES if all_pages else 2)
        if result.error is not None:
            raise result.error
        self._note(client)
        asked = zip(_asked(result), result.data.raw_res, strict=False)
        left = {row["id"]: stamp[1] for stamp, body in reversed(list(asked)) for row in body["items"]}
        return bool(params), list(result.data.items), left

    def read_one(self, row_id: str) -> tuple[dict[str, Any] | None, float | None]:
        """The row, and when it was asked for."""
        client = self.client()
        result = RowQueries.use_get_row_query(client, id=row_id)
        if result.error is not None and not isinstance(result.error, ApiNotFoundError):
            raise result.error
        self._note(client)
        # Beside a 404 there may be older data.
        left = next(iter(_asked(result)), (None, None))[1]
        return (None if result.error is not None else result.data), left

    def create(self, name: str) -> dict[str, Any]:
        return RowMutations.use_create_row_mutation(self.client()).mutate(body={"name": name}).unwrap()

    def rename(self, row_id: str, name: str) -> dict[str, Any] | None:
        change = (
            RowMutations.use_touch_row_mutation if random.random() < TOUCH else RowMutations.use_update_row_mutation
        )
        return change(self.client()).mutate(body={"name": name}, params=RowParams(id=row_id)).data

    def delete(self, row_id: str) -> bool:
        return RowMutations.use_delete_row_mutation(self.client()).mutate(params=RowParams(id=row_id)).is_success

    def purge(self) -> None:
        self.client().purge()


def _asked(result: Any) -> Sequence[Any]:
    """The stamp of each page, and when it was asked for; nothing where a page shows a write that it came without."""
    return () if result.version is None else result.version[2:]


class NaiveUser:
    """The same on the naive design."""

    def __init__(self, rows: NaiveList, server: StormServer) -> None:
        self.rows, self.server = rows, server
        self.create, self.rename, self.delete = rows.create, rows.rename, rows.delete
        self.fetched = self.patched = self.revalidated = 0

    def read(self, *, all_pages: bool) -> tuple[bool, list[dict[str, Any]], dict[str, float]]:
        del all_pages
        return False, self.rows.read(), {}

    def read_one(self, row_id: str) -> tuple[dict[str, Any] | None, float | None]:
        return next((row for row in self.rows.read() if row["id"] == row_id), None), None

    def purge(self) -> None:
        """It has no namespaces."""
