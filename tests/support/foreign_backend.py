"""A backend in a thread that calls everything by other names than the portal's contract does.

It knows no other word: whatever comes to it under a name that is not its own is kept in `strange`.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import secrets
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import jwt

#: What it calls the constants of `portal.config.contract_names`.
NAMES: dict[str, Any] = {
    "AUTH_LOGIN_PATH": "/session/open",
    "AUTH_LOGOUT_PATH": "/session/close",
    "FORGOT_PASSWORD_PATH": "/session/forgotten",
    "RESET_PASSWORD_PATH": "/session/regain",
    "REFRESH_PATH": "/session/renew",
    "ME_PATH": "/whoami",
    "LOGIN_EMAIL_FIELD": "loginName",
    "LOGIN_PASSWORD_FIELD": "passphrase",
    "ACCESS_TOKEN_FIELD": "bearer",
    "REFRESH_TOKEN_FIELD": "longLived",
    "PROFILE_ID_FIELD": "person",
    "PROFILE_NAME_FIELD": "calledBy",
    "PROFILE_EMAIL_FIELD": "mailbox",
    "PROFILE_PERMISSIONS_FIELD": "grants",
    "PERMISSION_CLAIMS": ("may", "MAY"),
    "PRIMARY_ROLE_CLAIM": "home",
    "SUBJECT_CLAIM": "who",
    "ITEMS_FIELD": "entries",
    "HAS_NEXT_FIELD": "more",
    "NEXT_CURSOR_FIELD": "continueAt",
    "TOTAL_FIELD": "matches",
    "CURSOR_PARAM": "from",
    "LIMIT_PARAM": "top",
    "SEARCH_PARAM": "find",
    "SORT_PARAM": "order",
    "SORT_NEWEST_FIRST": "made_desc",
    "SORT_OLDEST_FIRST": "made_asc",
    "SORT_BY_NAME": "title_asc",
    "SORT_BY_NAME_DESCENDING": "title_desc",
    "VALUES_SEPARATOR": "|",
    "VALUES_ESCAPE": "^",
    "FROM_SUFFIX": "Since",
    "TO_SUFFIX": "Until",
    "COUNTS_SEGMENT": "tally",
    "COUNTS_BY_PARAM": "per",
    "ID_FIELD": "ref",
    "CREATED_AT_FIELD": "made",
    "VERSION_FIELD": "edition",
    "PROBLEM_DETAIL_FIELD": "explanation",
    "PROBLEM_TITLE_FIELD": "headline",
    "PROBLEM_ERRORS_FIELD": "faults",
    "BACKEND_LANGUAGE": "nb",
    "IDEMPOTENCY_HEADER": "X-Once",
    "IF_MATCH_HEADER": "X-Edition",
    "REQUEST_ID_HEADER": "X-Trace",
    "CLIENT_ADDRESS_HEADER": "X-Browser",
}
#: Its own addresses of the energy app's lists, and its fields of a customer: the portal's names, and its own.
ADDRESSES = {
    "/energy/clients": "/crm/customers",
    "/energy/stations": "/grid/sites",
    "/energy/chargers": "/grid/points",
    "/energy/sessions": "/grid/charges",
    "/energy/meters": "/grid/counters",
    "/iam/auth/sessions": "/session/all",
}
CUSTOMER = {"name": "fullName", "email": "mail", "phone": "telephone", "city": "town"}

#: What a list takes beside what all lists take; such names are the resource's own, and are not changed here.
OWN_FILTERS = {ADDRESSES["/energy/sessions"]: {"clientId"}}
CUSTOMERS = ADDRESSES["/energy/clients"]
EMAIL, PASSWORD = "ada@example.com", "a password for tests"
#: Who is at home in operations, though energy comes first.
OPERATOR = "grace@example.com"
PERMISSIONS = {EMAIL: ["ENERGY_APP"], OPERATOR: ["ENERGY_APP", "OPERATIONS_APP"]}
REFUSED, EXPLAINED = "En kunde har allerede denne adressen.", "Dette kan vi ikke lete etter."
#: What it does not search for.
UNSEARCHABLE = "nothing at all"
#: Customers that it does not take, and what it says then.
REFUSALS = {
    "Explained": {"headline": "Avvist", "explanation": "Kunden er sperret."},
    "Headed": {"headline": "Kunden er ikke velkommen."},
}
LIFETIME_S = 300
_KEY = "the key of a backend that is made for tests"


@dataclass
class Asked:
    """One call as it came."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: dict[str, Any]


@dataclass
class ForeignBackend:
    """Two accounts, a list of customers, and what was asked.

    :ivar strange: calls with a name that it does not know.
    """

    url: str = ""
    asked: list[Asked] = field(default_factory=list)
    strange: list[str] = field(default_factory=list)
    customers: list[dict[str, Any]] = field(default_factory=list)
    long_lived: dict[str, str] = field(default_factory=dict)
    good: set[str] = field(default_factory=set)
    lock: threading.Lock = field(default_factory=threading.Lock)
    numbers: Iterator[int] = field(default_factory=itertools.count)

    def __post_init__(self) -> None:
        for number in range(30):
            self.add({"fullName": f"Customer {number:02d}", "mail": f"c{number}@example.com", "town": "Oslo"})

    def add(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        number = next(self.numbers)
        made = f"2026-01-{number // 24 + 1:02d}T{number % 24:02d}:00:00Z"
        customer = {**dict.fromkeys(CUSTOMER.values()), **fields, "ref": f"no-{number}", "made": made, "edition": 1}
        self.customers.append(customer)
        return customer

    def asked_for(self, path: str, method: str = "GET") -> list[Asked]:
        return [call for call in self.asked if (call.path, call.method) == (path, method)]

    def forget_access(self) -> None:
        """No access token is good any more; those that a refresh gives are."""
        self.good.clear()

    # --- the answers: a status, and a document ---

    def answer(self, call: Asked) -> tuple[int, Any]:
        with self.lock:
            self.asked.append(call)
            handler = getattr(self, _HANDLERS.get((call.method, call.path), ""), None)
            if handler is not None:
                return handler(call)
            bearer = call.headers.get("authorization", "").removeprefix("Bearer ")
            if bearer not in self.good:
                return 401, problem("Not signed in")
            person = jwt.decode(bearer, options={"verify_signature": False})["who"]
            return self.answer_to(person, call)

    def answer_to(self, person: str, call: Asked) -> tuple[int, Any]:
        if call.path == "/whoami":
            return 200, {
                "person": person,
                "calledBy": "Ada of Elsewhere",
                "mailbox": person,
                "grants": PERMISSIONS[person],
            }
        if call.path == CUSTOMERS:
            return self.list(call, self.customers) if call.method == "GET" else self.create(call)
        if call.path in ADDRESSES.values() and call.method == "GET":
            return self.list(call, [])
        customer = next((row for row in self.customers if call.path == f"{CUSTOMERS}/{row['ref']}"), None)
        if customer is not None:
            return self.change(call, customer)
        if not call.path.endswith(("/tally", "/state", "/summary", "/nobody")):
            self.strange.append(f"{call.method} {call.path}")
        return 404, problem("Not here")

    def open(self, call: Asked) -> tuple[int, Any]:
        self.expect(call.body, {"loginName", "passphrase"})
        if call.body.get("passphrase") != PASSWORD or call.body.get("loginName") not in PERMISSIONS:
            return 401, problem("Wrong")
        return 200, self.tokens(call.body["loginName"])

    def renew(self, call: Asked) -> tuple[int, Any]:
        self.expect(call.body, {"longLived"})
        person = self.long_lived.pop(call.body.get("longLived"), None)
        return (401, problem("Spent")) if person is None else (200, self.tokens(person))

    def close(self, call: Asked) -> tuple[int, Any]:
        self.expect(call.body, {"longLived"})
        self.long_lived.pop(call.body.get("longLived"), None)
        return 204, None

    def tokens(self, person: str) -> dict[str, str]:
        claims = {"who": person, "may": PERMISSIONS[person], "exp": int(time.time()) + LIFETIME_S}
        home = {"home": "OPERATIONS"} if person == OPERATOR else {}
        access = jwt.encode(claims | home | {"jti": secrets.token_hex(8)}, _KEY, "HS256")
        long_lived = secrets.token_urlsafe(24)
        self.good.add(access)
        self.long_lived[long_lived] = person
        return {"bearer": access, "longLived": long_lived}

    def list(self, call: Asked, rows: list[dict[str, Any]]) -> tuple[int, Any]:
        self.expect(call.query, {"from", "top", "find", "order", *OWN_FILTERS.get(call.path, ())})
        word, order = call.query.get("find", ""), call.query.get("order", "made_desc")
        key = {"made": "made", "title": "fullName"}[order.rpartition("_")[0]]
        found = [row for row in rows if word.lower() in str(row["fullName"]).lower()]
        found.sort(key=lambda row: row[key], reverse=order.endswith("_desc"))
        start, size = call.query.get("from", "at-0").removeprefix("at-"), int(call.query.get("top", "5"))
        if not start.isdigit():
            return 422, problem("Bad cursor", faults={"from": ["Denne markøren er ikke vår."]})
        if word == UNSEARCHABLE:
            return 422, problem("Bad words", faults={"find": [EXPLAINED]})
        end = int(start) + size
        page = {"entries": found[int(start) : end], "more": end < len(found), "continueAt": f"at-{end}"}
        return 200, page | {"matches": len(found)}

    def create(self, call: Asked) -> tuple[int, Any]:
        self.expect(call.body, set(CUSTOMER.values()))
        if any(row["mail"] == call.body["mail"] for row in self.customers):
            return 422, problem("Refused", faults={"mail": [REFUSED]})
        if call.body["fullName"] in REFUSALS:
            return 409, REFUSALS[call.body["fullName"]]
        return 201, self.add(call.body)

    def change(self, call: Asked, customer: dict[str, Any]) -> tuple[int, Any]:
        if call.method == "DELETE":
            self.customers.remove(customer)
            return 204, None
        self.expect(call.body, set(CUSTOMER.values()))
        if call.headers.get("x-edition") != f'"{customer["edition"]}"':
            self.strange.append(f"a change of edition {call.headers.get('x-edition')}")
        customer.update(call.body, edition=customer["edition"] + 1)
        return 200, customer

    def expect(self, given: Mapping[str, Any], known: set[str]) -> None:
        self.strange += [f"{name} is none of {sorted(known)}" for name in given if name not in known]


_HANDLERS = {
    ("POST", "/session/open"): "open",
    ("POST", "/session/renew"): "renew",
    ("POST", "/session/close"): "close",
}


def problem(headline: str, **members: Any) -> dict[str, Any]:
    return {"headline": headline, **members}


@contextlib.contextmanager
def foreign_backend() -> Iterator[ForeignBackend]:
    backend = ForeignBackend()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(backend))
    server.daemon_threads = True
    backend.url = f"http://127.0.0.1:{server.server_port}/api"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield backend
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _handler(backend: ForeignBackend) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True
        wbufsize = -1

        def __getattr__(self, name: str) -> Any:
            if name.startswith("do_"):
                return self.respond
            raise AttributeError(name)

        def respond(self) -> None:
            parts = urlsplit(self.path)
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            call = Asked(
                method=self.command,
                path=parts.path.removeprefix("/api"),
                query=dict(parse_qsl(parts.query, keep_blank_values=True)),
                headers={name.lower(): value for name, value in self.headers.items()},
                body=json.loads(body) if body else {},
            )
            status, document = backend.answer(call)
            content = b"" if document is None else json.dumps(document).encode()
            self.send_response(status)
            if content:
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            """Silent."""

    return Handler
