"""Rows against the parameters of their read: numbers, times, and values that a backend surely takes."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, TypedDict

import pytest

from portal.query import ListParams, QueryGroup, Row, paginated_query_endpoint
from portal.query.endpoints.params import RowFilter
from portal.query.endpoints.registry import Registry
from portal.query.gaps import checked_rows, sure_value


class Bill(Row):
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


@pytest.mark.parametrize("lacks", [{}, {"clientId": None}])
def test_a_row_of_nobody_has_no_name_either(lacks: dict[str, None]) -> None:
    rows = [{"id": "1", **lacks, "clientName": "Ada"}, {"id": "2", **lacks, "client": "Ada"}, {"id": "3", **lacks}]
    spec = BILLS.spec(client_id="none")
    assert checked_rows(rows, spec.query, raw=[rows]) == ((rows[2],), ("clientId",), ())


@pytest.mark.parametrize(
    ("row_filter", "value", "sure"),
    [
        (BILLS.filters["dueAtFrom"], SECONDS, "2026-01-02T00:00:00+00:00"),
        (BILLS.filters["dueAtTo"], "2026-01-02", "2026-01-02"),
        (BILLS.filters["amountFrom"], 5, "5"),
        (BILLS.filters["amountFrom"], True, None),
        (BILLS.filters["clientId"], 5, ["5"]),
        (RowFilter(field="it", kind="from"), SECONDS, None),
    ],
)
def test_a_sure_value_is_one_that_a_backend_which_knows_the_parameter_takes(
    row_filter: RowFilter, value: Any, sure: Any
) -> None:
    assert sure_value(row_filter, [{row_filter.field: value}]) == sure
