"""A backend that knows no parameters of its list of visits, or those that a test names; and what declares the list."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from portal.query import (
    ListParams,
    MutationGroup,
    OpenEnum,
    QueryGroup,
    Row,
    Values,
    mutation_endpoint,
    paginated_query_endpoint,
)
from portal.query.endpoints.registry import Registry
from portal.query.gaps.known_gaps import param_name
from tests.portal.query.fakes import FakeBackend, refuse
from tests.portal.query.world import User, World

REGISTRY = Registry()
PATH = "/energy/visits"


class Status(OpenEnum):
    OPEN = "open"
    DONE = "done"


class Visit(Row):
    name: str = ""
    client_id: str | None = None
    status: Status | None = None
    seats: int | None = None
    is_free: bool | None = None
    tags: tuple[str, ...] = ()
    begun_at: datetime | None = None


class VisitsParams(ListParams):
    client_id: Values | None = None
    status: Values | None = None
    seats: int | None = None
    seats_from: int | None = None
    seats_to: int | None = None
    is_free: bool | None = None
    tag: Values | None = None
    begun_at_from: str | None = None
    begun_at_to: str | None = None


class Queries(QueryGroup, domain="energy", registry=REGISTRY):
    use_get_visits_query = paginated_query_endpoint(
        item=Visit, params=VisitsParams, url=PATH, filter_fields={"tag": "tags"}, without="No visits are shown."
    )


class Mutations(MutationGroup, domain="energy", registry=REGISTRY):
    use_create_visit_mutation = mutation_endpoint(
        data=Visit, body=dict, url=PATH, method="POST", without="Nobody adds visits."
    ).add_created_to_paginated_list(list_query_key=Queries.use_get_visits_query)


ROWS: list[dict[str, Any]] = [
    {
        "id": f"v{number}",
        "name": f"Visit {number}",
        "clientId": "c1" if number % 2 else "c2",
        "status": "open" if number < 3 else "done",
        "seats": number,
        "isFree": number == 1,
        "tags": ["café"] if number < 4 else [],
        "begunAt": f"2026-01-0{number}T10:00:00Z",
        "createdAt": f"2026-02-0{number}T00:00:00Z",
    }
    for number in range(1, 5)
]


@dataclass
class NarrowBackend(FakeBackend):
    """A backend that knows no parameters: it ignores them, or refuses them.

    :param knows: the parameters that it does follow, for `clientId`, `q` and the range of `begunAt`, or at least takes.
    :param refuses: the status with which it answers all others; None: it ignores them.
    :param ignores: parameters that it takes in any case.
    :param odd_values: it refuses these, in any parameter.
    :param is_fuzzy: whether its search finds each name with the first letter of the words.
    :param rows_of_a_page: how many.
    :param counts: the total that each answer has; None for the number of rows that fit.
    """

    own: list[dict[str, Any]] = field(default_factory=lambda: [dict(row) for row in ROWS])
    knows: set[str] = field(default_factory=set)
    refuses: int | None = None
    ignores: set[str] = field(default_factory=set)
    odd_values: set[str] = field(default_factory=set)
    is_fuzzy: bool = False
    rows_of_a_page: int = 20
    counts: int | None = None

    def _do(self, token: str | None, method: str, path: str, params: dict[str, Any], body: Any) -> Any:
        if path != PATH:
            return super()._do(token, method, path, params, body)
        if method == "POST":
            self.own.insert(0, {"id": f"n{len(self.own)}", **body})
            return self.own[0]
        unknown = set(params) - self.knows - self.ignores - {"limit", "cursor"}
        if (unknown and self.refuses) or self.odd_values & set(map(str, params.values())):
            refuse(self.refuses or 400)
        rows = [row for row in self.own if self._fits(row, {name: params[name] for name in self.knows & set(params)})]
        start = int(params.get("cursor", 0))
        end = start + self.rows_of_a_page
        more = end < len(rows)
        total = len(rows) if self.counts is None else self.counts
        return {"items": rows[start:end], "hasNext": more, "nextCursor": str(end) if more else None, "total": total}

    def _fits(self, row: dict[str, Any], sent: dict[str, Any]) -> bool:
        words, begun = sent.get("q", ""), row.get("begunAt") or ""
        if words and not (row["name"][:1] == words[:1] if self.is_fuzzy else words in row["name"]):
            return False
        is_of_client = "clientId" not in sent or row["clientId"] in sent["clientId"]
        return is_of_client and sent.get("begunAtFrom", "") <= begun < sent.get("begunAtTo", "3")


def visits(user: User, **named: Any) -> Any:
    """The result of the list."""
    return Queries.use_get_visits_query(user.request(registry=REGISTRY), **named)


def fresh(world: World, **named: Any) -> Any:
    """The same for a user who was never here, in another process."""
    return visits(User(world.process(), world.backend.sign_in("ada")), **named)


def walked(user: User, **named: Any) -> list[Any]:
    """The pages of a walk."""
    return list(Queries.use_get_visits_query.walk(user.request(registry=REGISTRY), **named))


def add(user: User) -> None:
    """A visit, by a mutation."""
    assert Mutations.use_create_visit_mutation(user.request(registry=REGISTRY)).mutate(body={"name": "New"}).is_success


def is_learned(world: World, param: str) -> bool:
    gaps = world.process().runtime.gaps
    return gaps.current([param_name("energy.get_visits", param)], now=world.clock()) is not None
