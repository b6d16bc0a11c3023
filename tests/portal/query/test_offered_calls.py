"""Calls that are declared to be offered are made, and nothing else; what one answer says holds for that answer alone.

Backends here take no notice of parameters. No row that contradicts one, or lacks its field, is handed out.
"""

import logging
from contextlib import nullcontext
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import pytest

from portal.config.environment.offers import CONTRACT_FILE, read_offers_file
from portal.errors import ApiAbsentError, ApiNotFoundError, UsageError
from portal.query import (
    ListParams,
    MutationGroup,
    OpenEnum,
    QueryGroup,
    Row,
    RowParams,
    Values,
    mutation_endpoint,
    offers,
    optional_names,
    paginated_query_endpoint,
    query_endpoint,
)
from portal.query.endpoints.registry import Registry
from portal.services.endpoint_list import declared_hooks
from tests.portal.query.fakes import FakeBackend, refuse
from tests.portal.query.world import User, World
from tests.support.offers import offered

REGISTRY = Registry()
PATH = "/energy/visits"
KEY = "energy.get_visits"


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
    seats_to: int | None = None
    is_free: bool | None = None
    tag: Values | None = None
    begun_at_from: str | None = None
    begun_at_to: str | None = None


class PlainParams(ListParams):
    q: None = None
    sort: None = None


class Queries(QueryGroup, domain="energy", registry=REGISTRY):
    use_get_visits_query = paginated_query_endpoint(
        item=Visit, params=VisitsParams, url=PATH, filter_fields={"tag": "tags"}, optional=True
    )
    use_get_visit_query = query_endpoint(data=Visit, params=RowParams, url=f"{PATH}/{{id}}", optional=True)
    use_get_own_query = paginated_query_endpoint(item=Visit, params=PlainParams, url=PATH)


class Mutations(MutationGroup, domain="energy", registry=REGISTRY):
    use_create_visit_mutation = mutation_endpoint(data=Visit, body=dict, url=PATH, method="POST", optional=True)


VISITS = Queries.use_get_visits_query
ROWS: list[dict[str, Any]] = [
    {
        "id": f"v{number}",
        "name": f"Visit {number}",
        "clientId": "Kiel" if number % 2 else "Ulm",
        "status": "open" if number < 3 else "done",
        "seats": number,
        "isFree": number == 1,
        "tags": ["café"] if number < 4 else [],
        "begunAt": f"2026-01-0{number}T10:00:00Z",
    }
    for number in range(1, 5)
]


@dataclass
class DeafBackend(FakeBackend):
    """A backend that takes no notice of parameters.

    :param status: of its answer to each call of visits; 200 for rows.
    :param total: that each of its answers has.
    """

    own: list[dict[str, Any]] = field(default_factory=lambda: [dict(row) for row in ROWS])
    status: int = 200
    total: int | None = 4
    has_next: bool = False

    def _do(self, token: str | None, method: str, path: str, params: dict[str, Any], body: Any) -> Any:
        if not path.startswith(PATH):
            return super()._do(token, method, path, params, body)
        if self.status != 200:
            refuse(self.status)
        if path != PATH:
            return self.own[0]
        more = self.has_next and "cursor" not in params
        return {"items": self.own, "hasNext": more, "nextCursor": "2" if more else None, "total": self.total}


@pytest.fixture
def ada() -> User:
    """Ada, at such a backend."""
    world = World(backend=DeafBackend())
    return User(world.process(), world.backend.sign_in("ada"), registry=REGISTRY)


def visits(user: User, **named: Any) -> Any:
    return VISITS(user.request(), **named)


def walked(user: User, **named: Any) -> list[Any]:
    return list(VISITS.walk(user.request(), **named))


def created(user: User) -> Any:
    return Mutations.use_create_visit_mutation(user.request()).mutate(body={"name": "x"})


@pytest.mark.parametrize(
    ("named", "ids"),
    [
        ({"client_id": ["Kiel"]}, ["v1", "v3"]),
        ({"client_id": ["KIEL"]}, ["v1", "v3"]),
        ({"client_id": [" kiel "]}, ["v1", "v3"]),
        ({"client_id": ["Kiel", "Rom"]}, ["v1", "v3"]),
        ({"status": ["open"]}, ["v1", "v2"]),
        ({"status": ["nonsense"]}, []),
        ({"seats": 3}, ["v3"]),
        ({"is_free": False}, ["v2", "v3", "v4"]),
        ({"tag": ["CAFÉ"]}, ["v1", "v2", "v3"]),
        ({"begun_at_from": "2026-01-03T10:00:00Z"}, ["v3", "v4"]),
        ({"begun_at_to": "2026-01-03T11:00:00+01:00"}, ["v1", "v2"]),
        ({"seats_to": 3}, ["v1", "v2", "v3"]),
    ],
)
def test_row_that_contradicts_a_filter_is_left_out(ada: User, named: dict[str, Any], ids: list[str]) -> None:
    data = visits(ada, **named).unwrap()
    assert ([row.id for row in data.items], data.total, len(data.ignored)) == (ids, None, 1)
    pages = walked(ada.elsewhere(), **named)
    assert [row.id for page in pages for row in page.rows] == ids
    assert {(page.total, page.ignored) for page in pages} == {(None, data.ignored)}


@pytest.mark.parametrize(
    ("row", "named", "fits"),
    [
        ({}, {"client_id": ["Kiel"]}, False),
        ({}, {"client_id": ["none"]}, False),
        ({"clientId": None}, {"client_id": ["Kiel"]}, False),
        ({"clientId": None}, {"client_id": ["none"]}, True),
        ({"clientId": None, "clientName": "Ada"}, {"client_id": ["none"]}, False),
        ({"begunAt": None}, {"begun_at_from": "2026-01-01"}, False),
    ],
)
def test_row_without_a_filters_field_is_left_out(ada: User, row: Any, named: Any, fits: bool) -> None:
    ada.backend.own, ada.backend.total = [{"id": "v1", **row}], 1
    data = visits(ada, **named).data
    assert (len(data.items), data.total) == ((1, 1) if fits else (0, None))


def test_contradiction_is_logged_once_and_withdraws_nothing(ada: User, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, logger="portal.query"):
        for user in (ada, ada.signed_in("bob"), ada):
            assert len(visits(user, client_id=["Kiel"]).data.items) == 2
    [told] = [record.getMessage() for record in caplog.records]
    assert told.startswith(f"{KEY}?clientId: the rows of the backend contradict this parameter")


@pytest.mark.parametrize(
    ("names", "named", "is_asked"),
    [
        ((), {}, False),
        ((KEY,), {}, True),
        ((KEY,), {"client_id": ["Kiel"]}, False),
        ((KEY, f"{KEY}?clientId"), {"client_id": ["Kiel"]}, True),
        ((KEY, f"{KEY}?clientId"), {"client_id": ["Kiel"], "q": "x"}, False),
        ((KEY,), {"sort": "name"}, False),
        ((f"{KEY}?q",), {"q": "x"}, False),
    ],
)
def test_what_is_not_offered_is_not_asked_for(
    ada: User, names: tuple[str, ...], named: dict[str, Any], is_asked: bool
) -> None:
    with offered(*names), ada.reads(int(is_asked)):
        assert isinstance(visits(ada, **named).error, ApiAbsentError) is not is_asked
    refused = nullcontext() if is_asked else pytest.raises(ApiAbsentError)
    with offered(*names), ada.reads(int(is_asked)), refused:
        walked(ada, **named)


def test_write_that_is_not_offered_is_not_sent(ada: User) -> None:
    with offered("required"):
        assert isinstance(created(ada).error, ApiAbsentError)
    assert not ada.backend.calls


def test_own_declaration_is_offered_but_for_exceptions() -> None:
    own = Queries.use_get_own_query
    with offered("required"):
        assert (offers(own), offers(own, "q"), offers(own, "sort"), [*optional_names(own)]) == (True, False, False, [])


@pytest.mark.parametrize(
    ("names", "has_next", "total", "told"),
    [
        ((KEY, f"{KEY}?clientId", f"{KEY}:total"), True, 30, 30),
        ((KEY, f"{KEY}?clientId"), True, 30, None),
        ((KEY, f"{KEY}?clientId"), False, 2, 2),
        ((KEY, f"{KEY}?clientId"), False, 4, None),
    ],
    ids=["declared", "not declared", "whole", "counts all"],
)
def test_certain_total_under_a_filter_is_told(
    ada: User, names: tuple[str, ...], has_next: bool, total: int, told: int | None
) -> None:
    ada.backend.own = [row for row in ROWS if row["clientId"] == "Kiel"]
    ada.backend.has_next, ada.backend.total = has_next, total
    with offered(*names), ada.reads(1):
        assert visits(ada, client_id=["Kiel"]).data.total == told


@pytest.mark.parametrize("status", [404, 405, 410, 501])
def test_absent_answer_is_remembered_for_nobody(ada: User, status: int, caplog: pytest.LogCaptureFixture) -> None:
    ada.backend.status = status
    with caplog.at_level(logging.WARNING, logger="portal.query"), ada.reads(2):
        for user in (ada, ada.signed_in("bob")):
            assert isinstance(visits(user).error, ApiAbsentError)
    assert [record.getMessage() for record in caplog.records] == [
        f"{KEY}: the backend answered {status}: it has no such call"
    ]
    ada.backend.status = 200
    for user in (ada, ada.signed_in("bob"), ada.elsewhere()):
        assert len(visits(user).unwrap().items) == 4


def test_404_of_a_row_is_no_absence(ada: User) -> None:
    ada.backend.status = 404
    read = Queries.use_get_visit_query(ada.request(), id="v1")
    assert [type(result.error) for result in (read, created(ada))] == [ApiNotFoundError, ApiNotFoundError]


def test_each_name_of_the_contract_is_declared() -> None:
    known = {name for hook in declared_hooks() for name in optional_names(hook)}
    assert read_offers_file(CONTRACT_FILE) <= known


class OddParams(ListParams):
    colour: str | None = None
    begin_from: str | None = None


@pytest.mark.parametrize(
    ("filter_fields", "words"),
    [
        ({"beginFrom": None}, "colour can't be held against a field of Visit"),
        ({"colour": "hue", "beginFrom": None}, "names hue, which is no field"),
        ({"hue": "name", "beginFrom": None}, "names hue, which is no filter"),
    ],
)
def test_parameter_of_no_field_is_refused(filter_fields: Any, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        paginated_query_endpoint(item=Visit, params=OddParams, url=PATH, filter_fields=filter_fields)
