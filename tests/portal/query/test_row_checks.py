"""Rows against the parameters of their read: numbers, times, and the order of rows."""

from datetime import UTC, datetime
from typing import Any, TypedDict

import pytest

from portal.query import ListParams, OpenEnum, QueryGroup, Row, paginated_query_endpoint
from portal.query.endpoints.registry import Registry
from portal.query.row_checks import checked_rows, in_order


class Kind(OpenEnum):
    LOW = "low"
    HIGH = "high"


class Bill(Row):
    kind: Kind | None = None
    client_id: int | str | None = None
    amount: float | None = None
    code: str = ""
    due_at: datetime | None = None


class Loose(TypedDict):
    amount: Any


class Params(ListParams):
    client_id: str | None = None
    amount_from: str | None = None
    amount_to: str | None = None
    code_from: str | None = None
    due_at_from: str | None = None
    due_at_to: str | None = None


class LooseParams(ListParams):
    amount_from: str | None = None
    amount_to: str | None = None


class Queries(QueryGroup, domain="finance", registry=Registry()):
    use_get_bills_query = paginated_query_endpoint(item=Bill, params=Params, url="/bills")
    use_get_loose_query = paginated_query_endpoint(item=Loose, params=LooseParams, url="/loose")


BILLS, LOOSE = Queries.use_get_bills_query, Queries.use_get_loose_query
#: 2026-01-02T00:00:00Z
SECONDS = int(datetime(2026, 1, 2, tzinfo=UTC).timestamp())


def kept(hook: Any, values: list[Any], field: str, **params: Any) -> list[Any]:
    rows = [{"id": str(number), field: value} for number, value in enumerate(values)]
    return [row[field] for row in checked_rows(rows, hook.spec(**params).query, raw=[rows])[0]]


BIG = 1234567890123456769
AMOUNTS = [5, 100, "250.5", 5e6, "much"]
TIMES = [SECONDS - 1, SECONDS, SECONDS + 1]


@pytest.mark.parametrize(
    ("hook", "field", "values", "params", "left"),
    [
        (BILLS, "clientId", [BIG - 1, BIG, BIG + 1], {"client_id": str(BIG)}, [BIG]),  # a float can't tell them apart
        *((BILLS, "clientId", [5, 5.0, 6], {"client_id": text}, [5, 5.0]) for text in ("5", "5.0", "5e0")),
        (BILLS, "clientId", ["c,1", "c", "2"], {"client_id": "c,1"}, ["c,1", "c"]),  # one value, or two
        (BILLS, "amount", AMOUNTS, {"amount_from": "100"}, [100, "250.5", 5e6, "much"]),
        (BILLS, "amount", AMOUNTS, {"amount_to": "100"}, [5, 100, "much"]),
        (BILLS, "amount", AMOUNTS, {"amount_from": "20", "amount_to": "100"}, [100, "much"]),
        (BILLS, "amount", AMOUNTS, {"amount_from": "2026-01-01"}, AMOUNTS),
        (LOOSE, "amount", AMOUNTS, {"amount_from": "100"}, [100, "250.5", 5e6, "much"]),
        (LOOSE, "amount", AMOUNTS, {"amount_to": "100"}, [5, 100, "much"]),
        *(
            (BILLS, "dueAt", TIMES, {name: limit}, left)
            for limit in ("2026-01-02", "20260102", "2026-01-02T01:00:00+01:00")
            for name, left in (("due_at_from", TIMES[1:]), ("due_at_to", TIMES[:1]))
        ),
        (BILLS, "dueAt", TIMES, {"due_at_from": str(SECONDS)}, TIMES[1:]),
        (BILLS, "dueAt", ["2026-01-01"], {"due_at_from": str(SECONDS)}, ["2026-01-01"]),
        (BILLS, "code", ["10", "9"], {"code_from": "9"}, ["10", "9"]),  # a text has no order
    ],
)
def test_limits_are_compared_as_numbers_or_moments(
    hook: Any, field: str, values: list[Any], params: dict[str, str], left: list[Any]
) -> None:
    assert kept(hook, values, field, **params) == left


@pytest.mark.parametrize(
    ("sort", "field", "values", "is_ordered"),
    [
        ("code", "code", ["Ada", "anna", "Ärmel", "Bo", "2", "Zoë"], True),
        ("-code", "code", ["Zoë", "Ada"], True),
        ("code", "code", ["Zebra", "apple", "Åse"], True),  # by the numbers of the characters
        ("-code", "code", ["Ada", "Zoë"], False),
        ("code", "code", [], True),
        ("code", "code", [..., ...], False),  # rows lack the field
        ("code", "code", [None, None], True),
        ("-code", "code", ["Client 3", "Client 1", "Client 2"], False),
        ("code", "code", ["9", "1", "5"], False),
        ("code", "code", ["Client 2", "Client 10"], True),
        ("code", "code", ["Client 10", "Client 2"], True),
        ("code", "code", ["co-op A", "Coop b", "co op C"], True),
        ("amount", "amount", [1, None, "2.5", 10], True),
        ("-amount", "amount", [1, 10], False),
        ("dueAt", "dueAt", ["2026-01-01", "2025-12-31T23:00:00Z"], False),
        ("-dueAt", "dueAt", [SECONDS, "2026-01-01"], True),
        ("kind", "kind", ["low", "low", "high"], True),
        ("kind", "kind", ["low", "high", "low"], False),
        ("relevance", "code", ["b", "a"], True),
    ],
)
def test_order_holds_where_neighbours_agree(sort: str, field: str, values: list[Any], is_ordered: bool) -> None:
    rows = [{"id": str(number)} | ({} if value is ... else {field: value}) for number, value in enumerate(values)]
    assert in_order(rows, sort, item=Bill) is is_ordered


def test_order_that_rows_do_not_have_is_named() -> None:
    rows = [{"id": "1", "code": "b"}, {"id": "2", "code": "a"}]
    assert checked_rows(rows, BILLS.spec(sort="code").query, raw=[rows]) == (tuple(rows), ("sort",))
