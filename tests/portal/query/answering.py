"""Hooks for tests: the answer of a write becomes that of the detail."""

from __future__ import annotations

from typing import Any, TypedDict

from portal.config.contract_names import CREATED_AT_FIELD
from portal.query import (
    ListParams,
    MutationGroup,
    QueryGroup,
    mutation_endpoint,
    paginated_query_endpoint,
    query_endpoint,
    same_params,
)
from tests.portal.query.clients import client_of
from tests.support.client_endpoints import PATH, REGISTRY, RowParams, client_url


class Row(TypedDict, total=False):
    id: str
    name: str


class Queries(QueryGroup, domain="tests_answers", registry=REGISTRY):
    use_get_clients_query = paginated_query_endpoint(item=Row, params=ListParams, url=PATH)
    use_get_client_query = query_endpoint(data=Row, params=RowParams, url=client_url)


class Mutations(MutationGroup, domain="tests_answers", registry=REGISTRY):
    use_create_client_mutation = (
        mutation_endpoint(data=Row, body=Row, url=PATH, method="POST")
        .add_created_to_paginated_list(list_query_key=Queries.use_get_clients_query, newest_first_by=CREATED_AT_FIELD)
        .set_answer(query_key=Queries.use_get_client_query)
    )
    use_update_client_mutation = (
        mutation_endpoint(data=Row, body=Row, params=RowParams, url=client_url, method="PATCH")
        .merge_updated_in_paginated_list(list_query_key=Queries.use_get_clients_query, newest_first_by=CREATED_AT_FIELD)
        .set_answer(query_key=Queries.use_get_client_query)
    )
    use_delete_client_mutation = (
        mutation_endpoint(params=RowParams, url=client_url, method="DELETE")
        .remove_from_paginated_list(list_query_key=Queries.use_get_clients_query)
        .invalidates(query_key=Queries.use_get_client_query, get_params=same_params)
    )
    #: It says which queries it concerns, and not what they show now.
    use_touch_client_mutation = (
        mutation_endpoint(data=Row, body=Row, params=RowParams, url=client_url, method="PATCH")
        .invalidates(query_key=Queries.use_get_clients_query)
        .invalidates(query_key=Queries.use_get_client_query, get_params=same_params)
    )


def read(who: Any, row_id: str) -> Any:
    return Queries.use_get_client_query(client_of(who), {"id": row_id})


def shown(who: Any, row_id: str) -> Any:
    """The name of a row's detail."""
    return read(who, row_id).unwrap()["name"]


def names(who: Any) -> dict[str, str]:
    return {row["id"]: row["name"] for row in Queries.use_get_clients_query(client_of(who)).data.items}


def rename(who: Any, row_id: str, name: str) -> Any:
    return Mutations.use_update_client_mutation(client_of(who)).mutate(body={"name": name}, params={"id": row_id})


def touch(who: Any, row_id: str, name: str) -> Any:
    return Mutations.use_touch_client_mutation(client_of(who)).mutate(body={"name": name}, params={"id": row_id})


def delete(who: Any, row_id: str) -> Any:
    return Mutations.use_delete_client_mutation(client_of(who)).mutate(params={"id": row_id})


def create(who: Any, name: str, **options: Any) -> Any:
    """The result of a creation."""
    return Mutations.use_create_client_mutation(client_of(who), **options).mutate(body={"name": name})
