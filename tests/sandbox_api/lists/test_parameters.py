import pytest
from django.urls import get_resolver

from sandbox_api.lists.views import ListView


def test_each_list_takes_its_sorts_and_refuses_others(anybody, problem):
    views = [each for each in get_resolver("sandbox_api.urls").url_patterns if hasattr(each.callback, "cls")]
    lists = {str(each.pattern): each.callback.cls for each in views if issubclass(each.callback.cls, ListView)}
    assert len(lists) > 8
    for path, view in lists.items():
        if "<" in path:
            continue
        for name in view.spec.sorts:
            for sort in (name, f"-{name}"):
                answer = anybody.get(f"/{path}", {"sort": sort, "q": "x", "limit": 1})
                assert set(answer.json()) == {"items", "hasNext", "nextCursor", "total"}, (path, sort)
        assert problem(anybody.get(f"/{path}", {"sort": "password"}), 422, "sort")


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("limit", ["0", "-1", "101", "1.5", "ten", "1e2", "٣", "1_0", " 5", "9" * 5000, "\0"]),
        ("q", ["\0", "a\nb", "x" * 201]),
    ],
)
def test_a_parameter_that_can_not_be_one_is_422(energy, problem, name, values):
    for value in values:
        assert problem(energy.get("/energy/clients", {name: value}), 422, name), value
    query = {"sort": "x", "limit": "x", "q": "\0"}
    assert problem(energy.get("/energy/clients", query), 422, *query), "all at once"


def test_a_limit_within_1_to_100_is_taken_and_empty_and_unknown_parameters_do_not_matter(energy):
    empty = dict.fromkeys(("sort", "limit", "q", "cursor", "city"), "")
    for query in ({"limit": "1"}, {"limit": "100"}, {"limit": "050"}, empty | {"page": "7"}):
        assert energy.get("/energy/clients", query).status_code == 200
