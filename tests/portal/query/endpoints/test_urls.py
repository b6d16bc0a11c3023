from __future__ import annotations

import enum
from typing import Any
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portal.errors import ApiNotFoundError, UsageError
from portal.query.endpoints.urls import address, check_template, query_key, shape


def client_url(params: Any) -> str:
    return f"/energy/clients/{params['id']}"


@pytest.mark.parametrize("url", [client_url, "/energy/clients/{id}"])
@given(row_id=st.text(min_size=1, alphabet=st.characters(exclude_categories=["Cs"])))
def test_a_path_parameter_stays_one_segment_whatever_it_is(url: Any, row_id: str) -> None:
    if row_id in {".", ".."}:
        return
    path = address(url=url, params={"id": row_id}, endpoint="e").path
    assert path.count("/") == 3
    assert unquote(path.rpartition("/")[2]) == row_id
    assert path.isascii()
    assert not set("?#\\ %").intersection(path.replace("%", "", path.count("%")))


class Colour(str, enum.Enum):  # noqa: UP042  its `str` gives its name
    RED = "red"


class Size(int, enum.Enum):
    LARGE = 5


@pytest.mark.parametrize(("value", "text"), [(Colour.RED, "red"), (Size.LARGE, "5")])
def test_a_member_of_an_enumeration_stands_in_the_address_as_in_the_key(value: Any, text: str) -> None:
    assert address(url=client_url, params={"id": value}, endpoint="e").path == f"/energy/clients/{text}"
    assert address(url="/energy/clients", params={"q": value}, endpoint="e").query == {"q": text}
    plain = {"q": type(value).mro()[1](value.value)}
    assert query_key(endpoint="e", params={"q": value}).digest == query_key(endpoint="e", params=plain).digest


@pytest.mark.parametrize("row_id", ["", ".", ".."])
def test_an_id_that_cannot_be_part_of_a_path_is_not_found(row_id: str) -> None:
    with pytest.raises(ApiNotFoundError):
        address(url=client_url, params={"id": row_id}, endpoint="e")


def test_parameters_that_the_path_does_not_take_go_into_the_query_string() -> None:
    where = address(url=client_url, params={"id": "c1", "deep": True, "depth": 2, "none": None}, endpoint="e")
    assert where.path == "/energy/clients/c1"
    assert where.query == {"deep": "true", "depth": "2"}


@pytest.mark.parametrize("url", [client_url, "/energy/clients/{id}"])
def test_a_missing_path_parameter_is_a_usage_fault(url: Any) -> None:
    with pytest.raises(UsageError, match="'id' is missing"):
        address(url=url, params={}, endpoint="energy.get_client")


def test_a_path_may_name_several_parameters() -> None:
    where = address(url="/a/{first}/b/{second}", params={"first": "x/y", "second": "z", "q": "1"}, endpoint="e")
    assert (where.path, where.query) == ("/a/x%2Fy/b/z", {"q": "1"})


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("/clients/{idd}", "names idd, which is no parameter; params declares id, q"),
        ("/clients/{id", "should be a name in braces"),
        ("/clients/{}", "should be a name in braces"),
        ("/clients/{id!r}", "should be a name in braces"),
    ],
)
def test_braces_that_name_no_parameter_are_refused_when_they_are_declared(url: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        check_template(url, endpoint="query_endpoint", known=frozenset({"id", "q"}))


def test_a_function_that_returns_no_path_is_refused_when_it_is_called() -> None:
    with pytest.raises(UsageError, match="a path such as"):
        address(url=lambda params: f"//{params['id']}", params={"id": "other.test"}, endpoint="e")


def test_the_shape_shows_the_names_of_parameters() -> None:
    assert shape(client_url) == "/energy/clients/{id}"
    assert shape("/me") == "/me"
