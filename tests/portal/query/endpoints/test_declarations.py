from __future__ import annotations

from typing import Any

import pytest

from portal.errors import UsageError
from portal.query import mutation_endpoint, paginated_query_endpoint, query_endpoint


def adding(data: Any = dict, **helper: Any) -> Any:
    endpoint = mutation_endpoint(data=data, url="/a", method="POST")
    return endpoint.add_created_to_paginated_list(list_query_key="a", **helper)


@pytest.mark.parametrize(
    ("declare", "message"),
    [
        (lambda: mutation_endpoint(url="/a", method="GET"), "one of POST, PUT, PATCH, DELETE"),
        (lambda: paginated_query_endpoint(item=dict, url="/a", unique_by=""), "a field's name, or False"),
        (lambda: query_endpoint(data=dict, url="a"), "a path such as"),
        (lambda: query_endpoint(data=dict, url="/a?b=1"), "a path such as"),
        (lambda: query_endpoint(data=dict, url="/a#b"), "a path such as"),
        (lambda: query_endpoint(data=dict, url="/a/../b"), "a path such as"),
        (lambda: paginated_query_endpoint(item=dict, url="/a", unique_by=True), "a field's name, or False"),
        (lambda: paginated_query_endpoint(item=dict, url="/a", stale_time_s=-1), "from 0 on, not -1"),
        (lambda: query_endpoint(data=dict, url="/a", stale_time_s="5"), "from 0 on, not '5'"),
        (lambda: query_endpoint(data=dict, url="/a", stale_time_s=float("nan")), "from 0 on, not nan"),
        (lambda: adding(select_list_item="id"), "select_list_item should be a function"),
        (lambda: adding(matches=lambda _params, _row: True, newest_first_by="at"), "matches or newest_first_by, not"),
        (
            lambda: adding().invalidates(query_key=mutation_endpoint(url="/a", method="POST")),
            "should be a hook such as",
        ),
        (lambda: adding(select_list_item=lambda data: data, matches=True), "matches should be a function"),
        (lambda: adding(data=None, select_list_item=lambda data: data), "give data=…"),
        (
            lambda: mutation_endpoint(url="/a", method="POST").remove_from_paginated_list(
                list_query_key="a", get_deleted_id="id"
            ),
            "get_deleted_id should be a function, not 'id'",
        ),
        (
            lambda: mutation_endpoint(url="/a", method="POST").invalidates(query_key="a", get_params={}),
            "get_params should be a function",
        ),
        (
            lambda: mutation_endpoint(url="/a", method="POST").set_answer(query_key="a"),
            "give data=…, the type of the response",
        ),
        (
            lambda: mutation_endpoint(data=dict, url="/a", method="POST").set_answer(query_key="a", get_params={}),
            "get_params should be a function",
        ),
        (lambda: query_endpoint(data=dict, url="/a", tags="figures"), "a tuple of names"),
        (lambda: query_endpoint(data=dict, url="/a", tags=("",)), "a tuple of names"),
        (lambda: paginated_query_endpoint(item=dict, url="/a", tags=["figures"]), "a tuple of names"),
        (lambda: mutation_endpoint(url="/a", method="POST").invalidates(), "query_key=…, or tag=… alone"),
        (lambda: mutation_endpoint(url="/a", method="POST").invalidates(tag=""), "tag should be a name"),
        (
            lambda: mutation_endpoint(url="/a", method="POST").invalidates(tag="a", query_key="b"),
            "query_key=…, or tag=… alone",
        ),
        (
            lambda: mutation_endpoint(url="/a", method="POST").invalidates(tag="a", get_params=dict),
            "query_key=…, or tag=… alone",
        ),
        (lambda: query_endpoint(data=dict, url="//other.test/x"), "a path such as"),
        (lambda: query_endpoint(data=dict, url=None), "a path such as"),
    ],
)
def test_a_wrong_declaration_is_refused_at_once(declare: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        declare()
