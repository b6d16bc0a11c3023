"""The browser's way with a cached list, for comparison: read it, change it, write it back."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from benchmarks._storm_hooks import PATH
from portal.errors import ApiNotFoundError

if TYPE_CHECKING:
    from benchmarks._storm_server import StormServer
    from portal.store import SharedStore

KEY = "naive"
STALE_TIME_S = 300
LIFETIME_S = 900


class NaiveList:
    """The whole list under one key."""

    def __init__(self, *, server: StormServer, store: SharedStore) -> None:
        self._server = server
        self._store = store

    def read(self) -> list[dict[str, Any]]:
        """From the cache while fresh, else from the server."""
        kept = self._kept()
        if kept is not None and time.time() - kept["at"] < STALE_TIME_S:
            return list(kept["rows"])
        rows: list[dict[str, Any]] = []
        params: dict[str, str] = {}
        while True:
            page = self._server.call(method="GET", path=PATH, params=params).data
            rows += page["items"]
            if not page["hasNext"]:
                break
            params = {"cursor": page["nextCursor"]}
        self._store.set(KEY, {"at": time.time(), "rows": rows}, lifetime_s=LIFETIME_S)
        return rows

    def create(self, name: str) -> dict[str, Any]:
        row = self._server.call(method="POST", path=PATH, json={"name": name}).data
        self._change(lambda rows: [row, *rows])
        return dict(row)

    def rename(self, row_id: str, name: str) -> dict[str, Any] | None:
        try:
            row = self._server.call(method="PATCH", path=f"{PATH}/{row_id}", json={"name": name}).data
        except ApiNotFoundError:
            return None
        self._change(lambda rows: [row if old["id"] == row_id else old for old in rows])
        return dict(row)

    def delete(self, row_id: str) -> bool:
        try:
            self._server.call(method="DELETE", path=f"{PATH}/{row_id}")
        except ApiNotFoundError:
            return False
        self._change(lambda rows: [row for row in rows if row["id"] != row_id])
        return True

    def _change(self, change: Any) -> None:
        kept = self._kept()
        if kept is not None:
            self._store.set(KEY, {**kept, "rows": change(kept["rows"])}, lifetime_s=LIFETIME_S)

    def _kept(self) -> Any:
        return self._store.get_many([KEY]).get(KEY)
