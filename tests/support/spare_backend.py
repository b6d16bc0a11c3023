"""A backend in a thread that has as little as a backend may have.

It signs in, refreshes, has the profile and the clients. It ignores what it does not know, or refuses it as a gateway
in front of a service does. Neither its profile nor its tokens name the user.
"""

from __future__ import annotations

import contextlib
import secrets
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import jwt

from tests.support.serving import Call, json_reply, serving

KEY = "the key of a backend that has as little as it may"
CLIENTS = "/energy/clients"


@dataclass
class SpareBackend:
    """Its people, its clients, and what was asked of it.

    :param is_strict: 400 for a parameter and 403 for a path that it does not know; else it ignores the one, and answers
        404 to the other.
    :param lifetime_s: of an access token.
    """

    is_strict: bool = False
    lifetime_s: float = 300
    url: str = ""
    calls: Counter[str] = field(default_factory=Counter)
    rows: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    people: dict[str, str] = field(default_factory=dict)

    def _tokens(self, person: str) -> dict[str, str]:
        claims = {"permissions": ["ENERGY_APP"], "jti": secrets.token_hex(8), "exp": int(time.time() + self.lifetime_s)}
        pair = {"accessToken": jwt.encode(claims, KEY, "HS256"), "refreshToken": secrets.token_hex(16)}
        self.people |= dict.fromkeys(pair.values(), person)
        return pair

    def answer(self, call: Call) -> tuple[int, Any]:
        """A status, and a document."""
        method, path, body = call.method, call.path, call.data()
        self.calls[f"{method} {path}"] += 1
        if (method, path) == ("POST", "/auth/login"):
            return 200, self._tokens(body["email"])
        if (method, path) == ("POST", "/refresh"):
            person = self.people.pop(body["refreshToken"], None)
            return (401, {}) if person is None else (200, self._tokens(person))
        person = self.people.get(call.bearer)
        if person is None:
            return 401, {}
        if path == "/me":
            return 200, {"permissions": ["ENERGY_APP"]}
        return self._clients(method, path, call.query, self.rows.setdefault(person, rows_of(person)), body)

    def _clients(
        self, method: str, path: str, query: dict[str, str], rows: list[dict[str, Any]], body: Any
    ) -> tuple[int, Any]:
        if path == CLIENTS and method == "POST":
            rows.insert(0, {"id": secrets.token_hex(4), **body})
            return 201, rows[0]
        if path == CLIENTS and method == "GET":
            unknown = set(query) - {"cursor", "limit"}
            if self.is_strict and unknown:
                return 400, {"detail": f"unknown: {', '.join(sorted(unknown))}"}
            return 200, {"items": rows, "hasNext": False, "nextCursor": None}
        found = next((row for row in rows if path == f"{CLIENTS}/{row['id']}"), None)
        if found is not None and method == "GET":
            return 200, found
        return (403 if self.is_strict else 404), {}


def rows_of(person: str) -> list[dict[str, Any]]:
    """A person's clients."""
    return [
        {"id": f"{person}-{number}", "name": f"{city} client of {person}", "email": "c@example.com", "city": city}
        for number, city in enumerate(["Bern", "Ulm", "Bern"])
    ]


@contextlib.contextmanager
def spare_backend(**options: Any) -> Iterator[SpareBackend]:
    """One that listens."""
    backend = SpareBackend(**options)
    with serving(lambda call: json_reply(*backend.answer(call))) as server:
        backend.url = server.url
        yield backend
