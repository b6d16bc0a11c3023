"""Keys and addresses: what parameters become. One with several values is one text, in whatever order they come."""

import enum
from functools import reduce
from typing import Any
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portal.errors import ApiNotFoundError, UsageError
from portal.query.endpoints.urls import address, query_key, shape
from portal.rows import OpenEnum


class Status(OpenEnum):
    OPEN = "open"
    DONE = "done"


class Colour(str, enum.Enum):  # noqa: UP042  its `str` gives its name
    RED = "red"


class Size(int, enum.Enum):
    LARGE = 5


def client_url(params: Any) -> str:
    return f"/energy/clients/{params['id']}"


def digest(paginated: bool = False, **params: Any) -> str:
    return query_key(endpoint="e", params=params, paginated=paginated).digest


def test_a_key_is_written_as_in_the_requirements() -> None:
    assert query_key(endpoint="energy.get_client", params={"id": "c1"}).parts == ["energy.get_client", {"id": "c1"}]
    listed = query_key(endpoint="energy.get_clients", params={"q": "oslo"}, paginated=True)
    assert listed.parts == ["energy.get_clients", {"q": "oslo"}, "paginated", 20, "limit"]


def test_keys_differ_by_parameters_and_kind_and_not_by_order_or_what_is_missing() -> None:
    assert digest(a=1, b="two", c=True) == digest(c=True, b="two", a=1)
    assert digest(q=None) == digest()
    assert digest(q="open") == digest(q=["open"])
    assert len({digest(), digest(paginated=True), digest(q="oslo"), digest(q="Oslo"), digest(q="oslo", sort="x")}) == 5


@given(values=st.lists(st.text(min_size=1, max_size=9), max_size=5))
def test_the_order_of_several_values_does_not_matter(values: list[str]) -> None:
    assert len({digest(status=order) for order in (values, values[::-1], set(values))}) == 1


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
        (True, "true"),
        (2, "2"),
        (Colour.RED, "red"),
        (Size.LARGE, "5"),
    ],
)
def test_what_the_path_does_not_take_goes_into_the_query_string(value: Any, text: str | None) -> None:
    params = query_key(endpoint="e", params={"id": "c1", "status": value}).params
    where = address(url=client_url, params=params, endpoint="e")
    assert (where.path, where.query) == ("/energy/clients/c1", {} if text is None else {"status": text})


@pytest.mark.parametrize("value", [Colour.RED, Size.LARGE])
def test_a_member_of_an_enumeration_stands_in_the_address_as_in_the_key(value: Any) -> None:
    assert address(url=client_url, params={"id": value}, endpoint="e").path == f"/energy/clients/{value.value}"
    assert digest(q=value) == digest(q=type(value).mro()[1](value.value))


DEEP: list[Any] = reduce(lambda inner, _: [inner], range(100_000), [])


@pytest.mark.parametrize(
    "value",
    [object(), float("nan"), float("inf"), b"bytes", [["oslo"]], (("oslo",),), [None], {"city": "oslo"}, DEEP],
    ids=lambda value: type(value).__name__,
)
def test_a_parameter_that_cannot_be_written_in_an_address_is_refused_by_key_and_address(value: object) -> None:
    words = "'q' should be a string, a number or a boolean"
    with pytest.raises(UsageError, match=words):
        digest(q=value)
    for url in ("/energy/clients", lambda params: f"/energy/clients/{params['q']}"):
        with pytest.raises(UsageError, match=words):
            address(url=url, params={"q": value}, endpoint="energy.get_clients")


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


@pytest.mark.parametrize("row_id", ["", ".", ".."])
def test_an_id_that_cannot_be_part_of_a_path_is_not_found(row_id: str) -> None:
    with pytest.raises(ApiNotFoundError):
        address(url=client_url, params={"id": row_id}, endpoint="e")


@pytest.mark.parametrize(
    ("url", "params", "words"),
    [
        (client_url, {}, "'id' is missing"),
        ("/energy/clients/{id}", {}, "'id' is missing"),
        (lambda params: f"/a/{params.id}", {"id": "x"}, r"params\['id'\], not params.id"),
        (lambda params: f"//{params['id']}", {"id": "other.test"}, "a path such as"),
    ],
)
def test_a_path_that_can_not_be_made_is_a_usage_fault(url: Any, params: Any, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        address(url=url, params=params, endpoint="energy.get_client")


def test_a_path_may_name_several_parameters_and_has_a_shape() -> None:
    where = address(url="/a/{first}/b/{second}", params={"first": "x/y", "second": "z", "q": "1"}, endpoint="e")
    assert (where.path, where.query) == ("/a/x%2Fy/b/z", {"q": "1"})
    assert [shape(client_url), shape("/me")] == ["/energy/clients/{id}", "/me"]
