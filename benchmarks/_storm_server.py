"""The backend of the query storm: rows with versions in a SQLite file that all processes share.

It has the interface of `ApiSession`, and waits a random while before and after it looks at the rows.
"""

from __future__ import annotations

import json
import random
import re
import sqlite3
import threading
import time
from typing import TYPE_CHECKING, Any, Self

from benchmarks._storm_hooks import PATH
from benchmarks._unknown_calls import UnknownCallError
from portal.api import ApiResponse
from portal.errors import ApiNotFoundError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from portal.api import TokenStore

PAGE_SIZE = 10
START_ROWS = 25
#: Ids are numbers from a fixed range, so that processes can share what they know of them in an array.
MAX_ROWS = 20_000
MAX_DELAY_S = 0.004

_KNOWN = re.compile(rf"{PATH}(/\d+)?")
_SCHEMA = "CREATE TABLE rows (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT, version INTEGER)"
_VERSION = "CREATE TABLE versions (last INTEGER)"


def make_rows(path: Path) -> None:
    """Begin with a few rows."""
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute(_SCHEMA)
        connection.execute(_VERSION)
        connection.execute("INSERT INTO versions VALUES (0)")
        rows = [(number, f"row {number}", 0) for number in range(1, START_ROWS + 1)]
        connection.executemany("INSERT INTO rows VALUES (?, ?, ?)", rows)
    connection.close()


class StormServer:
    """One process's way to the rows."""

    honours_idempotency_key = True

    def __init__(self, path: Path) -> None:
        self._path = path
        self._local = threading.local()

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
        tokens: TokenStore | None = None,
        **_: Any,
    ) -> ApiResponse:
        """Answer one call. A user's access token is the user's name."""
        time.sleep(random.random() * MAX_DELAY_S)
        data = (
            {"id": tokens and tokens.current.access, "permissions": []}
            if path == "/me"
            else self._do(method, path, params or {}, json)
        )
        time.sleep(random.random() * MAX_DELAY_S)
        return ApiResponse(status=200, data=data, headers={})

    def some_id(self) -> str | None:
        """A row that is there now."""
        found = self._connection().execute("SELECT id FROM rows ORDER BY random() LIMIT 1").fetchone()
        return None if found is None else str(found[0])

    def count(self) -> int:
        """How many rows there are."""
        return int(self._connection().execute("SELECT COUNT(*) FROM rows").fetchone()[0])

    def _do(self, method: str, path: str, params: Mapping[str, Any], body: Any) -> Any:
        if not _KNOWN.fullmatch(path):
            raise UnknownCallError(f"{method} {path}")
        connection = self._connection()
        if method == "GET":
            return self._page(connection, params) if path == PATH else self._one(connection, path)
        connection.execute("BEGIN IMMEDIATE")
        try:
            return self._write(connection, method, path, body)
        finally:
            connection.execute("COMMIT")

    def _write(self, connection: sqlite3.Connection, method: str, path: str, body: Any) -> Any:
        version = connection.execute("UPDATE versions SET last = last + 1 RETURNING last").fetchone()[0]
        if method == "POST":
            made = connection.execute(
                "INSERT INTO rows (name, version) VALUES (?, ?) RETURNING id", (body["name"], version)
            )
            return _row(made.fetchone()[0], body["name"], version)
        row_id = int(path.rpartition("/")[2])
        if method == "DELETE":
            changed = connection.execute("DELETE FROM rows WHERE id = ?", (row_id,)).rowcount
        else:
            changed = connection.execute(
                "UPDATE rows SET name = ?, version = ? WHERE id = ?", (body["name"], version, row_id)
            ).rowcount
        if not changed:
            raise ApiNotFoundError("gone", status=404)
        return None if method == "DELETE" else _row(row_id, body["name"], version)

    def _one(self, connection: sqlite3.Connection, path: str) -> Any:
        row_id = int(path.rpartition("/")[2])
        found = connection.execute("SELECT id, name, version FROM rows WHERE id = ?", (row_id,)).fetchone()
        if found is None:
            raise ApiNotFoundError("gone", status=404)
        return _row(*found)

    def _page(self, connection: sqlite3.Connection, params: Mapping[str, Any]) -> dict[str, Any]:
        begin = json.loads(params["cursor"]) if "cursor" in params else MAX_ROWS + 1
        found = connection.execute(
            "SELECT id, name, version FROM rows WHERE id < ? AND name LIKE ? ORDER BY id DESC LIMIT ?",
            (begin, f"%{params.get('q', '')}%", PAGE_SIZE + 1),
        ).fetchall()
        shown = found[:PAGE_SIZE]
        more = len(found) > len(shown)
        return {
            "items": [_row(*row) for row in shown],
            "hasNext": more,
            "nextCursor": json.dumps(shown[-1][0]) if more else None,
        }

    def _connection(self) -> sqlite3.Connection:
        if not hasattr(self._local, "connection"):
            self._local.connection = sqlite3.connect(self._path, isolation_level=None, timeout=30)
        connection: sqlite3.Connection = self._local.connection
        return connection


def _row(row_id: int, name: str, version: int) -> dict[str, Any]:
    return {"id": str(row_id), "name": name, "version": version}
