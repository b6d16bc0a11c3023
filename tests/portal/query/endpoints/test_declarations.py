"""Declarations: what is refused at once, and what a module declared may be declared again."""

from typing import Any

import pytest

from portal.errors import UsageError
from portal.query import (
    MutationGroup,
    QueryGroup,
    RowParams,
    mutation_endpoint,
    paginated_query_endpoint,
    query_endpoint,
)
from portal.query.endpoints.registry import Registry
from portal.services.energy.clients import ClientQueries


def reading(**options: Any) -> Any:
    return query_endpoint(**{"data": dict, "url": "/a", **options})


def listing(**options: Any) -> Any:
    return paginated_query_endpoint(item=dict, url="/a", **options)


def writing(**options: Any) -> Any:
    return mutation_endpoint(**{"url": "/a", "method": "POST", **options})


def adding(data: Any = dict, **helper: Any) -> Any:
    return writing(data=data).add_created_to_paginated_list(list_query_key="a", **helper)


@pytest.mark.parametrize(
    ("declare", "message"),
    [
        (lambda: writing(method="GET"), "one of POST, PUT, PATCH, DELETE"),
        *(
            (lambda url=url: reading(url=url), "a path such as")
            for url in ("a", "/a?b=1", "/a#b", "/a/../b", "//other.test/x", None)
        ),
        *((lambda url=url: reading(url=url), "should be a name in braces") for url in ("/a/{id", "/a/{}", "/a/{id!r}")),
        (lambda: reading(url="/a/{idd}", params=RowParams), "names idd, which is no parameter; params declares id"),
        (lambda: listing(unique_by=""), "a field's name, or False"),
        (lambda: listing(unique_by=True), "a field's name, or False"),
        (lambda: listing(stale_time_s=-1), "from 0 on, not -1"),
        (lambda: reading(stale_time_s="5"), "from 0 on, not '5'"),
        (lambda: reading(stale_time_s=float("nan")), "from 0 on, not nan"),
        (lambda: adding(matches=lambda _params, _row: True, newest_first_by="at"), "matches or newest_first_by, not"),
        (lambda: adding(data=None, select_list_item=lambda data: data), "give data=…"),
        (lambda: adding().invalidates(query_key=writing()), "should be a hook such as"),
        (lambda: writing().set_answer(query_key="a"), "give data=…, the type of the response"),
        (lambda: reading(tags="figures"), "a tuple of names"),
        (lambda: reading(tags=("",)), "a tuple of names"),
        (lambda: listing(tags=["figures"]), "a tuple of names"),
        (lambda: writing().invalidates(), "query_key=…, or tag=… alone"),
        (lambda: writing().invalidates(tag="a", query_key="b"), "query_key=…, or tag=… alone"),
        (lambda: writing().invalidates(tag="a", get_params=dict), "query_key=…, or tag=… alone"),
    ],
)
def test_a_wrong_declaration_is_refused_at_once(declare: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        declare()


def test_what_a_module_declared_is_forgotten_and_may_be_declared_again() -> None:
    registry = Registry()

    def declare() -> Any:
        class Queries(QueryGroup, domain="a", registry=registry):
            use_get_x_query = reading()

        class Mutations(MutationGroup, domain="a", registry=registry):
            use_do_x_mutation = writing()

        return Queries

    declare()
    registry.forget("another.module")
    assert (list(registry.queries), list(registry.mutations)) == (["a.get_x"], ["a.do_x"])
    declare()
    assert [hook.key for hook in registry.duplicates] == ["a.get_x", "a.do_x"]
    registry.forget(__name__)
    assert (registry.queries, registry.mutations, registry.duplicates) == ({}, {}, [])
    last = declare()
    assert registry.queries["a.get_x"] is last.use_get_x_query
    assert registry.duplicates == []


def test_a_value_that_is_none_of_a_literal_is_refused_before_it_is_sent() -> None:
    hook: Any = ClientQueries.use_get_clients_query
    assert hook.spec(sort="-city") != hook.spec(sort=None)
    with pytest.raises(UsageError, match=r"get_clients: sort has no value '-citty'; it has -city, .*name"):
        hook.spec(sort="-citty")
