"""A store, a backend and a clock that tests of the query layer can look into and interfere with.

The store has the interface of `portal.store.SharedStore` and keeps JSON text, so nothing that JSON
has no form for passes. The backend has the interface of `ApiSession`, and runs a test's own code inside its requests.
"""

from __future__ import annotations

import itertools
import json
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from json import dumps
from typing import Any, Self

import jwt
from redis.crc import key_slot

from portal import errors
from portal.api.responses import ApiResponse, RawResponse, read_response
from portal.api.tokens import TokenPair, TokenStore
from portal.process.deadline import Deadline
from portal.process.single_flight import SharedCall, SingleFlight
from portal.process.thread_pool import Pool
from portal.store import MISSING
from portal.store.cluster import ClusterCache, tagged_key
from sqlite_cache import JSONSerializer

_JWT_KEY = "a key for tests, long enough for HS256"
_serial = itertools.count(1)

#: Seconds after which a page is shown to nobody before the backend was asked.
PAST_ITS_LIFE_S = 15 * 60 + 1


def make_token(user: str = "ada", *, exp: float | None = None, jti: str = "") -> str:
    """An access token of this user: another one each time, or for each `jti`."""
    claims: dict[str, Any] = {"sub": user, "jti": jti or str(next(_serial))}
    if exp is not None:
        claims["exp"] = exp
    return jwt.encode(claims, _JWT_KEY, algorithm="HS256")


class FakeStore:
    """A store in memory; can be made to fail, and counts its round trips."""

    tags: Sequence[str] = ()

    def __init__(self) -> None:
        self.values: dict[str, str] = {}
        #: Lifetimes, as they were last given, by key.
        self.lifetimes: dict[str, float | None] = {}
        self.trips = 0
        self.down = False
        self.before_each: Callable[[str], None] | None = None
        self._lock = threading.RLock()

    def get(self, key: str) -> Any:
        return self.get_many([key]).get(key, MISSING)

    def get_many(self, keys: Iterable[str]) -> dict[str, Any]:
        keys = list(keys)
        with self._operation("get_many"):
            return {key: JSONSerializer.loads(self.values[key]) for key in keys if key in self.values}

    def add(self, key: str, value: Any, *, lifetime_s: float | None) -> bool:
        with self._operation("add"):
            if key in self.values:
                return False
            self._put(key, value, lifetime_s)
            return True

    def set(self, key: str, value: Any, *, lifetime_s: float | None) -> None:
        with self._operation("set"):
            self._put(key, value, lifetime_s)

    def update(self, key: str, change: Callable[[Any], Any], *, lifetime_s: float, since: float) -> None:
        with self._operation("update"):  # `since` is for the stores that tell when a value was set
            value = change(JSONSerializer.loads(self.values[key]) if key in self.values else MISSING)
            if value is not MISSING:
                self._put(key, value, lifetime_s)

    def _put(self, key: str, value: Any, lifetime_s: float | None) -> None:
        self.values[key], self.lifetimes[key] = json.dumps(value, allow_nan=False), lifetime_s

    def delete(self, key: str) -> bool:
        with self._operation("delete"):
            return self.values.pop(key, None) is not None

    def delete_many(self, keys: Iterable[str]) -> None:
        with self._operation("delete_many"):
            for key in keys:
                self.values.pop(key, None)

    def incr(self, key: str, delta: int = 1) -> Any:
        with self._operation("incr"):
            found = JSONSerializer.loads(self.values[key]) if key in self.values else MISSING
            if type(found) is not int:  # as the real stores: what is no number was missing
                self.values.pop(key, None)
                return MISSING
            self.values[key] = json.dumps(found + delta)
            return found + delta

    def touch(self, key: str, *, lifetime_s: float | None) -> bool:
        if key in self.values:
            self.lifetimes[key] = lifetime_s
        return key in self.values

    @contextmanager
    def _operation(self, name: str) -> Iterator[None]:
        self.trips += 1
        if self.before_each is not None:
            self.before_each(name)
        if self.down:
            raise errors.StoreUnavailableError("down, for this test")
        with self._lock:
            yield


class FakeCluster(FakeStore):
    """A cluster in memory: what lies in several slots is read and written step by step."""

    tags = ClusterCache.tags

    def get_many(self, keys: Iterable[str]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for step in self.steps(keys):
            found |= super().get_many(step)
        return found

    def delete_many(self, keys: Iterable[str]) -> None:
        for step in self.steps(keys):
            super().delete_many(step)

    def steps(self, keys: Iterable[str]) -> list[list[str]]:
        found: dict[int, list[str]] = {}
        for key in keys:
            found.setdefault(key_slot(tagged_key(key, "", 1).encode()), []).append(key)
        return list(found.values())


@dataclass
class FakeBackend:
    """The sandbox's lists and profile, in memory.

    :param rows: the clients, newest first.
    :param users: access token to user; others get 401.
    :param inside: run within each request, after the backend has done it and before the answer leaves.
    :param before: run within each request, before the backend looks at it.
    :param failures: raised instead of an answer, one for each request, while there are some.
    :param sent: what else each call was made with, as `ApiSession.call` names it.
    :param tombstones_unreadable: whether the store of the tombstones is down.
    """

    rows: list[dict[str, Any]] = field(default_factory=list)
    users: dict[str, str] = field(default_factory=dict)
    permissions: dict[str, list[str]] = field(default_factory=dict)
    inside: Callable[[str, str], None] | None = None
    before: Callable[[str, str], None] | None = None
    failures: list[Exception | None] = field(default_factory=list)
    page_size: int = 2
    calls: list[tuple[str, str, dict[str, Any]]] = field(default_factory=list)
    sent: list[dict[str, Any]] = field(default_factory=list)
    refresh: Callable[[TokenStore], None] | None = None
    open_paths: dict[str, Any] = field(default_factory=dict)
    ranks: dict[str, int] = field(default_factory=dict)
    signed_out: set[str | None] = field(default_factory=set)
    ended_at_the_provider: set[str | None] = field(default_factory=set)
    tombstones_unreadable: bool = False
    honours_idempotency_key: bool = True
    _sign_ins: itertools.count[int] = field(default_factory=itertools.count)
    _made: itertools.count[int] = field(default_factory=lambda: itertools.count(1000))

    def sign_in(self, user: str = "ada", *, exp: float | None = None) -> TokenStore:
        # The same tokens in each run: a model that fails has to fail when its example is run again.
        token = make_token(user, exp=exp, jti=f"sign-in {next(self._sign_ins)}")
        self.users[token] = user
        return TokenStore(TokenPair(access=token, refresh=f"refresh of {user}"))

    def counted(self) -> Counter[tuple[str, str]]:
        return Counter((method, path) for method, path, _ in self.calls)

    def last(self, name: str, count: int) -> list[Any]:
        """With what the latest calls were made; None for a call without it."""
        return [sent.get(name) for sent in self.sent[-count:]]

    def reads(self) -> int:
        """GET requests but for the profile."""
        return sum(method == "GET" and path != "/me" for method, path, _ in self.calls)

    def ensure_fresh(
        self, tokens: TokenStore, *, deadline: Deadline | None = None, request_id: str | None = None
    ) -> None:
        if self.refresh is not None:
            before = tokens.current.access
            self.refresh(tokens)
            if before and tokens.current.access and tokens.current.access != before:
                with suppress(errors.StoreUnavailableError):
                    tokens.hand_on(before, tokens.current.access, is_proven=False)

    @property
    def refresher(self) -> Self:
        return self

    def signed_out_at(self, pair: TokenPair) -> float | None:
        return 0.0 if not self.tombstones_unreadable and pair.access in self.signed_out else None

    def ended_at_provider(self, pair: TokenPair, **_options: object) -> bool:
        return pair.access in self.ended_at_the_provider

    def call(
        self, *, tokens: TokenStore, method: str, path: str, params: Any = None, json: Any = None, **sent: Any
    ) -> ApiResponse:
        params = dict(params or {})
        self.calls.append((method, path, params))
        self.sent.append(sent)
        if self.before is not None:
            self.before(method, path)
        failure = self.failures.pop(0) if self.failures else None
        if failure is not None:
            raise failure
        # The bytes stay, whatever changes before the response is read.
        data = dumps(self._do(sent.get("bearer") or tokens.current.access, method, path, params, json)).encode()
        if self.inside is not None:
            self.inside(method, path)
        return read_response(RawResponse(status=200, headers={}, content=data))

    def _do(self, token: str | None, method: str, path: str, params: dict[str, Any], body: Any) -> Any:
        if path in self.open_paths:
            return self.open_paths[path]
        user = self.users.get(token or "")
        if user is None:
            raise errors.ApiUnauthorizedError("sign in", status=401)
        if path == "/me":
            return {"id": user, "permissions": self.permissions.get(user, ["ENERGY_APP"])}
        if "ENERGY_APP" not in self.permissions.get(user, ["ENERGY_APP"]):
            raise errors.ApiForbiddenError("no", status=403)
        if path == "/energy/summary":
            return {"counts": {"clients": len(self.rows)}}
        if path != "/energy/clients":
            return self._one(method, path.rpartition("/")[2], body)
        if method == "POST":
            row = {"id": f"c{next(self._made)}", **body}
            self.rows.insert(0, row)
            return row
        return self._page(params)

    def _one(self, method: str, row_id: str, body: Any) -> Any:
        row = next((row for row in self.rows if row["id"] == row_id), None)
        if row is None:
            raise errors.ApiNotFoundError("gone", status=404)
        if method == "DELETE":
            self.rows.remove(row)
            return None
        if method == "PATCH":
            row.update(body)
        return row

    def _page(self, params: dict[str, Any]) -> dict[str, Any]:
        word = params.get("q", "")
        rows = [row for row in self.rows if word in row.get("name", "")]
        by_name = params.get("sort") == "name"
        self._rank_new_rows()

        def place(row: dict[str, Any]) -> list[Any]:
            return [row.get("name", ""), row["id"]] if by_name else [self.ranks[row["id"]], row["id"]]

        total = len(rows)
        # A keyset: behind that place, whether its row is still there or not.
        cursor = params.get("cursor")
        rows = sorted((row for row in rows if cursor is None or place(row) > json.loads(cursor)), key=place)
        shown = rows[: self.page_size]
        more = len(rows) > len(shown)
        return {
            "items": shown,
            "hasNext": more,
            "nextCursor": json.dumps(place(shown[-1])) if more else None,
            "total": total,
        }

    def _rank_new_rows(self) -> None:
        """Rows that a test put at the front come before all others."""
        for row in reversed(self.rows):
            self.ranks.setdefault(row["id"], min(self.ranks.values(), default=0) - 1)


class WorkLater(Pool):
    """Work behind requests, done when the test wants it, in the test's own thread."""

    def __init__(self) -> None:
        super().__init__(name="later", threads=0, queue=0)
        self.waiting: list[tuple[Future[Any], Callable[[], Any]]] = []
        self.most = 1_000

    def submit(self, work: Callable[[], Any]) -> Future[Any] | None:
        if len(self.waiting) >= self.most:
            return None
        future: Future[Any] = Future()
        self.waiting.append((future, work))
        return future

    def run(self) -> int:
        """Do all that waits; gives how much it was."""
        waiting, self.waiting = self.waiting, []
        for future, work in waiting:
            if future.set_running_or_notify_cancel():
                future.set_result(work())
        return len(waiting)


class NoSingleFlight(SingleFlight[Any]):
    """Every read fetches for itself."""

    def join(self, key: str, *, version: Any = None, may_join: Any = None) -> tuple[SharedCall[Any], bool]:
        del may_join
        return super().join(key, version=version, may_join=lambda _shared_call: False)


def refuse(status: int) -> None:
    """Raise the error of an answer with this status."""
    read_response(RawResponse(status=status, headers={}, content=b"{}"))


def unavailable(status: int | None = 503, **options: Any) -> errors.ApiUnavailableError:
    return errors.ApiUnavailableError("later", status=status, **options)
