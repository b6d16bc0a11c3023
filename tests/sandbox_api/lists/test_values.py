from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox_api.lists.values import read_instant, split_values


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("", ()),
        (",", ()),
        ("open", ("open",)),
        ("open,done", ("open", "done")),
        ("open,,open", ("open",)),
        ("a\\,b,c", ("a,b", "c")),
        ("a\\\\,b", ("a\\", "b")),
        ("a\\", ("a\\",)),
        (" a", (" a",)),
    ],
)
def test_values_stand_between_commas(text, values):
    assert split_values(text) == values


@given(values=st.lists(st.text(min_size=1), unique=True))
def test_what_is_escaped_comes_back(values):
    text = ",".join(value.replace("\\", "\\\\").replace(",", "\\,") for value in values)
    assert split_values(text) == tuple(values)


def test_a_moment_is_read_in_any_zone_and_anything_else_is_none():
    assert read_instant("2026-03-01T01:30:00+02:00") == datetime(2026, 2, 28, 23, 30, tzinfo=UTC)
    assert read_instant("2026-03-01T00:00:00Z") == datetime(2026, 3, 1, tzinfo=UTC)
    days = ["2026-03-01", "2026-03-01T00:00:00", "2026-02-30T00:00:00Z", "0001-01-01T00:00:00+14:00"]
    assert {read_instant(text) for text in ("", "now", *days, "\0", "1" * 5000)} == {None}


@given(text=st.text())
def test_no_text_is_an_error_of_ours(text):
    moment = read_instant(text)
    assert moment is None or moment.tzinfo is not None
