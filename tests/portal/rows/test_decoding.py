"""Rows are decoded leniently: what is odd has its default, and no page fails for it."""

from __future__ import annotations

import copy
import types
from collections.abc import Callable, Mapping
from dataclasses import make_dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Annotated, Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Meta

from portal.config.contract_names import CREATED_AT_FIELD, ID_FIELD
from portal.errors import ApiMalformedError, UsageError
from portal.query import OpenEnum, Record, Row, field
from portal.rows import check_decodable, decoder_of, rows_decoder_of


class Method(OpenEnum):
    TRANSFER = "transfer"
    CARD = "card"


class Line(Record):
    text: str = ""
    unit_price: Decimal | None = None


class Node(Record):
    name: str = ""
    children: tuple[Node, ...] = ()


class Payment(Row):
    payer: str = ""
    note: str | None = None
    amount: Decimal | None = None
    count: int | None = None
    weight: float | None = None
    is_paid: bool = False
    method: Method | None = None
    due_on: date | None = None
    line: Line | None = None
    lines: tuple[Line, ...] = ()
    counts: dict[str, int] = field(default_factory=dict)
    totals: dict[str, int | None] = field(default_factory=dict)
    odd_name: str = field(default="", name="odd-name")
    anything: Any = None
    either: int | str | None = None
    by_kind: dict[str, Method] = field(default_factory=dict)
    few: Annotated[int, Meta(gt=0)] | None = None
    rows: list[Line] = []


def decode_one(kind: Any) -> Any:
    decode = decoder_of(kind)
    assert decode is not None
    return decode


def decode_rows(kind: Any) -> Any:
    decode = rows_decoder_of(kind)
    assert decode is not None
    return decode


def decoded(**fields: Any) -> Payment:
    return decode_one(Payment)({ID_FIELD: "p1", **fields})


SENT_AND_READ: list[tuple[str, Any, str, Any]] = [
    ("payer", 5, "payer", "5"),
    ("payer", None, "payer", ""),
    ("payer", True, "payer", ""),
    ("note", None, "note", None),
    (ID_FIELD, 7, "id", "7"),
    (ID_FIELD, None, "id", ""),
    ("amount", "12.30", "amount", Decimal("12.30")),
    ("amount", 3, "amount", Decimal(3)),
    ("amount", "NaN", "amount", None),
    ("amount", "much", "amount", None),
    ("amount", True, "amount", None),
    ("count", "5", "count", 5),
    ("count", 5.0, "count", 5),
    ("count", 5.5, "count", None),
    ("count", True, "count", None),
    ("weight", 10**400, "weight", None),
    ("weight", float("inf"), "weight", None),
    ("weight", "1.5", "weight", 1.5),
    ("isPaid", True, "is_paid", True),
    ("isPaid", "true", "is_paid", False),
    ("method", "card", "method", Method.CARD),
    ("method", "giro", "method", "giro"),
    ("method", True, "method", None),
    ("dueOn", "2026-01-31", "due_on", date(2026, 1, 31)),
    (CREATED_AT_FIELD, "2026-01-31T10:00:00Z", "created_at", datetime(2026, 1, 31, 10, tzinfo=UTC)),
    (CREATED_AT_FIELD, "2026-01-31T10:00:00", "created_at", datetime(2026, 1, 31, 10, tzinfo=UTC)),
    (CREATED_AT_FIELD, "2026-01-31", "created_at", datetime(2026, 1, 31, tzinfo=UTC)),
    (CREATED_AT_FIELD, "2026-01-31T12:00:00+02:00", "created_at", datetime(2026, 1, 31, 10, tzinfo=UTC)),
    (CREATED_AT_FIELD, "yesterday", "created_at", None),
    (CREATED_AT_FIELD, 1_700_000_000.5, "created_at", datetime(2023, 11, 14, 22, 13, 20, 500_000, tzinfo=UTC)),
    (CREATED_AT_FIELD, 10**20, "created_at", None),
    ("either", "5", "either", "5"),
    ("byKind", {"a": "card"}, "by_kind", {"a": Method.CARD}),
    ("few", -5, "few", None),
    ("rows", [{"text": "x"}], "rows", [Line(text="x")]),
    ("line", {"text": "a", "unitPrice": "1.50"}, "line", Line(text="a", unit_price=Decimal("1.50"))),
    ("lines", [{"text": "a"}, 7, {"text": 8}], "lines", (Line(text="a"), Line(text="8"))),
    ("lines", "abc", "lines", ()),
    ("counts", {"a": 1, "b": "x", "c": True}, "counts", {"a": 1}),
    ("totals", {"a": 1, "b": "x", "c": True, "d": None}, "totals", {"a": 1, "b": None, "c": None, "d": None}),
    ("odd-name", "x", "odd_name", "x"),
    ("anything", {"a": [1]}, "anything", {"a": [1]}),
]


@pytest.mark.parametrize("odd", [{}, {"isPaid": "perhaps"}], ids=["as a whole", "field by field"])
@pytest.mark.parametrize(("name", "sent", "attribute", "read"), SENT_AND_READ)
def test_field_is_read_beside_an_odd_one(odd: Any, name: str, sent: Any, attribute: str, read: Any) -> None:
    found = getattr(decoded(**{**odd, name: sent}), attribute)
    assert found == read
    assert type(found) is type(read) or isinstance(read, str)


def test_a_field_that_is_not_declared_is_left_out_and_an_odd_row_leaves_the_others_as_they_are() -> None:
    decode = decode_rows(Payment)
    assert decode([{ID_FIELD: 1, "payer": "Ada", "unheard": 1}, {ID_FIELD: "2", "amount": []}]) == (
        Payment(id="1", payer="Ada"),
        Payment(id="2"),
    )
    assert type(decoded(byKind={"a": "card"}).by_kind["a"]) is Method


@pytest.mark.parametrize("value", [None, "text", [{"id": "p1"}]])
def test_a_response_that_is_no_object_is_malformed(value: Any) -> None:
    with pytest.raises(ApiMalformedError):
        decode_one(Payment)(value)


def test_a_record_may_contain_records_of_its_own_class() -> None:
    sent = {"name": "a", "children": [{"name": "b", "children": []}, {"name": 5}]}
    assert decode_one(Node)(sent) == Node(name="a", children=(Node(name="b"), Node(name="5")))


class Card(Record, tag="card", tag_field="kind"):
    last_digits: str = ""


class Transfer(Record, tag="transfer", tag_field="kind"):
    iban: str = ""


class Refund(Row):
    way: Card | Transfer | None = None


@pytest.mark.parametrize("odd", [{}, {"createdAt": "2026-01-31"}])
@pytest.mark.parametrize(
    ("sent", "read"),
    [
        ({"kind": "card", "lastDigits": "1234"}, Card(last_digits="1234")),
        ({"kind": "transfer", "iban": "DE1"}, Transfer(iban="DE1")),
        ({"kind": "cash"}, None),
        ({}, None),
    ],
)
def test_a_tag_tells_of_which_class_a_record_is(odd: Any, sent: Any, read: Any) -> None:
    assert decode_one(Refund)({**odd, "way": sent}).way == read


@pytest.mark.parametrize("odd", [{}, {"lastDigits": 1234}])
@pytest.mark.parametrize(("tag", "is_read"), [({}, True), ({"kind": "card"}, True), ({"kind": "cash"}, False)])
def test_record_that_stands_alone_needs_no_tag(odd: Any, tag: Any, is_read: bool) -> None:
    assert len(decode_rows(Card)([{"lastDigits": "1234", **tag, **odd}])) == is_read


@pytest.mark.parametrize("kind", [dict, None, list[str], Any])
def test_json_of_any_other_type_stays_as_it_is(kind: Any) -> None:
    assert decoder_of(kind) is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
NAMES = st.sampled_from(sorted({name for name, *_ in SENT_AND_READ}))


@given(st.dictionaries(NAMES, JSON, max_size=8))
def test_no_value_of_a_field_makes_a_row_fail(fields: dict[str, Any]) -> None:
    found = decoded(**fields)
    assert found.created_at is None or found.created_at.tzinfo is not None
    assert found.amount is None or found.amount.is_finite()


#: The type of a field, its JSON, and who changes what was read.
CHANGES: dict[str, tuple[Any, Any, Callable[[Any], object]]] = {
    "lines": (list[Line], [{"text": "a"}], lambda lines: lines.clear()),
    "counts": (dict[str, int], {"a": 1}, lambda counts: counts.clear()),
    "names": (list[list[str]], [["a"]], lambda names: names[0].clear()),
    "anything": (Any, {"a": [1]}, lambda anything: anything["a"].clear()),
    "untyped": (dict, {"a": [1]}, lambda untyped: untyped["a"].clear()),
    "parts": (tuple[dict[str, object], ...], [{"a": [1]}], lambda parts: parts[0]["a"].clear()),
}


@pytest.mark.parametrize("beside", [{}, {"id": 5}], ids=["as a whole", "field by field"])
@pytest.mark.parametrize("name", CHANGES)
def test_who_changes_a_row_does_not_change_the_json_that_others_read(name: str, beside: Any) -> None:
    # A class with this one field: what another one needs must not protect it.
    field_type, value, change = CHANGES[name]
    body = {"__annotations__": {"id": str, name: field_type}, "__module__": __name__, "id": "", name: None}
    kind = cast("type[Record]", types.new_class("One", (Record,), {}, lambda namespace: namespace.update(body)))
    json = {name: copy.deepcopy(value), **beside}
    decode, decode_all = decode_one(kind), decode_rows(kind)
    for read in (lambda: decode(json), lambda: decode_all([json])[0], lambda: decode_all((json,))[0]):
        change(getattr(read(), name))
        assert json == {name: value, **beside}


def holding(kind: Any) -> Any:
    """A row with one field of this type."""
    return type(Row)("One", (Row,), {"__annotations__": {"it": kind}, "it": None})


@pytest.mark.parametrize(
    "kind", [tuple[datetime, str], Mapping[str, Decimal], dict[int, str], list[tuple[datetime, str]]]
)
def test_a_container_that_is_not_read_part_by_part_is_refused_at_start(kind: Any) -> None:
    with pytest.raises(UsageError, match=r"is none of list\[…\], tuple\[…, ...\]"):
        check_decodable(holding(kind))


def test_a_class_that_is_no_record_is_refused_at_start() -> None:
    with pytest.raises(UsageError, match="Plain should derive from Record or Row"):
        check_decodable(make_dataclass("Plain", []))
