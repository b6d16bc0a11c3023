"""A parameter with several values is one text: the same for the same choice, in whatever order it comes."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portal.query.endpoints.urls import address, query_key
from portal.rows import OpenEnum


class Status(OpenEnum):
    OPEN = "open"
    DONE = "done"


def sent(value: Any) -> str | None:
    return address(url="/x", params=query_key(endpoint="e", params={"status": value}).params, endpoint="e").query.get(
        "status"
    )


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (["open", "done"], "done,open"),
        (("open", "open"), "open"),
        ({Status.OPEN, Status.DONE}, "done,open"),
        ([3, True], "3,true"),
        (["Frankfurt, Hessen", "a\\b"], "Frankfurt\\, Hessen,a\\\\b"),
        ("open,done", "open,done"),
        ([], None),
        (None, None),
    ],
)
def test_it_stands_in_the_address_with_commas(value: Any, text: str | None) -> None:
    assert sent(value) == text


@given(values=st.lists(st.text(min_size=1)))
def test_the_order_does_not_matter(values: list[str]) -> None:
    keys = {query_key(endpoint="e", params={"status": order}).digest for order in (values, values[::-1], set(values))}
    assert len(keys) == 1


def test_one_value_is_the_same_query_alone_and_in_a_sequence() -> None:
    alone, one = (query_key(endpoint="e", params={"status": value}) for value in ("open", ["open"]))
    assert alone.digest == one.digest
