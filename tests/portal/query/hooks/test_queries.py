"""Reads: what a hook refuses before it reads. Queries and lists."""

from __future__ import annotations

from typing import Any

import pytest
from django.http import HttpRequest

from portal.errors import UsageError
from portal.query import create_query_group, paginated_query_endpoint
from portal.query.endpoints.registry import Registry
from portal.services.user import UserQueries
from tests.portal.query.fakes import Process
from tests.support.client_endpoints import ClientQueries


def test_the_first_argument_of_a_hook_is_a_request_or_a_client() -> None:
    for source in (HttpRequest(), None, "ada", object()):
        with pytest.raises(UsageError, match="data always belongs to someone"):
            ClientQueries.use_get_clients_query(source)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda hook, client: hook(client, {"serch": "x"}), "serch is no parameter.* knows city, q, sort"),
        (lambda hook, client: hook(client, {"cursor": "x"}), "cursor is no parameter"),
        (lambda hook, client: hook(client, "x"), "params should be a mapping, not str"),
        (lambda hook, client: hook(client, pages=0), "pages should be from 1 to 50"),
        (lambda hook, client: hook(client, pages="2"), "a whole number, not '2'"),
        (lambda hook, client: hook(client, pages=2.0), "a whole number, not 2.0"),
        (lambda hook, client: hook(client, pages=True), "a whole number, not True"),
        (lambda hook, client: hook(client, cursor=5), "cursor should be a text such as .*, not 5"),
        (lambda hook, client: hook(client, pages=51), "pages should be from 1 to 50"),
        (lambda hook, client: hook.invalidate(client, {"q": "x"}), "params=… for one query, or matching=…"),
        (lambda hook, client: hook.invalidate(client, params={"q": "x"}, matching={"q": "x"}), "not both"),
        (lambda hook, client: hook.invalidate(client, matching={"q": object()}), "'q' should be a string"),
    ],
)
def test_a_read_of_another_shape_is_a_usage_fault(process: Process, ada: Any, call: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        call(ClientQueries.use_get_clients_query, ada.request())


def test_a_missing_parameter_is_named(process: Process, ada: Any) -> None:
    with pytest.raises(UsageError, match="the parameter id is missing"):
        ClientQueries.use_get_client_query(ada.request(), {})
    with pytest.raises(UsageError, match="takes no params"):
        UserQueries.use_get_me_query(ada.request(), {"id": "x"})


def test_the_cursor_is_not_a_parameter_of_any_list(process: Process, ada: Any) -> None:
    group = create_query_group(
        {"get_a": paginated_query_endpoint(item=dict, params=dict[str, str], url="/a")}, registry=Registry()
    )
    with pytest.raises(UsageError, match="as cursor=…"):
        group.use_get_a_query(ada.request(), {"cursor": "x"})
