from __future__ import annotations

import pytest

from portal.errors import UsageError
from portal.query.keys import query_key


def test_a_key_is_written_as_in_the_document() -> None:
    assert query_key(endpoint="energy.get_client", params={"id": "c1"}).parts == ["energy.get_client", {"id": "c1"}]
    listed = query_key(endpoint="energy.get_clients", params={"q": "oslo"}, paginated=True)
    assert listed.parts == ["energy.get_clients", {"q": "oslo"}, "paginated", 20, "limit"]


def test_the_order_of_parameters_makes_no_difference_at_any_depth() -> None:
    one = query_key(endpoint="e", params={"a": 1, "b": {"c": 2, "d": [3, {"e": 4, "f": 5}]}})
    other = query_key(endpoint="e", params={"b": {"d": [3, {"f": 5, "e": 4}], "c": 2}, "a": 1})
    assert one.digest == other.digest


def test_a_missing_parameter_and_none_are_alike() -> None:
    assert query_key(endpoint="e", params={"q": None}).digest == query_key(endpoint="e").digest


@pytest.mark.parametrize("params", [{"q": "Oslo"}, {"q": "oslo", "sort": "name"}, {}, {"q": ["oslo"]}])
def test_other_parameters_are_another_key(params: dict[str, object]) -> None:
    assert query_key(endpoint="e", params=params).digest != query_key(endpoint="e", params={"q": "oslo"}).digest


def test_a_list_and_a_one_shot_query_never_share_a_key() -> None:
    assert query_key(endpoint="e").digest != query_key(endpoint="e", paginated=True).digest


@pytest.mark.parametrize("value", [object(), {1, 2}, float("nan"), b"bytes"])
def test_a_parameter_that_json_has_no_form_for_is_refused(value: object) -> None:
    with pytest.raises(UsageError, match="strings, numbers, booleans"):
        query_key(endpoint="e", params={"q": value})
