"""The clients' endpoints in the explicit form, whose rows are JSON objects as they came: for tests of the cache.

They have a registry of their own, beside the services' with the same keys.
"""

from typing import Any, Final, TypedDict

from portal.query import (
    MutationGroup,
    QueryGroup,
    mutation_endpoint,
    paginated_query_endpoint,
    query_endpoint,
    same_params,
)
from portal.query.endpoints.registry import Registry

PATH: Final = "/energy/clients"
REGISTRY: Final = Registry()


class Client(TypedDict, total=False):
    id: str
    name: str
    email: str


class ClientsListParams(TypedDict, total=False):
    q: str | None
    sort: str | None
    city: str | None


class RowParams(TypedDict):
    id: str


def client_url(params: Any) -> str:
    return f"{PATH}/{params['id']}"


def ids(result: Any) -> list[str]:
    """The ids of the rows of a list."""
    return [row["id"] for row in result.data.items]


class EnergySummaryQueries(QueryGroup, domain="energy", registry=REGISTRY):
    use_get_summary_query = query_endpoint(data=dict, url="/energy/summary")


class ClientQueries(QueryGroup, domain="energy", registry=REGISTRY):
    use_get_clients_query = paginated_query_endpoint(item=Client, params=ClientsListParams, url=PATH)
    use_get_client_query = query_endpoint(data=Client, params=RowParams, url=client_url)


class ClientMutations(MutationGroup, domain="energy", registry=REGISTRY):
    use_create_client_mutation = (
        mutation_endpoint(data=Client, body=Client, url=PATH, method="POST")
        .add_created_to_paginated_list(
            list_query_key=ClientQueries.use_get_clients_query,
            newest_first_by="createdAt",
        )
        .set_answer(query_key=ClientQueries.use_get_client_query)
        .invalidates(query_key=EnergySummaryQueries.use_get_summary_query)
    )
    use_update_client_mutation = (
        mutation_endpoint(data=Client, body=Client, params=RowParams, url=client_url, method="PATCH")
        .merge_updated_in_paginated_list(
            list_query_key=ClientQueries.use_get_clients_query,
            newest_first_by="createdAt",
        )
        .set_answer(query_key=ClientQueries.use_get_client_query)
    )
    #: It says which queries it concerns, and not what they show now.
    use_touch_client_mutation = (
        mutation_endpoint(data=Client, body=Client, params=RowParams, url=client_url, method="PATCH")
        .invalidates(query_key=ClientQueries.use_get_clients_query)
        .invalidates(query_key=ClientQueries.use_get_client_query, get_params=same_params)
    )
    use_delete_client_mutation = (
        mutation_endpoint(params=RowParams, url=client_url, method="DELETE")
        .remove_from_paginated_list(
            list_query_key=ClientQueries.use_get_clients_query,
        )
        .invalidates(query_key=ClientQueries.use_get_client_query, get_params=same_params)
        .invalidates(query_key=EnergySummaryQueries.use_get_summary_query)
    )
