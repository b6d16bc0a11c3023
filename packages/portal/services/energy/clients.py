"""Clients: who charges cars, or has them charged (requirements, "Client record")."""

from __future__ import annotations

from typing import Final, TypedDict

from portal.query import (
    ListParams,
    MutationGroup,
    QueryGroup,
    RowParams,
    mutation_endpoint,
    paginated_query_endpoint,
    query_endpoint,
)
from portal.services.energy.summary import EnergySummaryQueries
from portal.services.rows import Row, belongs_at_start, row_url, stays_in_place

PATH: Final = "/energy/clients"


class Client(Row, total=False):
    """`TClient` (requirements, "Client record")."""

    name: str
    email: str
    phone: str | None
    city: str | None
    createdAt: str


class ClientsListParams(ListParams):
    """`TClientsListParams`. `sort`: also `name`, `email`, `city`; `city`: an exact match."""

    city: str | None = None


class _ClientNames(TypedDict):
    name: str
    email: str


class ClientCreateReq(_ClientNames, total=False):
    """`TClientCreateReq` (requirements, "Client record")."""

    phone: str | None
    city: str | None


class ClientUpdateReq(TypedDict, total=False):
    """The fields that change; the others stay."""

    name: str
    email: str
    phone: str | None
    city: str | None


class ClientQueries(QueryGroup):
    """`use_get_clients_query` and `use_get_client_query`."""

    use_get_clients_query = paginated_query_endpoint(item=Client, params=ClientsListParams, url=PATH)
    use_get_client_query = query_endpoint(data=Client, params=RowParams, url=row_url(PATH))


class ClientMutations(MutationGroup):
    """`use_create_client_mutation`, `use_update_client_mutation` and `use_delete_client_mutation`."""

    use_create_client_mutation = (
        mutation_endpoint(data=Client, body=ClientCreateReq, url=PATH, method="POST")
        .add_created_to_paginated_list(
            list_query_key=ClientQueries.use_get_clients_query,
            select_list_item=lambda client: client,
            matches=belongs_at_start,
        )
        .invalidates(query_key=EnergySummaryQueries.use_get_summary_query)
    )
    use_update_client_mutation = (
        mutation_endpoint(data=Client, body=ClientUpdateReq, params=RowParams, url=row_url(PATH), method="PATCH")
        .merge_updated_in_paginated_list(
            list_query_key=ClientQueries.use_get_clients_query,
            select_list_item=lambda client: client,
            matches=stays_in_place,
        )
        .invalidates(query_key=ClientQueries.use_get_client_query, get_params=lambda variables: variables.params)
    )
    use_delete_client_mutation = (
        mutation_endpoint(params=RowParams, url=row_url(PATH), method="DELETE")
        .remove_from_paginated_list(
            list_query_key=ClientQueries.use_get_clients_query,
            get_deleted_id=lambda variables: variables.params["id"],
        )
        .invalidates(query_key=ClientQueries.use_get_client_query, get_params=lambda variables: variables.params)
        .invalidates(query_key=EnergySummaryQueries.use_get_summary_query)
    )
