from __future__ import annotations

import pytest

from portal.errors import UsageError
from portal.query.endpoints.urls import address, query_key


def test_a_key_is_written_as_in_the_requirements() -> None:
    assert query_key(endpoint="energy.get_client", params={"id": "c1"}).parts == ["energy.get_client", {"id": "c1"}]
    listed = query_key(endpoint="energy.get_clients", params={"q": "oslo"}, paginated=True)
    assert listed.parts == ["energy.get_clients", {"q": "oslo"}, "paginated", 20, "limit"]


def test_the_order_of_parameters_makes_no_difference() -> None:
    one = query_key(endpoint="e", params={"a": 1, "b": "two", "c": True})
    assert one.digest == query_key(endpoint="e", params={"c": True, "b": "two", "a": 1}).digest


def test_a_missing_parameter_and_none_are_the_same_key() -> None:
    assert query_key(endpoint="e", params={"q": None}).digest == query_key(endpoint="e").digest


@pytest.mark.parametrize("params", [{"q": "Oslo"}, {"q": "oslo", "sort": "name"}, {}])
def test_other_parameters_are_another_key(params: dict[str, object]) -> None:
    assert query_key(endpoint="e", params=params).digest != query_key(endpoint="e", params={"q": "oslo"}).digest


def test_a_list_and_a_one_shot_query_never_share_a_key() -> None:
    assert query_key(endpoint="e").digest != query_key(endpoint="e", paginated=True).digest


@pytest.mark.parametrize(
    "value", [object(), float("nan"), float("inf"), b"bytes", [["oslo"]], (("oslo",),), [None], {"city": "oslo"}]
)
def test_a_parameter_that_cannot_be_written_in_an_address_is_refused_by_key_and_address(value: object) -> None:
    words = "'q' should be a string, a number or a boolean"
    with pytest.raises(UsageError, match=words):
        query_key(endpoint="energy.get_clients", params={"q": value})
    with pytest.raises(UsageError, match=words):
        address(url="/energy/clients", params={"q": value}, endpoint="energy.get_clients")
    with pytest.raises(UsageError, match=words):
        address(url=lambda params: f"/energy/clients/{params['q']}", params={"q": value}, endpoint="e")


def test_a_list_a_thousand_levels_deep_is_refused_as_any_other() -> None:
    value: list[object] = []
    for _ in range(100_000):
        value = [value]
    with pytest.raises(UsageError, match="not list"):
        query_key(endpoint="e", params={"q": value})
