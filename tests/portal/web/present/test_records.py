"""Reading a record never fails, whatever the backend put in its fields."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portal.web.present import records

ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@given(ODD)
def test_every_reader_is_total(value: Any) -> None:
    record = {"field": value}
    assert isinstance(records.text_of(record, "field"), str)
    assert records.texts_of(record)["field"] == records.text_of(record, "field")
    assert records.texts_of(record)["missing"] == ""
    assert isinstance(records.integer_of(record, "field"), int | None)
    assert isinstance(records.number_of(record, "field"), float | None)
    assert isinstance(records.decimal_of(record, "field"), Decimal | None)
    assert isinstance(records.datetime_of(record, "field"), datetime | None)
    assert all(isinstance(entry, dict) for entry in records.objects_of(record, "field"))
    assert all(isinstance(count, int | None) for count in records.counts_of(record, "field").values())


@pytest.mark.parametrize("read", [records.integer_of, records.number_of, records.decimal_of])
def test_a_truth_value_is_no_number(read: Any) -> None:
    assert read({"field": True}, "field") is None


@pytest.mark.parametrize("value", ["NaN", "Infinity", "1e", "", " "])
def test_an_amount_is_finite_or_missing(value: str) -> None:
    assert records.decimal_of({"amount": value}, "amount") is None


@pytest.mark.parametrize("value", ["2026-03-09T08:05:00+01:00", "2026-03-09T07:05:00Z", "2026-03-09T07:05:00"])
def test_a_moment_is_in_utc(value: str) -> None:
    assert records.datetime_of({"at": value}, "at") == datetime(2026, 3, 9, 7, 5, tzinfo=UTC)


@pytest.mark.parametrize("value", ["yesterday", "0001-01-01T00:00:00+23:59", 5, None])
def test_what_is_no_moment_is_missing(value: object) -> None:
    assert records.datetime_of({"at": value}, "at") is None


def test_a_number_is_read_as_a_text_and_a_truth_value_is_not() -> None:
    text = records.texts_of({"name": "Ada", "zip": 1050, "share": 0.5, "vip": True, "tags": ["x"], "city": None})
    assert [text[name] for name in ("name", "zip", "share", "vip", "tags", "city")] == [
        "Ada",
        "1050",
        "0.5",
        "",
        "",
        "",
    ]
