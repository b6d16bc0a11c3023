"""Work orders: what is to be done at a station, or anywhere."""

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
from portal.services.operations.summary import OperationsSummaryQueries
from portal.services.rows import Row, belongs_at_start, row_url, stays_in_place

PATH: Final = "/operations/work-orders"


class WorkOrder(Row, total=False):
    """A work order."""

    title: str
    stationId: str | None
    stationName: str | None
    priority: str
    status: str
    assignee: str | None
    createdAt: str
    completedAt: str | None


class WorkOrdersListParams(ListParams):
    """`sort`: also `title`. The others are exact matches."""

    station_id: str | None = None
    status: str | None = None
    priority: str | None = None


class _WorkOrderNames(TypedDict):
    title: str
    priority: str


class WorkOrderCreateReq(_WorkOrderNames, total=False):
    """A new work order, which is open."""

    stationId: str | None


class WorkOrderUpdateReq(TypedDict, total=False):
    """The fields that change; the others stay."""

    status: str
    assignee: str | None
    priority: str


class WorkOrderQueries(QueryGroup):
    """`use_get_work_orders_query` and `use_get_work_order_query`."""

    use_get_work_orders_query = paginated_query_endpoint(item=WorkOrder, params=WorkOrdersListParams, url=PATH)
    use_get_work_order_query = query_endpoint(data=WorkOrder, params=RowParams, url=row_url(PATH))


class WorkOrderMutations(MutationGroup):
    """`use_create_work_order_mutation` and `use_update_work_order_mutation`."""

    use_create_work_order_mutation = (
        mutation_endpoint(data=WorkOrder, body=WorkOrderCreateReq, url=PATH, method="POST")
        .add_created_to_paginated_list(
            list_query_key=WorkOrderQueries.use_get_work_orders_query,
            select_list_item=lambda work_order: work_order,
            matches=belongs_at_start,
        )
        .invalidates(query_key=OperationsSummaryQueries.use_get_summary_query)
    )
    use_update_work_order_mutation = (
        mutation_endpoint(data=WorkOrder, body=WorkOrderUpdateReq, params=RowParams, url=row_url(PATH), method="PATCH")
        .merge_updated_in_paginated_list(
            list_query_key=WorkOrderQueries.use_get_work_orders_query,
            select_list_item=lambda work_order: work_order,
            matches=stays_in_place,
        )
        .invalidates(query_key=WorkOrderQueries.use_get_work_order_query, get_params=lambda variables: variables.params)
        .invalidates(query_key=OperationsSummaryQueries.use_get_summary_query)
    )
