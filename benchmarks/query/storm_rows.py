"""Rows of the query storm: with versions, in a SQLite file that all processes share, and the hooks that reach them.

The backend has the interface of `ApiSession`, and waits a random while before and after it looks at the rows. One
mutation patches the list and sets the detail, another only says which queries it concerns.
"""

import random
import re
import sqlite3
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Self

import jwt

from benchmarks.harness.stub_backend import UnknownCallError
from portal.api import ApiResponse, TokenStore
from portal.config.contract_names import CREATED_AT_FIELD
from portal.errors import ApiNotFoundError, ApiUnauthorizedError
from portal.query import (
    ListParams,
    MutationGroup,
    QueryGroup,
    RowParams,
    mutation_endpoint,
    paginated_query_endpoint,
    query_endpoint,
    same_params,
)

PATH: Final = "/rows"
OF_A_ROW: Final = "/rows/{id}"
#: Pages age fast: stale after half a second, and dead after one and a half.
STALE_TIME_S: Final = 0.5
LIFETIME_S: Final = 1.5
PAGE_SIZE: Final = 10
START_ROWS: Final = 25
#: Ids are numbers from a fixed range, so that processes can share their knowledge of them in an array.
MAX_ROWS: Final = 20_000
MAX_DELAY_S: Final = 0.004
_KNOWN: Final = re.compile(rf"{PATH}(/\d+)?")
_COLUMNS: Final = "CAST(id AS TEXT) AS id, name, version"
JsonRow = dict[str, Any]
_KEY: Final = "a key for a storm, long enough for HS256"


def make_token(user: str, number: int, *, key: str = _KEY) -> str:
    """Return an access token of a user: all users have one subject, each at a tenant of its own.

    :param key: another one makes an invented token, with the same claims.
    """
    return jwt.encode({"sub": "1", "iss": user, "jti": str(number)}, key, algorithm="HS256")


def _user_of(tokens: TokenStore) -> str:
    try:
        claims = jwt.decode(tokens.current.access or "", _KEY, algorithms=["HS256"])
    except jwt.PyJWTError as error:
        raise ApiUnauthorizedError("sign in", status=401) from error
    return str(claims["iss"])


class RowQueries(QueryGroup, domain="storm"):
    """The list, and one row."""

    use_get_rows_query = paginated_query_endpoint(item=JsonRow, params=ListParams, url=PATH, stale_time_s=STALE_TIME_S)
    use_get_row_query = query_endpoint(data=JsonRow, params=RowParams, url=OF_A_ROW, stale_time_s=STALE_TIME_S)


class RowMutations(MutationGroup, domain="storm"):
    """Writes of a user."""

    use_create_row_mutation = (
        mutation_endpoint(data=JsonRow, body=JsonRow, url=PATH, method="POST")
        .add_created_to_paginated_list(list_query_key=RowQueries.use_get_rows_query, newest_first_by=CREATED_AT_FIELD)
        .set_answer(query_key=RowQueries.use_get_row_query)
    )
    use_update_row_mutation = (
        mutation_endpoint(data=JsonRow, body=JsonRow, params=RowParams, url=OF_A_ROW, method="PATCH")
        .merge_updated_in_paginated_list(list_query_key=RowQueries.use_get_rows_query, newest_first_by=CREATED_AT_FIELD)
        .set_answer(query_key=RowQueries.use_get_row_query)
    )
    use_touch_row_mutation = (
        mutation_endpoint(data=JsonRow, body=JsonRow, params=RowParams, url=OF_A_ROW, method="PATCH")
        .invalidates(query_key=RowQueries.use_get_rows_query)
        .invalidates(query_key=RowQueries.use_get_row_query, get_params=same_params)
    )
    use_delete_row_mutation = (
        mutation_endpoint(params=RowParams, url=OF_A_ROW, method="DELETE")
        .remove_from_paginated_list(list_query_key=RowQueries.use_get_rows_query)
        .invalidates(query_key=RowQueries.use_get_row_query, get_params=same_params)
    )


def make_rows(path: Path) -> None:
    """Begin with a few rows."""
    connection = sqlite3.connect(path)
    connection.executescript(
        f"""PRAGMA journal_mode = WAL;
        CREATE TABLE rows (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT, version INTEGER);
        CREATE TABLE versions (last INTEGER);
        INSERT INTO versions VALUES (0);
        WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {START_ROWS})
        INSERT INTO rows SELECT n, 'row ' || n, 0 FROM numbers;"""
    )
    connection.close()


class StubSession:
    """The parts of `ApiSession` that do nothing, for a backend in this process."""

    honours_idempotency_key = True

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


class StormServer(StubSession):
    """One process's way to the rows."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._local = threading.local()

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
        """Answer one call. Each row names the user who sees it."""
        user = tokens and _user_of(tokens)
        time.sleep(random.random() * MAX_DELAY_S)
        data = {"id": "1", "permissions": []} if path == "/me" else self._do(method, path, params or {}, json)
        for row in data.get("items", [data]) if data is not None else ():
            row["seen_by"] = user
        time.sleep(random.random() * MAX_DELAY_S)
        return ApiResponse(status=200, data=data, headers={})

    def some_id(self) -> str | None:
        """Return a row that is there now."""
        found = self._rows("ORDER BY random() LIMIT 1")
        return found[0]["id"] if found else None

    def count(self) -> int:
        """Return the number of rows."""
        return int(self._connection().execute("SELECT COUNT(*) FROM rows").fetchone()[0])

    def _do(self, method: str, path: str, params: Mapping[str, Any], body: Any) -> Any:
        if not _KNOWN.fullmatch(path):
            raise UnknownCallError(f"{method} {path}")
        if method == "GET":
            return self._page(params) if path == PATH else self._one(path.rpartition("/")[2])
        connection = self._connection()
        connection.execute("BEGIN IMMEDIATE")
        try:
            return self._write(connection, method, path, body)
        finally:
            connection.execute("COMMIT")

    def _write(self, connection: sqlite3.Connection, method: str, path: str, body: Any) -> Any:
        version = connection.execute("UPDATE versions SET last = last + 1 RETURNING last").fetchone()[0]
        row_id: Any = path.rpartition("/")[2]
        if method == "POST":
            row_id = connection.execute("INSERT INTO rows (name) VALUES ('') RETURNING id").fetchone()[0]
        row = self._one(row_id)
        if method == "DELETE":
            connection.execute("DELETE FROM rows WHERE id = ?", (row_id,))
            return None
        connection.execute("UPDATE rows SET name = ?, version = ? WHERE id = ?", (body["name"], version, row_id))
        return {**row, "name": body["name"], "version": version}

    def _one(self, row_id: Any) -> JsonRow:
        found = self._rows("WHERE id = ?", row_id)
        if not found:
            raise ApiNotFoundError("gone", status=404)
        return found[0]

    def _page(self, params: Mapping[str, Any]) -> dict[str, Any]:
        begin, words = int(params.get("cursor", MAX_ROWS + 1)), f"%{params.get('q', '')}%"
        found = self._rows(
            "WHERE rows.id < ? AND name LIKE ? ORDER BY rows.id DESC LIMIT ?", begin, words, PAGE_SIZE + 1
        )
        shown, more = found[:PAGE_SIZE], len(found) > PAGE_SIZE
        return {"items": shown, "hasNext": more, "nextCursor": shown[-1]["id"] if more else None}

    def _rows(self, where: str, *values: object) -> list[JsonRow]:
        found = self._connection().execute(f"SELECT {_COLUMNS} FROM rows {where}", values)
        return [dict(zip(("id", "name", "version"), row, strict=True)) for row in found]

    def _connection(self) -> sqlite3.Connection:
        if not hasattr(self._local, "connection"):
            self._local.connection = sqlite3.connect(self._path, isolation_level=None, timeout=30)
        connection: sqlite3.Connection = self._local.connection
        return connection
