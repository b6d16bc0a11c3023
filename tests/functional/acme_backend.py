"""Acme's API in a thread: OAuth tokens in forms, two kinds of lists, ids and times by names of its own, nested errors.

Nothing of it is as in the portal's contract. `docs/how-to/use-another-backend.md` connects the portal to it.
"""

import contextlib
import itertools
import secrets
import threading
import time
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import jwt

from tests.support.http_server import FORM
from tests.support.serving import Call, Reply, json_reply, serving

EMAIL, PASSWORD = "ada@acme.example", "a password for tests"
SCOPE = "ENERGY_APP OPERATIONS_APP"
LIFETIME_S = 300
TAKEN, TOO_SHORT = "Adressen tilhører en annen kunde.", "Teksten må ha minst 3 tegn."
CUSTOMERS, JOBS = "/v1/customers", "/v1/jobs"
#: Names of the portal's contract, which nobody should send here.
OF_THE_CONTRACT = {"q", "sort", "cursor"}
#: What each list may be asked; anything else is a 400.
PARAMS = {
    CUSTOMERS: {"limit", "starting_after", "search", "order_by", "city"},
    JOBS: {"page", "size", "search", "order_by", "status", "priority", "assignee"},
}
FIELDS = {
    CUSTOMERS: {"name", "email", "phone", "city"},
    JOBS: {"title", "description", "priority", "stationId", "dueAt", "status", "assignee"},
}
ORDERS = {"createdAt": "created", "name": "name", "title": "title"}
_KEY = "the key of Acme, which is made for tests"


Answer = tuple[int, Any]


def refusal(message: str, *, param: str | None = None, status: int = 400) -> Answer:
    return status, {"error": {"type": "invalid_request_error", "message": message, "param": param}}


def invalid(name: str, message: str) -> Answer:
    return 422, {"detail": [{"type": "string_too_short", "loc": ["body", name], "msg": message, "input": ""}]}


@dataclass
class AcmeApi:
    """One account, customers and jobs; what was asked, and how often each refresh token came.

    :ivar strange: what a client that knows Acme would not have sent.
    """

    url: str = ""
    asked: list[Call] = field(default_factory=list)
    strange: list[str] = field(default_factory=list)
    rows: dict[str, list[dict[str, Any]]] = field(default_factory=lambda: {CUSTOMERS: [], JOBS: []})
    good: set[str] = field(default_factory=set)
    #: Refresh token to its family; a family's one token that is still good.
    families: dict[str, str] = field(default_factory=dict)
    newest: dict[str, str] = field(default_factory=dict)
    presented: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)
    moments: Iterator[int] = field(default_factory=lambda: itertools.count(1_750_000_000, 60))

    def __post_init__(self) -> None:
        for number in range(45):
            self.add(CUSTOMERS, {"name": f"Customer {number:02d}", "email": f"c{number}@acme.example", "city": "Oslo"})
            self.add(JOBS, {"title": f"Job {number:02d}", "priority": "normal", "status": "open"})

    def add(self, path: str, fields: Mapping[str, Any]) -> dict[str, Any]:
        row = {**fields, "uuid": str(uuid.uuid4()), "created": next(self.moments)}
        self.rows[path].insert(0, row)
        return row

    def asked_for(self, path: str, method: str = "GET") -> list[Call]:
        return [call for call in self.asked if (call.path, call.method) == (path, method)]

    def expire(self) -> None:
        """No access token is good any more; those that a refresh gives are."""
        self.good.clear()

    # --- answers ---

    def answer(self, call: Call) -> Reply:
        with self.lock:
            return json_reply(*self.answered(call))

    def answered(self, call: Call) -> Answer:
        self.asked.append(call)
        if call.path in {"/oauth/token", "/oauth/revoke"}:
            return self.oauth(call)
        if call.bearer not in self.good:
            return refusal("Invalid token", status=401)
        if call.path == "/v1/me":
            return 200, {"sub": "usr_1", "email": EMAIL, "full_name": "Ada of Acme", "scope": SCOPE}
        path = next((path for path in self.rows if call.path.startswith(path)), "")
        if not path:
            return refusal("Unrecognized request URL", status=404)
        return self.of_list(path, call) if call.path == path else self.of_row(path, call)

    def oauth(self, call: Call) -> Answer:
        has_bearer = call.path == "/oauth/token" and "authorization" in call.headers
        if call.headers.get("content-type") != FORM or has_bearer:
            self.strange.append(f"{call.path}: {sorted(call.headers)}")
            return 400, {"error": "invalid_request"}
        given = call.data()
        if call.path == "/oauth/revoke":
            self.newest.pop(self.families.get(given["token"], ""), None)
            return 200, None
        if given.get("grant_type") == "password":
            known = (given.get("username"), given.get("password")) == (EMAIL, PASSWORD)
            return (200, self.tokens(secrets.token_hex(8))) if known else (400, {"error": "invalid_grant"})
        token = given.get("refresh_token", "")
        self.presented.append(token)
        family = self.families.get(token, "")
        # The second use of a token ends its family.
        if self.newest.pop(family, None) != token:
            return 400, {"error": "invalid_grant"}
        return 200, self.tokens(family)

    def tokens(self, family: str) -> dict[str, Any]:
        claims = {"sub": "usr_1", "scope": SCOPE, "exp": int(time.time()) + LIFETIME_S, "jti": secrets.token_hex(8)}
        access, refresh = jwt.encode(claims, _KEY, "HS256"), secrets.token_urlsafe(24)
        self.good.add(access)
        self.families[refresh], self.newest[family] = family, refresh
        return {"access_token": access, "token_type": "bearer", "expires_in": LIFETIME_S, "refresh_token": refresh}

    def of_list(self, path: str, call: Call) -> Answer:
        if call.method == "POST":
            return self.create(path, call.data())
        unknown = sorted(set(call.query) - PARAMS[path])
        if unknown:
            self.strange += [f"{path}: {name}" for name in unknown if name in OF_THE_CONTRACT]
            return refusal(f"Received unknown parameter: {unknown[0]}", param=unknown[0])
        rows = self.found(path, call.query)
        if path == CUSTOMERS:
            after = call.query.get("starting_after")
            names = [row["uuid"] for row in rows]
            if after is not None and after not in names:
                return refusal("No such customer", param="starting_after")
            start = 0 if after is None else names.index(after) + 1
            end = start + int(call.query["limit"])
            return 200, {"object": "list", "data": rows[start:end], "has_more": end < len(rows)}
        page, size = int(call.query["page"]), int(call.query["size"])
        end = page * size
        more = f"{path}?page={page + 1}" if end < len(rows) else None
        return 200, {"results": rows[end - size : end], "count": len(rows), "page": page, "next": more}

    def found(self, path: str, query: Mapping[str, str]) -> list[dict[str, Any]]:
        word = query.get("search", "").lower()
        filters = {name: query[name].split(",") for name in PARAMS[path] & FIELDS[path] & set(query)}
        rows = [
            row
            for row in self.rows[path]
            if word in str(row.get("name") or row.get("title")).lower()
            and all(row.get(name) in values for name, values in filters.items())
        ]
        order = query.get("order_by", "-createdAt")
        name = ORDERS[order.removeprefix("-")]
        return sorted(rows, key=lambda row: row[name], reverse=order.startswith("-"))

    def create(self, path: str, body: Mapping[str, Any]) -> Answer:
        refused = self.refused(path, body)
        return refused or (201, self.add(path, body if path == CUSTOMERS else {"status": "open", **body}))

    def refused(self, path: str, body: Mapping[str, Any]) -> Answer | None:
        self.strange += [f"{path}: {name}" for name in body if name not in FIELDS[path]]
        if path == CUSTOMERS and any(row["email"] == body.get("email") for row in self.rows[path]):
            return refusal(TAKEN, param="email")
        if path == JOBS and len(body.get("title", "long enough")) < 3:
            return invalid("title", TOO_SHORT)
        return None

    def of_row(self, path: str, call: Call) -> Answer:
        row = next((row for row in self.rows[path] if call.path == f"{path}/{row['uuid']}"), None)
        if row is None:
            return refusal("No such row", status=404)
        if call.method == "DELETE":
            self.rows[path].remove(row)
            return 204, None
        if call.method == "PATCH":
            changed = {name: value for name, value in call.data().items() if row.get(name) != value}
            refused = self.refused(path, changed)
            if refused is not None:
                return refused
            row.update(call.data())
        return 200, row


@contextlib.contextmanager
def acme_api() -> Iterator[AcmeApi]:
    acme = AcmeApi()
    with serving(acme.answer) as server:
        acme.url = server.url
        yield acme
