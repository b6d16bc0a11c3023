"""A backend in memory: it keeps the contract, notes each call, and fails on demand."""

from __future__ import annotations

import difflib
import json
import re
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias
from urllib.parse import parse_qs, quote, urlsplit

import requests
from requests import PreparedRequest

from portal.config.contract_names import (
    ACTIVITY_SEGMENT,
    AUTH_LOGOUT_PATH,
    COUNTS_SEGMENT,
    CURSOR_PARAM,
    ID_FIELD,
    LIMIT_PARAM,
    ME_PATH,
    OF_A_LIST,
    PATHS_WITHOUT_BEARER,
    REFRESH_PATH,
    REFRESH_TOKEN_FIELD,
)
from portal.config.limits import VAR_DEFAULT_PAGE_SIZE
from portal.config.platforms import PLATFORMS
from portal.errors import UsageError
from portal.identity import get_user_from_token
from portal.testing.shapes import page_of, problem_of, profile_of
from portal.testing.sign_ins import ACCESS_LIFETIME_S, SignIn, new_account, new_sign_in

if TYPE_CHECKING:
    import responses

#: How a call can fail: with this status; with half a JSON document; with a gateway's HTML page; without a connection;
#: or without a response on an open connection.
Fault: TypeAlias = int | Literal["malformed", "html", "refused", "timeout"]
#: What the library `responses` takes: status, headers, body; or the error that the call raises.
_Response: TypeAlias = tuple[int, dict[str, str], str] | Exception

METHODS: Final = ("GET", "POST", "PUT", "PATCH", "DELETE")
#: These paths need no bearer.
_OPEN_PATHS: Final = PATHS_WITHOUT_BEARER | {AUTH_LOGOUT_PATH}
#: From this likeness on, a permission is a misspelt one: `FINANCE_AP`, but not `FINANCE_APPROVE`.
_SLIP: Final = 0.9
#: It has characters that must be encoded in an address: a page that forgets to encode a cursor fails.
_CURSOR: Final = "after {}&="


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One request that the backend received.

    :param path: as on the wire, below the backend's base address.
    :param query: by name; repeated values have commas between them.
    :param body: decoded JSON; None without one.
    :param headers: names in lower case.
    """

    method: str
    path: str
    query: Mapping[str, str]
    body: Any
    headers: Mapping[str, str] = field(repr=False)


class Backend:
    """A backend as in contract, section 7, for one test. A later setting replaces an earlier one.

    It serves `/me`, `/refresh` (each refresh token once) and `/auth/logout` without being told. A test adds lists and
    records with :meth:`lists`, and all other calls with :meth:`answers`. An unknown or expired bearer gets a 401; a
    call that the test did not set up gets a 404.

    :ivar calls: all calls, in order; also the ones that failed on demand.
    :ivar unexpected: the calls that the test did not set up.
    """

    def __init__(self, http: responses.RequestsMock, *, base_url: str) -> None:
        self.calls: list[Call] = []
        self.unexpected: list[Call] = []
        self._prefix = urlsplit(base_url).path.rstrip("/")
        self._profiles: dict[str, dict[str, Any]] = {}
        #: Valid tokens by account, while its sign-in lasts; and the account of every refresh token, also of used ones.
        self._signed_in: dict[str, SignIn] = {}
        self._account_by_refresh: dict[str, str] = {}
        self._lists: dict[str, tuple[dict[str, Any], ...]] = {}
        self._responses: dict[tuple[str, str], _Response] = {}
        self._faults: dict[str | None, Fault] = {}
        for method in METHODS:
            http.add_callback(method, re.compile(re.escape(base_url.rstrip("/")) + "/"), callback=self._receive)

    # --- a test sets up ---

    def sign_in(self, *permissions: str, account: str | None = None, expired: bool = False, **profile: Any) -> SignIn:
        """Add an account with these permissions; returns its tokens.

        :param account: its id; by default one that no other test has.
        :param expired: the access token has expired; the refresh token is valid.
        :param profile: fields of `/me` in place of the default ones. They may contradict the token; `/me` decides.
        :raises UsageError: a permission is that of a platform but for a slip.
        """
        _refuse_slips(permissions)
        account = new_account() if account is None else account
        self._profiles[account] = profile_of(account, *permissions, **profile)
        return self._keep(new_sign_in(account, *permissions, lifetime_s=-3600 if expired else ACCESS_LIFETIME_S))

    def lists(self, path: str, rows: Iterable[Mapping[str, Any]]) -> None:
        """Serve these rows at `path`, in cursor pages, each at `path/{id}` (another id is a 404), their numbers at
        `path/counts`, and the sums of their figures at `path/totals`.

        `q` and `sort` are noted with the call and have no effect: the rows keep the given order. The
        question for the history of a row is not noted, unless the test answers it: there is none.
        """
        self._lists[path] = tuple(dict(row) for row in rows)

    def answers(
        self,
        method: str,
        path: str,
        *,
        json: object = None,
        status: int = 200,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        """Respond with this JSON, for every query string."""
        self._responses[method, path] = _json_response(status, json, headers=headers)

    def refuses(
        self,
        method: str,
        path: str,
        *,
        status: int = 422,
        detail: str = "",
        errors: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        """Respond with a problem document.

        :param errors: field to its messages.
        """
        self._responses[method, path] = _problem(status, detail=detail, errors=errors)

    def fails(self, fault: Fault, *, path: str | None = None) -> None:
        """Fail from now on, until :meth:`recovers`: all calls, or only the calls to `path`."""
        self._faults[path] = fault

    def recovers(self) -> None:
        """Respond to all calls again."""
        self._faults.clear()

    # --- a test reads ---

    def calls_to(self, path: str, *, method: str | None = None) -> list[Call]:
        """The calls to this path, in order."""
        return [call for call in self.calls if call.path == path and method in {None, call.method}]

    # --- the backend responds ---

    def _receive(self, request: PreparedRequest) -> _Response:
        call = _read(request, prefix=self._prefix)
        is_history = call.path.endswith(f"/{ACTIVITY_SEGMENT}")
        if is_history and call.path not in self._lists and (call.method, call.path) not in self._responses:
            return _problem(404)
        self.calls.append(call)
        # A list that fails has no numbers either, unless a test says otherwise.
        base, _, ending = call.path.rpartition("/")
        for scope in (call.path, base if ending in OF_A_LIST else "", None):
            if scope in self._faults:
                return _failure(self._faults[scope])
        account = self._account_of(call)
        if account is None and call.path not in _OPEN_PATHS:
            return _problem(401, detail="no bearer that this backend knows")
        return self._response(call, account=account)

    def _response(self, call: Call, *, account: str | None) -> _Response:
        scripted = self._responses.get((call.method, call.path)) or self._listed(call)
        if scripted is not None:
            return scripted
        match call.method, call.path:
            case "GET", path if path == ME_PATH and account is not None:
                return _json_response(200, self._profiles[account])
            case "POST", path if path == REFRESH_PATH:
                return self._refreshed(call)
            case "POST", path if path == AUTH_LOGOUT_PATH:
                self._signed_in.pop(self._account_by_refresh.get(_refresh_token(call), ""), None)
                return 204, {}, ""
        self.unexpected.append(call)
        return _problem(404, detail=f"this test's backend was told nothing about {call.method} {call.path}")

    def _account_of(self, call: Call) -> str | None:
        """The account of the bearer; None without a bearer, for an expired one, and where the sign-in has ended."""
        scheme, _, token = call.headers.get("authorization", "").partition(" ")
        user = get_user_from_token(token) if scheme == "Bearer" else None
        if user is None or user.subject not in self._signed_in:
            return None
        return user.subject if user.expires_at is None or user.expires_at > time.time() else None

    def _listed(self, call: Call) -> _Response | None:
        if call.method != "GET":
            return None
        if call.path in self._lists:
            return _page(self._lists[call.path], query=call.query)
        path, _, row_id = call.path.rpartition("/")
        if row_id in OF_A_LIST and ("GET", path) in self._responses:
            return _json_response(200, {})
        if path not in self._lists:
            return None
        if row_id in OF_A_LIST:
            fields = [name for name in call.query.get(OF_A_LIST[row_id], "").split(",") if name]
            figures = _counts if row_id == COUNTS_SEGMENT else _totals
            return _json_response(200, figures(self._lists[path], fields))
        row = next((row for row in self._lists[path] if quote(str(row[ID_FIELD]), safe="") == row_id), None)
        return _problem(404) if row is None else _json_response(200, row)

    def _refreshed(self, call: Call) -> _Response:
        """A new pair. The second use of a refresh token ends the sign-in (contract, section 7)."""
        submitted = _refresh_token(call)
        account = self._account_by_refresh.get(submitted, "")
        current = self._signed_in.pop(account, None)
        if current is None or current.refresh != submitted:
            return _problem(401, detail="this refresh token is unknown, or was used before")
        return _json_response(200, self._keep(new_sign_in(account, *current.permissions)).pair)

    def _keep(self, made: SignIn) -> SignIn:
        self._signed_in[made.account] = made
        self._account_by_refresh[made.refresh] = made.account
        return made


def _refuse_slips(permissions: Iterable[str]) -> None:
    """An account with a misspelt permission opens nothing, and a test of what it may not open would pass."""
    known = [platform.permission for platform in PLATFORMS]
    for permission in permissions:
        close = difflib.get_close_matches(permission, known, n=1, cutoff=_SLIP)
        if close and permission not in known:
            raise UsageError(f"no platform has the permission {permission!r}; did you mean {close[0]!r}?")


def _counts(rows: Sequence[Mapping[str, Any]], fields: Iterable[str]) -> dict[str, dict[str, int]]:
    """How many rows have each text in a field."""
    return {name: dict(Counter(row[name] for row in rows if isinstance(row.get(name), str))) for name in fields}


def _totals(rows: Sequence[Mapping[str, Any]], fields: Iterable[str]) -> dict[str, Any]:
    """What each field adds up to: decimals in texts are money, in the row's `currency`."""
    sums: dict[str, Any] = {}
    for name in fields:
        money: dict[str, Decimal] = defaultdict(Decimal)
        for row in (row for row in rows if isinstance(row.get(name), str)):
            with suppress(InvalidOperation):
                money[str(row.get("currency", ""))] += Decimal(row[name])
        numbers = sum(row[name] for row in rows if isinstance(row.get(name), int | float))
        sums[name] = {currency: str(amount) for currency, amount in money.items()} or numbers
    return {"total": len(rows), "sums": sums}


def _refresh_token(call: Call) -> str:
    """The refresh token in the body; empty where there is none."""
    return str(call.body.get(REFRESH_TOKEN_FIELD, "")) if isinstance(call.body, dict) else ""


def _read(request: PreparedRequest, *, prefix: str) -> Call:
    parts = urlsplit(request.url or "")
    return Call(
        method=request.method or "",
        path=parts.path.removeprefix(prefix),
        query={name: ",".join(values) for name, values in parse_qs(parts.query, keep_blank_values=True).items()},
        body=json.loads(request.body) if request.body else None,
        headers={name.lower(): value for name, value in request.headers.items()},
    )


def _page(rows: Sequence[Mapping[str, Any]], *, query: Mapping[str, str]) -> _Response:
    cursors = {_CURSOR.format(number): number for number in range(1, len(rows))}
    start = cursors.get(query[CURSOR_PARAM]) if CURSOR_PARAM in query else 0
    if start is None:
        return _problem(422, errors={CURSOR_PARAM: ["This cursor is not one of this list."]})
    end = start + int(query.get(LIMIT_PARAM, VAR_DEFAULT_PAGE_SIZE))
    cursor = _CURSOR.format(end) if end < len(rows) else None
    return _json_response(200, page_of(rows[start:end], next_cursor=cursor, total=len(rows)))


def _json_response(status: int, content: object, *, headers: Mapping[str, str] | None = None) -> _Response:
    body = "" if content is None and status == requests.codes.no_content else json.dumps(content)
    return status, {"Content-Type": "application/json", **(headers or {})}, body


def _problem(status: int, *, detail: str = "", errors: Mapping[str, Sequence[str]] | None = None) -> _Response:
    content = problem_of(status, detail=detail, errors=errors)
    return status, {"Content-Type": "application/problem+json"}, json.dumps(content)


def _failure(fault: Fault) -> _Response:
    match fault:
        case int():
            return _problem(fault)
        case "malformed":
            return 200, {"Content-Type": "application/json"}, '{"items": ['
        case "html":
            return 200, {"Content-Type": "text/html"}, "<html>A gateway's own page</html>"
        case "timeout":
            return requests.ReadTimeout("told to time out")
        case "refused":
            return requests.ConnectionError("told to refuse")
